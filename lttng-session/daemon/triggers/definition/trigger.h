/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A trigger: a condition, limits and options. When the condition matches and the limits permit it,
 * the recorder daemon takes a snapshot. `lttng-mm trigger` adds, lists, removes and tests triggers;
 * store.h stores them.
 *
 * A condition is one of these texts. DURATION is written like 250ms or 2s; REGEX is a POSIX
 * extended regular expression, which extends to the end of the text:
 *
 *   EVENT [if FILTER]                  a kernel event; FILTER is an LTTng expression, with labels
 *                                      of enumerations for values
 *   rate EVENT [if FILTER] > N/s       more than N such events in a second
 *   pressure RESOURCE LEVEL > DURATION per DURATION
 *                                      PSI: memory, cpu or io; some or full
 *   failed-allocation                  an allocation of pages that the kernel reports as failed
 *   kernel-message oom | hung-task | REGEX
 *   file PATH REGEX                    a line that is appended to the file
 *   journal [unit=UNIT] REGEX          a message of the journal
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_TRIGGER_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_TRIGGER_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lttng-session/profile/trigger-text.h"
#include "util/error.h"

#define TRIGGER_CAPTURES_MAX 16
/* Maximum number of bytes of a condition or a command. */
#define TRIGGER_TEXT_MAX 1024
/*
 * Maximum number of triggers: in total, for each user except root, and for all users except root
 * together.
 */
#define TRIGGERS_MAX 64
#define TRIGGERS_PER_USER 16
#define TRIGGERS_OF_USERS_MAX 48

enum trigger_kind {
	TRIGGER_EVENT,
	TRIGGER_RATE,
	TRIGGER_PRESSURE,
	TRIGGER_FAILED_ALLOCATION,
	TRIGGER_KERNEL_MESSAGE,
	TRIGGER_FILE,
	TRIGGER_JOURNAL,
};

struct trigger {
	char name[TRIGGER_NAME_MAX]; /* letters, digits, - _ and .; does not start with . */
	const char *subject;	     /* start of error messages; NULL: "trigger: NAME" */
	uid_t uid;		     /* the user who added the trigger */
	gid_t gid;
	char *on; /* the condition as it was given */
	enum trigger_kind kind;

	char *event; /* TRIGGER_EVENT, TRIGGER_RATE: name of the event, not a pattern */
	/* the trigger is on the exit of a system call; set by trigger_check_event() */
	bool at_exit;
	/* LTTng's filter expression; labels are later replaced by numbers; NULL: none */
	char *filter;
	/* @filter with rewritten comparisons of unsigned numbers; set by trigger_check_event() */
	char *tracer_filter;
	char *captures[TRIGGER_CAPTURES_MAX]; /* captured fields and contexts ($ctx.NAME) */
	/* the captured field is hexadecimal; set by trigger_check_event() */
	bool capture_hex[TRIGGER_CAPTURES_MAX];
	size_t capture_count;
	char *spec;    /* SPEC of the event's function (as in `fn list`); NULL: unknown */
	uint64_t rate; /* TRIGGER_RATE: more events than this per second are a match */

	char *resource;		     /* TRIGGER_PRESSURE: memory, cpu or io */
	bool full;		     /* TRIGGER_PRESSURE: the level is full, not some */
	int64_t stall_ns, window_ns; /* TRIGGER_PRESSURE: stall time per window */

	char *path;  /* TRIGGER_FILE: absolute path of the file */
	char *unit;  /* TRIGGER_JOURNAL: unit of the messages; NULL: any */
	char *regex; /* for kernel messages, files and the journal: the regular expression */

	char *session;	     /* the recorder that the snapshot is for; NULL: the only recorder */
	int64_t after_ns;    /* delay from the match to the snapshot */
	int64_t last_ns;     /* time range of the snapshot; SNAPSHOT_NOT_GIVEN: everything */
	int64_t cooldown_ns; /* minimum time between two snapshots */
	int64_t warm_up_ns;  /* time after the trigger's start during which matches are ignored */
	uint64_t max;	     /* maximum number of snapshots per interval */
	int64_t max_ns;	     /* length of the interval; 0: no limit */
	char *run;	     /* command to run after a snapshot; NULL: none */
	int64_t run_ns;	     /* time limit of the command */
};

/* Defaults of options. */
#define TRIGGER_COOLDOWN_NS (INT64_C(60) * 1000000000)
#define TRIGGER_WARM_UP_NS (INT64_C(10) * 1000000000)
#define TRIGGER_MAX 20
#define TRIGGER_MAX_NS (INT64_C(24) * 3600 * 1000000000)
#define TRIGGER_RUN_NS (INT64_C(60) * 1000000000)

/*
 * Returns a trigger with the default options, but without name, condition and user. Returns NULL if
 * out of memory.
 */
struct trigger *trigger_create(void);
void trigger_destroy(struct trigger *trigger);

/*
 * Like mm_error_set(), but starts the message with @trigger->subject or, if that is NULL, with
 * "trigger: NAME: ".
 */
int trigger_error(const struct trigger *trigger, struct mm_error *err, int code, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));

/*
 * A trigger as JSON:
 *
 *   { "version": 1, "name": "fallback", "uid": 0, "gid": 0,
 *     "on": "dax_pmd_fault_done if result & FALLBACK",
 *     "captures": [ "address" ], "session": "NAME", "after_ns": 0, "last_ns": N,
 *     "cooldown_ns": N, "warm_up_ns": N, "max": 20, "max_ns": N, "run": "CMD", "run_ns": N,
 *     "spec": "handle_mm_fault(address) --caller",
 *     "kind": "event", "event": "dax_pmd_fault_done", "filter": "result & 2048" }
 *
 * The last line is the parsed condition: "kind" ("event", "rate", "pressure", "failed-allocation",
 * "kernel-message", "file" or "journal") and the members of struct trigger for this kind. Readers
 * parse "on" again, and refuse the file if the result differs from these members. In "filter",
 * labels may be replaced by numbers. Readers ignore these numbers, because they may be different in
 * another kernel. "spec" is for events of functions (functions.h); the recorder daemon ignores it
 * in requests. Options that are absent or null have their defaults. If "uid" is absent, the user is
 * (uid_t)-1.
 *
 * trigger_to_json() returns NULL if out of memory. trigger_from_json() accepts any @json, and
 * returns NULL with @err set if it is malformed.
 */
json_t *trigger_to_json(const struct trigger *trigger);
struct trigger *trigger_from_json(const json_t *json, struct mm_error *err);

/*
 * Parses @trigger->on into the members of its kind. trigger_check_event() later checks that the
 * event exists and that expressions compile. Returns 0, or -1 with @err set.
 */
int trigger_parse_condition(struct trigger *trigger, struct mm_error *err);

/*
 * Checks a parsed trigger.
 *
 * For an event or a rate, compares event, filter and captures with the tracer's events, because
 * LTTng would accept wrong names and never match. Replaces labels in @trigger->filter with numbers,
 * and sets @trigger->tracer_filter for LTTng (filter-signs.h). A condition on a system call must
 * fit its entry or exit event, and matches only the event that it fits. For an event of a function,
 * looks up the function. If the function is missing and the trigger belongs to root, adds the
 * function (functions.h).
 *
 * For other conditions, compiles the regular expression. Handles texts with the rights of the
 * trigger's user (confined.h).
 *
 * This function may block in the session daemon, so the recorder daemon calls it only in child
 * processes. Watchers call it again before they register the condition, because the numbers that
 * labels stand for may have changed with the kernel. Returns 0, or -1 with @err set. The error
 * lists possible names.
 */
int trigger_check_event(struct trigger *trigger, struct mm_error *err);
/*
 * Checks @count triggers in about the time that one trigger takes. @errs has one error per trigger.
 */
void trigger_check_events(struct trigger *const *triggers, size_t count, struct mm_error *errs);
/*
 * Checks only that the filter or regular expression compiles. Does not call the session daemon.
 * (trigger_check_event() includes this check.) Returns 0, or -1 with @err set.
 */
int trigger_check_text(const struct trigger *trigger, struct mm_error *err);

/*
 * Checks that the kernel measures the pressure of a pressure trigger. No kernel measures "cpu
 * full". With psi=0, the kernel measures nothing. Returns 0, or -1 with @err set.
 */
#define TRIGGER_PRESSURE_FOLDER "/proc/pressure"
#define TRIGGER_NO_FULL_CPU \
	"the kernel does not define 'full' for the CPUs of the whole system; use 'some'"
#define TRIGGER_NO_PRESSURE "the kernel does not measure pressure; boot it with psi=1"
int trigger_check_pressure(const struct trigger *trigger, struct mm_error *err);

/*
 * Messages (message.h) that a watcher sends to the daemon:
 *
 *   { "ready": true }                    once, when all its triggers are armed or have failed
 *   { "trigger": "NAME", "match": {
 *       "time": { "realtime_ns": N, "monotonic_ns": N, "boottime_ns": N },
 *       "matches": N,                    since the last message of this trigger
 *       "at_least": false,               more may have been dropped
 *       "cpu": N, "fields": { "address": "0x7f00" }, "text": "the line" } }     each may be absent
 *   { "trigger": "NAME", "failed": "why the condition is not being watched for" }
 *   { "trigger": "NAME", "armed": true }  the condition is being watched for again
 *
 * During a test, the watcher sends steps (engine_test()). At the end, it sends the match, if there
 * was one:
 *
 *   { "trigger": "NAME", "test_step": { "step": "registered", "ok": true, "text": "..." } }
 *   { "trigger": "NAME", "test": true, "match": { ... } }
 *
 * Messages that the daemon sends to a watcher:
 *
 *   { "quiet_until_ns": N }              events only: no match gets a snapshot before this time on
 *                                        CLOCK_BOOTTIME
 *   { "test": "NAME" }
 *
 * "match" becomes the member "cause"."match" of snapshot.json.
 */

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_TRIGGER_H */
