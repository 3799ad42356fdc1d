// SPDX-License-Identifier: LGPL-2.1-only
/* Counts the packets in the files of a folder. */
#include "reader/coverage/find/file-packets.h"

#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/count.h"
#include "reader/coverage/find/search.h"

static void add_packets(struct missing_folder *packets, const struct missing_file *file)
{
	struct missing_file *grown =
		mm_array_grow(packets->files, packets->count, &packets->room, sizeof(*grown));
	char *name = strdup(file->name);

	if (grown)
		packets->files = grown;
	if (!grown || !name) {
		packets->failed = true;
		free(name);
		return;
	}
	grown += packets->count++;
	*grown = *file;
	grown->name = name;
}

static void see_count(void *user, const struct ctf_file_count *count)
{
	const struct missing_file file = { .name = count->file->name,
					   .packets = count->packets,
					   .packets_lost = count->packets_lost,
					   .packets_truncated = count->packets_truncated,
					   .packets_damaged = count->packets_damaged,
					   .cut = count->cut,
					   .begin_ns = count->begin_ns,
					   .end_ns = count->end_ns,
					   .resumed_ns = count->resumed_ns };

	add_packets(user, &file);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct missing_file *)a)->name,
		      ((const struct missing_file *)b)->name);
}

static void walk_folder(struct missing_folder *packets)
{
	struct ctf_trace *trace = ctf_trace_open(packets->folder, packets->clock_shift_ns, NULL);

	packets->walked = true;
	if (trace)
		ctf_trace_count(trace, see_count, packets, NULL);
	/*
	 * Also add files that belong to no stream. They may end within the header of their first
	 * packet.
	 */
	for (size_t i = 0; trace && i < trace->finding_count; i++) {
		const struct missing_file file = {
			.name = (char *)missing_file_name(trace->findings[i].file),
			.packets_truncated = trace->findings[i].truncated
		};

		add_packets(packets, &file);
	}
	ctf_trace_close(trace);
	if (packets->count)
		qsort(packets->files, packets->count, sizeof(*packets->files), by_name);
}

void missing_folder_release(struct missing_folder *packets)
{
	for (size_t i = 0; i < packets->count; i++)
		free(packets->files[i].name);
	free(packets->files);
}

const struct missing_file *missing_file_find(struct missing_search *search,
					     struct missing_folder *packets, const char *name)
{
	const struct missing_file wanted = { .name = (char *)name };

	if (!packets->walked)
		walk_folder(packets);
	search->failed |= packets->failed;
	return packets->count
		       ? bsearch(&wanted, packets->files, packets->count, sizeof(wanted), by_name)
		       : NULL;
}
