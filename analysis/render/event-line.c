// SPDX-License-Identifier: LGPL-2.1-only
/* Event lines: formats of our own events in a table, a generic form for all others. */
#include "analysis/render/event-line.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "analysis/core/escape.h"

#define TEXT_MAX 4096

const char *const mm_event_line_fields[] = { "$ctx.procname", "$ctx.tid", "tid", NULL };
enum { LINE_PROCNAME, LINE_CONTEXT_TID, LINE_TID };

/*
 * Formats as the kernel's own events of the same name print, so that both can be read side by side.
 * `{field}` stands for the field's text, `{field?set:clear}` for a word by the field's truth and
 * `{vm_flags&shared}` for what the mapping is.
 */
#define DEV "dev {dev_major}:{dev_minor} ino {ino} "
#define PTE_FAULT DEV "{vm_flags&shared} {flags} address {address} pgoff {pgoff} {result}"
#define PMD_FAULT                                                                      \
	DEV "{vm_flags&shared} {flags} address {address} vm_start {vm_start} vm_end {vm_end} " \
	    "pgoff {pgoff} max_pgoff {max_pgoff} {result}"
#define PMD_HOLE \
	DEV "{vm_flags&shared} address {address} zero_pfn {zero_pfn} radix_entry {radix_entry}"
#define WRITEBACK DEV "pgoff {start_index}-{end_index}"

static const struct {
	const char *event;
	const char *format;
} formats[] = {
	{ "dax_fault_extent", DEV "pos {pos} len {len} {flags} extent {extent_type} offset "
			      "{extent_offset} length {extent_length} addr {extent_addr} "
			      "{extent_flags}" },
	{ "dax_insert_mapping", DEV "{vm_flags&shared} {write?write:read} address {address} "
				"radix_entry {radix_entry}" },
	{ "dax_insert_pfn_mkwrite", PTE_FAULT },
	{ "dax_insert_pfn_mkwrite_no_entry", PTE_FAULT },
	{ "dax_load_hole", PTE_FAULT },
	{ "dax_pmd_fallback", DEV "address {address} pgoff {pgoff} entry_pgoff {entry_pgoff} "
			      "radix_entry {radix_entry}" },
	{ "dax_pmd_fault", PMD_FAULT },
	{ "dax_pmd_fault_done", PMD_FAULT },
	{ "dax_pmd_insert_mapping", DEV "{vm_flags&shared} {write?write:read} address {address} "
				    "length {length} pfn {pfn} {pfn_flags} radix_entry "
				    "{radix_entry}" },
	{ "dax_pmd_load_hole", PMD_HOLE },
	{ "dax_pmd_load_hole_fallback", PMD_HOLE },
	{ "dax_pte_fault", PTE_FAULT },
	{ "dax_pte_fault_done", PTE_FAULT },
	{ "dax_writeback_one", DEV "pgoff {pgoff} pglen {pglen}" },
	{ "dax_writeback_range", WRITEBACK },
	{ "dax_writeback_range_done", WRITEBACK },
};

#define VM_SHARED 0x8

static const char *find_format(const char *event)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].event, event))
			return formats[i].format;
	return NULL;
}

static bool find_field(const struct mm_event *event, const char *name, size_t length,
		       struct mm_value *value)
{
	const char *candidate;

	for (size_t i = 0; !mm_event_field_at(event, i, &candidate, value); i++)
		if (!strncmp(candidate, name, length) && !candidate[length])
			return true;
	return false;
}

/* Writes what stands between braces, [@name, @end). */
static void print_placeholder(FILE *out, const struct mm_event *event, const char *name,
			      const char *end)
{
	size_t length = strcspn(name, "?&}");
	struct mm_value value;
	char text[TEXT_MAX];

	if (!find_field(event, name, length, &value)) {
		fputc('?', out);
	} else if (name[length] == '&') {
		fputs(value.u & VM_SHARED ? "shared" : "private", out);
	} else if (name[length] == '?') {
		const char *set = name + length + 1, *colon = memchr(set, ':', (size_t)(end - set));

		if (value.u)
			fwrite(set, 1, (size_t)(colon - set), out);
		else
			fwrite(colon + 1, 1, (size_t)(end - colon - 1), out);
	} else {
		mm_event_field_text(event, &value, text, sizeof(text));
		/* The kernel prints no bits as nothing; at the entry of a fault there are none. */
		if (strcmp(text, "NONE"))
			fputs(text, out);
	}
}

static void print_format(FILE *out, const struct mm_event *event, const char *format)
{
	while (*format) {
		if (*format == '{') {
			const char *end = strchr(format, '}');

			print_placeholder(out, event, format + 1, end);
			format = end + 1;
		} else {
			fputc(*format++, out);
		}
	}
}

static void print_generic(FILE *out, const struct mm_event *event)
{
	const char *name, *separator = "";
	struct mm_value value;
	char text[TEXT_MAX];

	for (size_t i = 0; !mm_event_field_at(event, i, &name, &value); i++) {
		fputs(separator, out);
		mm_escape_print(out, name);
		mm_event_field_text(event, &value, text, sizeof(text));
		fprintf(out, "=%s", text);
		separator = " ";
	}
}

static void print_time(FILE *out, const struct mm_event *event, enum mm_line_clock clock)
{
	time_t seconds = event->time_ns / 1000000000;
	char text[64];
	struct tm tm;

	if (clock == MM_LINE_CLOCK_WALL && localtime_r(&seconds, &tm)) {
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
		fprintf(out, "%s.%09" PRId64, text, event->time_ns % 1000000000);
	} else {
		/* ftrace shows microseconds, rounded to the nearest. */
		uint64_t us = (event->clock_ns + 500) / 1000;

		fprintf(out, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
	}
}

int mm_event_line_print(FILE *out, const struct mm_event *event,
			const struct mm_context *context, enum mm_line_clock clock)
{
	unsigned int tid_at = event->type->kinds[LINE_CONTEXT_TID] == MM_KIND_NONE ?
		LINE_TID : LINE_CONTEXT_TID;
	bool has_tid = event->type->kinds[tid_at] == MM_KIND_SIGNED;
	int64_t tid = event->fields[tid_at].i;
	const char *comm = NULL, *format = find_format(event->type->name);

	if (event->type->kinds[LINE_PROCNAME] == MM_KIND_STRING)
		comm = event->fields[LINE_PROCNAME].s;
	else if (has_tid)
		comm = mm_context_comm(context, (int)tid);
	mm_escape_print(out, comm ? comm : "<...>");
	if (has_tid)
		fprintf(out, "-%" PRId64, tid);
	else
		fputs("-?", out);
	if (event->cpu == MM_CPU_UNKNOWN)
		fputs(" [???] ", out);
	else
		fprintf(out, " [%03" PRIu32 "] ", event->cpu);
	print_time(out, event, clock);
	fputs(": ", out);
	mm_escape_print(out, event->type->name);
	fputs(": ", out);
	if (format)
		print_format(out, event, format);
	else
		print_generic(out, event);
	fputc('\n', out);
	return ferror(out) ? -1 : 0;
}
