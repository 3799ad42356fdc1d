/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the CPUs of the recorded machine from the state dump of a snapshot. */
#ifndef LTTNG_MM_COVERAGE_FIND_STATE_CPUS_H
#define LTTNG_MM_COVERAGE_FIND_STATE_CPUS_H

#include <stddef.h>
#include <stdint.h>

struct state_cpus {
	uint32_t *all; /* in any order; may contain duplicates */
	size_t count, room;
};

/*
 * Adds the CPUs in the readable page_statedump_cpu events of the trace in @folder. Release
 * @cpus->all with free(). Returns 0, or -1 when out of memory.
 */
int state_cpus_read(const char *folder, struct state_cpus *cpus);

#endif /* LTTNG_MM_COVERAGE_FIND_STATE_CPUS_H */
