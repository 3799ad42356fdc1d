/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Runs: the reports of one recording. They are read from a trace, a stored report, or the folder of
 * `lttng-mm run`:
 *
 *	DIR/run-1/run.json   the command, its status, kernel, probes and machine
 *	DIR/run-1/dax.json   a report
 *	DIR/run-1/trace/     the snapshot
 *	DIR/run-2/...
 */
#ifndef LTTNG_MM_REGRESS_RUNS_H
#define LTTNG_MM_REGRESS_RUNS_H

#include <jansson.h>

#include "reader/events/source.h"
#include "regress/schemas.h"
#include "util/error.h"

/*
 * What the clock of a trace counts. Instructions of a guest do not depend on the load of the
 * machine, so times that count them can be compared.
 */
#define REGRESS_INSTRUCTIONS "instructions"
#define REGRESS_TIME "time"

/* The file that marks a folder of `lttng-mm run`. */
#define REGRESS_RUN_FILE "run.json"
/* Start of the names of the folders of runs. */
#define REGRESS_RUN_PREFIX "run-"

struct regress_run {
	char *path; /* may be hostile */
	/* the reports by the number of their schema; NULL: the run has none */
	struct mm_report *reports[REGRESS_SCHEMAS_MAX];
	json_t *facts; /* run.json; NULL: not a run of a command */
	bool is_file;  /* one stored report, so other reports may be in other files */
};

struct regress_runs {
	struct regress_run *all;
	size_t count, room;
};

/*
 * Reads the runs at @path and appends them: one, or those of a folder of `lttng-mm run`. @wanted:
 * the reports to make of a trace, by number; NULL: those for whose events the trace has
 * declarations. Returns 0, or -1 with @err set.
 */
int regress_runs_add(struct regress_runs *runs, const char *path,
		     const bool wanted[REGRESS_SCHEMAS_MAX],
		     const struct mm_source_options *options, struct mm_error *err);
/*
 * Makes the reports of the trace at @path, which become those of @run. @pid: the process whose
 * events count, with its descendants; 0: all processes. Returns 0, or -1 with @err set.
 */
int regress_run_make(struct regress_run *run, const char *path, int32_t pid,
		     const struct mm_source_options *options, struct mm_error *err);
void regress_run_release(struct regress_run *run);
void regress_runs_release(struct regress_runs *runs);

/* Returns a report of the run, whose coverage stands for all of them. */
const struct mm_report *regress_run_report(const struct regress_run *run);
/*
 * Is something missing in the run, or may it be? Then returns true, with the reason in @why.
 * Otherwise @why is empty.
 */
#define REGRESS_WHY 256
bool regress_run_is_doubtful(const struct regress_run *run, char why[REGRESS_WHY]);

#endif /* LTTNG_MM_REGRESS_RUNS_H */
