/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Records a command from before its start until after its end:
 *
 *   prepared   the command's process waits, so that its id is known
 *   recording  the recorder has started; for page references, the process is the target
 *   executing  the command runs
 *   ended      a snapshot is taken, and the recorder is stopped
 *
 * The ring buffers must not wrap while the command runs. The certificate of the snapshot shows
 * whether they did.
 */
#ifndef LTTNG_MM_SESSION_RECORD_RUN_H
#define LTTNG_MM_SESSION_RECORD_RUN_H

#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/snapshot.h"

/* Name of the recorder, as for --session. */
#define RECORD_RUN_NAME "run"

struct record_run {
	/* options of the recorder RECORD_RUN_NAME, which must not exist yet */
	const struct recorder_options *recorder;
	/* mark the pages of the command's processes, because a profile records page references */
	bool has_pageref;
	char *const *command; /* ends with NULL */
	const char *output;   /* existing folder for the snapshot */
	int64_t timeout_ns;   /* kill the command after this time; 0: no limit */
};

struct record_run_result {
	char path[PATH_MAX + 512]; /* path of the snapshot */
	pid_t pid;
	int status; /* the command's exit status, or 128 plus a signal's number */
	/* if false, @status is LAUNCH_NOT_FOUND, LAUNCH_NOT_EXECUTABLE, or 0 (not tried) */
	bool executed;
	bool timed_out;	    /* the command was killed after timeout_ns */
	int interrupted;    /* the last signal that this process received; 0: none */
	int64_t elapsed_ns; /* from the start of the command to its end */
	/* why the snapshot may lack events of the command; empty: it contains all of them */
	char inconclusive[1024];
};

/*
 * Records the command and stops the recorder. No snapshot is written if the command fails. Returns
 * 0, or -1 with @err set. result->status and result->executed are valid in any case.
 */
int record_run(const struct record_run *run, struct record_run_result *result,
	       struct snapshot_notes *notes, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_RECORD_RUN_H */
