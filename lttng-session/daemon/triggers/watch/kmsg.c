// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Matches kernel messages, and failed allocations that the kernel reports as messages, from
 * /dev/kmsg (Documentation/ABI/testing/dev-kmsg). Each read returns a record:
 *
 *   4,1234,56789012,-;python3: page allocation failure: order:9, mode:0xcc0(GFP_KERNEL), ...
 *    SUBSYSTEM=acpi
 *
 * A record consists of facility * 8 + level, sequence number, time in microseconds, and flags;
 * then, after a semicolon, the text, in which backslashes and non-printable bytes are written as
 * \xNN; then lines of properties.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/watch/mask.h"
#include "lttng-session/daemon/triggers/watch/source.h"
#include "util/clock.h"

#define LOG "/dev/kmsg"
/* Size of the longest record that kernels write (CONSOLE_EXT_LOG_MAX). */
#define RECORD_MAX 16384
/* Maximum number of records to read per turn of the event loop. */
#define RECORDS 256
#define NS_PER_US 1000
/*
 * The messages of warn_alloc() (mm/page_alloc.c), also when vmalloc() calls it. The kernel writes
 * at most one message in ten seconds, and no message for allocations with __GFP_NOWARN.
 */
#define FAILED_ALLOCATION \
	": (page allocation failure: order:[0-9]+|vmalloc error: size [0-9]+, .*), mode:0x"

struct kmsg_record {
	unsigned int facility;
	uint64_t sequence, us;
	char *text; /* the unescaped text, in the buffer that was read */
	size_t length;
};

struct kmsg_source {
	struct watch_ctx *watch;
	int fd;
	regex_t failed_allocation;
	bool has_regex;
	uint64_t next; /* expected sequence number of the next record */
	bool has_next;
	uint64_t lost;
	/* Offset from the timestamps of the kernel log to CLOCK_MONOTONIC. */
	int64_t ahead_ns;
	bool idle;
};

bool kmsg_has(enum trigger_kind kind)
{
	return kind == TRIGGER_KERNEL_MESSAGE || kind == TRIGGER_FAILED_ALLOCATION;
}

int kmsg_open(void)
{
	int fd = open(LOG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		fd = -1;
	}
	return fd;
}

static int hex(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = digit ? strchr(digits, digit) : NULL;

	return at ? (int)(at - digits) : -1;
}

static size_t unescape(char *text, size_t length)
{
	size_t to = 0;

	for (size_t i = 0; i < length; i++, to++) {
		int high = -1, low = -1;

		if (text[i] == '\\' && i + 3 < length && text[i + 1] == 'x') {
			high = hex(text[i + 2]);
			low = hex(text[i + 3]);
		}
		text[to] = text[i];
		if (high >= 0 && low >= 0) {
			text[to] = (char)(high << 4 | low);
			i += 3;
		}
	}
	return to;
}

/* Parses the NUL-terminated @buffer. Returns 0, or -1 if it is not a record. */
static int parse(char *buffer, struct kmsg_record *record)
{
	unsigned int priority;
	int end = 0;
	char *text;

	if (sscanf(buffer, "%u,%" SCNu64 ",%" SCNu64 "%n", &priority, &record->sequence,
		   &record->us, &end) != 3 ||
	    record->us > INT64_MAX / NS_PER_US || (buffer[end] != ',' && buffer[end] != ';'))
		return -1;
	text = strchr(buffer + end, ';');
	if (!text)
		return -1;
	record->facility = priority >> 3;
	record->text = text + 1;
	record->length = unescape(record->text, strcspn(record->text, "\n"));
	if (record->length > WATCH_LINE_MAX)
		record->length = WATCH_LINE_MAX;
	return 0;
}

/* Is the condition `oom` or `hung-task`? For these, @regex is not part of the condition's text. */
static bool is_shorthand(const struct trigger *trigger)
{
	return trigger->on && !strstr(trigger->on, trigger->regex);
}

/*
 * Matches a user's expression with the masked text. With the unmasked text, a user who must not
 * read the kernel log could guess an address digit by digit, and see which guess matches.
 */
static bool message_matches(const struct watched_trigger *watched, const struct kmsg_record *record)
{
	char masked[WATCH_LINE_MAX];
	size_t length;

	if (!watched->trigger->uid || is_shorthand(watched->trigger))
		return watch_matches(watched, record->text, record->length);
	memcpy(masked, record->text, record->length);
	length = mask_addresses(masked, record->length, record->length == WATCH_LINE_MAX);
	return watch_matches(watched, masked, length);
}

static bool record_matches(const struct kmsg_source *kmsg, const struct watched_trigger *watched,
			   const struct kmsg_record *record)
{
	regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)record->length };

	switch (watched->trigger->kind) {
	case TRIGGER_FAILED_ALLOCATION:
		/*
		 * Only messages of the kernel itself have facility 0. Messages that programs write
		 * have another facility.
		 */
		return !record->facility &&
		       !regexec(&kmsg->failed_allocation, record->text, 1, &range, REG_STARTEND);
	case TRIGGER_KERNEL_MESSAGE:
		return (!record->facility || !is_shorthand(watched->trigger)) &&
		       message_matches(watched, record);
	default:
		return false;
	}
}

static void lose(struct kmsg_source *kmsg, uint64_t count)
{
	const struct watch_ctx *watch = kmsg->watch;

	kmsg->lost += count;
	for (size_t i = 0; i < watch->count; i++)
		if (kmsg_has(watch->all[i].trigger->kind))
			matches_lost(watch->matches, watch->all[i].trigger);
}

/*
 * Updates the offset of the log's timestamps. They come from the scheduler's clock, which drifts
 * from CLOCK_MONOTONIC by seconds within days. The first record after a wait was just written. The
 * current time minus its timestamp is therefore the offset plus the wake-up latency.
 */
static void follow_clock(struct kmsg_source *kmsg, const struct kmsg_record *record)
{
	if (!kmsg->idle)
		return;
	kmsg->ahead_ns = mm_clock_ns(CLOCK_MONOTONIC) - (int64_t)record->us * NS_PER_US;
	kmsg->idle = false;
}

static void handle(struct kmsg_source *kmsg, const struct kmsg_record *record)
{
	const struct watch_ctx *watch = kmsg->watch;

	follow_clock(kmsg, record);
	if (kmsg->has_next && record->sequence > kmsg->next)
		lose(kmsg, record->sequence - kmsg->next);
	kmsg->next = record->sequence + 1;
	kmsg->has_next = true;
	for (size_t i = 0; i < watch->count; i++) {
		struct match match = { .cpu = -1, .text = record->text, .length = record->length };

		if (!record_matches(kmsg, &watch->all[i], record))
			continue;
		match.monotonic_ns = (int64_t)record->us * NS_PER_US + kmsg->ahead_ns;
		if (kmsg->lost)
			match.fields = json_pack("{s:I}", "lost_records", (json_int_t)kmsg->lost);
		matches_add(watch->matches, watch->all[i].trigger, &match);
	}
}

static void fail_all(struct watch_ctx *watch, const char *why)
{
	for (size_t i = 0; i < watch->count; i++)
		if (kmsg_has(watch->all[i].trigger->kind))
			watch_fail(watch, &watch->all[i], LOG ": %s", why);
}

static int on_records(sd_event_source *source, int fd, uint32_t events, void *user)
{
	const int64_t end_ns = watch_turn_end();
	char buffer[RECORD_MAX + 1];
	struct kmsg_source *kmsg = user;
	struct kmsg_record record;

	for (int i = 0; i < RECORDS && !watch_turn_is_over(end_ns); i++) {
		ssize_t length = read(fd, buffer, RECORD_MAX);

		if (length > 0) {
			buffer[length] = '\0';
			if (!parse(buffer, &record))
				handle(kmsg, &record);
			continue;
		}
		/*
		 * EPIPE: records were overwritten before this process read them. The next sequence
		 * number shows how many.
		 */
		if (length < 0 && errno == EPIPE) {
			lose(kmsg, 0);
			continue;
		}
		if (length < 0 && (errno == EINTR || errno == EINVAL))
			continue;
		kmsg->idle = true;
		if (!length || errno != EAGAIN) {
			fail_all(kmsg->watch, length ? strerror(errno) : "end of file");
			sd_event_source_set_enabled(source, SD_EVENT_OFF);
		}
		return 0;
	}
	return 0;
}

/* Releases the source, also if it is set up only in part. */
static void release(void *user)
{
	struct kmsg_source *kmsg = user;

	if (kmsg->has_regex)
		regfree(&kmsg->failed_allocation);
	close(kmsg->fd);
	free(kmsg);
}

void kmsg_watch(struct watch_ctx *watch, int fd)
{
	sd_event_source *source = NULL;
	struct kmsg_source *kmsg;

	if (fd < 0) {
		fail_all(watch, strerror(errno));
		return;
	}
	kmsg = calloc(1, sizeof(*kmsg));
	if (!kmsg) {
		fail_all(watch, "out of memory");
		close(fd);
		return;
	}
	kmsg->watch = watch;
	kmsg->fd = fd;
	kmsg->idle = true;
	kmsg->has_regex =
		!regcomp(&kmsg->failed_allocation, FAILED_ALLOCATION, REG_EXTENDED | REG_NOSUB);
	if (!kmsg->has_regex ||
	    sd_event_add_io(watch->event, &source, fd, EPOLLIN, on_records, kmsg) < 0) {
		fail_all(watch, "out of memory");
		release(kmsg);
		return;
	}
	/* From here on, the event loop owns @kmsg. */
	sd_event_source_set_destroy_callback(source, release);
	sd_event_source_set_floating(source, true);
	sd_event_source_unref(source);
}
