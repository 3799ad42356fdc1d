/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the files engine*.c share: the triggers that are watched for. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H
#define LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H

#include "lttng-session/daemon/triggers/command.h"
#include "lttng-session/daemon/triggers/definition/limits.h"
#include "lttng-session/daemon/triggers/engine.h"
#include "util/clock.h"

enum watcher_state {
	WATCHER_STARTING,
	WATCHER_ARMED,
	WATCHER_FAILED, /* it is tried again */
};

struct active_trigger {
	struct engine *engine;
	struct active_trigger *next;
	struct trigger *trigger;
	const json_t *planned; /* of a profile: its entry in engine->planned; NULL: it was added */
	struct requester requester;
	struct snapshot_limits limits;
	sd_event_source *writing;  /* the process that writes limits and counts */
	bool write_again;	   /* they have changed since */
	sd_event_source *counting; /* until counts that have changed are written */
	bool removing;		   /* nothing is to be written */

	/* The process that watches, if any: it ends when the socket is closed. */
	enum watcher_state state;
	pid_t pid;
	int socket;
	sd_event_source *child, *io, *timer;
	unsigned int attempts; /* since it worked for a while */
	int64_t armed_ns;
	bool was_failed; /* that is in the log */
	char why[1024];	 /* it failed */

	int64_t sent_ns;       /* until when no match gets a snapshot */
	int64_t sent_until_ns; /* ... as it was sent, which may be earlier */

	uint64_t matches, snapshots, failures;
	bool at_least;
	bool waits; /* for the freeze of its snapshot, which will cover any match until then */
	json_t *last;
	struct command *command;
	json_t *run; /* how the last command ended */

	void *tester; /* who waits for the end of a test */
	client_answer *test_answer;
	json_t *test_steps;
	bool test_ok;
	sd_event_source *test_timer, *test_child;
	int test_socket; /* of the process that looks at the recorder and its folder; -1: none */
};

struct engine {
	sd_event *event;
	struct job_queue *queue;
	engine_watch *watch;
	struct active_trigger *first;
	bool finishing;
	bool persists;	   /* what the limits depend on is kept over a restart */
	json_t *planned;   /* see engine_set_planned() */
	uint64_t user_max; /* see engine_limit_users() */
	int64_t user_max_ns;
	struct engine_user *users;
};

/* CLOCK_BOOTTIME: cooldowns pass while the machine sleeps. */
static inline int64_t engine_now_ns(void)
{
	return mm_clock_ns(CLOCK_BOOTTIME);
}

/* In engine-watcher.c. Starts the process; if that fails, it is tried again later. */
void engine_start_watcher(struct active_trigger *active);
/* Has the process end, which is killed if it does not. */
void engine_stop_watcher(struct active_trigger *active);

/*
 * In engine-users.c. As the functions of limits.h, for the trigger and all triggers of its user.
 */
enum limits_verdict engine_check_limits(struct active_trigger *active, int64_t now_ns);
int engine_take_limits(struct active_trigger *active, int64_t now_ns, uint64_t *matches,
		       bool *at_least);
int64_t engine_next_limits(struct active_trigger *active, int64_t now_ns);
void engine_explain_limits(struct active_trigger *active, int64_t now_ns, char *text, size_t size);
/* The limits of the user of a trigger; NULL: there are none. */
struct snapshot_limits *engine_user_limits(const struct active_trigger *active);
/* The name under which they are kept (store.h). */
void engine_user_file(uid_t uid, char name[TRIGGER_NAME_MAX]);
/* Removes the files of users whose last snapshots no longer count. */
void engine_forget_users(const struct engine *engine);
void engine_users_release(struct engine *engine);

/*
 * In engine-limits.c. Reads what the limits depend on, and the counts; of a trigger that is new,
 * only what the limits of its user depend on.
 */
void engine_load_limits(struct active_trigger *active, bool is_new);
/* Has both kept as they are now. */
void engine_save_limits(struct active_trigger *active);
/* The same later: counts change too often to be written each time. */
void engine_save_counts_later(struct active_trigger *active);
/* The daemon ends: has both kept of all triggers, and waits for that, but not for a hung disk. */
void engine_save_all(struct engine *engine);
/* Does not, until engine_save_limits() is called with active->removing unset. */
void engine_suspend_saving(struct active_trigger *active);
/* Nothing is written any more. */
void engine_stop_saving(struct active_trigger *active);

/* In engine-match.c. A message with a match, which comes from a process of the trigger's user. */
void engine_match(struct active_trigger *active, const json_t *message);
/* The copy of a match, with what trigger.h describes and nothing else. */
json_t *engine_copy_match(const struct active_trigger *active, const json_t *match);

/* The request for a snapshot, for @match, which is taken over; NULL when out of memory. */
json_t *engine_request(const struct active_trigger *active, json_t *match);

/* In engine-test.c. Sends the synthetic match, or answers that it cannot be sent. */
void engine_start_test(struct active_trigger *active);
/* The process that watches reports a step of it, */
void engine_test_step(struct active_trigger *active, const json_t *message);
/* ... has returned it, or has nothing to return, */
void engine_test_match(struct active_trigger *active, const json_t *message);
/* ... or has ended. */
void engine_test_lost(struct active_trigger *active);
/*
 * In engine-test-target.c. What a snapshot for @trigger needs from here on: the recorder, memory in
 * the folder @stage, and the recorder's folder. Returns the steps, an array. Waits for the
 * session daemon and the disk, and writes nothing.
 */
json_t *engine_test_target(const struct trigger *trigger, const char *stage);
/* Adds a step to the array. */
__attribute__((format(printf, 5, 6))) void engine_add_step(json_t *steps, const char *step, bool ok,
							   bool held, const char *fmt, ...);

/* Nobody waits any more. */
void engine_end_test(struct active_trigger *active);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_ACTIVE_TRIGGER_H */
