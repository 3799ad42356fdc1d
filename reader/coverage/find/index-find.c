// SPDX-License-Identifier: LGPL-2.1-only
/* Finds missing packets by the indexes and checksum files that list them. */
#include "reader/coverage/find/index-find.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/sums.h"
#include "reader/coverage/find/file-packets.h"
#include "reader/coverage/find/search.h"
#include "reader/coverage/missing.h"
#include "util/checksums.h"

static const char by_index[] = "its index lists packets";
static const char by_checksums[] = "it has checksums of packets";

static void add_problem(struct missing_search *search, const char *file, const char *what)
{
	struct mm_missing_list *list = search->list;
	size_t count = list->problem_count;
	char **files = reallocarray(list->problem_files, count + 1, sizeof(*files));
	char **problems;

	if (files)
		list->problem_files = files;
	problems = reallocarray(list->problems, count + 1, sizeof(*problems));
	if (problems)
		list->problems = problems;
	if (!files || !problems) {
		search->failed = true;
		return;
	}
	files[count] = strdup(file);
	problems[count] = strdup(what);
	list->problem_count++;
	search->failed |= !files[count] || !problems[count];
}

/*
 * Adds a file that is shorter than its index or checksum file shows. @gone: the number of listed
 * packets that start after the file's end. If the file ends within a packet, this packet counts as
 * truncated, not as missing.
 */
static void add_short(struct missing_search *search, struct missing_folder *packets,
		      const char *file, uint64_t gone, struct mm_missing *missing)
{
	const struct missing_file *found;

	found = missing_file_find(search, packets, missing_file_name(file));
	missing->what = "it is shorter than recorded";
	missing->packets = gone;
	missing->complete_stream = !found || !found->packets;
	missing->begin_ns = missing->complete_stream ? INT64_MIN : found->begin_ns;
	missing->end_ns = missing->complete_stream ? INT64_MAX : found->end_ns;
	missing_search_add(search, file, missing);
}

/*
 * Returns how many packets a file lacks at its end, or 0 if the file contains the last packet of
 * its index. @gone: the number of packets in the index that start after the end of the file. The
 * result is @gone if the file's packets cannot be counted. Otherwise, the result does not include
 * packets that the sequence numbers show as lost.
 */
static uint64_t count_removed(struct missing_search *search, struct missing_folder *packets,
			      const char *name, struct ctf_index *index, uint64_t bytes,
			      uint64_t gone)
{
	const struct missing_file *found;
	const uint64_t listed = ctf_index_count(index);
	struct ctf_index_entry last;
	uint64_t seen;

	ctf_index_read(index, listed - 1, &last);
	if (last.offset < bytes && last.size_bits / 8 <= bytes - last.offset)
		return 0;
	found = missing_file_find(search, packets, name);
	if (!found || !found->packets || found->packets_truncated)
		return gone;
	seen = found->packets + found->packets_lost;
	return listed > seen ? listed - seen : 0;
}

static bool has_sums(const char *folder, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/index/%s" MM_CHECKSUMS_SUFFIX, folder, name) <
		       (int)sizeof(path) &&
	       !access(path, F_OK);
}

static uint64_t packet_offset(const struct mm_checksums *sums, struct ctf_index *index, uint64_t i)
{
	struct ctf_index_entry entry;

	if (!index)
		return sums->all[i].offset;
	ctf_index_read(index, i, &entry);
	return entry.offset;
}

/*
 * Compares the stream file @name with a list of its packets: @index, or if @index is NULL, the
 * checksum file @sums. An index is used to check the file's length only if there is neither a
 * checksum file nor another list of the streams.
 */
static void check_packets(struct missing_search *search, struct missing_folder *packets,
			  const char *name, const struct mm_checksums *sums,
			  struct ctf_index *index, struct mm_missing *missing)
{
	const struct missing_file *found;
	uint64_t bytes, gone = 0;
	char *file;

	if (asprintf(&file, "%s/%s", packets->folder, name) < 0) {
		search->failed = true;
		return;
	}
	missing->packets = index ? ctf_index_count(index) : sums->count;
	/*
	 * In a growing trace, a packet is written before its index entry. Therefore read the file's
	 * length after the index.
	 */
	missing->what = missing->packets ? missing_why_absent(file, &bytes) : NULL;
	if (missing->what) {
		missing_search_add(search, file, missing);
	} else if (!index || (!search->verifiable[missing->folder] &&
			      !has_sums(packets->folder, name) && ctf_index_is_contiguous(index))) {
		for (uint64_t i = missing->packets; i && packet_offset(sums, index, i - 1) >= bytes;
		     i--)
			gone++;
		if (index)
			gone = count_removed(search, packets, name, index, bytes, gone);
		/* missing_check_ends() counts the missing packets of a file that has packets. */
		else if (gone && (found = missing_file_find(search, packets, name)) &&
			 found->packets)
			gone = 0;
		if (gone)
			add_short(search, packets, file, gone, missing);
	}
	free(file);
}

/* Returns the length of @entry without @suffix, or 0 if @entry does not end with @suffix. */
static size_t without(const char *entry, const char *suffix)
{
	size_t length = strlen(entry), end = strlen(suffix);

	return length > end && !strcmp(entry + length - end, suffix) ? length - end : 0;
}

static void check_index(struct missing_search *search, struct missing_folder *packets,
			size_t number, const char *entry)
{
	size_t sums = without(entry, MM_CHECKSUMS_SUFFIX);
	size_t length = sums ? sums : without(entry, ".idx");
	struct mm_missing missing = { .source = sums ? by_checksums : by_index,
				      .cpu = MM_CPU_UNKNOWN,
				      .complete_stream = true,
				      .folder = number,
				      .in_state = mm_trace_is_state(packets->folder) };
	struct mm_checksums listed;
	struct ctf_index *index;
	char name[256];
	int ret, error;

	if (!length)
		return;
	search->list->has_index |= !sums;
	snprintf(name, sizeof(name), "%.*s", (int)length, entry);
	if (sums) {
		ret = mm_checksums_load(&listed, packets->folder, name, &error);
		search->failed |= ret < 0;
		if (ret > 0)
			check_packets(search, packets, name, &listed, NULL, &missing);
		mm_checksums_release(&listed);
	} else if ((index = ctf_index_open(packets->folder, name))) {
		check_packets(search, packets, name, NULL, index, &missing);
		ctf_index_close(index);
	}
}

void missing_check_ends(struct missing_search *search, const struct ctf_trace *trace)
{
	struct missing_folder packets = { .folder = trace->folder,
					  .clock_shift_ns =
						  mm_source_clock_shift_ns(search->source) };
	struct mm_missing missing = { .source = by_checksums,
				      .cpu = MM_CPU_UNKNOWN,
				      .folder = missing_search_folder(search, trace->folder),
				      .in_state = mm_trace_is_state(trace->folder) };

	for (size_t i = 0; i < trace->stream_count; i++)
		for (size_t j = 0; j < trace->streams[i].file_count && !search->failed; j++) {
			const struct ctf_file *file = &trace->streams[i].files[j];
			const uint64_t gone = file->sums ? ctf_sums_gone(file->sums, file->map) : 0;
			const struct ctf_parts *parts =
				file->sums ? ctf_sums_parts(file->sums) : NULL;

			search->list->removed_packets += parts ? parts->lost : 0;
			if (gone)
				add_short(search, &packets, file->path, gone, &missing);
		}
	missing_folder_release(&packets);
}

void missing_check_indexes(struct missing_search *search, size_t number)
{
	struct missing_folder packets = { .folder = mm_source_folder_at(search->source, number),
					  .clock_shift_ns =
						  mm_source_clock_shift_ns(search->source) };
	struct dirent *entry;
	char *path, what[128];
	DIR *dir;

	if (asprintf(&path, "%s/index", packets.folder) < 0) {
		search->failed = true;
		return;
	}
	dir = opendir(path);
	if (!dir && errno != ENOENT && errno != ENOTDIR) {
		snprintf(what, sizeof(what), "the index files cannot be read: %s", strerror(errno));
		add_problem(search, path, what);
	}
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			check_index(search, &packets, number, entry->d_name);
	if (dir)
		closedir(dir);
	missing_folder_release(&packets);
	free(path);
}
