// SPDX-License-Identifier: LGPL-2.1-only
/* A fault and the events that explain it, as one line of text. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "analysis/dax/dax-state.h"

/* Appends to @text, which has @at bytes by now. Returns how many it has then. */
__attribute__((format(printf, 4, 5))) static size_t append(char *text, size_t size, size_t at,
							   const char *fmt, ...)
{
	va_list args;
	int n;

	if (at >= size)
		return at;
	va_start(args, fmt);
	n = vsnprintf(text + at, size - at, fmt, args);
	va_end(args);
	return n > 0 ? at + (size_t)n : at;
}

/* All of the labels of a field at once. */
#define LABELS_TEXT 512

/* Flags of all ones are not known (wide.h). */
static bool is_unknown(enum dax_label_field kind, uint64_t value)
{
	return kind != DAX_LABEL_EXTENT_TYPE &&
	       value == (kind == DAX_LABEL_VM_FLAGS ? UINT64_MAX : UINT32_MAX);
}

/* ` NAME LABELS` */
static size_t append_labels(char *text, size_t size, size_t at, const struct dax_state *state,
			    enum dax_label_field kind, const char *name, uint64_t value)
{
	char labels[LABELS_TEXT];

	if (is_unknown(kind, value))
		return append(text, size, at, " %s 0x%" PRIx64, name, value);
	mm_labels_text(&state->labels[kind], value, labels, sizeof(labels));
	return append(text, size, at, " %s %s", name, labels);
}

static size_t describe_events(const struct dax_state *state, const struct dax_evidence *e,
			      char *text, size_t size, size_t at)
{
	if (e->extent_seen) {
		at = append(text, size, at,
			    "; dax_fault_extent pos 0x%" PRIx64 " offset 0x%" PRIx64
			    " length 0x%" PRIx64,
			    e->extent_pos, e->extent_offset, e->extent_length);
		/* A hole has no place on the device. */
		if (e->extent_addr == DAX_UNKNOWN)
			at = append(text, size, at, " addr ?");
		else
			at = append(text, size, at, " addr 0x%" PRIx64, e->extent_addr);
		at = append_labels(text, size, at, state, DAX_LABEL_EXTENT_TYPE, "type",
				   e->extent_type);
	}
	if (e->hole_fallback_seen)
		at = append(text, size, at, "; dax_pmd_load_hole_fallback zero_pfn 0x%" PRIx64,
			    e->hole_zero_pfn);
	if (e->entry_seen)
		at = append(text, size, at, "; dax_pmd_fallback radix_entry 0x%" PRIx64, e->entry);
	if (e->incomplete)
		at = append(text, size, at, "; values of all ones are not known");
	return at;
}

void dax_describe(const struct dax_state *state, const struct dax_fault *fault, char *text,
		  size_t size)
{
	const struct dax_evidence *e = &fault->evidence;
	size_t at = append(
		text, size, 0, "%" PRIu64 ".%06" PRIu64 " tid %d dev %u:%u ino 0x%" PRIx64 " %s %s",
		fault->begin_clock_ns / 1000000000, fault->begin_clock_ns / 1000 % 1000000,
		fault->tid, fault->file.major, fault->file.minor, fault->file.ino,
		e->vm_flags & DAX_VM_SHARED ? "shared" : "private",
		e->flags & DAX_FLAG_WRITE ? "write" : "read");

	at = append_labels(text, size, at, state, DAX_LABEL_FLAGS, "flags", e->flags);
	at = append_labels(text, size, at, state, DAX_LABEL_RESULT, "result", e->result);
	at = append_labels(text, size, at, state, DAX_LABEL_VM_FLAGS, "vm_flags", e->vm_flags);
	at = append(text, size, at, " address 0x%" PRIx64 " pgoff 0x%" PRIx64, e->address,
		    e->pgoff);
	if (fault->kind == DAX_KIND_PMD)
		at = append(text, size, at, " max_pgoff 0x%" PRIx64 " vm 0x%" PRIx64 "-0x%" PRIx64,
			    e->max_pgoff, e->vm_start, e->vm_end);
	describe_events(state, e, text, size, at);
}
