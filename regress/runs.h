/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A run consists of the reports of one recording. Runs are read from a trace, a stored report, or
 * the folder of `lttng-mm run`:
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
 * A trace's clock counts one of these. Instructions of a guest do not depend on the machine's load,
 * so times that count instructions can be compared.
 */
#define REGRESS_INSTRUCTIONS "instructions"
#define REGRESS_TIME "time"

/* The file that marks a folder of `lttng-mm run`. */
#define REGRESS_RUN_FILE "run.json"
/* Start of the names of the folders of runs. */
#define REGRESS_RUN_PREFIX "run-"

struct regress_run {
	char *path; /* may be hostile */
	/* indexed by the number of the schema; NULL: the run does not have this report */
	struct mm_report *reports[REGRESS_SCHEMAS_MAX];
	json_t *facts; /* run.json; NULL: not a run of a command */
	bool is_file;  /* one stored report, so other reports may be in other files */
};

struct regress_runs {
	struct regress_run *all;
	size_t count, room;
};

/*
 * Appends the runs at @path: one run, or all runs in a folder of `lttng-mm run`. If @path is a
 * trace, makes report N if @wanted[N] is true. @wanted NULL: makes the reports whose events the
 * trace declares. Returns 0, or -1 with @err set.
 */
int regress_runs_add(struct regress_runs *runs, const char *path,
		     const bool wanted[REGRESS_SCHEMAS_MAX],
		     const struct mm_source_options *options, struct mm_error *err);
/*
 * Makes the reports of the trace at @path, and stores them in @run. @pid: uses only the events of
 * this process and its descendants; 0: of all processes. Returns 0, or -1 with @err set.
 */
int regress_run_make(struct regress_run *run, const char *path, int32_t pid,
		     const struct mm_source_options *options, struct mm_error *err);
void regress_run_release(struct regress_run *run);
void regress_runs_release(struct regress_runs *runs);

/* Returns the run's first report. All reports of a run have the same coverage. */
const struct mm_report *regress_run_report(const struct regress_run *run);
/*
 * Returns true if the run is incomplete or may be incomplete, and writes the reason to @why.
 * Otherwise, makes @why empty.
 */
#define REGRESS_WHY 256
bool regress_run_is_doubtful(const struct regress_run *run, char why[REGRESS_WHY]);

#endif /* LTTNG_MM_REGRESS_RUNS_H */
