// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests names of threads from events and state dumps. Scripts are read as a whole, and in parts
 * that start at any step. Also tests the number of threads that a hostile trace may have.
 */
#include "reader/sysinfo/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/*
 * A step: `F` fork, `N` name of the thread that called fork, `X` exec, `E` exit, `D` state dump,
 * `u` an event of the thread, which must have @name and @pid.
 */
struct thread_step {
	char what;
	int32_t tid, pid; /* X: @pid is the former thread id */
	const char *name; /* u: NULL if it is not known */
	int64_t dump_ns;  /* D: time of the dump */
};

#define STEPS 12

static const struct {
	const char *name;
	struct thread_step steps[STEPS];
} tests[] = {
	{ "nothing is known", { { 'u', 5, -1, NULL, 0 } } },
	{ "the idle thread", { { 'u', 0, 0, "swapper", 0 } } },
	{ "a state dump",
	  { { 'D', 5, 4, "dumped", 100 }, { 'u', 5, 4, "dumped", 0 }, { 'u', 6, -1, NULL, 0 } } },
	{ "the last of two dumps",
	  { { 'D', 5, 4, "one", 100 }, { 'u', 5, 4, "two", 0 }, { 'D', 5, 4, "two", 200 } } },
	{ "a fork", { { 'F', 5, 4, "forked", 0 }, { 'u', 5, 4, "forked", 0 } } },
	{ "a fork, an exec, an exit",
	  { { 'F', 5, 5, "shell", 0 },
	    { 'u', 5, 5, "shell", 0 },
	    { 'X', 5, 5, "/bin/a-name-longer-than-it-may-be", 0 },
	    { 'u', 5, 5, "own name", 0 },
	    { 'E', 5, 0, "own name", 0 },
	    { 'u', 5, 5, "own name", 0 } } },
	{ "the same, recorded by two sessions",
	  { { 'F', 5, 5, "shell", 0 },
	    { 'F', 5, 5, "shell", 0 },
	    { 'u', 5, 5, "shell", 0 },
	    { 'X', 5, 5, "/bin/a-name-longer-than-it-may-be", 0 },
	    { 'X', 5, 5, "/bin/a-name-longer-than-it-may-be", 0 },
	    { 'u', 5, 5, "own name", 0 },
	    { 'E', 5, 0, "own name", 0 },
	    { 'E', 5, 0, "own name", 0 },
	    { 'u', 5, 5, "own name", 0 } } },
	{ "... an exec of another thread",
	  { { 'F', 5, 4, "thread", 0 },
	    { 'F', 5, 4, "thread", 0 },
	    { 'u', 5, 4, "thread", 0 },
	    { 'X', 4, 5, "file", 0 },
	    { 'X', 4, 5, "file", 0 },
	    { 'u', 4, 4, "file", 0 } } },
	{ "an exec after an unknown name",
	  { { 'u', 5, 5, NULL, 0 }, { 'X', 5, 5, "file", 0 }, { 'u', 5, 5, "file", 0 } } },
	{ "... and a long one",
	  { { 'X', 5, 5, "0123456789abcdefgh", 0 }, { 'u', 5, 5, "0123456789abcde", 0 } } },
	{ "a dump names the thread of its time",
	  { { 'u', 5, -1, NULL, 0 },
	    { 'F', 5, 4, "forked", 0 },
	    { 'u', 5, 4, "renamed", 0 },
	    { 'D', 5, 4, "renamed", INT64_MAX - 1 } } },
	{ "a thread id used three times",
	  { { 'u', 5, -1, "first", 0 },
	    { 'E', 5, 0, "first", 0 },
	    { 'F', 5, 7, "second", 0 },
	    { 'u', 5, 7, "second", 0 },
	    { 'F', 5, 8, "third", 0 },
	    { 'u', 5, 8, "third", 0 } } },
	{ "a thread becomes the leader of its process",
	  { { 'F', 4, 4, "leader", 0 },
	    { 'u', 4, 4, "leader", 0 },
	    { 'F', 5, 4, "thread", 0 },
	    { 'u', 5, 4, "thread", 0 },
	    { 'X', 4, 5, "file", 0 },
	    { 'u', 4, 4, "file", 0 } } },
	{ "... and has events only then",
	  { { 'u', 5, 4, NULL, 0 }, { 'X', 4, 5, "file", 0 }, { 'u', 4, 4, "file", 0 } } },
	{ "a thread that renames itself, then forks",
	  { { 'F', 5, 5, "shell", 0 },
	    { 'u', 5, 5, "own name", 0 },
	    { 'N', 5, 5, "first name", 0 },
	    { 'u', 5, 5, "own name", 0 },
	    { 'N', 5, 5, "own name", 0 } } },
	{ "... of unknown start",
	  { { 'u', 5, 5, "named", 0 }, { 'N', 5, 5, "named", 0 }, { 'u', 6, -1, NULL, 0 } } },
	{ "... without a name",
	  { { 'F', 5, 5, "shell", 0 }, { 'u', 5, 5, "shell", 0 }, { 'N', 5, 5, "", 0 } } },
	{ "... and exits",
	  { { 'N', 5, 5, "named", 0 },
	    { 'u', 5, 5, "last name", 0 },
	    { 'E', 5, 0, "last name", 0 },
	    { 'N', 5, 5, "of another", 0 } } },
	{ "... and is dumped before",
	  { { 'D', 5, 5, "dumped", INT64_MAX - 1 },
	    { 'u', 5, 5, "named", 0 },
	    { 'N', 5, 5, "named", 0 } } },
	{ "... and is dumped later",
	  { { 'N', 5, 5, "named", 0 },
	    { 'u', 5, 5, "dumped", 0 },
	    { 'D', 5, 5, "dumped", INT64_MAX - 1 } } },
	{ "... and calls exec",
	  { { 'N', 5, 5, "named", 0 },
	    { 'u', 5, 5, "named", 0 },
	    { 'X', 5, 5, "file", 0 },
	    { 'u', 5, 5, "file", 0 } } },
	{ "... and its id is used again",
	  { { 'u', 5, 5, "named", 0 },
	    { 'N', 5, 5, "named", 0 },
	    { 'F', 5, 7, "second", 0 },
	    { 'u', 5, 7, "second", 0 } } },
};

static int play(struct mm_threads *threads, const struct thread_step *step, int64_t now,
		uint32_t *number)
{
	switch (step->what) {
	case 'F':
		return mm_threads_forked(threads, step->tid, step->pid, step->name, now);
	case 'X':
		return mm_threads_executed(threads, step->tid, step->pid, step->name, now);
	case 'N':
		return mm_threads_named(threads, step->tid, step->pid, step->name, now);
	case 'E':
		return mm_threads_exited(threads, step->tid, step->name);
	case 'D':
		return mm_threads_dumped(threads, step->tid, step->pid, step->name,
					 step->dump_ns == INT64_MAX - 1 ? now : step->dump_ns);
	default:
		*number = mm_threads_number(threads, step->tid);
		return 0;
	}
}

static unsigned int wrong_names(const struct mm_threads *threads, const struct thread_step *steps,
				const uint32_t *numbers)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < STEPS && steps[i].what; i++) {
		const char *comm;

		if (steps[i].what != 'u')
			continue;
		comm = mm_threads_comm(threads, numbers[i], NULL);
		wrong += (comm ? !steps[i].name || strcmp(comm, steps[i].name) != 0
			       : steps[i].name != NULL) ||
			 mm_threads_pid(threads, numbers[i], NULL) != steps[i].pid;
	}
	return wrong;
}

/*
 * Runs the script in two parts divided at step @cut; STEPS: runs it as a whole. Returns the number
 * of wrong names.
 */
static unsigned int run(const struct thread_step *steps, unsigned int cut)
{
	struct mm_threads threads, later;
	uint32_t numbers[STEPS] = { 0 }, merged[STEPS];
	unsigned int wrong;

	mm_threads_init(&threads);
	mm_threads_init(&later);
	later.continues = true;
	for (unsigned int i = 0; i < STEPS && steps[i].what; i++)
		if (play(i < cut ? &threads : &later, &steps[i], 1000 + i, &numbers[i]))
			abort();
	if (mm_threads_merge(&threads, &later, merged))
		abort();
	for (unsigned int i = cut; i < STEPS; i++)
		numbers[i] = steps[i].what == 'u' ? merged[numbers[i]] : 0;
	wrong = wrong_names(&threads, steps, numbers);
	mm_threads_release(&threads);
	mm_threads_release(&later);
	return wrong;
}

static void precede(void)
{
	struct mm_threads threads, earlier;
	uint32_t numbers[3];

	mm_threads_init(&threads);
	mm_threads_init(&earlier);
	mm_threads_forked(&earlier, 5, 4, "forked", 100);
	mm_threads_forked(&earlier, 6, 6, "gone", 100);
	mm_threads_exited(&earlier, 6, "gone");
	mm_threads_dumped(&earlier, 7, 7, "dumped", 100);
	for (int32_t i = 0; i < 3; i++)
		numbers[i] = mm_threads_number(&threads, 5 + i);
	mm_threads_precede(&threads, &earlier);
	tap(!strcmp(mm_threads_comm(&threads, numbers[0], NULL), "forked") &&
		    mm_threads_pid(&threads, numbers[0], NULL) == 4,
	    "what precedes: a fork");
	tap(!mm_threads_comm(&threads, numbers[1], NULL), "... not of a thread that exited");
	tap(!strcmp(mm_threads_comm(&threads, numbers[2], NULL), "dumped"), "... a state dump");
	mm_threads_release(&threads);
	mm_threads_release(&earlier);
}

/* Tests exec_renames: a thread keeps its number, and gets its name from its last exec. */
static void renamed(void)
{
	static const struct {
		const char *what;
		struct thread_step steps[STEPS];
		const char *name; /* NULL: not known */
	} cases[] = {
		{ "an exec", { { 'X', 5, 5, "/usr/bin/rm", 0 } }, "rm" },
		{ "an exec of a long name",
		  { { 'F', 5, 5, "sh", 0 }, { 'X', 5, 5, "/bin/0123456789abcdefgh", 0 } },
		  "0123456789abcde" },
		{ "an exec without a file name",
		  { { 'F', 5, 5, "sh", 0 }, { 'X', 5, 5, NULL, 0 } },
		  NULL },
		{ "the last of two",
		  { { 'X', 5, 5, "one", 0 }, { 'X', 5, 5, "./two", 0 } },
		  "two" },
		{ "a state dump precedes it",
		  { { 'D', 5, 5, "sh", INT64_MAX - 1 }, { 'X', 5, 5, "rm", 0 } },
		  "rm" },
		{ "a state dump follows it",
		  { { 'X', 5, 5, "rm", 0 }, { 'D', 5, 5, "own name", INT64_MAX - 1 } },
		  "own name" },
		{ "a fork follows it",
		  { { 'X', 5, 5, "rm", 0 }, { 'N', 5, 5, "own name", 0 } },
		  "own name" },
		{ "a fork precedes it",
		  { { 'N', 5, 5, "own name", 0 }, { 'X', 5, 5, "rm", 0 } },
		  "rm" },
		{ "an exit follows it",
		  { { 'X', 5, 5, "rm", 0 }, { 'E', 5, 0, "own name", 0 } },
		  "own name" },
		{ "another thread's, after the exit of the first one",
		  { { 'F', 5, 5, "sh", 0 },
		    { 'F', 6, 5, "thread", 0 },
		    { 'E', 5, 0, "sh", 0 },
		    { 'X', 5, 6, "/bin/rm", 0 } },
		  "rm" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int before = 0; before < 2; before++) {
			struct mm_threads threads, earlier;
			uint32_t number = 0, first;
			unsigned int last = 0;
			const char *comm;

			mm_threads_init(&threads);
			mm_threads_init(&earlier);
			threads.exec_renames = earlier.exec_renames = true;
			first = mm_threads_number(&threads, 5);
			for (unsigned int at = 0; at < STEPS && cases[i].steps[at].what; at++)
				last = cases[i].steps[at].what == 'X' ? at : last;
			for (unsigned int at = 0; at < STEPS && cases[i].steps[at].what; at++)
				if (play(before && at <= last ? &earlier : &threads,
					 &cases[i].steps[at], 1000 + at, &number))
					abort();
			mm_threads_precede(&threads, &earlier);
			number = mm_threads_number(&threads, 5);
			comm = mm_threads_comm(&threads, number, NULL);
			tap(comm ? cases[i].name && !strcmp(comm, cases[i].name) : !cases[i].name,
			    "one number, %s%s: %s", cases[i].what, before ? ", before" : "",
			    comm ? comm : "not known");
			tap((before || cases[i].steps[0].what == 'F' || number == first) &&
				    mm_threads_pid(&threads, number, NULL) == 5,
			    "... and its process");
			mm_threads_release(&threads);
			mm_threads_release(&earlier);
		}
	}
}

/* The memory must grow with the number of threads and requested names, not with the events. */
static void bounded(void)
{
	struct mm_threads threads;
	char name[16];

	mm_threads_init(&threads);
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		mm_threads_forked(&threads, i % 100, i, name, i);
		mm_threads_executed(&threads, i % 100, i % 100, name, i);
		mm_threads_exited(&threads, i % 100, name);
		mm_threads_dumped(&threads, i % 100, i, name, i);
	}
	tap(threads.count == 100, "unrequested events: %u numbers", threads.count);
	tap(threads.dump_count <= 400, "... and %u dumps", threads.dump_count);
	mm_threads_release(&threads);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		unsigned int differ = 0;

		tap(!run(tests[i].steps, STEPS), "%s", tests[i].name);
		for (unsigned int cut = 0; cut < STEPS; cut++)
			differ += run(tests[i].steps, cut) != 0;
		tap(!differ, "%s: in parts, too (%u differ)", tests[i].name, differ);
	}
	precede();
	renamed();
	bounded();
	return tap_status();
}
