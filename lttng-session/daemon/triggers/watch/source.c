// SPDX-License-Identifier: LGPL-2.1-only
/* Functions that all sources of a watcher share. */
#include <stdarg.h>
#include <stdio.h>

#include "lttng-session/daemon/triggers/watch/source.h"
#include "util/clock.h"

/* Maximum length of a turn, after which another source gets its turn. */
#define TURN_NS INT64_C(10000000)

int64_t watch_turn_end(void)
{
	return mm_clock_ns(CLOCK_MONOTONIC) + TURN_NS;
}

bool watch_turn_is_over(int64_t end_ns)
{
	return mm_clock_ns(CLOCK_MONOTONIC) >= end_ns;
}

bool watch_matches(const struct watched_trigger *watched, const char *line, size_t length)
{
	regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)length };

	return watched->has_regex && !regexec(&watched->regex, line, 1, &range, REG_STARTEND);
}

void watch_fail(struct watch_ctx *watch, const struct watched_trigger *watched, const char *fmt,
		...)
{
	char why[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	matches_fail(watch->matches, watched->trigger, why);
}
