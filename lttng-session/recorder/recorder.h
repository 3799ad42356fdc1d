/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Recorders: LTTng sessions in snapshot mode, created from profiles. LTTng cannot add a channel to
 * a started session, so a recorder has one session for the events of each profile. Usually, one
 * more session has the state dumps of all profiles. The plan (plan.h) lists the sessions. Sessions
 * outside the plan, for example from the commands of recorder_print_commands(), are recognized by
 * their events.
 */
#ifndef LTTNG_MM_SESSION_RECORDER_H
#define LTTNG_MM_SESSION_RECORDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lttng-session/recorder/budget.h"
#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/recorder/trackers.h"
#include "lttng-session/profile/profile.h"
#include "util/error.h"

/* LTTng session names have up to 254 bytes, and other programs may create sessions, too. */
#define RECORDER_NAME_MAX 256
/* Maximum number of profiles in one command. */
#define RECORDER_PROFILES_MAX 16

/* Name of the recorder without --session; also prefix of the sessions' names. */
#define RECORDER_DEFAULT "lttng-mm"
#define RECORDER_PREFIX RECORDER_DEFAULT "-"

/*
 * Names of sessions and channels may be used in shell commands, so they consist of letters, digits,
 * and -_. only.
 */
/* Maximum size of a filter rewritten for the tracer (trigger/filter.h), including its NUL. */
#define RECORDER_FILTER_MAX 16385

struct recorder_options {
	struct profile *profiles[RECORDER_PROFILES_MAX];
	size_t count;
	char recorder[RECORDER_NAME_MAX];
	uint64_t subbuf_bytes, subbuf_count; /* 0: the sizes of each profile */
	uint64_t budget_bytes;		     /* 0: no budget, or the recorder's current one */
	struct retention_limits limits;	     /* limits that are set; others are 0 or empty */
	int64_t window_ns;		     /* promised window; 0: no promise */
	struct trackers trackers;	     /* trackers of the sessions with events */
	char filter[RECORDER_FILTER_MAX];    /* filter for events fn_NAME_call; empty: none */
	bool force;			     /* start without a DAX mount */
	/* record reads and writes of files, too; set before recorder_options_add() */
	bool file_io;
	bool callstack; /* record the kernel's call stacks; see recorder_options_callstack() */
	bool no_session_daemon; /* do not start a session daemon: fail if none is running */
	/* functions that record unchanged kernel addresses have been added */
	bool raw;
	/* per profile: array of triggers for the plan (plan.h), or NULL */
	json_t *triggers[RECORDER_PROFILES_MAX];
	json_t *targets; /* targets of the first profile for the plan (plan.h), or NULL */
	/*
	 * Called before the first session starts, when the probes are loaded and the session daemon
	 * is running. If it returns -1 with @err set, no session is started. May be NULL.
	 */
	int (*prepared)(void *user, struct mm_error *err);
	void *prepared_user;
	/*
	 * Called when the sessions record. Pending signals may end the process after it. May be
	 * NULL.
	 */
	void (*recording)(void *user);
	void *recording_user;
};

/*
 * Selects the recorder @session, or the default recorder (NULL). Returns 0, or -1 with @err set.
 * Release with recorder_options_release().
 */
int recorder_options_init(struct recorder_options *options, const char *session,
			  struct mm_error *err);
void recorder_options_release(struct recorder_options *options);

/*
 * Adds the profile @profile, or (if NULL) a profile with the events in @events. Returns 0, or
 * -1 with @err set. Channels for --file-io are left out without options->file_io.
 */
int recorder_options_add(struct recorder_options *options, const char *profile, const char *events,
			 struct mm_error *err);

/* Drops the profiles that a planned recorder already records. Returns 0, or -1 with @err set. */
int recorder_options_leave_recorded(struct recorder_options *options, struct mm_error *err);

/*
 * Adds the kernel's call stack to each event. Returns 0, or -1 with @err set if no profile supports
 * call stacks.
 */
int recorder_options_callstack(struct recorder_options *options, struct mm_error *err);

/*
 * Refuses options->file_io if no profile has a channel for it. Returns 0, or -1 with @err set.
 */
int recorder_options_check_file_io(const struct recorder_options *options, struct mm_error *err);

/* Records calls of functions instead of their entries and exits. Returns 0, or -1 with @err set. */
int recorder_options_calls(struct recorder_options *options, struct mm_error *err);

/*
 * Marks all planned sessions that record functions as not KASLR-safe. Call it before adding
 * functions that record unchanged kernel addresses. Returns 0, or -1 with @err set.
 */
int recorder_reveal_functions(struct mm_error *err);

/*
 * recorder_has_functions(): does the plan have a session that records functions?
 * recorder_is_idle(): is the plan empty?
 */
bool recorder_has_functions(void);
bool recorder_is_idle(void);

struct recorder_started {
	char sessions[1024];  /* names of the sessions for events, separated by commas */
	char replaced[512];   /* names of planned sessions that were gone; may be empty */
	bool other_boot;      /* the plan was from another boot */
	struct budget budget; /* budget of the whole recorder; all 0 without a budget */
	unsigned int cpus;
};

/*
 * Refuses profiles that the recorder already records, as recorder_start() does. For callers that
 * change something before the start. Returns 0, or -1 with @err set.
 */
int recorder_check_new(const struct recorder_options *options, struct mm_error *err);

/*
 * Starts a recorder, or adds profiles to one; existing buffers keep their contents. Returns 0, or
 * -1 with @err set and all new sessions destroyed.
 */
int recorder_start(const struct recorder_options *options, struct recorder_started *started,
		   struct mm_error *err);

/*
 * Prints lttng commands that start an equal recorder if no recorder is active. Returns 0, or -1
 * with @err set if the budget is too small.
 */
int recorder_print_commands(FILE *out, const struct recorder_options *options,
			    struct mm_error *err);

/*
 * According to the plan, does a session of the recorder (or session) @recorder record addresses
 * that reveal the KASLR offset? Traces may reveal it, too: sysinfo_find_kaslr().
 */
bool recorder_reveals_kaslr(const char *recorder);

/* Returns the memory for the buffers of a profile on @cpus CPUs, in bytes. */
uint64_t recorder_buffer_bytes(const struct profile *profile, unsigned int cpus);

/*
 * Returns how many CPUs the machine can have. LTTng allocates buffers for each CPU that comes
 * online, and keeps them.
 */
unsigned int recorder_possible_cpus(void);

/* Results of recorder_stop(): names of sessions, separated by commas. */
struct recorder_stopped {
	char sessions[1024];
	char gone[512]; /* sessions that no longer existed; may be empty */
};

/*
 * Stops and destroys the session @recorder, or all sessions of the recorder @recorder (a result of
 * recorder_find()). Also does so with state sessions that no other session needs. Other sessions do
 * not change. Returns 0, or -1 with @err set.
 */
int recorder_stop(const char *recorder, struct recorder_stopped *stopped, struct mm_error *err);

struct recorder_status {
	char session[RECORDER_NAME_MAX];  /* untrusted: users may choose any name */
	char recorder[RECORDER_NAME_MAX]; /* empty: not in the plan */
	char profile[PROFILE_NAME_MAX];	  /* "?" if unknown */
	bool state;			  /* a session for state dumps */
	bool owned;    /* a state session that is listed with its recorder, not separately */
	bool gone;     /* in the plan, but destroyed by another program */
	bool running;  /* false: another program stopped the session */
	bool unknown;  /* the session daemon does not say whether the session exists and runs */
	int64_t since; /* seconds since the Epoch; 0 if the daemon does not report it */
	uint64_t subbuf_bytes, subbuf_count; /* sizes of the first channel */
	size_t channel_count;
	uint64_t ring_bytes;   /* per CPU, for all channels, including LTTng's extra sub-buffers */
	uint64_t budget_bytes; /* the recorder's budget; 0: no budget */
	uint64_t discarded_events, lost_packets;
	int callstack;		  /* the session records call stacks: 1, 0, or -1 if unknown */
	int kaslr_safe;		  /* 1, 0, or -1 if unknown */
	struct trackers trackers; /* as given to `record`; from the plan */
	/* names of the profile's triggers (active while the session records), separated by ", " */
	char triggers[1024];
};

/*
 * Lists the recorders' sessions in a new array, planned ones first. Release it with free(). Returns
 * their number, or -1 with @err set. *@other_boot (may be NULL): the plan is from another boot.
 */
int recorder_list(struct recorder_status **list, bool *other_boot, struct mm_error *err);

/* Lists the plan's sessions without asking the session daemon. */
int recorder_list_planned(struct recorder_status **list, bool *other_boot, struct mm_error *err);

/*
 * Selects the recorder or session @session, or else the session of @profile, or else the only
 * recorder. First cleans up after a killed `record` or `stop`. Writes the name of an LTTng session,
 * or of a recorder with several sessions, to @name. @command: the command's name for messages.
 * Returns 0, or -1 with @err set.
 */
int recorder_find(const char *command, const char *session, const char *profile, char *name,
		  size_t size, struct mm_error *err);

/*
 * Like recorder_find(), but searches only the plan; the session daemon may have more sessions.
 * Returns 1 if the plan has no match.
 */
int recorder_find_in_plan(const char *session, const char *profile, char *name, size_t size,
			  struct mm_error *err);

struct recorder_session {
	char name[RECORDER_NAME_MAX];
	char profile[PROFILE_NAME_MAX]; /* "?" if unknown; a state session's first profile */
	bool state;			/* a session for state dumps; otherwise for events */
	/* the session has state-dump events, so a snapshot dumps the state again */
	bool dumps;
	/*
	 * channel names from the plan, in the order of creation, separated by commas; empty:
	 * unknown
	 */
	char channels[RECORDER_NAME_MAX];
};

/*
 * Lists the sessions for a snapshot of @recorder (a result of recorder_find()) in a new array.
 * Sessions for events come first, then state sessions. Omits sessions that are gone. Release the
 * array with free(). Returns their number, or -1 with @err set.
 */
int recorder_sessions(const char *recorder, struct recorder_session **list, struct mm_error *err);

/*
 * Like recorder_sessions(), but lists the plan's sessions, whether they exist or not. Returns 0 if
 * there are none.
 */
int recorder_sessions_in_plan(const char *recorder, struct recorder_session **list,
			      struct mm_error *err);

#endif /* LTTNG_MM_SESSION_RECORDER_H */
