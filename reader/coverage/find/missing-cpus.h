/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the streams that a trace may lack because other streams have their CPU. */
#ifndef LTTNG_MM_COVERAGE_FIND_MISSING_CPUS_H
#define LTTNG_MM_COVERAGE_FIND_MISSING_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "reader/coverage/missing.h"

struct ctf_trace;

/* The traces to compare, and where to add what they lack. */
struct missing_cpus {
	struct ctf_trace *const *traces;
	size_t count;
	const bool *listed; /* for each trace: a list of its streams exists; nothing is guessed */
	/* The number in source->folders of each trace. */
	const size_t *folders;
	/* ... how many CPUs the system information of its boot has; 0: not known. */
	const uint32_t *online;
	/* Adds @file, unless it is known to be missing. */
	void (*add)(void *user, const char *file, const struct mm_missing *missing);
	void *user;
};

/*
 * Adds the CPUs for which the trace @other of state dumps has a stream and the trace @ring of the
 * same snapshot has none, and the reverse: both sessions record the same CPUs. The arguments are
 * numbers of traces. Returns 0, or -1 when out of memory.
 */
int missing_cpus_compare(const struct missing_cpus *cpus, size_t ring, size_t other);

/*
 * Adds the streams that may be missing: a channel of LTTng has a stream for each CPU, so a channel
 * may lack those CPUs that another channel of the same kernel or application has, or that a state
 * dump of the same kernel lists, or those with which the system information has more CPUs. Such an
 * entry is uncertain. Of thousands, and of CPUs whose numbers are not known, one entry stands for
 * all of a channel. Returns 0, or -1 when out of memory.
 */
int missing_cpus_find(const struct missing_cpus *cpus);

#endif /* LTTNG_MM_COVERAGE_FIND_MISSING_CPUS_H */
