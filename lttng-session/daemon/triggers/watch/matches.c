// SPDX-License-Identifier: LGPL-2.1-only
/* Sends the matches and failures of triggers to the daemon. */
#include "lttng-session/daemon/triggers/watch/matches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "lttng-session/daemon/triggers/watch/mask.h"
#include "lttng-session/daemon/triggers/watch/source.h"
#include "lttng-session/system/message.h"
#include "util/clock.h"
#include "util/escape.h"
#include "util/json-file.h"

#define AGAIN_US 1000000

struct unsent_report {
	const struct trigger *trigger;
	char *why; /* reason of a failure; NULL: the trigger is armed */
	bool has_state;
	uint64_t count;
	bool at_least;
	json_t *match; /* the first match, without the counts */
	uint64_t due_us;
};

struct matches {
	sd_event *event;
	sd_event_source *io, *timer;
	int socket;
	bool ready;
	struct unsent_report *all;
	size_t count;
	void (*take)(void *user, const json_t *message);
	void *user;
	void (*test)(void *user, const char *name);
	void *test_user;
};

static void set_timer(struct matches *matches, uint64_t due_us)
{
	sd_event_source_set_time(matches->timer, due_us);
	sd_event_source_set_enabled(matches->timer, SD_EVENT_ONESHOT);
}

/*
 * Sends and releases @message. Returns true if it was sent. Otherwise makes flush() run again: when
 * the socket has room, or after a second if memory was exhausted.
 */
static bool send_message(struct matches *matches, json_t *message)
{
	bool sent = message && !message_send(matches->socket, message, -1);
	int error = message ? errno : ENOMEM;

	json_decref(message);
	if (sent)
		return true;
	if (error == EAGAIN)
		sd_event_source_set_io_events(matches->io, EPOLLIN | EPOLLOUT | EPOLLRDHUP);
	else if (error == ENOMEM)
		set_timer(matches, (uint64_t)(mm_clock_ns(CLOCK_MONOTONIC) / 1000) + AGAIN_US);
	else
		sd_event_exit(matches->event, error == EPIPE || error == ECONNRESET ? 0 : 1);
	return false;
}

static bool send_state(struct matches *matches, struct unsent_report *pending)
{
	json_t *message = pending->why ? json_pack("{s:s,s:s}", "trigger", pending->trigger->name,
						   "failed", pending->why)
				       : json_pack("{s:s,s:b}", "trigger", pending->trigger->name,
						   "armed", 1);

	if (!send_message(matches, message))
		return false;
	pending->has_state = false;
	return true;
}

static bool send_match(struct matches *matches, struct unsent_report *pending, uint64_t now_us)
{
	json_t *match = pending->match ? pending->match : json_object();
	json_t *counts = json_pack("{s:I,s:b}", "matches", (json_int_t)pending->count, "at_least",
				   pending->at_least);

	if (match && counts)
		json_object_update(match, counts);
	json_decref(counts);
	pending->match = match;
	if (!send_message(matches, json_pack("{s:s,s:O}", "trigger", pending->trigger->name,
					     "match", match)))
		return false;
	json_decref(pending->match);
	pending->match = NULL;
	pending->count = 0;
	pending->at_least = false;
	pending->due_us = now_us + MATCHES_INTERVAL_US;
	return true;
}

/* Sends all reports that are due. Sets the timer for the other reports. */
static void flush(struct matches *matches)
{
	uint64_t now_us = (uint64_t)(mm_clock_ns(CLOCK_MONOTONIC) / 1000), next_us = UINT64_MAX;

	for (size_t i = 0; i < matches->count; i++) {
		struct unsent_report *pending = &matches->all[i];

		if (pending->has_state && !send_state(matches, pending))
			return;
		if (!pending->count)
			continue;
		if (pending->due_us > now_us)
			next_us = pending->due_us < next_us ? pending->due_us : next_us;
		else if (!send_match(matches, pending, now_us))
			return;
	}
	if (matches->ready) {
		if (!send_message(matches, json_pack("{s:b}", "ready", 1)))
			return;
		matches->ready = false;
	}
	sd_event_source_set_io_events(matches->io, EPOLLIN | EPOLLRDHUP);
	if (next_us != UINT64_MAX)
		set_timer(matches, next_us);
}

static int on_time(sd_event_source *source, uint64_t us, void *user)
{
	flush(user);
	return 0;
}

static void answer_test(const struct matches *matches, const char *name)
{
	json_t *answer = json_pack("{s:s,s:b,s:{}}", "trigger", name, "test", 1, "match");

	message_send(matches->socket, answer, -1);
	json_decref(answer);
}

static void take_messages(struct matches *matches)
{
	json_t *message;

	while ((message = message_receive(matches->socket, NULL))) {
		const char *tested = message_text(message, "test", NULL);

		if (tested && matches->test)
			matches->test(matches->test_user, tested);
		else if (tested)
			answer_test(matches, tested);
		else if (matches->take)
			matches->take(matches->user, message);
		json_decref(message);
	}
}

static int on_socket(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct matches *matches = user;

	if (events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR))
		return sd_event_exit(matches->event, 0);
	take_messages(matches);
	flush(matches);
	return 0;
}

void matches_listen(struct matches *matches, void (*take)(void *user, const json_t *message),
		    void *user)
{
	matches->take = take;
	matches->user = user;
}

void matches_test(struct matches *matches, void (*test)(void *user, const char *name), void *user)
{
	matches->test = test;
	matches->test_user = user;
}

struct matches *matches_create(sd_event *event, int socket)
{
	struct matches *matches = calloc(1, sizeof(*matches));
	int ret;

	if (!matches)
		return NULL;
	matches->event = event;
	matches->socket = socket;
	ret = sd_event_add_io(event, &matches->io, socket, EPOLLIN | EPOLLRDHUP, on_socket,
			      matches);
	if (ret >= 0)
		ret = sd_event_add_time(event, &matches->timer, CLOCK_MONOTONIC, 0, 1, on_time,
					matches);
	if (ret >= 0)
		ret = sd_event_source_set_enabled(matches->timer, SD_EVENT_OFF);
	if (ret < 0) {
		matches_destroy(matches);
		errno = -ret;
		return NULL;
	}
	return matches;
}

void matches_destroy(struct matches *matches)
{
	if (!matches)
		return;
	for (size_t i = 0; i < matches->count; i++) {
		free(matches->all[i].why);
		json_decref(matches->all[i].match);
	}
	free(matches->all);
	sd_event_source_disable_unref(matches->io);
	sd_event_source_disable_unref(matches->timer);
	free(matches);
}

/* Returns the entry of the trigger, creating it if necessary, or NULL if out of memory. */
static struct unsent_report *find(struct matches *matches, const struct trigger *trigger)
{
	struct unsent_report *all;

	for (size_t i = 0; i < matches->count; i++)
		if (matches->all[i].trigger == trigger)
			return &matches->all[i];
	all = reallocarray(matches->all, matches->count + 1, sizeof(*all));
	if (!all)
		return NULL;
	matches->all = all;
	all[matches->count] = (struct unsent_report){ .trigger = trigger };
	return &all[matches->count++];
}

static json_t *make_text(const struct match *match, bool mask)
{
	char *copy = malloc(match->length + 1), *utf8;
	size_t length = match->length;
	json_t *json = NULL;

	if (!copy)
		return NULL;
	memcpy(copy, match->text, length);
	if (mask)
		length = mask_addresses(copy, length, length >= WATCH_LINE_MAX);
	/*
	 * JSON strings cannot contain NUL, so let the conversion replace it like an invalid byte.
	 */
	for (size_t i = 0; i < length; i++)
		if (!copy[i])
			copy[i] = '\xff';
	utf8 = mm_escape_to_utf8(copy, length);
	if (utf8)
		json = json_string(utf8);
	free(utf8);
	free(copy);
	return json;
}

static json_t *make_match(const struct match *match, const struct trigger *trigger)
{
	/*
	 * In the text of a pressure file, counters may have as many digits as an address, so do not
	 * mask this text.
	 */
	const bool mask = trigger && trigger->kind != TRIGGER_PRESSURE;
	int64_t monotonic = mm_clock_ns(CLOCK_MONOTONIC), ago = 0;
	json_t *json;

	if (match->monotonic_ns && match->monotonic_ns < monotonic)
		ago = monotonic - match->monotonic_ns;
	json = json_pack("{s:{s:I,s:I,s:I}}", "time", "realtime_ns",
			 (json_int_t)(mm_clock_ns(CLOCK_REALTIME) - ago), "monotonic_ns",
			 (json_int_t)(monotonic - ago), "boottime_ns",
			 (json_int_t)(mm_clock_ns(CLOCK_BOOTTIME) - ago));
	if (match->cpu >= 0)
		json_object_set_new(json, "cpu", json_integer(match->cpu));
	if (match->fields)
		json_object_set(json, "fields", match->fields);
	if (match->text)
		json_object_set_new(json, "text", make_text(match, mask));
	return json;
}

void matches_send_step(const struct matches *matches, const char *name, const char *step, bool ok,
		       bool held, const char *text)
{
	json_t *message =
		json_pack("{s:s,s:{s:s,s:b,s:b,s:o}}", "trigger", name, "test_step", "step", step,
			  "ok", ok, "held", held, "text", mm_json_text(text));

	message_send(matches->socket, message, -1);
	json_decref(message);
}

void matches_end_test(const struct matches *matches, const char *name, const struct match *match)
{
	json_t *message = json_pack("{s:s,s:b}", "trigger", name, "test", 1);

	if (match)
		json_object_set_new(message, "match", make_match(match, NULL));
	message_send(matches->socket, message, -1);
	json_decref(message);
}

void matches_add(struct matches *matches, const struct trigger *trigger, const struct match *match)
{
	struct unsent_report *pending = find(matches, trigger);

	if (pending) {
		bool first = !pending->count;

		pending->count += 1 + match->others;
		pending->at_least |= match->at_least;
		if (!pending->match)
			pending->match = make_match(match, trigger);
		/*
		 * Later matches are sent when the timer expires, or when the socket has room again.
		 */
		if (first)
			flush(matches);
	}
	json_decref(match->fields);
}

void matches_lost(struct matches *matches, const struct trigger *trigger)
{
	struct unsent_report *pending = find(matches, trigger);

	if (pending)
		pending->at_least = true;
}

void matches_fail(struct matches *matches, const struct trigger *trigger, const char *why)
{
	struct unsent_report *pending = find(matches, trigger);

	if (!pending)
		return;
	free(pending->why);
	pending->why = why ? mm_escape_to_utf8(why, strlen(why)) : NULL;
	pending->has_state = true;
	flush(matches);
}

void matches_ready(struct matches *matches)
{
	matches->ready = true;
	flush(matches);
}
