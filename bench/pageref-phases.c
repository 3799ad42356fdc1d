// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A library to preload, which divides the run of a program into phases of equal progress. Progress
 * is counted in ticks: calls of malloc(), and calls of pageref_tick() by programs that know the
 * library. A deterministic program at fixed addresses therefore touches the same pages in a phase,
 * even if the phase takes longer. Environment:
 *
 *   PAGEREF_TICKS=N       ticks of a phase; 0: there are no phases. The first phase, number 0, has
 *                         one tick
 *   PAGEREF_FIFOS=FOLDER  at the end of a phase, writes the processor time of the program in ns to
 *                         FOLDER/out, and waits for a line from FOLDER/in
 *   PAGEREF_END=N         ends the program after N ticks
 *   PAGEREF_SECONDS=N     ends the program N seconds after the first tick
 *   PAGEREF_RESULT=FILE   before ending the program in one of these ways, writes "TICKS TSC NS" to
 *                         FILE: the number of ticks, the time-stamp counter, and the time in ns
 *                         since the first tick
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

void *__libc_malloc(size_t bytes);
void pageref_tick(void);
void pageref_at_end(void (*function)(int phase));

static bool ready;
static long ticks, left, phase_ticks, last_tick, seconds;
static uint64_t started_tsc;
static long long started_ns;
static int in = -1, out = -1, result = -1;
static void (*at_end)(int phase);

static long long now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void end_phase(void)
{
	char answer;

	dprintf(out, "%lld\n", now(CLOCK_PROCESS_CPUTIME_ID));
	if (read(in, &answer, 1) != 1)
		_exit(0);
}

static void end_program(void)
{
	uint64_t tsc = __rdtsc() - started_tsc;

	dprintf(result, "%ld %llu %lld\n", ticks, (unsigned long long)tsc,
		now(CLOCK_MONOTONIC) - started_ns);
	_exit(0);
}

static void on_alarm(int number)
{
	(void)number;
	end_program();
}

static void start_clock(void)
{
	if (seconds > 0) {
		signal(SIGALRM, on_alarm);
		alarm((unsigned int)seconds);
	}
	started_ns = now(CLOCK_MONOTONIC);
	started_tsc = __rdtsc();
}

/* Registers a function that is called at the end of each phase, as a part of the phase. */
void pageref_at_end(void (*function)(int phase))
{
	at_end = function;
}

void pageref_tick(void)
{
	static int phase;

	if (!ready)
		return;
	if (!ticks)
		start_clock();
	if (++ticks == last_tick)
		end_program();
	if (!phase_ticks || --left)
		return;
	left = phase_ticks;
	if (at_end)
		at_end(phase);
	phase++;
	end_phase();
}

void *malloc(size_t bytes)
{
	pageref_tick();
	return __libc_malloc(bytes);
}

static int open_in(const char *folder, const char *name, int flags)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return open(path, flags | O_CLOEXEC);
}

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *folder = getenv("PAGEREF_FIFOS"), *path = getenv("PAGEREF_RESULT");

	if (path)
		result = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (number("PAGEREF_TICKS") > 0 && folder) {
		in = open_in(folder, "in", O_RDONLY);
		out = open_in(folder, "out", O_WRONLY);
		left = 1;
		phase_ticks = number("PAGEREF_TICKS");
	}
	last_tick = number("PAGEREF_END");
	seconds = number("PAGEREF_SECONDS");
	ready = true;
}
