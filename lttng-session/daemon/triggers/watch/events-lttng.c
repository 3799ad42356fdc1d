// SPDX-License-Identifier: LGPL-2.1-only
/* Creates, registers and queries LTTng's triggers, and reads captured values. */
#include "lttng-session/daemon/triggers/watch/events-lttng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/watch/events.h"
#include "lttng-session/profile/profile.h"
#include "util/escape.h"

#define CONTEXT "$ctx."
#define CPU "cpu_id"

static int fail(struct mm_error *err, const char *what, enum lttng_error_code code)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "lttng-sessiond: %s%s%s", what,
			    code == LTTNG_OK ? "" : ": ",
			    code == LTTNG_OK ? "" : lttng_strerror(-(int)code));
}

/*
 * Creates the event rule. System calls need a rule of another kind. Returns NULL if out of memory
 * or if LTTng rejects the filter.
 */
static struct lttng_event_rule *make_rule(const struct trigger *trigger)
{
	const size_t prefix = strlen(PROFILE_SYSCALL);
	bool syscall = !strncmp(trigger->event, PROFILE_SYSCALL, prefix);
	struct lttng_event_rule *rule =
		syscall ? lttng_event_rule_kernel_syscall_create(
				  trigger->at_exit
					  ? LTTNG_EVENT_RULE_KERNEL_SYSCALL_EMISSION_SITE_EXIT
					  : LTTNG_EVENT_RULE_KERNEL_SYSCALL_EMISSION_SITE_ENTRY)
			: lttng_event_rule_kernel_tracepoint_create();
	const char *filter = trigger->tracer_filter ? trigger->tracer_filter : trigger->filter;
	enum lttng_event_rule_status status;

	if (!rule)
		return NULL;
	status =
		syscall ? lttng_event_rule_kernel_syscall_set_name_pattern(rule,
									   trigger->event + prefix)
			: lttng_event_rule_kernel_tracepoint_set_name_pattern(rule, trigger->event);
	if (status == LTTNG_EVENT_RULE_STATUS_OK && filter)
		status = syscall ? lttng_event_rule_kernel_syscall_set_filter(rule, filter)
				 : lttng_event_rule_kernel_tracepoint_set_filter(rule, filter);
	if (status == LTTNG_EVENT_RULE_STATUS_OK)
		return rule;
	lttng_event_rule_destroy(rule);
	return NULL;
}

static int capture(struct lttng_condition *condition, const char *name)
{
	struct lttng_event_expr *expr =
		strncmp(name, CONTEXT, strlen(CONTEXT))
			? lttng_event_expr_event_payload_field_create(name)
			: lttng_event_expr_channel_context_field_create(name + strlen(CONTEXT));

	if (!expr)
		return -1;
	if (lttng_condition_event_rule_matches_append_capture_descriptor(condition, expr) ==
	    LTTNG_CONDITION_STATUS_OK)
		return 0;
	lttng_event_expr_destroy(expr);
	return -1;
}

/* Creates the condition. Captures the CPU first, then the trigger's captures. */
static struct lttng_condition *make_condition(const struct trigger *trigger, struct mm_error *err)
{
	struct lttng_event_rule *rule = make_rule(trigger);
	struct lttng_condition *condition =
		rule ? lttng_condition_event_rule_matches_create(rule) : NULL;
	bool made = condition && !capture(condition, CONTEXT CPU);

	lttng_event_rule_destroy(rule);
	for (size_t i = 0; i < trigger->capture_count && made; i++)
		made = !capture(condition, trigger->captures[i]);
	if (made)
		return condition;
	lttng_condition_destroy(condition);
	fail(err, "the condition or its captures are not accepted", LTTNG_OK);
	return NULL;
}

/*
 * Creates a list with a single action, because `lttng list-triggers` aborts on an action outside a
 * list.
 */
static struct lttng_action *make_action(void)
{
	struct lttng_action *notify = lttng_action_notify_create();
	struct lttng_action *list = lttng_action_list_create();
	bool added = notify && list &&
		     lttng_action_list_add_action(list, notify) == LTTNG_ACTION_STATUS_OK;

	lttng_action_destroy(notify);
	if (added)
		return list;
	lttng_action_destroy(list);
	return NULL;
}

int events_lttng_make(struct events_lttng *lttng, const struct trigger *trigger, pid_t daemon,
		      struct mm_error *err)
{
	*lttng = (struct events_lttng){ .action = make_action() };
	snprintf(lttng->name, sizeof(lttng->name), EVENTS_PREFIX "%d-%s", (int)daemon,
		 trigger->name);
	allow_read(&lttng->captures, EVENTS_CAPTURES, events_captures_defaults);
	lttng->condition = make_condition(trigger, err);
	if (lttng->condition && lttng->action)
		return 0;
	events_lttng_release(lttng);
	return err->code ? -1 : fail(err, "out of memory", LTTNG_OK);
}

void events_lttng_release(struct events_lttng *lttng)
{
	lttng_trigger_destroy(lttng->trigger);
	lttng_condition_destroy(lttng->condition);
	lttng_action_destroy(lttng->action);
	allow_release(&lttng->captures);
	lttng->trigger = NULL;
	lttng->condition = NULL;
	lttng->action = NULL;
}

int events_lttng_register(struct events_lttng *lttng, struct mm_error *err)
{
	struct lttng_trigger *trigger = lttng_trigger_create(lttng->condition, lttng->action);
	enum lttng_error_code code;

	if (!trigger)
		return fail(err, "out of memory", LTTNG_OK);
	code = lttng_register_trigger_with_name(trigger, lttng->name);
	if (code == LTTNG_OK) {
		lttng->trigger = trigger;
		return 0;
	}
	lttng_trigger_destroy(trigger);
	return fail(err, "the trigger is refused", code);
}

int events_lttng_unregister(struct events_lttng *lttng, struct mm_error *err)
{
	int code = lttng_unregister_trigger(lttng->trigger);

	lttng_trigger_destroy(lttng->trigger);
	lttng->trigger = NULL;
	if (code == -LTTNG_ERR_TRIGGER_NOT_FOUND)
		code = 0;
	return code ? mm_error_set(err, MM_EXIT_ENVIRONMENT,
				   "lttng-sessiond: the trigger cannot be removed: %s",
				   lttng_strerror(code))
		    : 0;
}

bool events_lttng_has_sent(const struct events_lttng *lttng,
			   struct lttng_notification *notification)
{
	const struct lttng_trigger *trigger = lttng_notification_get_trigger(notification);
	const char *name = NULL;

	return lttng_trigger_get_name(trigger, &name) == LTTNG_TRIGGER_STATUS_OK && name &&
	       !strcmp(name, lttng->name);
}

/* Adds up the counters in @results. (LTTng returns a single counter for a condition.) */
static int add_counters(const struct lttng_error_query_results *results, uint64_t *count)
{
	unsigned int results_count;

	if (lttng_error_query_results_get_count(results, &results_count) !=
	    LTTNG_ERROR_QUERY_RESULTS_STATUS_OK)
		return -1;
	for (unsigned int i = 0; i < results_count; i++) {
		const struct lttng_error_query_result *result;
		uint64_t value;

		if (lttng_error_query_results_get_result(results, &result, i) !=
			    LTTNG_ERROR_QUERY_RESULTS_STATUS_OK ||
		    lttng_error_query_result_counter_get_value(result, &value) !=
			    LTTNG_ERROR_QUERY_RESULT_STATUS_OK)
			return -1;
		*count += value;
	}
	return 0;
}

int events_lttng_discarded(const struct events_lttng *lttng, uint64_t *count)
{
	struct lttng_error_query *query = lttng_error_query_condition_create(lttng->trigger);
	struct lttng_error_query_results *results = NULL;
	enum lttng_error_code code = LTTNG_ERR_NOMEM;
	int ret = -1;

	*count = 0;
	if (query)
		code = lttng_error_query_execute(query, lttng_session_daemon_command_endpoint,
						 &results);
	if (code == LTTNG_OK)
		ret = add_counters(results, count);
	else if (code == LTTNG_ERR_TRIGGER_NOT_FOUND)
		ret = 1;
	lttng_error_query_results_destroy(results);
	lttng_error_query_destroy(query);
	return ret;
}

int events_lttng_is_listed(const struct events_lttng *lttng, struct mm_error *err)
{
	struct lttng_triggers *triggers = NULL;
	unsigned int count = 0;
	int found = 0;
	enum lttng_error_code code = lttng_list_triggers(&triggers);

	if (code != LTTNG_OK)
		return fail(err, "the triggers cannot be listed", code);
	lttng_triggers_get_count(triggers, &count);
	for (unsigned int i = 0; i < count && !found; i++) {
		const char *name = NULL;

		found = lttng_trigger_get_name(lttng_triggers_get_at_index(triggers, i), &name) ==
				LTTNG_TRIGGER_STATUS_OK &&
			name && !strcmp(name, lttng->name);
	}
	lttng_triggers_destroy(triggers);
	return found;
}

void events_lttng_forget(struct events_lttng *lttng)
{
	lttng_trigger_destroy(lttng->trigger);
	lttng->trigger = NULL;
}

/* Was LTTng's trigger @found left by another recorder daemon, or by an earlier watcher of @name? */
static bool is_stale(const char *found, const char *name, pid_t daemon)
{
	const size_t prefix = strlen(EVENTS_PREFIX);
	char *end;
	long pid;

	if (!strcmp(found, name))
		return true;
	if (strncmp(found, EVENTS_PREFIX, prefix))
		return false;
	pid = strtol(found + prefix, &end, 10);
	return end > found + prefix && *end == '-' && pid != daemon;
}

void events_lttng_sweep(const char *name, pid_t daemon)
{
	struct lttng_triggers *triggers = NULL;
	unsigned int count = 0;

	if (lttng_list_triggers(&triggers) != LTTNG_OK)
		return;
	lttng_triggers_get_count(triggers, &count);
	for (unsigned int i = 0; i < count; i++) {
		const struct lttng_trigger *trigger = lttng_triggers_get_at_index(triggers, i);
		const char *found = NULL;

		if (lttng_trigger_get_name(trigger, &found) == LTTNG_TRIGGER_STATUS_OK &&
		    is_stale(found, name, daemon))
			lttng_unregister_trigger(trigger);
	}
	lttng_triggers_destroy(triggers);
}

/* In /etc/lttng-mm/captures, an entry with this prefix allows numbers, but no texts. */
#define NUMBER "number:"

const char *const events_captures_defaults[] = {
	"$ctx.procname",
	"*comm",
	"number:*",
	NULL,
};

json_t *events_number_json(uint64_t value, bool is_signed, bool hex)
{
	char text[32];

	/* A larger number becomes a text, because jansson's integers are signed. */
	if (!hex && (is_signed || value <= INT64_MAX))
		return json_integer((json_int_t)value);
	snprintf(text, sizeof(text), hex ? "0x%" PRIx64 : "%" PRIu64, value);
	return json_string(text);
}

json_t *events_text_json(const struct allow_list *strings, const char *name, const char *text)
{
	bool listed = allow_has(strings, name, strlen(name));
	char *utf8 = listed ? mm_escape_to_utf8(text, strlen(text)) : strdup(ALLOW_WITHHELD);
	json_t *json = utf8 ? json_string(utf8) : json_null();

	free(utf8);
	return json;
}

bool events_number_is_listed(const struct allow_list *list, const char *name)
{
	return allow_has(list, name, strlen(name)) ||
	       allow_has_of(list, NUMBER, name, strlen(name));
}

/* Returns a captured value as JSON, or JSON null if the event lacks the field. */
static json_t *value_json(const struct lttng_event_field_value *value,
			  const struct allow_list *list, const char *name, bool hex)
{
	const char *text;
	uint64_t u;
	int64_t i;
	double real;

	if (lttng_event_field_value_string_get_value(value, &text) ==
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		return events_text_json(list, name, text);
	if (!events_number_is_listed(list, name))
		return json_string(ALLOW_WITHHELD);
	if (lttng_event_field_value_unsigned_int_get_value(value, &u) ==
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		return events_number_json(u, false, hex);
	if (lttng_event_field_value_signed_int_get_value(value, &i) ==
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		return events_number_json((uint64_t)i, true, hex);
	if (lttng_event_field_value_real_get_value(value, &real) ==
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		return json_real(real);
	return json_null();
}

static int cpu_of(const struct lttng_event_field_value *value)
{
	uint64_t u;
	int64_t i;

	if (lttng_event_field_value_unsigned_int_get_value(value, &u) ==
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		return (int)u;
	if (lttng_event_field_value_signed_int_get_value(value, &i) ==
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		return (int)i;
	return -1;
}

void events_lttng_captured(const struct events_lttng *lttng, const struct trigger *trigger,
			   const struct lttng_notification *notification, int *cpu, json_t **fields)
{
	const struct lttng_evaluation *evaluation =
		lttng_notification_get_evaluation((struct lttng_notification *)notification);
	const struct lttng_event_field_value *values, *value;

	*cpu = -1;
	*fields = NULL;
	if (lttng_evaluation_event_rule_matches_get_captured_values(evaluation, &values) !=
	    LTTNG_EVALUATION_EVENT_RULE_MATCHES_STATUS_OK)
		return;
	for (unsigned int i = 0; i <= trigger->capture_count; i++) {
		const char *name;
		json_t *json;

		if (lttng_event_field_value_array_get_element_at_index(values, i, &value) !=
		    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
			continue;
		if (!i) {
			*cpu = cpu_of(value);
			continue;
		}
		name = trigger->captures[i - 1];
		json = value_json(value, &lttng->captures, name, trigger->capture_hex[i - 1]);
		if (!*fields)
			*fields = json_object();
		json_object_set_new(*fields, name, json);
	}
}
