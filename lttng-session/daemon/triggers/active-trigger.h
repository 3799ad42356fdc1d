/* SPDX-License-Identifier: LGPL-2.1-only */
/* The engine's triggers, for the files engine*.c. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H
#define LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H

#include "lttng-session/daemon/triggers/command.h"
#include "lttng-session/daemon/triggers/definition/limits.h"
#include "lttng-session/daemon/triggers/engine.h"
#include "util/clock.h"

enum watcher_state {
	WATCHER_STARTING,
	WATCHER_ARMED,
	WATCHER_FAILED, /* the watcher has ended or cannot watch; it will be restarted */
};

struct active_trigger {
	struct engine *engine;
	struct active_trigger *next;
	struct trigger *trigger;
	const json_t *planned; /* entry in engine->planned; NULL: the trigger is not a profile's */
	struct requester requester;
	struct snapshot_limits limits;
	sd_event_source *writing; /* the child process that saves limits and counts */
	/* changes since the current save began must be saved afterwards */
	bool write_again;
	sd_event_source *counting; /* timer for saving changed counts */
	bool removing;		   /* the trigger is being removed, so save nothing */

	/* The watcher process, if any. It ends when the socket is closed. */
	enum watcher_state state;
	pid_t pid;
	int socket;
	sd_event_source *child, *io, *timer;
	unsigned int attempts; /* number of restarts since the watcher last worked for a while */
	int64_t armed_ns;
	bool was_failed; /* the journal already reports a failure of the watcher */
	char why[1024];	 /* reason of the failure */

	int64_t sent_ns;       /* end of the quiet time that the watcher was last told about */
	int64_t sent_until_ns; /* the end that the watcher was told; limited by QUIET_MAX_NS */

	uint64_t matches, snapshots, failures;
	bool at_least;
	bool waits; /* a snapshot that is not frozen yet will cover any match */
	json_t *last;
	struct command *command;
	json_t *run; /* result of the last command */

	void *tester; /* the client that waits for the end of a test */
	client_answer *test_answer;
	json_t *test_steps;
	bool test_ok;
	sd_event_source *test_timer, *test_child;
	/* socket of the process that checks the recorder and its folder; -1: none */
	int test_socket;
};

struct engine {
	sd_event *event;
	struct job_queue *queue;
	engine_watch *watch;
	struct active_trigger *first;
	bool finishing;
	bool persists;	 /* limits and counts are saved */
	json_t *planned; /* see engine_set_planned() */
	uint64_t user_max;
	int64_t user_max_ns;
	struct engine_user *users;
};

/*
 * Returns the current time on CLOCK_BOOTTIME, because cooldowns continue while the machine sleeps.
 */
static inline int64_t engine_now_ns(void)
{
	return mm_clock_ns(CLOCK_BOOTTIME);
}

/* In engine-watcher.c. Starts the watcher; if that fails, tries again later. */
void engine_start_watcher(struct active_trigger *active);
/* Asks the watcher to end. Kills it after ten seconds. */
void engine_stop_watcher(struct active_trigger *active);

/*
 * In engine-users.c. Like the functions of limits.h, for the limits of both the trigger and its
 * user.
 */
enum limits_verdict engine_check_limits(struct active_trigger *active, int64_t now_ns);
int engine_take_limits(struct active_trigger *active, int64_t now_ns, uint64_t *matches,
		       bool *at_least);
int64_t engine_next_limits(struct active_trigger *active, int64_t now_ns);
void engine_explain_limits(struct active_trigger *active, int64_t now_ns, char *text, size_t size);
/* Returns the limits of the trigger's user; NULL: none. */
struct snapshot_limits *engine_user_limits(const struct active_trigger *active);
/* Writes the name under which a user's limits are saved (store.h). */
void engine_user_file(uid_t uid, char name[TRIGGER_NAME_MAX]);
/* Removes the files of users whose last snapshots no longer count. */
void engine_forget_users(const struct engine *engine);
void engine_users_release(struct engine *engine);

/*
 * In engine-limits.c. Loads the saved limits and counts of a trigger and its user. @is_new: only
 * the user's.
 */
void engine_load_limits(struct active_trigger *active, bool is_new);
/* Saves the limits and counts, in a child process. */
void engine_save_limits(struct active_trigger *active);
/* Saves limits and counts within ten seconds. Counts change too often to save them each time. */
void engine_save_counts_later(struct active_trigger *active);
/* Saves all limits and counts before the daemon ends. Waits, unless the disk hangs. */
void engine_save_all(struct engine *engine);
/* Suspends saving until engine_save_limits() is called with active->removing cleared. */
void engine_suspend_saving(struct active_trigger *active);
/* Permanently ends saving for the trigger. */
void engine_stop_saving(struct active_trigger *active);

/*
 * In engine-match.c. Handles a match. The message is untrusted, because a user may control the
 * watcher.
 */
void engine_match(struct active_trigger *active, const json_t *message);
/* Copies only those members of a match that trigger.h describes. */
json_t *engine_copy_match(const struct active_trigger *active, const json_t *match);

/* Returns the request for a snapshot and steals @match; NULL if out of memory. */
json_t *engine_request(const struct active_trigger *active, json_t *match);

/* In engine-test.c. Asks the watcher for a synthetic match. If that fails, answers the test. */
void engine_start_test(struct active_trigger *active);
/* Handles a step of the test that the watcher has reported. */
void engine_test_step(struct active_trigger *active, const json_t *message);
/* Handles the end of the watcher's part of the test; there may be no match. */
void engine_test_match(struct active_trigger *active, const json_t *message);
/* Handles the watcher's exit during a test. */
void engine_test_lost(struct active_trigger *active);
/*
 * In engine-test-target.c. Checks whether the recorder, the stage and the recorder's folder allow a
 * snapshot for @trigger. Returns the steps, an array. Writes nothing. May block in the session
 * daemon or on a disk.
 */
json_t *engine_test_target(const struct trigger *trigger, const char *stage);
/* Appends a step to the array. */
__attribute__((format(printf, 5, 6))) void engine_add_step(json_t *steps, const char *step, bool ok,
							   bool held, const char *fmt, ...);

/* Ends a test without an answer. */
void engine_end_test(struct active_trigger *active);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H */
