// SPDX-License-Identifier: LGPL-2.1-only
/* Estimates the average size of a channel's events by decoding a sample of its buffers. */
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "reader/open/open-folders.h"
#include "lttng-session/status/status.h"
#include "reader/open/open.h"

/*
 * Returns the root folder of a new tmpfs without a mountpoint, or -1. The tmpfs disappears when the
 * folder is closed.
 */
static int make_folder(void)
{
	int context = fsopen("tmpfs", FSOPEN_CLOEXEC), folder = -1;

	if (context < 0)
		return -1;
	if (!fsconfig(context, FSCONFIG_SET_STRING, "size", "4m", 0) &&
	    !fsconfig(context, FSCONFIG_SET_STRING, "mode", "0700", 0) &&
	    !fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		folder = fsmount(context, FSMOUNT_CLOEXEC,
				 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	close(context);
	return folder;
}

static int count(void *user, const struct mm_event_type *type, const struct mm_event *events,
		 size_t more, struct mm_error *err)
{
	(void)type;
	(void)events;
	(void)err;
	*(uint64_t *)user += more;
	return 0;
}

/*
 * Counts the events in the sample. Ignores errors, because the last event in the sample may be
 * truncated.
 */
static uint64_t count_events(const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_source_options options;
	struct mm_requests requests;
	struct mm_source *source;
	uint64_t events = 0;
	const struct mm_handler handler = { .user = &events, .events = count };

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	options.jobs = 1;
	source = mm_source_open_folders(folder, &folder, 1, &options, &err);
	mm_requests_init(&requests);
	mm_requests_add(&requests, "*");
	if (source)
		mm_source_run(source, &requests, &handler, &err);
	mm_requests_release(&requests);
	mm_source_destroy(source);
	return events;
}

double status_event_bytes(const struct positions *positions, unsigned int channel)
{
	int folder = make_folder();
	uint64_t events = 0;
	size_t bytes;
	char path[64];

	if (folder < 0)
		return 0;
	bytes = positions_write_sample(positions, channel, folder);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", folder);
	if (bytes)
		events = count_events(path);
	close(folder);
	return events ? (double)bytes / (double)events : 0;
}
