/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads which CPUs the recorded machine had from the state dump of a snapshot. */
#ifndef LTTNG_MM_COVERAGE_FIND_STATE_CPUS_H
#define LTTNG_MM_COVERAGE_FIND_STATE_CPUS_H

#include <stddef.h>
#include <stdint.h>

struct state_cpus {
	uint32_t *all; /* in any order, perhaps repeated */
	size_t count, room;
};

/*
 * Adds the CPUs that the events page_statedump_cpu of the trace in @folder list, as far as they can
 * be read; release @cpus->all with free(). Returns 0, or -1 when out of memory.
 */
int state_cpus_read(const char *folder, struct state_cpus *cpus);

#endif /* LTTNG_MM_COVERAGE_FIND_STATE_CPUS_H */
