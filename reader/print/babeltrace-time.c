// SPDX-License-Identifier: LGPL-2.1-only
/* Formats timestamps and deltas as sink.text.pretty does. */
#include "reader/print/babeltrace-time.h"

#include <string.h>
#include <time.h>

#include "reader/print/number.h"

#define NS_PER_S 1000000000
#define UNKNOWN UINT64_MAX

void mm_babeltrace_time_init(struct mm_babeltrace_time *time,
			     const struct mm_babeltrace_options *options)
{
	memset(time, 0, sizeof(*time));
	time->options = options;
	time->names = mm_babeltrace_names(options) & MM_BABELTRACE_NAME_HEADER;
	time->usual = !time->names && !options->no_delta && !options->clock_cycles &&
		      !options->clock_seconds && !options->offset_s && !options->offset_ns;
	time->last_cycles = time->last_ns = UNKNOWN;
	time->delta_cycles = time->delta_ns = UNKNOWN;
}

static char *put(char *out, const char *text)
{
	return mempcpy(out, text, strlen(text));
}

/* Sets time->moved to @clock plus the offsets of the command line. */
static void move_clock(struct mm_babeltrace_time *time, const struct ctf_clock *clock)
{
	int64_t ns = time->options->offset_ns % NS_PER_S, s = time->options->offset_ns / NS_PER_S;
	uint64_t cycles;

	if (ns < 0) {
		ns += NS_PER_S;
		s--;
	}
	time->clock = clock;
	time->moved = *clock;
	cycles = (uint64_t)((__uint128_t)(uint64_t)ns * clock->frequency / NS_PER_S);
	/* The unsigned addition may wrap. In this case, the sum is not a valid time. */
	s = (int64_t)((uint64_t)s + (uint64_t)time->options->offset_s + (uint64_t)clock->offset_s);
	cycles += clock->offset_cycles;
	time->moved.offset_s = (int64_t)((uint64_t)s + cycles / clock->frequency);
	time->moved.offset_cycles = cycles % clock->frequency;
}

/* Gets the event's timestamp. Returns false if it does not fit in an int64_t of nanoseconds. */
static bool event_ns(struct mm_babeltrace_time *time, const struct mm_event *event,
		     const struct ctf_event *native, int64_t *ns)
{
	const struct ctf_clock *clock = native->class->stream_class->clock;

	*ns = event->time_ns;
	if (!time->options->offset_s && !time->options->offset_ns)
		return *ns != INT64_MIN && *ns != INT64_MAX;
	if (clock != time->clock)
		move_clock(time, clock);
	return !ctf_clock_to_ns(&time->moved, native->clock, ns);
}

/* Formats hh:mm:ss, with the date if requested. Returns false if the date is not known. */
static bool cache_second(struct mm_babeltrace_time *time, uint64_t seconds)
{
	time_t time_s = (time_t)seconds;
	char *out = time->cached_text;
	struct tm tm;

	time->cached = false;
	if (!(time->options->clock_gmt ? gmtime_r(&time_s, &tm) : localtime_r(&time_s, &tm)))
		return false;
	if (time->options->clock_date) {
		out = mm_put_signed(out, tm.tm_year + 1900);
		*out++ = '-';
		out = mm_put_padded(out, (uint64_t)tm.tm_mon + 1, 2);
		*out++ = '-';
		out = mm_put_padded(out, (uint64_t)tm.tm_mday, 2);
		*out++ = ' ';
	}
	out = mm_put_padded(out, (uint64_t)tm.tm_hour, 2);
	*out++ = ':';
	out = mm_put_padded(out, (uint64_t)tm.tm_min, 2);
	*out++ = ':';
	out = mm_put_padded(out, (uint64_t)tm.tm_sec, 2);
	*out++ = '.';
	time->cached_length = (size_t)(out - time->cached_text);
	time->cached_s = seconds;
	time->cached = true;
	return true;
}

static char *put_time_of_day(struct mm_babeltrace_time *time, char *out, int64_t ns)
{
	bool negative = ns < 0;
	uint64_t size = negative ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t seconds = size / NS_PER_S;
	bool plain = time->options->clock_seconds;

	/*
	 * Like sink.text.pretty, write the first timestamp before 1970 in seconds, and later ones
	 * as a time of day without a sign.
	 */
	if (!plain && negative && !time->negative_seen) {
		time->negative_seen = true;
		plain = true;
	}
	if (!plain &&
	    ((time->cached && time->cached_s == seconds) || cache_second(time, seconds))) {
		memcpy(out, time->cached_text, sizeof(time->cached_text));
		out += time->cached_length;
	} else {
		*out = '-';
		out = mm_put_unsigned(out + negative, seconds);
		*out++ = '.';
	}
	return mm_put_9_digits(out, (uint32_t)(size % NS_PER_S));
}

static char *put_delta(const struct mm_babeltrace_time *time, char *out)
{
	if (time->options->clock_cycles) {
		if (time->delta_cycles == UNKNOWN)
			return put(out, "+????????????");
		*out++ = '+';
		return mm_put_padded(out, time->delta_cycles,
				     time->delta_cycles < 1000000000000
					     ? 12
					     : mm_count_digits(time->delta_cycles));
	}
	if (time->delta_ns == UNKNOWN)
		return put(out, "+?.?????????");
	*out++ = '+';
	out = mm_put_unsigned(out, time->delta_ns / NS_PER_S);
	*out++ = '.';
	return mm_put_9_digits(out, (uint32_t)(time->delta_ns % NS_PER_S));
}

static char *put_time(struct mm_babeltrace_time *time, char *out, const struct mm_event *event,
		      const struct ctf_event *native)
{
	int64_t ns;

	if (time->options->clock_cycles) {
		if (time->last_cycles != UNKNOWN)
			time->delta_cycles = native->clock - time->last_cycles;
		time->last_cycles = native->clock;
		return mm_put_padded(out, native->clock, 20);
	}
	if (!event_ns(time, event, native, &ns))
		return put(out, "Error");
	if (time->last_ns != UNKNOWN)
		time->delta_ns = (uint64_t)ns - time->last_ns;
	time->last_ns = (uint64_t)ns;
	return put_time_of_day(time, out, ns);
}

/*
 * The fast path: writes time and delta in the default format. The cached text must be valid for the
 * event's second.
 */
static char *put_usual(struct mm_babeltrace_time *time, char *out, int64_t ns)
{
	uint64_t delta = (uint64_t)ns - time->last_ns, seconds = 0;

	time->last_ns = (uint64_t)ns;
	time->delta_ns = delta;
	*out++ = '[';
	memcpy(out, time->cached_text, sizeof(time->cached_text));
	out = mm_put_9_digits(out + time->cached_length,
			      (uint32_t)((uint64_t)ns - time->cached_s * NS_PER_S));
	out = mempcpy(out, "] (+", 4);
	if (delta >= NS_PER_S) {
		seconds = delta / NS_PER_S;
		delta -= seconds * NS_PER_S;
	}
	out = mm_put_unsigned(out, seconds);
	*out++ = '.';
	out = mm_put_9_digits(out, (uint32_t)delta);
	return mempcpy(out, ") ", 2);
}

char *mm_babeltrace_put_time(struct mm_babeltrace_time *time, char *out,
			     const struct mm_event *event, const struct ctf_event *native)
{
	if (!native->class->stream_class->clock)
		return out;
	if (time->usual && time->cached && time->last_ns != UNKNOWN && event->time_ns >= 0 &&
	    (uint64_t)event->time_ns - time->cached_s * NS_PER_S < NS_PER_S &&
	    event->time_ns != INT64_MAX)
		return put_usual(time, out, event->time_ns);
	out = put(out, time->names ? "timestamp = " : "[");
	out = put_time(time, out, event, native);
	if (!time->names)
		out = put(out, "] ");
	if (time->options->no_delta)
		return out;
	out = put(out, time->names ? ", delta = " : "(");
	out = put_delta(time, out);
	return time->names ? out : put(out, ") ");
}

void mm_babeltrace_time_lost(struct mm_babeltrace_time *time, int64_t begin_ns)
{
	int64_t ns;

	if (begin_ns == INT64_MIN || time->options->clock_seconds || time->options->clock_cycles ||
	    __builtin_mul_overflow(time->options->offset_s, NS_PER_S, &ns) ||
	    __builtin_add_overflow(ns, time->options->offset_ns, &ns) ||
	    __builtin_add_overflow(ns, begin_ns, &ns))
		return;
	/*
	 * babeltrace2 formats this time, too, for its warning about the loss. Only the first time
	 * before 1970 has a special format. Remember that it has occurred.
	 */
	time->negative_seen |= ns < 0;
}
