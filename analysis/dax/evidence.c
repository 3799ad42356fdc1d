// SPDX-License-Identifier: LGPL-2.1-only
/* Shows a fault and the events that explain it, as one line of text and in columns. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/dax/dax-schema.h"
#include "analysis/dax/dax-state.h"
#include "util/time.h"

/* Appends to @text at offset @at. Returns the new length. */
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

/* Room for all labels of a field. */
#define LABELS_TEXT 512

/*
 * Are all bits of a set of flags set, as in DAX_RESULT_UNKNOWN? Such a value is shown without
 * labels. False for extent types, which are not sets of flags.
 */
static bool is_unknown(enum dax_label_field kind, uint64_t value)
{
	return kind != DAX_LABEL_EXTENT_TYPE &&
	       value == (kind == DAX_LABEL_VM_FLAGS ? UINT64_MAX : UINT32_MAX);
}

/* Appends " NAME LABELS". */
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
		/* A hole has no address on the device. Other addresses may be unknown. */
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
		at = append(text, size, at,
			    "; unknown values are shown as all ones, unknown flags as 0");
	return at;
}

const char *dax_fault_comm(const struct dax_state *state, const struct dax_fault *fault)
{
	const char *comm = state->processes[fault->process].comm;

	return comm[0] ? comm : "<...>";
}

void dax_describe(const struct dax_state *state, const struct dax_fault *fault, bool gmt,
		  char *text, size_t size)
{
	const struct dax_evidence *e = &fault->evidence;
	char *name = dax_file_name(state, &fault->file);
	char time[MM_TIME_TEXT];
	size_t at;

	mm_time_format(time, sizeof(time), fault->begin_ns, gmt);
	at = append(text, size, 0, "%s %s pid %d tid %d %s dev %u:%u ino 0x%" PRIx64 " %s %s", time,
		    dax_fault_comm(state, fault), fault->pid, fault->tid, name ? name : "?",
		    fault->file.major, fault->file.minor, fault->file.ino,
		    e->vm_flags & DAX_VM_SHARED ? "shared" : "private",
		    e->flags & DAX_FLAG_WRITE ? "write" : "read");
	free(name);
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

static void set_number(struct mm_cell *cell, uint64_t value)
{
	if (value != DAX_UNKNOWN)
		mm_cell_set_u(cell, value);
}

static void set_labels(const struct dax_state *state, struct mm_cell *cell,
		       enum dax_label_field kind, uint64_t value)
{
	char labels[LABELS_TEXT];

	if (is_unknown(kind, value))
		return;
	mm_labels_text(&state->labels[kind], value, labels, sizeof(labels));
	mm_cell_set_s(cell, labels);
}

static void set_events(const struct dax_state *state, const struct dax_evidence *e,
		       struct mm_cell *cells)
{
	if (e->extent_seen) {
		set_number(&cells[DAX_FAULT_EXTENT_POS], e->extent_pos);
		set_number(&cells[DAX_FAULT_EXTENT_OFFSET], e->extent_offset);
		set_number(&cells[DAX_FAULT_EXTENT_LENGTH], e->extent_length);
		set_number(&cells[DAX_FAULT_EXTENT_ADDR], e->extent_addr);
		set_labels(state, &cells[DAX_FAULT_EXTENT_TYPE], DAX_LABEL_EXTENT_TYPE,
			   e->extent_type);
	}
	if (e->hole_fallback_seen)
		set_number(&cells[DAX_FAULT_ZERO_PFN], e->hole_zero_pfn);
	if (e->entry_seen)
		set_number(&cells[DAX_FAULT_RADIX_ENTRY], e->entry);
}

void dax_report_fault(const struct dax_state *state, const struct dax_fault *fault,
		      struct mm_cell *cells, struct mm_report *report)
{
	const struct dax_evidence *e = &fault->evidence;
	char *name = dax_file_name(state, &fault->file);

	report->failed |= !name;
	mm_cell_set_s(&cells[DAX_FAULT_PATH], name);
	free(name);
	set_number(&cells[DAX_FAULT_CLOCK_NS], fault->begin_clock_ns);
	set_number(&cells[DAX_FAULT_PID], (uint64_t)fault->pid);
	set_number(&cells[DAX_FAULT_TID], (uint64_t)fault->tid);
	set_number(&cells[DAX_FAULT_MAJOR], fault->file.major);
	set_number(&cells[DAX_FAULT_MINOR], fault->file.minor);
	set_number(&cells[DAX_FAULT_INO], fault->file.ino);
	mm_cell_set_s(&cells[DAX_FAULT_ACCESS], e->flags & DAX_FLAG_WRITE ? "write" : "read");
	mm_cell_set_b(&cells[DAX_FAULT_SHARED], e->vm_flags & DAX_VM_SHARED);
	set_labels(state, &cells[DAX_FAULT_FLAGS], DAX_LABEL_FLAGS, e->flags);
	set_labels(state, &cells[DAX_FAULT_RESULT], DAX_LABEL_RESULT, e->result);
	set_labels(state, &cells[DAX_FAULT_VM_FLAGS], DAX_LABEL_VM_FLAGS, e->vm_flags);
	set_number(&cells[DAX_FAULT_ADDRESS], e->address);
	set_number(&cells[DAX_FAULT_PGOFF], e->pgoff);
	if (fault->kind == DAX_KIND_PMD) {
		set_number(&cells[DAX_FAULT_MAX_PGOFF], e->max_pgoff);
		set_number(&cells[DAX_FAULT_VM_START], e->vm_start);
		set_number(&cells[DAX_FAULT_VM_END], e->vm_end);
	}
	set_events(state, e, cells);
}
