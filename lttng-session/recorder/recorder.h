/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Recorders: LTTng sessions in snapshot mode, made from profiles. A recorder has one session for
 * the events of each profile, since LTTng cannot add a channel to a session that was started, and
 * usually one for the state dumps of all. The plan (plan.h) says which; sessions that it does not
 * have, such as those of the commands that recorder_print_commands() prints, are recognized by
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
#include "lttng-session/recorder/keep.h"
#include "lttng-session/recorder/trackers.h"
#include "lttng-session/profile/profile.h"
#include "util/error.h"

/* Names of LTTng sessions have up to 254 bytes, and other programs may create sessions too. */
#define RECORDER_NAME_MAX 256
/* In one command. */
#define RECORDER_PROFILES_MAX 16

/* The name of the recorder without --session, and how the names of our sessions start. */
#define RECORDER_DEFAULT "lttng-mm"
#define RECORDER_PREFIX RECORDER_DEFAULT "-"

/*
 * The names of sessions and of channels may be used in shell commands: letters, digits, -_. only.
 */
/* Maximum length of a filter that was rewritten for the tracer (trigger/filter.h), with its NUL. */
#define RECORDER_FILTER_MAX 16385

struct recorder_options {
	struct profile *profiles[RECORDER_PROFILES_MAX];
	size_t count;
	char recorder[RECORDER_NAME_MAX];
	uint64_t subbuf_bytes, subbuf_count; /* 0: those of each profile */
	uint64_t budget_bytes;		     /* 0: none, or that of the recorder */
	struct keep keep;		     /* what is given of it */
	int64_t window_ns;		     /* that is promised; 0: none */
	struct trackers trackers;	     /* of the sessions with events */
	char filter[RECORDER_FILTER_MAX];    /* of events fn_NAME_call; empty: none */
	bool force;			     /* start without a DAX mount */
	bool callstack; /* record the kernel's call stacks; see recorder_options_callstack() */
	bool no_session_daemon; /* start none: fail where none is running */
	bool raw;		/* functions were added that record kernel addresses unchanged */
	/* Of each profile, for the plan: an array of triggers (plan.h); NULL: none. */
	json_t *triggers[RECORDER_PROFILES_MAX];
	/*
	 * Called when the probes are loaded and the session daemon runs, before the first session
	 * is started, which it prevents by returning -1 with @err set. May be NULL.
	 */
	int (*prepared)(void *user, struct mm_error *err);
	void *prepared_user;
	/*
	 * Called when the sessions record, before signals that arrived meanwhile end the process.
	 * May be NULL.
	 */
	void (*recording)(void *user);
	void *recording_user;
};

/*
 * Takes the recorder that --session names, or the default one (NULL). Returns 0, or -1 with @err
 * set. Release with recorder_options_release().
 */
int recorder_options_init(struct recorder_options *options, const char *session,
			  struct mm_error *err);
void recorder_options_release(struct recorder_options *options);

/* Adds a profile by its name, or that of the events in @events. Returns 0, or -1 with @err set. */
int recorder_options_add(struct recorder_options *options, const char *profile, const char *events,
			 struct mm_error *err);

/*
 * Leaves out the profiles that a recorder has, as the plan says. Returns 0, or -1 with @err set.
 */
int recorder_options_leave_recorded(struct recorder_options *options, struct mm_error *err);

/*
 * Has the kernel's call stack recorded with each event. Returns 0, or -1 with @err set: no profile
 * has them.
 */
int recorder_options_callstack(struct recorder_options *options, struct mm_error *err);

/*
 * Has calls recorded instead of entries and exits of functions. Returns 0, or -1 with @err set.
 */
int recorder_options_calls(struct recorder_options *options, struct mm_error *err);

/*
 * Functions are about to be added that record kernel addresses unchanged: marks the sessions of the
 * plan that record functions as not KASLR-safe. Returns 0, or -1 with @err set.
 */
int recorder_reveal_functions(struct mm_error *err);

/* Does a recorder record functions, as the plan says? Is there none at all? */
bool recorder_has_functions(void);
bool recorder_is_idle(void);

/* What recorder_start() has to say. */
struct recorder_started {
	char sessions[1024];  /* with events, separated by commas */
	char replaced[512];   /* sessions of the plan that were gone, or empty */
	bool other_boot;      /* the plan was of another boot */
	struct budget budget; /* of the whole recorder; all 0 without one */
	unsigned int cpus;
};

/*
 * Refuses profiles that the recorder records already, as recorder_start() does: for callers that
 * must change something before it. Returns 0, or -1 with @err set.
 */
int recorder_check_new(const struct recorder_options *options, struct mm_error *err);

/*
 * Starts a recorder, or adds profiles to it; what it holds already is kept. On error no session is
 * left behind.
 */
int recorder_start(const struct recorder_options *options, struct recorder_started *started,
		   struct mm_error *err);

/*
 * Prints plain lttng commands that start the same recorder, as if none were active. Returns 0, or
 * -1 with @err set: the budget is too small.
 */
int recorder_print_commands(FILE *out, const struct recorder_options *options,
			    struct mm_error *err);

/*
 * Does a session of the recorder (or session) @recorder record what reveals where KASLR placed the
 * kernel, as the plan says? Its traces may say so, too: sysinfo_find_kaslr().
 */
bool recorder_reveals_kaslr(const char *recorder);

/* Bytes of memory that the buffers of a profile take on @cpus CPUs. */
uint64_t recorder_buffer_bytes(const struct profile *profile, unsigned int cpus);

/* The CPUs that the machine can have: LTTng allocates buffers for each that has been online. */
unsigned int recorder_possible_cpus(void);

/* What recorder_stop() did: names of sessions, separated by commas. */
struct recorder_stopped {
	char sessions[1024];
	char gone[512]; /* those that did not exist any more, or empty */
};

/*
 * Stops and destroys the session @recorder, or all sessions of the recorder of that name, as
 * recorder_find() returns it, and the state sessions that no other session needs. The recorder's
 * other sessions keep what they have.
 */
int recorder_stop(const char *recorder, struct recorder_stopped *stopped, struct mm_error *err);

/* One of our sessions. */
struct recorder_status {
	char session[RECORDER_NAME_MAX];  /* untrusted: other users may use such names too */
	char recorder[RECORDER_NAME_MAX]; /* empty: not in the plan */
	char profile[PROFILE_NAME_MAX];	  /* "?" if the profile is unknown */
	bool state;			  /* it is for the state dump */
	bool owned;    /* ... of a recorder that is in the list, too: not listed by itself */
	bool gone;     /* in the plan, but destroyed by others */
	bool running;  /* otherwise stopped, by others */
	bool unknown;  /* the session daemon does not say whether it is gone, or running */
	int64_t since; /* seconds since the Epoch; 0 if the daemon does not report it */
	uint64_t subbuf_bytes, subbuf_count; /* of the first channel */
	size_t channel_count;
	uint64_t
		ring_bytes; /* for each CPU, of all channels, with LTTng's additional sub-buffers */
	uint64_t budget_bytes; /* of the recorder; 0: none */
	uint64_t discarded_events, lost_packets;
	int callstack;		  /* it records call stacks: 1, 0, or -1 if not known */
	int kaslr_safe;		  /* 1, 0, or -1 if not known */
	struct trackers trackers; /* that `record` was given, as the plan says */
	/* Of its profile, in effect while it records: names, separated by ", ". */
	char triggers[1024];
};

/*
 * Lists our sessions, those of the plan first, in a new array that the caller frees with free().
 * Returns their number, or -1 with @err set. @other_boot (may be NULL): the plan is of another
 * boot.
 */
int recorder_list(struct recorder_status **list, bool *other_boot, struct mm_error *err);

/* The same without asking the session daemon: the sessions of the plan. */
int recorder_list_planned(struct recorder_status **list, bool *other_boot, struct mm_error *err);

/*
 * Selects what --session names, or else the session of @profile, or else the only recorder that
 * exists. Removes what a `record` or `stop` that was killed has left first. The result is the name
 * of an LTTng session, or of a recorder of several. @command names the caller in messages. Returns
 * 0, or -1 with @err set.
 */
int recorder_find(const char *command, const char *session, const char *profile, char *name,
		  size_t size, struct mm_error *err);

/*
 * The same without asking the session daemon, which may know sessions that the plan does not have.
 * Returns 1 if the plan has nothing of the kind.
 */
int recorder_find_in_plan(const char *session, const char *profile, char *name, size_t size,
			  struct mm_error *err);

/* One LTTng session of a recorder. */
struct recorder_session {
	char name[RECORDER_NAME_MAX];
	char profile[PROFILE_NAME_MAX]; /* "?" if it is not known; of a state session, the first */
	bool state;			/* for the state dump; otherwise for events */
	bool dumps;			/* it has events of a state dump, which is to be repeated */
	/*
	 * Its channels in the order in which they were created, separated by commas, as the plan
	 * says; empty: not known.
	 */
	char channels[RECORDER_NAME_MAX];
};

/*
 * Lists the sessions that a snapshot of @recorder, as recorder_find() returns it, consists of, in a
 * new array that the caller frees with free(): events first, then state. Sessions that are gone are
 * left out. Returns their number, or -1 with @err set.
 */
int recorder_sessions(const char *recorder, struct recorder_session **list, struct mm_error *err);

/*
 * The same without asking the session daemon: whether the sessions of the plan exist is not known.
 * Returns 0 if the plan has none.
 */
int recorder_sessions_in_plan(const char *recorder, struct recorder_session **list,
			      struct mm_error *err);

#endif /* LTTNG_MM_SESSION_RECORDER_H */
