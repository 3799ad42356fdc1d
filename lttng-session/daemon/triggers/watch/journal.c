// SPDX-License-Identifier: LGPL-2.1-only
/* Matches messages of the journal that the trigger's user may read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-journal.h>

#include "lttng-session/daemon/triggers/watch/source.h"

/* Maximum number of entries to read per turn of the event loop. */
#define ENTRIES 256
#define NS_PER_US 1000
#define NONE                                                                                \
	"the trigger's user cannot read any journal; members of the group systemd-journal " \
	"can read the system journal"

struct journal_source {
	struct watch_ctx *watch;
	sd_journal *journal;
	sd_event_source *reading, *timer;
};

/*
 * Returns the value of a field in the current entry, or NULL if the entry lacks the field. The
 * value is valid until the next call.
 */
static const char *field(sd_journal *journal, const char *name, size_t *length)
{
	size_t skipped = strlen(name) + 1;
	const void *data;

	if (sd_journal_get_data(journal, name, &data, length) < 0 || *length < skipped)
		return NULL;
	*length -= skipped;
	return (const char *)data + skipped;
}

static bool field_is(sd_journal *journal, const char *name, const char *value)
{
	size_t length;
	const char *text = field(journal, name, &length);

	return text && length == strlen(value) && !memcmp(text, value, length);
}

/* Is the entry from the unit, or from the service manager and about the unit? */
static bool is_of_unit(sd_journal *journal, const char *unit)
{
	return field_is(journal, "_SYSTEMD_UNIT", unit) ||
	       (field_is(journal, "_PID", "1") && field_is(journal, "UNIT", unit));
}

/* Returns the time at which the journal received the entry, or 0 if it is from another boot. */
static int64_t time_of(sd_journal *journal)
{
	sd_id128_t then, now;
	uint64_t us;

	if (sd_journal_get_monotonic_usec(journal, &us, &then) < 0 || sd_id128_get_boot(&now) < 0 ||
	    !sd_id128_equal(then, now))
		return 0;
	return (int64_t)us * NS_PER_US;
}

/* Copies the message, because the library reuses the message's memory for the next field. */
static char *copy_message(sd_journal *journal, size_t *length)
{
	const char *text = field(journal, "MESSAGE", length);
	char *copy;

	if (!text)
		return NULL;
	if (*length > WATCH_LINE_MAX)
		*length = WATCH_LINE_MAX;
	copy = malloc(*length + 1);
	if (copy)
		memcpy(copy, text, *length);
	return copy;
}

static void handle(struct journal_source *journal)
{
	const struct watch_ctx *watch = journal->watch;
	size_t length;
	char *text = copy_message(journal->journal, &length);

	for (size_t i = 0; text && i < watch->count; i++) {
		const struct trigger *trigger = watch->all[i].trigger;
		struct match match = { .cpu = -1, .text = text, .length = length };

		if (trigger->kind != TRIGGER_JOURNAL ||
		    !watch_matches(&watch->all[i], text, length) ||
		    (trigger->unit && !is_of_unit(journal->journal, trigger->unit)))
			continue;
		match.monotonic_ns = time_of(journal->journal);
		matches_add(watch->matches, trigger, &match);
	}
	free(text);
}

static int on_reading(sd_event_source *source, void *user)
{
	const int64_t end_ns = watch_turn_end();
	struct journal_source *journal = user;

	for (int i = 0; i < ENTRIES && !watch_turn_is_over(end_ns); i++) {
		/*
		 * If this call fails, the next call skips the damaged or removed file.
		 */
		if (sd_journal_next(journal->journal) <= 0) {
			sd_event_source_set_enabled(source, SD_EVENT_OFF);
			return 0;
		}
		handle(journal);
	}
	return 0;
}

/* Lets sd_journal_process() handle changes, such as rotations. Then continues to read. */
static void process(struct journal_source *journal)
{
	sd_journal_process(journal->journal);
	sd_event_source_set_enabled(journal->reading, SD_EVENT_ON);
}

static int on_change(sd_event_source *source, int fd, uint32_t events, void *user)
{
	process(user);
	return 0;
}

/*
 * Checks for changes once a second, because some filesystems, such as network filesystems, do not
 * report changes.
 */
static int on_time(sd_event_source *source, uint64_t us, void *user)
{
	struct journal_source *journal = user;

	process(journal);
	sd_event_source_set_time_relative(source, WATCH_AGAIN_US);
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

/* Positions the journal before the first new entry. */
static int seek_end(sd_journal *journal)
{
	int ret = sd_journal_seek_tail(journal);

	if (ret >= 0)
		ret = sd_journal_previous(journal);
	return ret ? ret : sd_journal_seek_head(journal);
}

static int start(struct journal_source *journal)
{
	sd_event *event = journal->watch->event;
	int fd, ret = sd_journal_open(&journal->journal, SD_JOURNAL_LOCAL_ONLY);

	if (ret < 0)
		return ret;
	sd_journal_set_data_threshold(journal->journal, WATCH_LINE_MAX + sizeof("MESSAGE="));
	/* This call starts the watch. Seek afterwards, so that no entry is missed. */
	fd = sd_journal_get_fd(journal->journal);
	ret = fd < 0 ? fd : seek_end(journal->journal);
	if (ret >= 0)
		ret = sd_event_add_defer(event, &journal->reading, on_reading, journal);
	if (ret >= 0)
		ret = sd_event_source_set_enabled(journal->reading, SD_EVENT_ON);
	if (ret >= 0)
		ret = sd_event_add_io(event, NULL, fd,
				      (uint32_t)sd_journal_get_events(journal->journal), on_change,
				      journal);
	if (ret >= 0 && !sd_journal_reliable_fd(journal->journal))
		ret = sd_event_add_time_relative(event, &journal->timer, CLOCK_MONOTONIC,
						 WATCH_AGAIN_US, 0, on_time, journal);
	return ret;
}

static void fail_all(struct watch_ctx *watch, const char *why)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->all[i].trigger->kind == TRIGGER_JOURNAL)
			watch_fail(watch, &watch->all[i], "journal: %s", why);
}

void journal_watch(struct watch_ctx *watch)
{
	struct journal_source *journal;
	bool needed = false;
	int ret;

	for (size_t i = 0; i < watch->count; i++)
		needed |= watch->all[i].trigger->kind == TRIGGER_JOURNAL;
	if (!needed)
		return;
	journal = calloc(1, sizeof(*journal));
	if (!journal) {
		fail_all(watch, "out of memory");
		return;
	}
	journal->watch = watch;
	ret = start(journal);
	if (ret < 0) {
		fail_all(watch, strerror(-ret));
		sd_event_source_disable_unref(journal->reading);
		sd_event_source_disable_unref(journal->timer);
		sd_journal_close(journal->journal);
		free(journal);
		return;
	}
	/* Report a missing journal without exiting: the user's journal may be created later. */
	if (!sd_journal_has_runtime_files(journal->journal) &&
	    !sd_journal_has_persistent_files(journal->journal))
		fail_all(watch, NONE);
}
