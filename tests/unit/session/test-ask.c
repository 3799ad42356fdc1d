// SPDX-License-Identifier: LGPL-2.1-only
/* Tests a call of LTTng's library that never returns: it must not block its caller. */
#include "lttng-session/system/ask.h"

#include <time.h>
#include <unistd.h>

#include "tests/tap.h"

static void set(void *data)
{
	*(int *)data = 7;
}

static void hang(void *data)
{
	*(int *)data = 8;
	while (true)
		pause();
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(void)
{
	static int hung;
	int answer = 0, not_asked = 0;
	int64_t began;

	tap(ask(set, &answer) && answer == 7, "a call returns");
	answer = 0;
	tap(ask_start(set, &answer) && ask_wait(ASK_MS) && answer == 7 && !ask_hangs(),
	    "a call that is awaited later");
	tap(ask_wait(0), "without a call, waiting returns at once");
	began = now_ms();
	tap(ask_start(hang, &hung) && !ask_wait(200) && ask_hangs(),
	    "a call that does not return is abandoned");
	tap(now_ms() - began >= 200 && now_ms() - began < ASK_MS, "... after the time limit");
	began = now_ms();
	tap(!ask(set, &not_asked) && !ask_start(set, &not_asked) && !not_asked &&
		    now_ms() - began < 200,
	    "no other call is made after that");
	return tap_status();
}
