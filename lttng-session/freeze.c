// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads the ring buffers of a session through the module lttng-mm-freeze.
 *
 * The module needs the session daemon's descriptors of the channels. A copy of one keeps the
 * channel, with its contents, even if the session daemon is killed.
 */
#include "lttng-session/freeze.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/freeze-buffers.h"
#include "lttng-session/process.h"
#include "lttng-session/sysinfo.h"

/* Times that metadata is asked for while an event is being declared, and the pause between them. */
#define METADATA_TRIES 100
#define METADATA_PAUSE_NS 10000000

static int fail(struct mm_error *err, const struct freeze *freeze, const char *what)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s: %s", freeze->session, what,
			    strerror(errno));
}

static int open_device(void)
{
	static const char *const argv[] = { "modprobe", "--quiet", "lttng-mm-freeze", NULL };
	const char *path = "/dev/" LTTNG_MM_FREEZE_DEVICE;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char message[256];

	if (fd < 0 && errno == ENOENT && !geteuid() && !process_run(argv, message, sizeof(message)))
		fd = open(path, O_RDWR | O_CLOEXEC);
	return fd;
}

static bool is_channel(int fds, const char *name)
{
	static const char target[] = "anon_inode:[lttng_channel]";
	char link[sizeof(target)];

	return readlinkat(fds, name, link, sizeof(link)) == (ssize_t)strlen(target) &&
	       !memcmp(link, target, strlen(target));
}

/* Adds the channel of the session daemon's descriptor @number if it is one of the session's. */
static int add_channel(struct freeze *freeze, int process, int number)
{
	struct lttng_mm_freeze_channel channel = { 0 };
	int ret;

	channel.fd = (int)syscall(SYS_pidfd_getfd, process, number, 0);
	/* The daemon may have closed it. */
	if (channel.fd < 0)
		return errno == EBADF ? 0 : -1;
	memcpy(channel.session, freeze->session, sizeof(channel.session));
	ret = ioctl(freeze->device, LTTNG_MM_FREEZE_ADD, &channel);
	close(channel.fd);
	if (ret)
		return errno == ENOTTY ? 0 : -1;
	if (channel.added && freeze->channel_count < LTTNG_MM_FREEZE_CHANNELS)
		freeze->channels[freeze->channel_count++] = channel;
	return 0;
}

static int add_channels(struct freeze *freeze)
{
	char path[64], pid[32];
	struct dirent *entry;
	int process, ret = 0;
	DIR *fds;

	sysinfo_read_line("/run/lttng/lttng-sessiond.pid", pid, sizeof(pid));
	process = (int)syscall(SYS_pidfd_open, atoi(pid), 0);
	if (process < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/fd", atoi(pid));
	fds = opendir(path);
	if (!fds)
		ret = -1;
	while (fds && !ret && (entry = readdir(fds)))
		if (is_channel(dirfd(fds), entry->d_name))
			ret = add_channel(freeze, process, atoi(entry->d_name));
	if (fds)
		closedir(fds);
	close(process);
	return ret;
}

/* The tracer does not know the names of channels, so only that of a single one is certain. */
static void name_channel(struct freeze *freeze)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL };
	struct lttng_handle *handle = lttng_create_handle(freeze->session, &domain);
	struct lttng_channel *list = NULL;

	if (handle && lttng_list_channels(handle, &list) == 1 && freeze->channel_count == 1)
		snprintf(freeze->channel_name, sizeof(freeze->channel_name), "%s", list[0].name);
	free(list);
	lttng_destroy_handle(handle);
}

/*
 * Allocates memory for all buffers, and touches it, so that copying is not delayed. Contents of one
 * buffer never exceed its page sets.
 */
static int allocate(struct freeze *freeze)
{
	unsigned char *at;

	for (unsigned int i = 0; i < freeze->channel_count; i++) {
		const struct lttng_mm_freeze_channel *channel = &freeze->channels[i];

		freeze->stream_count += channel->buffers;
		freeze->memory_bytes += channel->set_bytes * channel->sets * channel->buffers;
	}
	freeze->streams = calloc(freeze->stream_count, sizeof(*freeze->streams));
	at = mmap(NULL, freeze->memory_bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!freeze->streams || at == MAP_FAILED)
		return -1;
	freeze->memory = at;
	return 0;
}

struct freeze *freeze_open(const char *session, struct mm_error *err)
{
	struct freeze *freeze = calloc(1, sizeof(*freeze));

	if (!freeze) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
		return NULL;
	}
	snprintf(freeze->session, sizeof(freeze->session), "%s", session);
	freeze->device = open_device();
	if (freeze->device < 0 || add_channels(freeze) || !freeze->channel_count) {
		freeze_close(freeze);
		return NULL;
	}
	name_channel(freeze);
	if (allocate(freeze)) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT,
			     "snapshot: %s: no memory for a copy of its buffers, %zu bytes: %s",
			     session, freeze->memory_bytes, strerror(errno));
		freeze_close(freeze);
		return NULL;
	}
	return freeze;
}

void freeze_close(struct freeze *freeze)
{
	if (!freeze)
		return;
	if (freeze->memory)
		munmap(freeze->memory, freeze->memory_bytes);
	if (freeze->device >= 0)
		close(freeze->device);
	free(freeze->streams);
	free(freeze->metadata);
	free(freeze);
}

static int copy_metadata(struct freeze *freeze)
{
	const struct timespec pause = { .tv_nsec = METADATA_PAUSE_NS };
	struct lttng_mm_freeze_metadata request = { .channel = 0 };

	for (int tries = 0; tries < METADATA_TRIES; tries++) {
		if (ioctl(freeze->device, LTTNG_MM_FREEZE_METADATA, &request))
			return -1;
		/* Nothing is there while the metadata is regenerated. */
		if (request.bytes && !request.producing && request.bytes <= request.room) {
			freeze->metadata_bytes = request.bytes;
			return 0;
		}
		if (request.bytes > request.room) {
			char *grown = realloc(freeze->metadata, request.bytes);

			if (!grown)
				return -1;
			freeze->metadata = grown;
			request.room = request.bytes;
			request.to = (uintptr_t)grown;
		} else {
			nanosleep(&pause, NULL);
		}
	}
	errno = EAGAIN;
	return -1;
}

int freeze_take(struct freeze *freeze, struct mm_error *err)
{
	return freeze_copy(freeze) || copy_metadata(freeze)
		       ? fail(err, freeze, "its buffers cannot be read")
		       : 0;
}

bool freeze_has_records(const struct freeze *freeze)
{
	for (unsigned int i = 0; i < freeze->stream_count; i++) {
		const struct freeze_stream *stream = &freeze->streams[i];
		struct freeze_header header;

		for (size_t at = 0; at < stream->bytes; at += header.packet_size / 8) {
			memcpy(&header, stream->data + at, FREEZE_HEADER_BYTES);
			if (header.content_size > 8 * FREEZE_HEADER_BYTES)
				return true;
		}
	}
	return false;
}

int64_t freeze_realtime_ns(const struct freeze *freeze)
{
	return (int64_t)freeze->frozen.realtime_ns;
}
