/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the files snapshot*.c share: the snapshot that is being taken, and the ways to take it. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_WORK_H
#define LTTNG_MM_SESSION_SNAPSHOT_WORK_H

#include <jansson.h>
#include <signal.h>

#include "analysis/trace/missing.h"
#include "lttng-session/freeze/freeze.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/json.h"
#include "lttng-session/snapshot/snapshot.h"
#include "lttng-session/snapshot/staging.h"

/* Folders of the snapshot. */
#define SNAPSHOT_RING_FOLDER MM_RING_FOLDER
#define SNAPSHOT_STATE_FOLDER MM_STATE_FOLDER

#define SNAPSHOT_SESSIONS_MAX 16

struct snapshot_session {
	char name[RECORDER_NAME_MAX];
	char folder[RECORDER_NAME_MAX];	  /* of the trace, if there are several: the profile */
	bool dumps;			  /* state is dumped into it */
	char channels[RECORDER_NAME_MAX]; /* as in struct recorder_session */
};

struct snapshot_sessions {
	struct snapshot_session all[SNAPSHOT_SESSIONS_MAX];
	size_t count;
};

struct snapshot {
	struct snapshot_request request;
	struct snapshot_sessions rings, states;
	int output;	     /* the output folder */
	char path[PATH_MAX]; /* its path, for the session daemon and for messages */
	size_t path_length;  /* 0: the root directory */
	uint64_t ring_bytes; /* the most that the traces take; 0: not known */
	struct staging staging;
	bool staged;
	struct sysinfo_modules *modules; /* loaded before state was dumped */
	struct freeze *ring, *state;	 /* NULL: the session daemon wrote them */
	struct dump *dump;		 /* in progress; in planned.c */
	bool alone;			 /* the session daemon does not answer */
	json_t *filters;		 /* NULL: not known */
	json_t *less;  /* sentences: what of the plan is not recorded at present; NULL: not known */
	json_t *notes; /* for snapshot.json: sentences; NULL: none */
	struct sysinfo_gaps gaps; /* of the system information that was written */
	bool partial;		  /* a filter or tracker may exclude some events from the rings */
	char name[NAME_MAX + 1];  /* of the snapshot; empty: the session daemon's */
	char promised[PATH_MAX + 512];
	sigset_t before; /* the signal mask */
};

/* Adds one of the rings or states. */
int snapshot_add_session(struct snapshot *snapshot, const struct recorder_session *session,
			 struct mm_error *err);

/* Adds a warning, of which snapshot.json gets the sentence @remark. */
void snapshot_remark(struct snapshot *snapshot, struct snapshot_notes *notes,
		     const struct mm_error *warning, const char *remark);

/* Writes the state dump: names that readers need in addition to the events. */
int snapshot_dump_sessions(const struct snapshot_sessions *states,
			   const struct snapshot_sessions *rings, struct mm_error *err);
int snapshot_dump_state(const struct snapshot *snapshot, struct mm_error *err);

/*
 * In planned.c. Finds the sessions of the recorder in the plan. Returns -1 if it has none.
 */
int snapshot_find_planned(struct snapshot *snapshot);
/*
 * Asks the session daemon about the sessions of the plan that have been frozen: whether they are
 * those that it has, and for their filters. Returns 0, also if it does not answer, with a note;
 * 1 if the plan differs from what it says, or it must write the snapshot; or -1 with @err set.
 */
int snapshot_confirm(struct snapshot *snapshot, struct snapshot_notes *notes, struct mm_error *err);
/* Starts a dump of the state, which nobody waits for. */
void snapshot_start_dump(struct snapshot *snapshot);
/* Waits for it, unless the session daemon hangs. */
void snapshot_await_dump(struct snapshot *snapshot);
/* Dumps the state, unless the session daemon does not answer: then with a note. */
int snapshot_dump_again(struct snapshot *snapshot, struct snapshot_notes *notes,
			struct mm_error *err);

/*
 * In freeze.c. Prepares to freeze the rings of all sessions; then freezes them at one
 * instant. Both return 0, or -1 with the reason in @why.
 */
int snapshot_open_rings(struct snapshot *snapshot, struct mm_error *why);
int snapshot_freeze_rings(struct snapshot *snapshot, struct mm_error *why);
/* Freezes the state sessions. 1: they cannot be frozen. */
int snapshot_freeze_states(struct snapshot *snapshot, struct mm_error *err);
bool snapshot_has_records(const struct snapshot *snapshot);
void snapshot_frozen_times(const struct snapshot *snapshot, struct snapshot_times *times);
void snapshot_frozen_clock(const struct snapshot *snapshot, struct snapshot_clock *clock);
/* The time of the request by the clock of the frozen traces; INT64_MIN: not known. */
int64_t snapshot_frozen_request(const struct snapshot *snapshot);
/* Writes what is frozen to the folder @made. */
int snapshot_write_frozen(const struct snapshot *snapshot, int made, struct mm_error *err);
/* Writes the checksums of the packets of the frozen traces to their folders. */
int snapshot_write_frozen_checksums(const struct snapshot *snapshot, int made,
				    struct mm_error *err);
/*
 * What is known of the traces apart from their packets, by their folders (certify.h). Without a
 * freeze, that is what their sessions are to record. Returns a new reference; NULL: out of
 * memory.
 */
json_t *snapshot_facts(const struct snapshot *snapshot);

/* In daemon.c. Has the session daemon write the rings, and dump and write the states. */
int snapshot_record_rings(const struct snapshot *snapshot, struct mm_error *err);
int snapshot_record_states(const struct snapshot *snapshot, struct mm_error *err);
/*
 * Moves what the session daemon wrote to @made. @name, if it is empty, becomes that which the
 * daemon gave the first ring.
 */
int snapshot_collect_rings(const struct snapshot *snapshot, int made, char *name, size_t size,
			   struct mm_error *err);
int snapshot_collect_states(const struct snapshot *snapshot, int made, struct mm_error *err);

/*
 * The folder of a session's trace in @made: @folder, or a folder in it if there are several. Opens
 * the folder to make it in; its name is written to @name, of NAME_MAX + 1 bytes. Returns -1 with
 * errno set.
 */
int snapshot_open_parent(const struct snapshot_sessions *sessions, size_t i, const char *folder,
			 int made, char *name);

/*
 * In clocks.c. Gives the metadata of all traces in @made the clock offset of one of them: LTTng
 * measures that of each session when it starts. Returns -1 if some could not be changed.
 */
int snapshot_unify_clocks(int made);

/*
 * In checksums.c. Writes the checksums of all packets and of the metadata of all traces in @made,
 * which do not change any more. *@complete: every file has them; without a freeze, a file that
 * cannot be read has none. Returns 0, or -1 with @err set.
 */
int snapshot_write_checksums(const struct snapshot *snapshot, int made, bool *complete,
			     struct mm_error *err);

/* In space.c. */
/* Sets @err to the reason, the folder, and how much the snapshot needs. Returns -1. */
int snapshot_fail_full(const struct snapshot *snapshot, const char *why, struct mm_error *err);
/* The same if @err says that the disk is full. Writers report their reasons as texts. */
void snapshot_explain_full(const struct snapshot *snapshot, struct mm_error *err);

/* In window.c: the time ranges of the traces that have been written. */
struct snapshot_window {
	bool known; /* each stream with a packet has a start and an end */
	int64_t start_ns, end_ns;
	bool truncated; /* a file ends in the middle of a packet, or is damaged */
	bool has_clock;
	int64_t zero_ns; /* the time of CLOCK_MONOTONIC's zero, if the traces have that clock */
};

void snapshot_window_read(int made, struct snapshot_window *window);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_WORK_H */
