/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of the trigger engine (engine.h), shared by the files engine*.c. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H
#define LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H

#include "lttng-session/daemon/triggers/command.h"
#include "lttng-session/daemon/triggers/definition/limits.h"
#include "lttng-session/daemon/triggers/engine.h"
#include "util/clock.h"

enum watcher_state {
	WATCHER_STARTING,
	WATCHER_ARMED,
	WATCHER_FAILED, /* the watcher has ended or cannot watch; the engine restarts it */
};

struct active_trigger {
	struct engine *engine;
	struct active_trigger *next;
	struct trigger *trigger;
	/* the trigger's entry in engine->planned; NULL: not a trigger of a profile */
	const json_t *planned;
	struct requester requester;
	struct snapshot_limits limits;
	sd_event_source *writing; /* the child process that saves limits and counts */
	/* a save is due, but waits for another save of this user's triggers, or for @removing */
	bool write_again;
	sd_event_source *counting; /* timer for saving changed counts */
	bool removing;		   /* the trigger is being removed, so save nothing more */

	/* The watcher process, if any. It ends when @socket is closed. */
	enum watcher_state state;
	pid_t pid;
	int socket;
	sd_event_source *child, *io, *timer;
	unsigned int attempts; /* number of restarts since the watcher last worked for WORKED_NS */
	int64_t armed_ns;
	bool was_failed; /* the journal already has a message about this failure */
	char why[1024];	 /* reason of the failure */

	/*
	 * The end of the quiet time, as last sent to the watcher ("quiet_until_ns" in trigger.h).
	 * @sent_until_ns is the time in the message, at most QUIET_MAX_NS after it was sent.
	 * @sent_ns is the real end, which may be later, or unknown (INT64_MAX).
	 */
	int64_t sent_ns;
	int64_t sent_until_ns;

	uint64_t matches, snapshots, failures;
	bool at_least;
	/* a requested snapshot is not frozen yet; it will also cover further matches */
	bool waits;
	json_t *last;
	struct command *command;
	json_t *run; /* result of the last command */

	void *tester; /* the client that waits for the end of a test */
	client_answer *test_answer;
	json_t *test_steps;
	bool test_ok;
	sd_event_source *test_timer, *test_child;
	/* socket of the process that checks a test's recorder and folder; -1: none */
	int test_socket;
};

struct engine {
	sd_event *event;
	struct job_queue *queue;
	engine_watch *watch;
	struct active_trigger *first;
	bool finishing;
	bool persists;	 /* limits and counts are saved to files */
	json_t *planned; /* see engine_set_planned() */
	uint64_t user_max;
	int64_t user_max_ns;
	struct engine_user *users;
};

/*
 * Returns the current time on CLOCK_BOOTTIME, so that cooldowns continue while the machine sleeps.
 */
static inline int64_t engine_now_ns(void)
{
	return mm_clock_ns(CLOCK_BOOTTIME);
}

/* Defined in engine-watcher.c. Starts the watcher. If that fails, tries again later. */
void engine_start_watcher(struct active_trigger *active);
/* Asks the watcher to end. Kills it after ten seconds. */
void engine_stop_watcher(struct active_trigger *active);

/*
 * Defined in engine-users.c. The following four functions work like the functions of limits.h, but
 * apply the limits of the trigger and of its user.
 */
enum limits_verdict engine_check_limits(struct active_trigger *active, int64_t now_ns);
int engine_take_limits(struct active_trigger *active, int64_t now_ns, uint64_t *matches,
		       bool *at_least);
int64_t engine_next_limits(struct active_trigger *active, int64_t now_ns);
void engine_explain_limits(struct active_trigger *active, int64_t now_ns, char *text, size_t size);
/* Returns the limits of the trigger's user, or NULL if the user has no limits. */
struct snapshot_limits *engine_user_limits(const struct active_trigger *active);
/* Formats the name under which a user's limits are saved (store.h). */
void engine_user_file(uid_t uid, char name[TRIGGER_NAME_MAX]);
/* Removes users' saved limits that are older than the limits' interval. */
void engine_forget_users(const struct engine *engine);
void engine_users_release(struct engine *engine);

/*
 * Defined in engine-limits.c. Loads the saved limits and counts of a trigger, and the saved limits
 * of its user. With @is_new, loads only the user's limits.
 */
void engine_load_limits(struct active_trigger *active, bool is_new);
/* Saves the limits and counts to files, in a child process. */
void engine_save_limits(struct active_trigger *active);
/*
 * Saves limits and counts later, within ten seconds. Counts change too often to save each change.
 */
void engine_save_counts_later(struct active_trigger *active);
/*
 * Saves all limits and counts when the daemon ends. Waits until they are saved, unless the disk
 * hangs.
 */
void engine_save_all(struct engine *engine);
/* Suspends saving. To resume it, clear active->removing and call engine_save_limits(). */
void engine_suspend_saving(struct active_trigger *active);
/* Permanently ends saving for the trigger. */
void engine_stop_saving(struct active_trigger *active);

/*
 * Defined in engine-match.c. Handles a match. @message is untrusted, because a user may control the
 * watcher.
 */
void engine_match(struct active_trigger *active, const json_t *message);
/* Returns a copy of a match with only the members that trigger.h describes. */
json_t *engine_copy_match(const struct active_trigger *active, const json_t *match);

/* Returns the request for a snapshot, or NULL if out of memory. Takes ownership of @match. */
json_t *engine_request(const struct active_trigger *active, json_t *match);

/*
 * Defined in engine-test.c. Asks the watcher for a synthetic match. On failure, ends the test and
 * sends its result.
 */
void engine_start_test(struct active_trigger *active);
/* Handles the watcher's report of a step of the test. */
void engine_test_step(struct active_trigger *active, const json_t *message);
/*
 * Handles the end of the watcher's part of a test. @message contains the match, if the watcher got
 * one.
 */
void engine_test_match(struct active_trigger *active, const json_t *message);
/* Handles the watcher's exit during a test. */
void engine_test_lost(struct active_trigger *active);
/*
 * Defined in engine-test-target.c. Checks whether the recorder, the stage and the recorder's folder
 * allow a snapshot for @trigger. Returns the steps, an array (engine_test()). Leaves nothing in the
 * folder. May block in the session daemon or on a disk.
 */
json_t *engine_test_target(const struct trigger *trigger, const char *stage);
/* Appends a step (engine_test()) to @steps. */
__attribute__((format(printf, 5, 6))) void engine_add_step(json_t *steps, const char *step, bool ok,
							   bool held, const char *fmt, ...);

/* Ends a test without an answer. */
void engine_end_test(struct active_trigger *active);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H */
