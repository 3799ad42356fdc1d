// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps the control file of the page-reference probe open while the plan has targets. */
#include "lttng-session/daemon/supervisor/held-targets.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/pageref/control.h"
#include "lttng-session/pageref/targets.h"
#include "util/clock.h"
#include "util/json-file.h"

/*
 * The descriptor of the control file, or -1. It is global because fork handlers have no argument.
 */
static int open_control = -1;

/*
 * Runs in each forked child. A rescue process may outlive the supervisor by minutes, and its copy
 * of the descriptor would keep pages marked for that long.
 */
static void close_control(void)
{
	if (open_control >= 0)
		close(open_control);
	open_control = -1;
}

void held_targets_release(struct held_targets *held)
{
	close_control();
	json_decref(held->targets);
	*held = HELD_TARGETS_INIT;
}

static int take(struct held_targets *held, const json_t *targets, struct mm_error *err)
{
	static bool prepared;

	prepared = prepared || !pthread_atfork(NULL, NULL, close_control);
	held->control = pageref_control_open(err);
	if (held->control < 0)
		return -1;
	open_control = held->control;
	if (pageref_targets_set(held->control, targets, held->lacking, sizeof(held->lacking),
				err)) {
		held_targets_release(held);
		return -1;
	}
	held->targets = json_deep_copy(targets);
	held->since_ns = mm_clock_ns(CLOCK_REALTIME);
	return 0;
}

/* Returns the state for `lttng-mm status`. */
static json_t *describe(const struct held_targets *held, const struct plan_session *session,
			const struct mm_error *why)
{
	const json_t *targets = plan_session_targets(session);
	const bool is_held = held->control >= 0;
	char text[512];

	pageref_targets_text(targets, text, sizeof(text));
	return json_pack("{s:s,s:o,s:I,s:I,s:b,s:o,s:s,s:o,s:o}", "session", session->name,
			 "targets", mm_json_text(text), "interval_ms",
			 (json_int_t)pageref_targets_interval_ms(targets), "max_overhead",
			 (json_int_t)pageref_targets_max_overhead(targets), "held", (int)is_held,
			 "since_ns", is_held ? json_integer(held->since_ns) : json_null(),
			 "lacking", held->lacking, "problem",
			 why->code ? mm_json_text(why->message) : json_null(), "counters",
			 is_held ? pageref_control_counters(held->control) : json_null());
}

json_t *held_targets_look(struct held_targets *held, const struct plan *plan, bool lost,
			  struct mm_error *problem)
{
	const struct plan_session *session = plan_find_targets(plan);
	const json_t *targets = session ? plan_session_targets(session) : NULL;
	struct mm_error err = MM_ERROR_INIT;

	if (held->control >= 0 && (lost || !json_equal(held->targets, targets)))
		held_targets_release(held);
	if (lost)
		mm_error_set(&err, MM_EXIT_ENVIRONMENT,
			     "page-ref: the LTTng session daemon has ended");
	else if (session && held->control < 0 && take(held, targets, &err) && !problem->code)
		*problem = err;
	return session ? describe(held, session, &err) : NULL;
}
