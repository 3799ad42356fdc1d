/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds CPUs of the machine for which a channel has no stream. */
#ifndef LTTNG_MM_COVERAGE_FIND_MISSING_CPUS_H
#define LTTNG_MM_COVERAGE_FIND_MISSING_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "reader/coverage/missing.h"

struct ctf_trace;

/* The traces to compare, and the callback that receives missing files. */
struct missing_cpus {
	struct ctf_trace *const *traces;
	size_t count;
	/* for each trace: true if its streams are listed, so none need be guessed */
	const bool *listed;
	/* index of each trace's folder in source->folders */
	const size_t *folders;
	/* for each trace: number of CPUs in the system information of its boot; 0: not known */
	const uint32_t *online;
	/* Adds @file to the missing files unless the list contains it. */
	void (*add)(void *user, const char *file, const struct mm_missing *missing);
	void *user;
};

/*
 * A snapshot has a trace of ring buffers, number @ring, and a trace of state dumps, number @other.
 * Both traces have streams of all CPUs. If only one of them has a stream of a CPU, adds the missing
 * stream of the other trace. Returns 0, or -1 when out of memory.
 */
int missing_cpus_compare(const struct missing_cpus *cpus, size_t ring, size_t other);

/*
 * Adds the streams that may be missing. A channel of LTTng has a stream for each CPU. If a channel
 * lacks the stream of a CPU, but something shows that the CPU exists, the stream is added as
 * `uncertain`. Such evidence is another channel or a state dump of the same kernel or application,
 * or the number of CPUs in the system information. If there are thousands of such streams, or the
 * CPU numbers are unknown, one entry stands for a whole channel. Returns 0, or -1 when out of
 * memory.
 */
int missing_cpus_find(const struct missing_cpus *cpus);

#endif /* LTTNG_MM_COVERAGE_FIND_MISSING_CPUS_H */
