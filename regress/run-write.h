/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the files of a run: its reports and run.json. */
#ifndef LTTNG_MM_REGRESS_RUN_WRITE_H
#define LTTNG_MM_REGRESS_RUN_WRITE_H

#include "regress/runs.h"

/*
 * Facts of a run, as members of run.json. Strings may be hostile:
 *
 *   { "format": 1, "command": ["make", "-j4"], "profiles": ["slab"], "all": false,
 *     "kernel": "6.12.118+deb13-amd64 1a2b3c4d5e6f", "probes": "lttng_probe_slab 99aa00bb",
 *     "machine": "2 CPUs, 1987 MiB", "clock": "time", "started": 1795342100,
 *     "elapsed_ns": 1200000000,
 *     "trace": "trace-20261130-033700-0", "inconclusive": null }
 */
struct regress_run_facts {
	char *const *command, *const *profiles; /* end with NULL */
	bool all;				/* events of all processes count */
	const char *kernel, *probes, *machine, *clock;
	int64_t started_s, elapsed_ns;
	const char *trace;	  /* name of the trace's folder */
	const char *inconclusive; /* why the run is incomplete; NULL: it is complete */
};

/* Returns the facts as JSON, or NULL when out of memory. */
json_t *regress_run_facts_json(const struct regress_run_facts *facts);

/*
 * Writes the reports of @run and run->facts into @folder; run.json comes last. Returns 0, or -1
 * with @err set.
 */
int regress_run_write(const struct regress_run *run, const char *folder, struct mm_error *err);

#endif /* LTTNG_MM_REGRESS_RUN_WRITE_H */
