// SPDX-License-Identifier: LGPL-2.1-only
/* Adds the functions of `lttng-mm record fn`. */
#include "cli/fn/record-fn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/fn/device.h"
#include "lttng-session/fn/list-entry.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/system/session-daemon.h"
#include "util/escape.h"
#include "util/text.h"

void record_fn_init(struct record_fn *fn)
{
	*fn = (struct record_fn){ .given = false, .guard = FN_GUARD_INIT };
	fn_set_options_init(&fn->set);
}

void record_fn_release(struct record_fn *fn)
{
	free(fn->specs);
	fn->specs = NULL;
	fn_changed_release(&fn->changed);
	if (fn->is_added)
		fn_added_release(&fn->added);
}

void record_fn_add_spec(struct record_fn *fn, const char *spec, struct argp_state *state)
{
	const char **grown = reallocarray(fn->specs, fn->count + 1, sizeof(*grown));

	if (!grown) {
		argp_failure(state, MM_EXIT_ENVIRONMENT, 0, "out of memory");
		return;
	}
	fn->specs = grown;
	grown[fn->count++] = spec;
}

void record_fn_check(struct record_fn *fn, const struct argp_state *state)
{
	const struct fn_add_options *options = &fn->set.function;
	const char *given = fn->of_functions.last ? fn->of_functions.last
			    : fn->calls		  ? "--calls"
			    : fn->filter	  ? "--filter"
						  : NULL;

	if (given && !fn->given)
		argp_error(state, "%s: only the profile " RECORD_FN " accepts this option", given);
	if (fn->of_functions.of_new && !fn->count)
		argp_error(state, "%s needs a function: lttng-mm record " RECORD_FN " SPEC %s",
			   fn->of_functions.of_new, fn->of_functions.of_new);
	if (fn->filter && strlen(fn->filter) >= TRIGGER_TEXT_MAX)
		argp_error(state, "--filter: longer than %d bytes", TRIGGER_TEXT_MAX - 1);
	if (fn->filter && !fn->count)
		argp_error(state, "--filter needs a function: lttng-mm record " RECORD_FN
				  " SPEC --filter=...");
	/*
	 * --slower, --errors and --filter need the events fn_NAME_call. fn_NAME_entry is written
	 * before it is known whether the call is slow or fails. fn_NAME_exit has no arguments to
	 * filter.
	 */
	fn->calls |= options->slower_ns || options->errors || fn->filter;
	fn->set.function.calls = fn->calls;
}

static void print_options(FILE *out, const struct fn_set_options *set)
{
	const struct fn_add_options *options = &set->function;

	if (options->as)
		mm_escape_print_word(out, " --as=", options->as);
	if (set->max != FN_MATCHES_MAX)
		fprintf(out, " --max=%u", set->max);
	if (set->taking)
		mm_escape_print_word(out, " --taking=", set->taking);
	if (options->caller)
		fprintf(out, " --caller");
	if (options->inside)
		mm_escape_print_word(out, " --inside=", options->inside);
	if (options->slower_ns)
		fprintf(out, " --slower=%" PRId64 "ns", options->slower_ns);
	if (options->errors)
		fprintf(out, " --errors");
	if (options->max_rate != FN_MAX_RATE)
		fprintf(out, " --max-rate=%u", options->max_rate);
	if (options->raw)
		fprintf(out, " --raw");
	putc('\n', out);
}

int record_fn_print(FILE *out, const struct record_fn *fn, struct mm_error *err)
{
	if (!fn->count && !fn->of_functions.last)
		return 0;
	if (!fn->count) {
		fprintf(out, "# All existing functions are added again, with:");
		print_options(out, &fn->set);
		return 0;
	}
	if (fn_set_check(fn->specs, fn->count, &fn->set, err))
		return -1;
	fprintf(out, "lttng-mm fn add");
	for (size_t i = 0; i < fn->count; i++)
		mm_escape_print_word(out, " ", fn->specs[i]);
	print_options(out, &fn->set);
	return 0;
}

struct existing_functions {
	size_t count;
	bool raw;
};

static int look(const struct lttng_mm_fn_state *state, void *user)
{
	struct existing_functions *existing = user;

	existing->count++;
	existing->raw |= fn_list_entry_reveals(state->spec);
	return 0;
}

/*
 * Sets options->raw if any added function may record unchanged kernel addresses or raw memory: the
 * session records all functions. Returns 0, or -1 with @err set, also if no function was added.
 */
static int look_at_all(struct recorder_options *options, struct mm_error *err)
{
	struct existing_functions existing = { .count = 0 };
	struct mm_error why = MM_ERROR_INIT;
	int device = fn_device_open(false, &why), ret = 0;

	if (device >= 0) {
		ret = fn_device_each(device, look, &existing, err);
		close(device);
	} else if (why.code) {
		return mm_error_set(err, why.code, "%s", why.message);
	}
	options->raw = existing.raw;
	if (!ret && !existing.count)
		ret = mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"record: fn: no function has been added; name one, as in `lttng-mm record fn handle_mm_fault`");
	return ret;
}

/*
 * Returns a trigger on calls of the function @name, with the condition @filter. Returns NULL with
 * @err set if the syntax is wrong.
 */
static struct trigger *parse_filter(const char *name, const char *filter, struct mm_error *err)
{
	struct trigger *trigger = trigger_create();

	if (!trigger || asprintf(&trigger->on, "fn_%s_call if %s", name, filter) < 0) {
		if (trigger)
			trigger->on = NULL;
		trigger_destroy(trigger);
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "record: out of memory");
		return NULL;
	}
	trigger->subject = "record: --filter";
	trigger->uid = geteuid();
	trigger->gid = getegid();
	if (!trigger_parse_condition(trigger, err))
		return trigger;
	trigger_destroy(trigger);
	return NULL;
}

/* Parses the filter, checks its fields against an added function, and sets tracer_filter. */
static struct trigger *check_filter(const char *name, const char *filter, struct mm_error *err)
{
	struct trigger *trigger = parse_filter(name, filter, err);

	if (!trigger || !trigger_check_event(trigger, err))
		return trigger;
	trigger_destroy(trigger);
	return NULL;
}

struct dry_filter {
	const struct record_fn *fn;
	struct mm_error *err;
};

/* Does the command line name the function, with --as or with a SPEC that is not a pattern? */
static bool is_named(const struct record_fn *fn, const char *name)
{
	const char *as = fn->set.function.as;

	for (size_t i = 0; !as && i < fn->count; i++) {
		size_t length = strcspn(fn->specs[i], "( ");

		if (strlen(name) == length && !strncmp(name, fn->specs[i], length))
			return true;
	}
	return as && !strcmp(as, name);
}

static int check_added(const struct lttng_mm_fn_state *state, void *user)
{
	struct dry_filter *dry = user;
	struct trigger *trigger;

	if (!is_named(dry->fn, state->name))
		return 0;
	trigger = check_filter(state->name, dry->fn->filter, dry->err);
	trigger_destroy(trigger);
	return trigger ? 0 : -1;
}

int record_fn_check_filter(const struct record_fn *fn, struct mm_error *err)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct dry_filter dry = { .fn = fn, .err = err };
	struct trigger *trigger;
	int device, ret;

	if (!fn->filter)
		return 0;
	trigger = parse_filter("NAME", fn->filter, err);
	ret = trigger ? trigger_check_text(trigger, err) : -1;
	trigger_destroy(trigger);
	if (ret || !daemon_answers())
		return ret;
	device = fn_device_open(false, &ignored);
	if (device < 0)
		return 0;
	fn_device_each(device, check_added, &dry, &ignored);
	close(device);
	return err->code ? -1 : 0;
}

/*
 * Checks the filter's fields, because a filter with an unknown field never matches. Translates the
 * filter for the tracer, because LTTng knows no labels and compares all numbers as signed. One
 * event rule records all functions, so the translation must be the same for all functions.
 */
static int use_filter(const struct record_fn *fn, struct recorder_options *options,
		      struct mm_error *err)
{
	const struct fn_added *added = &fn->added;

	*options->filter = '\0';
	if ((options->no_session_daemon ? daemon_require : daemon_ensure)(err))
		return -1;
	for (size_t i = 0; i < added->set.count; i++) {
		const char *name = added->set.functions[i].name;
		struct trigger *trigger = check_filter(name, fn->filter, err);
		bool differs;

		if (!trigger)
			return -1;
		differs = *options->filter && strcmp(options->filter, trigger->tracer_filter) != 0;
		snprintf(options->filter, sizeof(options->filter), "%s", trigger->tracer_filter);
		trigger_destroy(trigger);
		if (differs)
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"record: --filter: fields in fn_%s_call and fn_%s_call differ in types or labels, so one filter cannot apply to both; record them separately",
				name, added->set.functions[i - 1].name);
	}
	return 0;
}

/*
 * Looks up in the plan when the recorder's session that records functions was created. Returns 0
 * if there is no such session, or the plan cannot be read.
 */
static int64_t recorded_since(const char *recorder)
{
	struct mm_error ignored = MM_ERROR_INIT;
	int64_t since = 0;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return 0;
	for (size_t i = 0; i < plan.count; i++)
		if (!plan.sessions[i].state && !strcmp(plan.sessions[i].recorder, recorder) &&
		    plan_session_is_for(&plan.sessions[i], RECORD_FN))
			since = plan.sessions[i].since;
	plan_release(&plan);
	return since;
}

/* Does the plan contain the recorder's new session (transaction.h)? Called by the guard. */
static bool is_recorded(void *user)
{
	const struct record_fn *fn = user;
	const int64_t since = recorded_since(fn->recorder);

	return since && since != fn->since;
}

/* Applies the options to all added functions. Used if the command line has no SPEC. */
static int change_all(struct record_fn *fn, struct recorder_options *options, struct mm_error *err)
{
	return recorder_check_new(options, err) ||
			       fn_change_all(&fn->set.function, &fn->changed, err)
		       ? -1
		       : 0;
}

int record_fn_add(struct record_fn *fn, struct recorder_options *options, struct mm_error *err)
{
	if (!fn->given)
		return 0;
	fn->recorder = options->recorder;
	fn->since = recorded_since(fn->recorder);
	fn->guard.is_done = is_recorded;
	fn->guard.user = fn;
	/*
	 * If the recorder already records functions, the command will fail. Check this before
	 * adding functions, because that recorder would also record their calls.
	 */
	if (fn->count && recorder_check_new(options, err))
		return -1;
	if (fn->count &&
	    fn_command_add(fn->specs, fn->count, &fn->set, &fn->guard, &fn->added, err))
		return -1;
	fn->is_added = fn->count;
	if ((fn->is_added && fn->filter && use_filter(fn, options, err)) ||
	    look_at_all(options, err) ||
	    (!fn->count && fn->of_functions.last && change_all(fn, options, err))) {
		record_fn_undo(fn);
		return -1;
	}
	return 0;
}

int record_fn_keep(struct record_fn *fn, struct mm_error *err)
{
	return fn->is_added ? fn_guard_keep(&fn->guard, &fn->added, err) : 0;
}

void record_fn_print_added(const struct record_fn *fn)
{
	for (size_t i = 0; i < fn->changed.count; i++)
		printf("%s: added again with these options\n", fn->changed.functions[i].name);
	if (fn->is_added)
		fn_print_added(&fn->added, false);
}

void record_fn_undo(struct record_fn *fn)
{
	fn_changed_undo(&fn->changed);
	if (!fn->is_added)
		return;
	fn_guard_undo(&fn->guard, &fn->added);
	fn_added_release(&fn->added);
	fn->is_added = false;
}
