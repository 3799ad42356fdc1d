/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Recorders: LTTng sessions in snapshot mode, created from profiles. LTTng cannot add a channel to
 * a started session, so a recorder has one session for the events of each profile. Usually, one
 * more session records the state dumps of all profiles. The plan (plan.h) lists the sessions.
 * Sessions outside the plan, for example from the commands of recorder_print_commands(), are
 * recognized by their events.
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

/*
 * Size of a buffer for any session's name, even if another program chose the name. Names of
 * sessions have at most 254 bytes.
 */
#define RECORDER_NAME_MAX 256
/* Maximum number of profiles in one `record` command. */
#define RECORDER_PROFILES_MAX 16

/*
 * Name of the recorder if --session is not given, and prefix of the names of all recorders'
 * sessions.
 */
#define RECORDER_DEFAULT "lttng-mm"
#define RECORDER_PREFIX RECORDER_DEFAULT "-"

/*
 * Maximum size of a filter after rewriting it for the tracer (triggers/definition/filter.h),
 * including its NUL.
 */
#define RECORDER_FILTER_MAX 16385

struct recorder_options {
	struct profile *profiles[RECORDER_PROFILES_MAX];
	size_t count;
	char recorder[RECORDER_NAME_MAX];
	uint64_t subbuf_bytes, subbuf_count; /* 0: the sizes in each profile */
	uint64_t budget_bytes;		     /* 0: no change (a new recorder then has no budget) */
	struct retention_limits limits; /* limits to set; members that are 0 or empty are not set */
	int64_t window_ns; /* history that the buffers must cover (--window); 0: no promise */
	struct trackers trackers;	  /* trackers of the sessions with events */
	char filter[RECORDER_FILTER_MAX]; /* filter for the events fn_NAME_call; empty: no filter */
	bool force;			  /* start even if no filesystem is mounted with DAX */
	/* also record reads and writes of files; set it before recorder_options_add() */
	bool file_io;
	bool callstack; /* record the kernel's call stacks; see recorder_options_callstack() */
	bool no_session_daemon; /* fail if no session daemon is running, instead of starting one */
	/* functions have been added with --raw; they record unchanged kernel addresses */
	bool raw;
	/* per profile: array of its triggers for the plan (plan.h), or NULL */
	json_t *triggers[RECORDER_PROFILES_MAX];
	json_t *targets; /* targets of the first profile for the plan (plan.h), or NULL */
	/*
	 * Called when the probes are loaded and the session daemon is running, before the first
	 * session starts. If it returns -1 with @err set, no session is started. May be NULL.
	 */
	int (*prepared)(void *user, struct mm_error *err);
	void *prepared_user;
	/*
	 * Called once all sessions are recording. Signals are still blocked during the call; a
	 * pending signal may end the process right after it. May be NULL.
	 */
	void (*recording)(void *user);
	void *recording_user;
};

/*
 * Selects the recorder @session, or the default recorder if it is NULL. Returns 0, or -1 with @err
 * set. Release @options with recorder_options_release().
 */
int recorder_options_init(struct recorder_options *options, const char *session,
			  struct mm_error *err);
void recorder_options_release(struct recorder_options *options);

/*
 * Adds the profile named @profile. If @profile is NULL, adds a profile with the events in @events.
 * Omits channels for --file-io unless options->file_io is set. Returns 0, or -1 with @err set.
 */
int recorder_options_add(struct recorder_options *options, const char *profile, const char *events,
			 struct mm_error *err);

/*
 * Removes from @options the profiles that a recorder of the plan already records. Returns 0, or -1
 * with @err set.
 */
int recorder_options_leave_recorded(struct recorder_options *options, struct mm_error *err);

/*
 * Adds the kernel's call stack to each event. Returns 0, or -1 with @err set if no profile supports
 * call stacks.
 */
int recorder_options_callstack(struct recorder_options *options, struct mm_error *err);

/* Returns 0, or -1 with @err set if options->file_io is set but no profile has a channel for it. */
int recorder_options_check_file_io(const struct recorder_options *options, struct mm_error *err);

/*
 * Records the calls of functions (fn_NAME_call) instead of their entries and exits. Returns 0, or
 * -1 with @err set.
 */
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
	char sessions[1024]; /* names of the sessions that record events, separated by commas */
	/* names of planned sessions that were gone and are started again; may be empty */
	char replaced[512];
	bool other_boot;      /* the plan was from another boot */
	struct budget budget; /* budget of the whole recorder; all members are 0 without a budget */
	unsigned int cpus;
};

/*
 * Like recorder_start(), fails if the recorder already records one of the profiles. Call this
 * before making changes, so that a refused command changes nothing. Returns 0, or -1 with @err set.
 */
int recorder_check_new(const struct recorder_options *options, struct mm_error *err);

/*
 * Starts a recorder, or adds profiles to a running recorder, whose buffers keep their contents.
 * Returns 0, or -1 with @err set and all new sessions destroyed.
 */
int recorder_start(const struct recorder_options *options, struct recorder_started *started,
		   struct mm_error *err);

/*
 * Prints lttng commands that start the same recorder. They require that the machine has no active
 * recorder. Returns 0, or -1 with @err set if the budget is too small.
 */
int recorder_print_commands(FILE *out, const struct recorder_options *options,
			    struct mm_error *err);

/*
 * Does @recorder (a recorder or a session) record kernel addresses, according to the plan? Kernel
 * addresses reveal the KASLR offset. If this returns false, a trace may still reveal the offset:
 * see sysinfo_find_kaslr().
 */
bool recorder_reveals_kaslr(const char *recorder);

/* Returns the memory for the buffers of a profile on @cpus CPUs, in bytes. */
uint64_t recorder_buffer_bytes(const struct profile *profile, unsigned int cpus);

/*
 * Returns the number of CPUs that the machine can have. LTTng allocates buffers for each CPU that
 * comes online, and keeps them when the CPU goes offline.
 */
unsigned int recorder_possible_cpus(void);

/* Results of recorder_stop(): names of sessions, separated by commas. */
struct recorder_stopped {
	char sessions[1024];
	char gone[512]; /* sessions that no longer existed; may be empty */
};

/*
 * Stops and destroys a session, or all sessions of a recorder. @recorder is the name from
 * recorder_find(). Also destroys state sessions that no other session needs any more. Returns 0, or
 * -1 with @err set.
 */
int recorder_stop(const char *recorder, struct recorder_stopped *stopped, struct mm_error *err);

struct recorder_status {
	char session[RECORDER_NAME_MAX]; /* untrusted: users may choose any name */
	/* name of the recorder; empty: the session is not in the plan */
	char recorder[RECORDER_NAME_MAX];
	char profile[PROFILE_NAME_MAX]; /* "?" if unknown */
	bool state;			/* the session records state dumps */
	bool owned;    /* a state session that is listed with its recorder, not separately */
	bool gone;     /* in the plan, but destroyed by another program */
	bool running;  /* the session exists and is started */
	bool unknown;  /* the session daemon does not tell whether the session exists and runs */
	int64_t since; /* creation time, in seconds since the Epoch; 0: unknown */
	uint64_t subbuf_bytes, subbuf_count; /* sizes of the first channel */
	size_t channel_count;
	/* memory per CPU for all channels, including LTTng's additional sub-buffers */
	uint64_t ring_bytes;
	uint64_t budget_bytes; /* the recorder's budget; 0: no budget */
	uint64_t discarded_events, lost_packets;
	int callstack;		  /* the session records call stacks: 1, 0, or -1 if unknown */
	int kaslr_safe;		  /* 1, 0, or -1 if unknown */
	struct trackers trackers; /* the trackers given to `record`, from the plan */
	/*
	 * names of the profile's triggers, which are active while the session records; separated by
	 * ", "
	 */
	char triggers[1024];
};

/*
 * Lists the recorders' sessions in a new array, sessions of the plan first. Release the array with
 * free(). Returns the number of sessions, or -1 with @err set. Sets *@other_boot (may be NULL) to
 * true if the plan is from another boot.
 */
int recorder_list(struct recorder_status **list, bool *other_boot, struct mm_error *err);

/* Like recorder_list(), but lists only the plan's sessions, without asking the session daemon. */
int recorder_list_planned(struct recorder_status **list, bool *other_boot, struct mm_error *err);

/*
 * Selects the recorder or session @session. If @session is NULL, selects the session of @profile.
 * If @profile is NULL, too, selects the only recorder. First cleans up after a killed `record` or
 * `stop`. If several sessions are selected, writes the name of their recorder to @name, otherwise
 * the name of the session. @command is the name of the command for messages. Returns 0, or -1 with
 * @err set.
 */
int recorder_find(const char *command, const char *session, const char *profile, char *name,
		  size_t size, struct mm_error *err);

/*
 * Like recorder_find(), but searches only the plan. Does not ask the session daemon, which may know
 * further sessions. Returns 1 if the plan has no match.
 */
int recorder_find_in_plan(const char *session, const char *profile, char *name, size_t size,
			  struct mm_error *err);

struct recorder_session {
	char name[RECORDER_NAME_MAX];
	/* name of the profile, or "?" if unknown; for a state session, its first profile */
	char profile[PROFILE_NAME_MAX];
	bool state; /* the session records state dumps; otherwise, it records events */
	/* the session has state-dump events, so a snapshot makes it dump the state again */
	bool dumps;
	/*
	 * Names of the channels in the plan, in the order of creation, separated by commas. Empty:
	 * unknown.
	 */
	char channels[RECORDER_NAME_MAX];
};

/*
 * Lists the sessions for a snapshot in a new array. @recorder is a result of recorder_find().
 * Sessions for events come first, then state sessions. Omits sessions that are gone. Release the
 * array with free(). Returns the number of sessions, or -1 with @err set.
 */
int recorder_sessions(const char *recorder, struct recorder_session **list, struct mm_error *err);

/*
 * Like recorder_sessions(), but lists the sessions of the plan without checking that they exist.
 * Returns 0 if the plan has no sessions of @recorder.
 */
int recorder_sessions_in_plan(const char *recorder, struct recorder_session **list,
			      struct mm_error *err);

#endif /* LTTNG_MM_SESSION_RECORDER_H */
