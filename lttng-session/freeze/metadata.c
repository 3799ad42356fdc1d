// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the metadata of sessions, and gives the clocks of all sessions the same offset. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "lttng-session/freeze/buffers.h"

/*
 * Number of attempts to read metadata while an event is being declared, and the pause between
 * attempts.
 */
#define METADATA_TRIES 100
#define METADATA_PAUSE_NS 10000000

#define NS_PER_S 1000000000

static int splice(struct freeze_session *session, size_t at, size_t length, const char *text)
{
	const size_t added = strlen(text), bytes = session->metadata_bytes - length + added;
	char *new = malloc(bytes + 1);

	if (!new)
		return -1;
	memcpy(new, session->metadata, at);
	memcpy(new + at, text, added);
	memcpy(new + at + added, session->metadata + at + length,
	       session->metadata_bytes - at - length);
	new[bytes] = '\0';
	free(session->metadata);
	session->metadata = new;
	session->metadata_bytes = bytes;
	return 0;
}

static const char *find_value(const char *block, const char *key)
{
	const char *end = strstr(block, "};");
	const size_t length = strlen(key);

	for (const char *at = block; (at = strstr(at, key)) && end && at < end; at += length) {
		const char *value = at + length;

		if (!strchr(" \t\n", at[-1]) || !strchr(" =", *value))
			continue;
		value += strspn(value, " ");
		if (*value == '=')
			return value + 1 + strspn(value + 1, " ");
	}
	return NULL;
}

static const char *find_clock(const struct freeze_session *session)
{
	const char *at = strstr(session->metadata, "\nclock {");

	return at ? at + 1 : NULL;
}

static void read_clock(struct freeze_session *session)
{
	const char *block = find_clock(session);
	const char *frequency = block ? find_value(block, "freq") : NULL;
	const char *offset_s = block ? find_value(block, "offset_s") : NULL;
	const char *offset = block ? find_value(block, "offset") : NULL;
	struct freeze_clock *clock = &session->clock;

	if (!block || !strstr(block, "};"))
		return;
	/* The metadata may lack values. CTF's defaults then apply. */
	clock->frequency = frequency ? strtoull(frequency, NULL, 0) : NS_PER_S;
	clock->offset_s = offset_s ? strtoll(offset_s, NULL, 0) : 0;
	clock->offset = offset ? strtoll(offset, NULL, 0) : 0;
	clock->known = clock->frequency != 0;
}

static int set_value(struct freeze_session *session, const char *key, int64_t value)
{
	const char *block = find_clock(session), *at = block ? find_value(block, key) : NULL;
	char text[24];

	if (!at)
		return value ? -1 : 0;
	snprintf(text, sizeof(text), "%" PRId64, value);
	return splice(session, (size_t)(at - session->metadata), strcspn(at, ";"), text);
}

/*
 * Finds the clock class in CTF 2 metadata, which is a sequence of JSON objects, each after a record
 * separator. Sets *@from and *@length to the place of the object's text. Returns a new reference,
 * or NULL.
 */
static json_t *find_clock_class(const struct freeze_session *session, size_t *from, size_t *length)
{
	const char *at = session->metadata;

	while ((at = strchr(at, '\x1e'))) {
		json_t *fragment;
		const char *type;

		at++;
		*from = (size_t)(at - session->metadata);
		*length = strcspn(at, "\x1e");
		fragment = json_loadb(at, *length, JSON_REJECT_DUPLICATES, NULL);
		type = json_string_value(json_object_get(fragment, "type"));
		if (type && !strcmp(type, "clock-class"))
			return fragment;
		json_decref(fragment);
	}
	return NULL;
}

static void read_clock_class(struct freeze_session *session)
{
	size_t from, length;
	json_t *fragment = find_clock_class(session, &from, &length);
	const json_t *offset = json_object_get(fragment, "offset-from-origin");
	struct freeze_clock *clock = &session->clock;

	clock->frequency = (uint64_t)json_integer_value(json_object_get(fragment, "frequency"));
	clock->offset_s = json_integer_value(json_object_get(offset, "seconds"));
	clock->offset = json_integer_value(json_object_get(offset, "cycles"));
	clock->known = clock->frequency != 0;
	json_decref(fragment);
}

static int set_clock_class(struct freeze_session *session, const struct freeze_clock *clock)
{
	size_t from, length;
	json_t *fragment = find_clock_class(session, &from, &length);
	json_t *offset = json_pack("{s:I, s:I}", "seconds", (json_int_t)clock->offset_s, "cycles",
				   (json_int_t)clock->offset);
	char *text = NULL, *line = NULL;
	int ret = -1;

	if (offset && fragment && !json_object_set(fragment, "offset-from-origin", offset))
		text = json_dumps(fragment, JSON_COMPACT);
	if (text && asprintf(&line, "%s\n", text) >= 0) {
		ret = splice(session, from, length, line);
		free(line);
	}
	free(text);
	json_decref(offset);
	json_decref(fragment);
	return ret;
}

static bool is_json(const struct freeze_session *session)
{
	return session->metadata[0] == '\x1e';
}

void freeze_parse_clock(struct freeze_session *session)
{
	session->clock = (struct freeze_clock){ 0 };
	if (is_json(session))
		read_clock_class(session);
	else
		read_clock(session);
}

/* Writes the offset of @clock into the metadata. @clock must have the session's frequency. */
static int set_clock(struct freeze_session *session, const struct freeze_clock *clock)
{
	struct freeze_clock normal = *clock;
	const int64_t frequency = (int64_t)clock->frequency;
	int64_t seconds;

	if (is_json(session)) {
		/* CTF 2 requires that the offset in cycles is less than a second. */
		seconds = normal.offset / frequency - (normal.offset % frequency < 0);
		normal.offset_s += seconds;
		normal.offset -= seconds * frequency;
		return set_clock_class(session, &normal);
	}
	/* If the metadata has no offset_s, its offset must include the seconds. */
	if (!find_value(find_clock(session), "offset_s")) {
		normal.offset += normal.offset_s * frequency;
		normal.offset_s = 0;
	}
	return set_value(session, "offset_s", normal.offset_s) ||
			       set_value(session, "offset", normal.offset)
		       ? -1
		       : 0;
}

int64_t freeze_clock_ns(const struct freeze_clock *clock, uint64_t value)
{
	__int128_t cycles = (__int128_t)value + clock->offset;

	if (clock->frequency != NS_PER_S)
		cycles = cycles * NS_PER_S / (__int128_t)clock->frequency;
	return (int64_t)(cycles + (__int128_t)clock->offset_s * NS_PER_S);
}

int freeze_read_metadata(const struct freeze *freeze, struct freeze_session *session)
{
	const struct timespec pause = { .tv_nsec = METADATA_PAUSE_NS };
	struct lttng_mm_freeze_metadata request = { .channel = session->channel };
	char *text = NULL;

	for (int tries = 0; tries < METADATA_TRIES; tries++) {
		if (ioctl(freeze->device, LTTNG_MM_FREEZE_METADATA, &request))
			break;
		/* The module returns no metadata while the session daemon regenerates it. */
		if (text && request.bytes && !request.producing && request.bytes <= request.room) {
			text[request.bytes] = '\0';
			free(session->metadata);
			session->metadata = text;
			session->metadata_bytes = request.bytes;
			freeze_parse_clock(session);
			return 0;
		}
		if (request.bytes > request.room) {
			free(text);
			text = malloc((size_t)request.bytes + 1);
			if (!text)
				return -1;
			request.room = request.bytes;
			request.to = (uintptr_t)text;
		} else {
			nanosleep(&pause, NULL);
		}
		errno = EAGAIN;
	}
	free(text);
	return -1;
}

int freeze_use_clock(struct freeze *freeze, const struct freeze_clock *clock)
{
	for (unsigned int i = 0; i < freeze->session_count; i++) {
		struct freeze_session *session = &freeze->sessions[i];

		if (!clock->known || !session->clock.known ||
		    session->clock.frequency != clock->frequency ||
		    (session->clock.offset_s == clock->offset_s &&
		     session->clock.offset == clock->offset))
			continue;
		if (set_clock(session, clock)) {
			errno = ENOMEM;
			return -1;
		}
		session->clock = *clock;
	}
	return 0;
}
