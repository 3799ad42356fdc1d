/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Triggers: conditions upon which the recorder daemon takes a snapshot. `lttng-mm trigger` adds,
 * lists, removes and tests them; they are kept over reboots, one file per trigger.
 *
 * A condition is one of these texts; DURATION is as in 250ms or 2s, REGEX a POSIX extended regular
 * expression that takes the rest of the text:
 *
 *   EVENT [if FILTER]                  an event of the recorder, with LTTng's filter expressions,
 *                                      in which labels of enumerations stand for their values
 *   rate EVENT [if FILTER] > N/s       such events in a second
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
/* Of a condition or a command, in bytes. */
#define TRIGGER_TEXT_MAX 1024
/* Triggers of one machine, of a user other than root, and of all these users. */
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

/* A trigger as it was read; strings belong to it. Release with trigger_destroy(). */
struct trigger {
	char name[TRIGGER_NAME_MAX]; /* letters, digits, -_. but not . first */
	const char *subject;	     /* what errors are about; NULL: the trigger of this name */
	uid_t uid;		     /* the user who added it, with whose rights all is done */
	gid_t gid;
	char *on; /* the condition as it was given */
	enum trigger_kind kind;

	char *event;  /* TRIGGER_EVENT, TRIGGER_RATE: its name, without pattern characters */
	bool at_exit; /* ... of a system call: its exit; known after trigger_check_event() */
	char *filter; /* LTTng's expression, labels replaced by numbers; NULL: none */
	/* ... with comparisons of unsigned numbers rewritten; known after trigger_check_event() */
	char *tracer_filter;
	char *captures[TRIGGER_CAPTURES_MAX];	/* fields, or $ctx.NAME */
	bool capture_hex[TRIGGER_CAPTURES_MAX]; /* known after trigger_check_event() */
	size_t capture_count;
	char *spec;    /* of a function's event: what `fn list` shows of it; NULL: not known */
	uint64_t rate; /* TRIGGER_RATE: more events than that in a second */

	char *resource;		     /* TRIGGER_PRESSURE: memory, cpu or io */
	bool full;		     /* ... full, or else some */
	int64_t stall_ns, window_ns; /* ... so long in so long */

	char *path;  /* TRIGGER_FILE: absolute */
	char *unit;  /* TRIGGER_JOURNAL; NULL: any */
	char *regex; /* of kernel messages, lines and messages */

	char *session;	     /* of which recorder; NULL: the only one */
	int64_t after_ns;    /* the snapshot is taken so long after the match */
	int64_t last_ns;     /* SNAPSHOT_NOT_GIVEN: all */
	int64_t cooldown_ns; /* between a snapshot and the next match that counts */
	int64_t warm_up_ns;  /* after the daemon's start or the addition, matches do not count */
	uint64_t max;	     /* snapshots ... */
	int64_t max_ns;	     /* ... in so long; 0: no limit */
	char *run;	     /* a command; NULL: none */
	int64_t run_ns;	     /* its time limit */
};

/* What holds for options that are not given. */
#define TRIGGER_COOLDOWN_NS (INT64_C(60) * 1000000000)
#define TRIGGER_WARM_UP_NS (INT64_C(10) * 1000000000)
#define TRIGGER_MAX 20
#define TRIGGER_MAX_NS (INT64_C(24) * 3600 * 1000000000)
#define TRIGGER_RUN_NS (INT64_C(60) * 1000000000)

/* A trigger with these, without a name, a condition and a user. NULL: out of memory. */
struct trigger *trigger_create(void);
void trigger_destroy(struct trigger *trigger);

/* As mm_error_set(), with what it is about before the message, as in "trigger: NAME: ". */
int trigger_error(const struct trigger *trigger, struct mm_error *err, int code, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));

/*
 * A trigger as JSON, with the members:
 *
 *   { "version": 1, "name": "fallback", "uid": 0, "gid": 0,
 *     "on": "dax_pmd_fault_done if result & FALLBACK",
 *     "captures": [ "address" ], "session": "NAME", "after_ns": 0, "last_ns": N,
 *     "cooldown_ns": N, "warm_up_ns": N, "max": 20, "max_ns": N, "run": "CMD", "run_ns": N,
 *     "spec": "handle_mm_fault(address) --caller",
 *     "kind": "event", "event": "dax_pmd_fault_done", "filter": "result & 2048" }
 *
 * What the condition was parsed into comes last: "kind" (as an error names it: "event", "rate",
 * "pressure", "failed-allocation", "kernel-message", "file", "journal") and the members of
 * struct trigger that the kind has. It is parsed again from "on", so a file of another version is
 * refused or means the same. "filter" may have numbers for labels; it is that of the condition
 * again, since another kernel may have other numbers. "spec" is only of events of functions
 * (functions.h); the recorder daemon does not take it from users. Options that are absent or null
 * are not given, and have their defaults; a user that is absent is (uid_t)-1.
 *
 * @json may be anything. trigger_to_json() returns NULL when out of memory, trigger_from_json()
 * NULL with @err set if @json is malformed.
 */
json_t *trigger_to_json(const struct trigger *trigger);
struct trigger *trigger_from_json(const json_t *json, struct mm_error *err);

/*
 * Parses @trigger->on into the members of its kind. Does not check whether the event exists, nor
 * compile expressions: trigger_check_event() does. Returns 0, or -1 with @err set, which shows
 * where.
 */
int trigger_parse_condition(struct trigger *trigger, struct mm_error *err);

/*
 * Checks the event, the filter and the captures of a trigger that was parsed, of the kinds EVENT
 * and RATE, against what the tracer has now, replaces the labels in @trigger->filter by numbers,
 * and sets @trigger->tracer_filter, which LTTng is given (filter-signs.h). A system call has an
 * event at its entry and one at its exit: the condition and the captures must fit one of them,
 * which is the one that matches. LTTng itself accepts names that do not exist, and never matches.
 * Of other kinds, it checks the regular expression. Functions are looked up, and those that are
 * missing are added again for root's triggers (functions.h). The texts are handled with the rights
 * of the trigger's user (confined.h).
 *
 * Asks the session daemon, and waits for it: the recorder daemon leaves it to other processes.
 * Whoever registers the condition calls it again first, because numbers may be others after an
 * upgrade of the kernel. Returns 0, or -1 with @err set, with the names that are possible.
 */
int trigger_check_event(struct trigger *trigger, struct mm_error *err);
/*
 * The same for @count triggers at once, which takes hardly longer. @errs has an error of each,
 * which is set if it is refused.
 */
void trigger_check_events(struct trigger *const *triggers, size_t count, struct mm_error *errs);
/*
 * Only whether the libraries compile the filter, or the regular expression of any kind of trigger,
 * which needs no session daemon. Returns as trigger_check_event(), which includes it.
 */
int trigger_check_text(const struct trigger *trigger, struct mm_error *err);

/*
 * Does the kernel measure the pressure that the trigger, if it is of that kind, is to watch for? It
 * does not if it was booted with psi=0, and never measures "cpu full". Returns 0, or -1 with @err
 * set.
 */
#define TRIGGER_PRESSURE_FOLDER "/proc/pressure"
#define TRIGGER_NO_FULL_CPU \
	"the kernel does not define 'full' for the CPUs of the whole system; use 'some'"
#define TRIGGER_NO_PRESSURE "the kernel does not measure pressure; boot it with psi=1"
int trigger_check_pressure(const struct trigger *trigger, struct mm_error *err);

/*
 * What a process that watches for matches sends to the daemon, as messages (message.h) of a
 * SOCK_SEQPACKET socket:
 *
 *   { "ready": true }                    all its triggers are armed; once
 *   { "trigger": "NAME", "match": {
 *       "time": { "realtime_ns": N, "monotonic_ns": N, "boottime_ns": N },
 *       "matches": N,                    since its last message of this trigger
 *       "at_least": false,               more may have been dropped
 *       "cpu": N, "fields": { "address": "0x7f00" }, "text": "the line" } }     where there are any
 *   { "trigger": "NAME", "failed": "why it is not watched" }
 *
 * and for a test, steps as engine.h describes them, and its end, with a match if one came of it:
 *
 *   { "trigger": "NAME", "test_step": { "step": "registered", "ok": true, "text": "..." } }
 *   { "trigger": "NAME", "test": true, "match": { ... } }
 *
 * "match" is also the member "cause"."match" of snapshot.json.
 */

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_TRIGGER_H */
