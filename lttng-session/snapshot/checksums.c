// SPDX-License-Identifier: LGPL-2.1-only
/* Writes checksums of a snapshot's traces. They let readers detect damage inside packets. */
#include "lttng-session/snapshot/checksums.h"
#include "lttng-session/snapshot/notes.h"
#include "util/checksums.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/snapshot/work.h"
#include "lttng-session/system/folder.h"
#include "reader/ctf/packet/packet.h"
#include "reader/open/open.h"

#define READ_BYTES 65536

/*
 * Opens the folder `index` of a trace. Creates it if it is missing, because the session daemon does
 * not create it in a snapshot.
 */
static int open_index(int trace)
{
	int fd = folder_make(trace, "index", 0750);

	return fd < 0 && errno == EEXIST ? folder_open(trace, "index") : fd;
}

/*
 * Writes @sums, the checksums of a trace's file @name, to the folder `index`. Returns 0, or -1 with
 * errno set.
 */
static int write_sums(const struct mm_checksums *sums, int trace, const char *name)
{
	char sums_name[NAME_MAX + sizeof(MM_CHECKSUMS_SUFFIX)];
	int index = open_index(trace), error;
	FILE *file = NULL;

	snprintf(sums_name, sizeof(sums_name), "%s" MM_CHECKSUMS_SUFFIX, name);
	if (index >= 0)
		file = folder_make_file(index, sums_name);
	error = file && !mm_checksums_write(sums, file) ? 0 : errno;
	if (file && fclose(file) && !error)
		error = errno;
	if (index >= 0)
		close(index);
	errno = error;
	return error ? -1 : 0;
}

/* Adds the checksum of a file, treating the file as one packet. Returns 0, or -1 with errno set. */
static int add_file(struct mm_checksums *sums, int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	unsigned char data[READ_BYTES];
	uint64_t bytes = 0;
	uint32_t crc = 0;
	ssize_t got = 0;

	while (fd >= 0 && (got = read(fd, data, sizeof(data))) > 0) {
		crc = mm_crc32c(crc, data, (size_t)got);
		bytes += (uint64_t)got;
	}
	if (fd >= 0)
		close(fd);
	if (fd < 0 || got < 0)
		return -1;
	return bytes ? mm_checksums_add(sums, bytes, crc) : 0;
}

static int visit(int parent, const char *name, void *user)
{
	struct mm_checksums sums = { .of_memory = false };
	int ret;

	(void)user;
	if (strcmp(name, "metadata") != 0)
		return 0;
	ret = add_file(&sums, parent, name) || write_sums(&sums, parent, name) ? -1 : 0;
	mm_checksums_release(&sums);
	return ret;
}

/*
 * Computes the checksums of a file's packets by reading the file again. Returns 1 on success, 0 if
 * a part of the file is unreadable (@sums is then incomplete), or -1 when out of memory.
 */
static int sum_packets(const struct ctf_stream *stream, size_t number, uint64_t *slots,
		       struct mm_checksums *sums)
{
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	uint64_t end = 0;
	int ret;

	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.file = number;
	while ((ret = ctf_packet_next(&iterator, &packet, NULL)) > 0 &&
	       packet.file == &stream->files[number]) {
		const uint64_t bytes = packet.size_bits / 8;

		if (packet.offset != end)
			return 0;
		if (mm_checksums_add(sums, bytes, mm_crc32c(0, packet.data, bytes)))
			return -1;
		end += bytes;
		ctf_map_done(packet.file->map, packet.offset, bytes);
	}
	return ret >= 0 && end == ctf_map_size(stream->files[number].map);
}

static int sum_stream(const struct ctf_stream *stream, int folder, uint64_t *slots, bool *complete)
{
	int ret = 0;

	for (size_t i = 0; i < stream->file_count && !ret; i++) {
		struct mm_checksums sums = { .of_memory = false };

		ret = sum_packets(stream, i, slots, &sums);
		if (ret > 0)
			ret = write_sums(&sums, folder, stream->files[i].name);
		else
			*complete = false;
		mm_checksums_release(&sums);
	}
	return ret;
}

static int sum_trace(const char *path, bool *complete, struct mm_error *err)
{
	struct ctf_trace *trace = ctf_trace_open(path, 0, NULL);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = folder < 0 ? -1 : 0;
	uint64_t *slots;

	/* A damaged trace gets no checksums. Readers detect its damage even without checksums. */
	if (!trace) {
		if (folder >= 0)
			close(folder);
		*complete = false;
		return 0;
	}
	/* Files without a readable packet header belong to no stream, so they get no checksums. */
	if (trace->finding_count)
		*complete = false;
	slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	if (!slots)
		ret = -1;
	for (size_t i = 0; i < trace->stream_count && !ret; i++)
		ret = sum_stream(&trace->streams[i], folder, slots, complete);
	if (ret)
		snapshot_fail(err, "checksums");
	free(slots);
	if (folder >= 0)
		close(folder);
	ctf_trace_close(trace);
	return ret;
}

/*
 * Computes the checksums of the traces that the session daemon has written to @folder. Sets
 * *@complete to false if a file gets no checksum because it is unreadable.
 */
static int sum_recorded(int made, const char *folder, bool *complete, struct mm_error *err)
{
	struct mm_source_options options;
	struct mm_source *source;
	char path[64];
	int ret = 0;

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	/*
	 * mm_source_open() needs a path, not a descriptor. The path is safe, because other users
	 * cannot access the folder yet.
	 */
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", made, folder);
	source = mm_source_open(path, &options, NULL);
	if (!source && !faccessat(made, folder, F_OK, 0))
		*complete = false;
	for (size_t i = 0; source && i < mm_source_folder_count(source) && !ret; i++)
		ret = sum_trace(mm_source_folder_at(source, i), complete, err);
	mm_source_destroy(source);
	return ret;
}

/* Writes the checksums of the metadata files, which must not change afterwards. */
static int sum_metadata(int made, struct mm_error *err)
{
	return folder_each(made, FOLDER_DEPTH_MAX, visit, NULL) ? snapshot_fail(err, "metadata")
								: 0;
}

int snapshot_sum_recorded(int made, bool *complete, struct mm_error *err)
{
	*complete = true;
	return sum_recorded(made, SNAPSHOT_RING_FOLDER, complete, err) ||
			       sum_recorded(made, SNAPSHOT_STATE_FOLDER, complete, err) ||
			       sum_metadata(made, err)
		       ? -1
		       : 0;
}

int snapshot_write_checksums(const struct snapshot *snapshot, int made, bool *complete,
			     struct mm_error *err)
{
	*complete = true;
	if (snapshot_write_frozen_checksums(snapshot, made, err) ||
	    (!snapshot->ring && sum_recorded(made, SNAPSHOT_RING_FOLDER, complete, err)) ||
	    (!snapshot->state && sum_recorded(made, SNAPSHOT_STATE_FOLDER, complete, err)))
		return -1;
	/* The metadata is final here, because snapshot_unify_clocks() was called before. */
	return sum_metadata(made, err);
}
