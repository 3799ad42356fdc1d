// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Memory for the copies of the buffers. Before the freeze, the process maps the memory, but does
 * not populate it, so that the freeze need not wait for pages. Each copying thread populates the
 * part for its own CPU, while no task writes to this CPU's buffers.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lttng-session/freeze/buffers.h"

/* Returns the maximum size of a stream: the page sets of the buffer plus an empty packet. */
static size_t stream_room(const struct freeze_channel *channel)
{
	return channel->is.set_bytes * channel->is.sets + sizeof(struct freeze_header);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns how much memory is available without swapping, or SIZE_MAX if that is unknown. */
static size_t machine_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = SIZE_MAX / 1024;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return (size_t)kib * 1024;
}

static FILE *open_group(const char *root, const char *group, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s%s/%s", root, group, name) < (int)sizeof(path)
		       ? fopen(path, "re")
		       : NULL;
}

/*
 * Reads the number in a control group's file. Returns SIZE_MAX if there is no such file, or if it
 * contains "max".
 */
static size_t group_bytes(const char *root, const char *group, const char *name)
{
	FILE *file = open_group(root, group, name);
	size_t bytes = SIZE_MAX;

	if (file && fscanf(file, "%zu", &bytes) != 1)
		bytes = SIZE_MAX;
	if (file)
		fclose(file);
	return bytes;
}

/*
 * Returns the size of the page cache of files in the control group. The kernel reclaims this memory
 * before it refuses memory.
 */
static size_t group_cache(const char *root, const char *group)
{
	FILE *file = open_group(root, group, "memory.stat");
	size_t bytes, sum = 0;
	char name[64];

	while (file && fscanf(file, "%63s %zu", name, &bytes) == 2)
		if (!strcmp(name, "inactive_file") || !strcmp(name, "active_file"))
			sum += bytes;
	if (file)
		fclose(file);
	return sum;
}

size_t freeze_group_room(const char *root, char *group)
{
	size_t left = SIZE_MAX;

	while (*group) {
		size_t most = group_bytes(root, group, "memory.max");
		size_t used = group_bytes(root, group, "memory.current");

		if (most != SIZE_MAX && used != SIZE_MAX) {
			used -= smaller(used, group_cache(root, group));
			left = smaller(left, most > used ? most - used : 0);
		}
		*strrchr(group, '/') = '\0';
	}
	return left;
}

/*
 * Returns how many bytes this process can still allocate within the memory limits of its control
 * group and of the group's ancestors.
 */
static size_t limit_bytes(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX], *group = NULL;

	while (file && !group && fgets(line, sizeof(line), file))
		if (!strncmp(line, "0::/", 4))
			group = line + 3;
	if (file)
		fclose(file);
	if (!group)
		return SIZE_MAX;
	group[strcspn(group, "\n")] = '\0';
	return freeze_group_room("/sys/fs/cgroup", group);
}

static int map(struct freeze_memory *memory, size_t bytes)
{
	void *at;

	if (!bytes)
		return 0;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	*memory = (struct freeze_memory){ .at = at, .bytes = bytes };
	return 0;
}

static void unmap(struct freeze_memory *memory)
{
	if (memory->at)
		munmap(memory->at, memory->bytes);
	*memory = (struct freeze_memory){ 0 };
}

int freeze_grow(struct freeze *freeze, unsigned int count)
{
	struct lttng_mm_freeze_buffer *buffers;
	struct freeze_stream *streams;

	if (count <= freeze->room)
		return 0;
	if (count > LTTNG_MM_FREEZE_BUFFERS) {
		errno = E2BIG;
		return -1;
	}
	buffers = reallocarray(freeze->buffers, count, sizeof(*buffers));
	if (buffers)
		freeze->buffers = buffers;
	streams = reallocarray(freeze->streams, count, sizeof(*streams));
	if (streams)
		freeze->streams = streams;
	if (!buffers || !streams)
		return -1;
	freeze->room = count;
	return 0;
}

int freeze_allocate(struct freeze *freeze, struct mm_error *err)
{
	size_t bytes = 0, available = smaller(machine_bytes(), limit_bytes());
	unsigned int count = 0;

	for (unsigned int i = 0; i < freeze->channel_count; i++) {
		const struct freeze_channel *channel = &freeze->channels[i];

		count += channel->is.buffers;
		if (__builtin_add_overflow(bytes, stream_room(channel) * channel->is.buffers,
					   &bytes))
			bytes = SIZE_MAX;
	}
	/* Leave half of the memory to other programs, which also allocate memory at this time. */
	if (bytes > available / 2)
		return mm_error_set(
			err, MM_EXIT_OK,
			"a copy of the buffers requires %zu MiB of memory, which is more than half of the %zu MiB available",
			bytes >> 20, available >> 20);
	if (freeze_grow(freeze, count) || map(&freeze->memory, bytes))
		return mm_error_set(
			err, MM_EXIT_OK, "a copy of the buffers (%zu MiB) cannot be allocated: %s",
			bytes >> 20,
			errno == E2BIG ? "there are too many buffers" : strerror(errno));
	return 0;
}

/*
 * Divides the memory among the streams. Returns the number of bytes for the streams that do not
 * fit, or 0.
 */
static size_t divide(struct freeze *freeze)
{
	size_t used = 0, missing = 0;

	for (unsigned int i = 0; i < freeze->stream_count; i++) {
		struct freeze_stream *stream = &freeze->streams[i];
		size_t room;

		stream->buffer = freeze->buffers[i];
		stream->channel = &freeze->channels[stream->buffer.channel];
		room = stream_room(stream->channel);
		if (room <= freeze->memory.bytes - used) {
			stream->data = freeze->memory.at + used;
			used += room;
		} else {
			missing += room;
		}
	}
	return missing;
}

int freeze_place(struct freeze *freeze)
{
	size_t missing, used = 0;

	memset(freeze->streams, 0, freeze->stream_count * sizeof(*freeze->streams));
	missing = divide(freeze);
	/* CPUs that came online after freeze_allocate() have added buffers. */
	if (missing > freeze->more.bytes) {
		unmap(&freeze->more);
		if (map(&freeze->more, missing))
			return -1;
	}
	for (unsigned int i = 0; i < freeze->stream_count; i++) {
		struct freeze_stream *stream = &freeze->streams[i];

		if (stream->data)
			continue;
		stream->data = freeze->more.at + used;
		used += stream_room(stream->channel);
	}
	return 0;
}

void freeze_populate(const struct freeze_stream *stream, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t from = ((uintptr_t)stream->data + stream->bytes) & -page;

	/* If this fails (always before Linux 5.14), copying populates one page at a time. */
	madvise((void *)from, (uintptr_t)stream->data + stream->bytes + bytes - from,
		MADV_POPULATE_WRITE);
}

void freeze_release_part(const struct freeze_stream *stream, size_t from, size_t end)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	/* The first and the last page may be shared with other streams, so keep them. */
	const uintptr_t first = ((uintptr_t)stream->data + page - 1) & -page;
	const uintptr_t last = ((uintptr_t)stream->data + end) & -page;
	uintptr_t at = ((uintptr_t)stream->data + from) & -page;

	if (at < first)
		at = first;
	if (last > at)
		madvise((void *)at, last - at, MADV_DONTNEED);
}

void freeze_release(struct freeze *freeze)
{
	unmap(&freeze->memory);
	unmap(&freeze->more);
	for (unsigned int i = 0; i < freeze->stream_count; i++)
		mm_checksums_release(&freeze->streams[i].sums);
	free(freeze->buffers);
	free(freeze->streams);
}
