/* SPDX-License-Identifier: LGPL-2.1-only */
/* The snapshot in progress. This header is for the files of this folder that take a snapshot. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_WORK_H
#define LTTNG_MM_SESSION_SNAPSHOT_WORK_H

#include <jansson.h>
#include <signal.h>

#include "lttng-session/freeze/freeze.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/json.h"
#include "lttng-session/snapshot/snapshot.h"
#include "lttng-session/snapshot/staging.h"
#include "reader/coverage/missing.h"

/* Folders of a snapshot for the traces of the rings and of the states. */
#define SNAPSHOT_RING_FOLDER MM_RING_FOLDER
#define SNAPSHOT_STATE_FOLDER MM_STATE_FOLDER

#define SNAPSHOT_SESSIONS_MAX 16

struct snapshot_session {
	char name[RECORDER_NAME_MAX];
	/*
	 * name of the folder of this session's trace, usually the profile; used if there are
	 * several traces
	 */
	char folder[RECORDER_NAME_MAX];
	bool dumps;			  /* the session has state-dump events */
	char channels[RECORDER_NAME_MAX]; /* names of the channels, as in struct recorder_session */
};

struct snapshot_sessions {
	struct snapshot_session all[SNAPSHOT_SESSIONS_MAX];
	size_t count;
};

struct snapshot {
	struct snapshot_request request;
	struct snapshot_sessions rings, states; /* sessions for events, and for state dumps */
	int output;				/* descriptor of the output folder */
	char path[PATH_MAX]; /* path of @output, for the session daemon and for messages */
	size_t path_length;  /* length of @path; 0: the root directory */
	uint64_t ring_bytes; /* maximum size of the traces; 0: unknown */
	struct staging staging;
	bool staged;
	struct sysinfo_modules *modules; /* the modules that were loaded before the state dump */
	struct freeze *ring, *state;	 /* NULL: the session daemon wrote these buffers */
	struct state_dump *dump; /* the state dump in progress (plan-freeze.c); NULL: none */
	bool alone;		 /* the session daemon does not respond */
	json_t *filters;	 /* filters for snapshot.json; NULL: unknown */
	/* sentences about events in the plan that are not being recorded; NULL: unknown */
	json_t *less;
	json_t *notes;		  /* sentences for snapshot.json; may be NULL */
	struct sysinfo_gaps gaps; /* missing parts of the system information */
	bool partial;		  /* a filter or tracker may exclude events from the rings */
	char name[NAME_MAX + 1];  /* name of the snapshot; empty: the session daemon chooses */
	char promised[PATH_MAX + 512];
	sigset_t before; /* the signal mask before snapshot_begin() */
};

/* Adds a warning to @notes. Also adds the sentence @remark to the notes in snapshot.json. */
void snapshot_remark(struct snapshot *snapshot, struct snapshot_notes *notes,
		     const struct mm_error *warning, const char *remark);

/*
 * Defined in plan-freeze.c. Finds the sessions of the recorder in the plan. Returns -1 if there are
 * none.
 */
int snapshot_find_planned(struct snapshot *snapshot);
/*
 * Checks that the session daemon has the frozen sessions, and asks it for their filters. Returns 0
 * on success, and also, with a note, if the session daemon does not respond. Returns 1 if the
 * session daemon's sessions differ from the plan, or if only the session daemon can write their
 * buffers. Returns -1 with @err set on failure.
 */
int snapshot_confirm(struct snapshot *snapshot, struct snapshot_notes *notes, struct mm_error *err);
/* Starts a state dump in the background. */
void snapshot_start_dump(struct snapshot *snapshot);
/* Waits for the state dump of snapshot_start_dump(), unless the session daemon hangs. */
void snapshot_await_dump(struct snapshot *snapshot);
/*
 * Dumps the state a second time. Adds a note if the session daemon does not respond. Returns 0, or
 * -1 with @err set.
 */
int snapshot_dump_again(struct snapshot *snapshot, struct snapshot_notes *notes,
			struct mm_error *err);

/*
 * Defined in freeze.c. snapshot_open_rings() prepares to freeze the rings of all sessions;
 * snapshot_freeze_rings() freezes them at one instant. Both return 0, or -1 with the reason in
 * @why.
 */
int snapshot_open_rings(struct snapshot *snapshot, struct mm_error *why);
int snapshot_freeze_rings(struct snapshot *snapshot, struct mm_error *why);
/* Freezes the state sessions. Returns 0, or 1 if that is impossible, or -1 with @err set. */
int snapshot_freeze_states(struct snapshot *snapshot, struct mm_error *err);
bool snapshot_has_records(const struct snapshot *snapshot);
void snapshot_frozen_times(const struct snapshot *snapshot, struct snapshot_times *times);
void snapshot_frozen_clock(const struct snapshot *snapshot, struct snapshot_clock *clock);
/*
 * Returns the time of the request on the clock of the frozen traces, or INT64_MIN if it is unknown.
 */
int64_t snapshot_frozen_request(const struct snapshot *snapshot);
/* Writes the frozen traces to the folder @made. */
int snapshot_write_frozen(const struct snapshot *snapshot, int made, struct mm_error *err);
/* Writes the checksums of the packets of the frozen traces to their folders. */
int snapshot_write_frozen_checksums(const struct snapshot *snapshot, int made,
				    struct mm_error *err);
/*
 * Returns facts about the traces, by folder (certify.h). The packets do not contain these facts.
 * Without a freeze, the facts are only the limits of the sessions. Returns a new reference, or NULL
 * when out of memory.
 */
json_t *snapshot_facts(const struct snapshot *snapshot);

/*
 * Defined in daemon.c. They make the session daemon write the buffers of the rings (after a state
 * dump), or of the states.
 */
int snapshot_record_rings(const struct snapshot *snapshot, struct mm_error *err);
int snapshot_record_states(const struct snapshot *snapshot, struct mm_error *err);
/*
 * Move the session daemon's traces to @made. If @name is empty, snapshot_collect_rings() sets it to
 * the name that the session daemon chose for the first ring.
 */
int snapshot_collect_rings(const struct snapshot *snapshot, int made, char *name, size_t size,
			   struct mm_error *err);
int snapshot_collect_states(const struct snapshot *snapshot, int made, struct mm_error *err);

/*
 * Defined in clocks.c. Sets the same clock offset in the metadata of all traces in @made, because
 * LTTng measures the offset separately at the start of each session. Returns -1 if some offsets
 * could not be changed.
 */
int snapshot_unify_clocks(int made);

/*
 * Defined in checksums.c. Writes the checksums of all packets and metadata of the traces in @made,
 * which must not change afterwards. Sets *@complete to false if a file gets no checksum, because it
 * is unreadable; that happens only without a freeze. Returns 0, or -1 with @err set.
 */
int snapshot_write_checksums(const struct snapshot *snapshot, int made, bool *complete,
			     struct mm_error *err);

/*
 * Defined in space.c. Sets @err to a message with the reason @why, the folder, and the size that
 * the snapshot needs. Returns -1.
 */
int snapshot_fail_full(const struct snapshot *snapshot, const char *why, struct mm_error *err);
/*
 * Calls snapshot_fail_full() if the text of @err contains the message that the disk is full. (The
 * functions that write to the disk return the reason only as text.)
 */
void snapshot_explain_full(const struct snapshot *snapshot, struct mm_error *err);

/* The time range that the written traces cover (window.c). */
struct snapshot_window {
	bool known; /* @start_ns and @end_ns are valid: each file with packets has both times */
	int64_t start_ns, end_ns;
	bool truncated; /* a file ends in the middle of a packet, or is damaged */
	bool has_clock;
	/* if @has_clock: time on the traces' clock when CLOCK_MONOTONIC was 0 */
	int64_t zero_ns;
};

void snapshot_window_read(int made, struct snapshot_window *window);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_WORK_H */
