/* SPDX-License-Identifier: LGPL-2.1-only */
/* Scripts of test-dax-parts.c, and at how many splits of each script the merge may be refused. */
#ifndef LTTNG_MM_TESTS_UNIT_ANALYSIS_DAX_PARTS_CASES_H
#define LTTNG_MM_TESTS_UNIT_ANALYSIS_DAX_PARTS_CASES_H

#include <stdint.h>

#include "analysis/dax/cause.h"
#include "instrumentation/wire/dax.h"

/*
 * One event:
 *   P, p  a huge-page fault starts, ends
 *   T, t  a 4 KiB fault starts, ends
 *   x     an extent
 *   f     a dax_pmd_fallback
 *   h     a dax_pmd_load_hole_fallback
 *   W, w  a writeback range starts, ends
 *   l     a hole is read
 *   Q, q  wide variants of P and p
 *   F     the thread is forked
 *   X     the thread calls exec
 *   E     the thread exits
 *   D     a state dump lists the thread
 */
struct dax_parts_step {
	char what;
	int tid;
	uint64_t address;
	uint32_t result, flags;
	uint64_t ino;	 /* default 7 */
	int64_t time_ns; /* after the start; 0: 1 us after the previous step */
};

#define STEPS_MAX 128
#define SCRIPT_STEPS 60
#define FELL DAX_RESULT_FALLBACK
#define OK DAX_RESULT_NOPAGE
#define A 0x10005000
#define B 0x10006000
#define FAR 0x40005000
#define OUT 0x80005000 /* after the end of the mapping, and of the file */
#define WIDE_INO 0x123456789abcull
#define ONES_INO LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_INO_BITS)

struct dax_parts_case {
	const char *name;
	unsigned int refusals; /* number of splits where the parts cannot be merged */
	struct dax_parts_step steps[16];
};

/* Each step sets only the members that matter. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const struct dax_parts_case tests[] = {
	{ "faults of two threads",
	  0,
	  { { 'P', 1, A },
	    { 'T', 2, A },
	    { 'p', 1, A, OK },
	    { 't', 2, A, OK },
	    { 'T', 1, FAR },
	    { 't', 1, FAR, OK },
	    { 'P', 2, A },
	    { 'p', 2, A, OK } } },
	{ "evidence before and after the exit",
	  0,
	  { { 'P', 1, A },
	    { 'x', 1, A },
	    { 'h', 1, A },
	    { 'p', 1, A, FELL },
	    { 'f', 1, A },
	    { 'T', 1, A },
	    { 't', 1, A, OK },
	    { 'P', 1, FAR },
	    { 'f', 1, FAR },
	    { 'p', 1, FAR, FELL } } },
	{ "a 4 KiB fault after a fallback, and none",
	  0,
	  { { 'P', 1, A },
	    { 'p', 1, A, FELL },
	    { 'T', 1, A },
	    { 't', 1, A, OK },
	    { 'T', 1, A },
	    { 't', 1, A, OK },
	    { 'P', 1, A },
	    { 'p', 1, A, FELL } } },
	/*
	 * A part that starts inside the outer fault knows only the inner fault until the outer
	 * fault ends.
	 */
	{ "nested faults",
	  1,
	  { { 'T', 1, A },
	    { 'P', 1, FAR },
	    { 'x', 1, FAR },
	    { 'p', 1, FAR, FELL },
	    { 't', 1, A, OK },
	    { 'T', 1, A },
	    { 't', 1, A, OK } } },
	/* The refused splits are inside the fault at B: only its exit proves that it is a fault. */
	{ "an entry whose exit never comes",
	  2,
	  { { 'P', 1, A },
	    { 'T', 1, FAR },
	    { 't', 1, FAR, OK },
	    { 'P', 1, B },
	    { 'x', 1, B },
	    { 'T', 1, FAR },
	    { 't', 1, FAR, OK },
	    { 'p', 1, B, FELL },
	    { 'T', 1, B },
	    { 't', 1, B, OK } } },
	{ "an entry whose exit comes late",
	  3,
	  { { 'P', 1, A },
	    { 'T', 1, FAR },
	    { 't', 1, FAR, OK },
	    { 'T', 1, B },
	    { 't', 1, B, OK },
	    { 'p', 1, A, OK },
	    { 'T', 1, B },
	    { 't', 1, B, OK } } },
	{ "an exit whose entry is missing",
	  0,
	  { { 'p', 1, A, OK },
	    { 'T', 1, A },
	    { 't', 1, A, OK },
	    { 'p', 1, A, FELL },
	    { 'f', 1, A },
	    { 'T', 1, A },
	    { 't', 1, A, OK } } },
	{ "evidence of nothing",
	  0,
	  { { 'x', 1, A },
	    { 'P', 1, A },
	    { 'p', 1, A, OK },
	    { 'x', 1, A },
	    { 'f', 1, FAR, 0, 0, 9 },
	    { 'T', 1, A },
	    { 't', 1, A, OK },
	    { 'h', 2, A } } },
	{ "writebacks",
	  0,
	  { { 'W', 1, A },
	    { 'W', 2, A },
	    { 'w', 2, A },
	    { 'w', 1, A },
	    { 'w', 1, A },
	    { 'W', 1, A },
	    { 'W', 1, A, 0, 0, 9 },
	    { 'w', 1, A },
	    { 'w', 1, A, 0, 0, 9 },
	    { 'l', 3, A } } },
	{ "ranges that a fault of another thread made known",
	  0,
	  { { 'T', 1, A },
	    { 'T', 2, B, 0, DAX_FLAG_MKWRITE },
	    { 't', 2, B, OK },
	    { 't', 1, A, OK },
	    { 'T', 1, B },
	    { 't', 1, B, OK },
	    { 'T', 2, FAR },
	    { 't', 2, FAR, OK } } },
	{ "a range whose first two faults end at the same time",
	  0,
	  { { 'T', 1, A },
	    { 'T', 2, FAR },
	    { 't', 2, FAR, OK },
	    { 'T', 2, B, 0, DAX_FLAG_MKWRITE },
	    { 't', 1, A, OK, 0, 0, 9000 },
	    { 't', 2, B, OK, 0, 0, 9000 } } },
	{ "a range noted in between by a known thread",
	  0,
	  { { 'T', 1, A },
	    { 'T', 2, FAR },
	    { 't', 2, FAR, OK },
	    { 'T', 2, B, 0, DAX_FLAG_MKWRITE },
	    { 't', 2, B, OK },
	    { 't', 1, A, OK } } },
	/*
	 * If a part starts before the exit that has no entry, it mistakes this exit for the end of
	 * the range's first fault.
	 */
	{ "an exit without an entry in a range of others",
	  3,
	  { { 'T', 2, FAR },
	    { 't', 2, FAR, OK },
	    { 'T', 3, FAR },
	    { 't', 1, A, OK },
	    { 't', 3, FAR, OK },
	    { 'T', 2, B },
	    { 't', 2, B, OK } } },
	{ "the exit of a fault below another one",
	  0,
	  { { 'P', 1, A },
	    { 'P', 1, FAR },
	    { 'p', 1, A, OK },
	    { 'p', 1, FAR, FELL },
	    { 'T', 1, FAR },
	    { 't', 1, FAR, OK } } },
	{ "entries until the stack is full",
	  2,
	  { { 'P', 1, 1 << 12 },
	    { 'P', 1, 2 << 12 },
	    { 'P', 1, 3 << 12 },
	    { 'P', 1, 4 << 12 },
	    { 'P', 1, 5 << 12 },
	    { 'P', 1, 6 << 12 },
	    { 'P', 1, 7 << 12 },
	    { 'T', 1, FAR },
	    { 't', 1, FAR, OK },
	    { 'P', 1, A },
	    { 'T', 1, FAR },
	    { 't', 1, FAR, OK },
	    { 'p', 1, A, OK } } },
	/* Three parts; the second one ends with the fallback. */
	{ "a fallback at the end of a part",
	  0,
	  { { 'T', 1, FAR },
	    { 't', 1, FAR, OK },
	    { 'P', 1, FAR },
	    { 'p', 1, FAR, OK },
	    { 'T', 1, B },
	    { 't', 1, B, OK },
	    { 'P', 1, A },
	    { 'p', 1, A, FELL },
	    { 'T', 1, A },
	    { 't', 1, A, OK } } },
	/* The parts know thread 2 at once, but must defer the events of thread 1. */
	{ "two alike, one of them kept",
	  0,
	  { { 'W', 3, A },
	    { 'T', 2, FAR },
	    { 't', 2, FAR, OK },
	    { 'T', 1, A, 0, 0, 0, 5000 },
	    { 'T', 2, A, 0, 0, 0, 5000 },
	    { 't', 2, A, OK, 0, 0, 6000 },
	    { 't', 1, A, OK, 0, 0, 6000 } } },
	/* The faults of this thread lack its name; only the thread events (F, X, E, D) have it. */
	{ "a thread that calls exec",
	  0,
	  { { 'P', 8, A },
	    { 'p', 8, A, OK },
	    { 'X', 8, A },
	    { 'P', 8, A },
	    { 'p', 8, A, OK },
	    { 'T', 8, FAR },
	    { 'X', 8, B },
	    { 't', 8, FAR, OK },
	    { 'P', 8, A },
	    { 'X', 8, FAR },
	    { 'p', 8, A, OK },
	    { 'E', 8, B } } },
	{ "threads forked and dumped",
	  0,
	  { { 'F', 8, A },
	    { 'P', 8, A },
	    { 'p', 8, A, OK },
	    { 'D', 8, B },
	    { 'F', 18, A },
	    { 'X', 18, A },
	    { 'T', 18, B },
	    { 't', 18, B, OK },
	    { 'F', 28, A },
	    { 'E', 28, B },
	    { 'F', 28, FAR },
	    { 'T', 28, FAR },
	    { 't', 28, FAR, OK } } },
	/*
	 * The refused splits are before the fork, and after the first event of the earlier thread.
	 */
	{ "a thread id that is used again",
	  5,
	  { { 'T', 1, A },
	    { 'P', 8, A },
	    { 'p', 8, A, FELL },
	    { 'P', 8, FAR },
	    { 'E', 8, A },
	    { 'F', 8, B },
	    { 'T', 8, A },
	    { 't', 8, A, OK },
	    { 't', 1, A, OK } } },
	/* The refused splits are between a wide variant and its event. */
	{ "wide variants",
	  2,
	  { { 'Q', 1, A, 0, 0, WIDE_INO },
	    { 'P', 1, A, 0, 0, ONES_INO },
	    { 'q', 1, A, FELL, 0, WIDE_INO },
	    { 'p', 1, A, FELL, 0, ONES_INO },
	    { 'T', 1, A },
	    { 't', 1, A, OK } } },
	/* A later part cannot know whether the wide variant was in the earlier part. */
	{ "lost wide variants",
	  2,
	  { { 'T', 2, A },
	    { 'P', 1, A, 0, 0, ONES_INO },
	    { 'p', 1, A, FELL, 0, ONES_INO },
	    { 't', 2, A, OK } } },
	{ "faults that fail two checks",
	  0,
	  { { 'F', 18, A },
	    { 'P', 18, OUT },
	    { 'p', 18, OUT, FELL },
	    { 'T', 18, OUT },
	    { 't', 18, OUT, OK },
	    { 'F', 28, A },
	    { 'P', 28, OUT },
	    { 'p', 28, OUT, FELL },
	    { 'T', 28, OUT },
	    { 't', 28, OUT, OK },
	    { 'P', 28, OUT },
	    { 'p', 28, OUT, FELL } } },
	{ "equally slow ones and equal timestamps",
	  0,
	  { { 'T', 1, A, 0, 0, 0, 1000 },
	    { 'T', 2, A, 0, 0, 0, 1000 },
	    { 't', 2, A, OK, 0, 0, 2000 },
	    { 't', 1, A, OK, 0, 0, 2000 },
	    { 'T', 3, A, 0, 0, 0, 2000 },
	    { 'T', 4, A, 0, 0, 0, 3000 },
	    { 't', 4, A, OK, 0, 0, 4000 },
	    { 't', 3, A, OK, 0, 0, 4000 } } },
};

#endif /* LTTNG_MM_TESTS_UNIT_ANALYSIS_DAX_PARTS_CASES_H */
