// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the time range that all streams of a snapshot cover. Reads packet headers. */
#include <stdio.h>
#include <string.h>

#include "lttng-session/snapshot/work.h"
#include "reader/ctf/packet/count.h"
#include "reader/open/open.h"

static void add_file(void *user, const struct ctf_file_count *count)
{
	struct snapshot_window *window = user;

	window->truncated |= count->packets_truncated != 0;
	if (!count->packets)
		return;
	window->known &= count->begin_ns != INT64_MIN && count->end_ns != INT64_MAX;
	if (count->begin_ns > window->start_ns)
		window->start_ns = count->begin_ns;
	if (count->end_ns < window->end_ns)
		window->end_ns = count->end_ns;
}

static void note_clock(struct snapshot_window *window, const struct ctf_trace_class *class)
{
	const struct ctf_clock *clock = class->clock_count ? class->clocks[0] : NULL;

	window->has_clock = clock && clock->name && !strcmp(clock->name, "monotonic") &&
			    !ctf_clock_to_ns(clock, 0, &window->zero_ns);
}

void snapshot_window_read(int made, struct snapshot_window *window)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_source_options options;
	struct mm_source *source;
	char path[64];

	*window = (struct snapshot_window){
		.known = true,
		.start_ns = INT64_MIN,
		.end_ns = INT64_MAX,
	};
	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	/*
	 * mm_source_open() needs a path, not a descriptor. The path is safe, because other users
	 * cannot access the folder yet.
	 */
	snprintf(path, sizeof(path), "/proc/self/fd/%d/" SNAPSHOT_RING_FOLDER, made);
	source = mm_source_open(path, &options, &err);
	for (size_t i = 0; source && i < mm_source_folder_count(source); i++) {
		struct ctf_trace *trace = ctf_trace_open(mm_source_folder_at(source, i), 0, &err);

		if (!trace || ctf_trace_count(trace, add_file, window, &err))
			window->truncated = true;
		else
			note_clock(window, trace->class);
		window->truncated |= trace && trace->finding_count;
		ctf_trace_close(trace);
	}
	window->truncated |= !source;
	window->known &= window->start_ns != INT64_MIN && window->end_ns != INT64_MAX;
	mm_source_destroy(source);
}
