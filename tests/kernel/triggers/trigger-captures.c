// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Registers triggers that capture fields of kernel events, and prints the captured fields of each
 * notification:
 *
 *   trigger-captures EVENT FILTER FIELD,FIELD... [EVENT FILTER FIELDS...]
 *
 *   slab_kfree tid=720 call_site=16777312 ptr=53080064
 *
 * An empty FILTER accepts all events. Prints `ready` on standard error when it listens. After
 * SIGTERM, exits when no more notifications arrive. Exit status: 0; 1 if notifications were dropped
 * or a value was missing; 2 on errors.
 */
#include <inttypes.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RULES_MAX 16
#define FIELDS_MAX 16
#define PAUSE_NS 10000000
/* Number of polls without a notification after SIGTERM, before the program exits. */
#define QUIET 200

struct rule {
	const char *event, *filter;
	char *fields[FIELDS_MAX];
	unsigned int field_count;
	struct lttng_trigger *trigger;
};

static volatile sig_atomic_t stop;

static void on_stop(int number)
{
	(void)number;
	stop = 1;
}

static void fail(const char *what, const char *event)
{
	fprintf(stderr, "trigger-captures: %s: %s\n", event, what);
	exit(2);
}

static struct lttng_condition *make_condition(const struct rule *rule)
{
	struct lttng_event_rule *matches = lttng_event_rule_kernel_tracepoint_create();
	struct lttng_condition *condition;

	if (!matches || lttng_event_rule_kernel_tracepoint_set_name_pattern(matches, rule->event) !=
				LTTNG_EVENT_RULE_STATUS_OK)
		fail("no event rule", rule->event);
	if (rule->filter[0] && lttng_event_rule_kernel_tracepoint_set_filter(
				       matches, rule->filter) != LTTNG_EVENT_RULE_STATUS_OK)
		fail("no such filter", rule->event);
	condition = lttng_condition_event_rule_matches_create(matches);
	lttng_event_rule_destroy(matches);
	if (!condition)
		fail("no condition", rule->event);
	for (unsigned int i = 0; i < rule->field_count; i++)
		if (lttng_condition_event_rule_matches_append_capture_descriptor(
			    condition, lttng_event_expr_event_payload_field_create(
					       rule->fields[i])) != LTTNG_CONDITION_STATUS_OK)
			fail("cannot capture", rule->fields[i]);
	return condition;
}

/* Subscribes before it registers the trigger, so that no notification is missed. */
static void start(struct rule *rule, struct lttng_notification_channel *channel)
{
	struct lttng_condition *condition = make_condition(rule);
	struct lttng_action *action = lttng_action_notify_create();

	rule->trigger = lttng_trigger_create(condition, action);
	if (!action || !rule->trigger)
		fail("no trigger", rule->event);
	if (lttng_register_trigger_with_name(rule->trigger, rule->event) != LTTNG_OK)
		fail("the daemon refuses the trigger", rule->event);
	if (lttng_notification_channel_subscribe(channel, condition) !=
	    LTTNG_NOTIFICATION_CHANNEL_STATUS_OK)
		fail("cannot subscribe", rule->event);
	/* The trigger holds references to the action and the condition. */
	lttng_action_destroy(action);
	lttng_condition_destroy(condition);
}

/* Prints one captured value. Returns false if the value is missing. */
static bool print_value(const char *name, const struct lttng_event_field_value *values,
			unsigned int index)
{
	const struct lttng_event_field_value *value;
	const char *s;
	uint64_t u;
	int64_t i;

	if (lttng_event_field_value_array_get_element_at_index(values, index, &value) ==
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK) {
		if (lttng_event_field_value_unsigned_int_get_value(value, &u) ==
		    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
			return printf(" %s=%" PRIu64, name, u) > 0;
		if (lttng_event_field_value_signed_int_get_value(value, &i) ==
		    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
			return printf(" %s=%" PRId64, name, i) > 0;
		if (lttng_event_field_value_string_get_value(value, &s) ==
		    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
			return printf(" %s=%s", name, s) > 0;
	}
	printf(" %s=?", name);
	return false;
}

static bool print_notification(struct lttng_notification *notification, const struct rule *rules,
			       unsigned int count)
{
	const struct lttng_evaluation *evaluation = lttng_notification_get_evaluation(notification);
	const struct lttng_event_field_value *values;
	const char *name = "";
	bool complete = true;

	lttng_trigger_get_name(lttng_notification_get_trigger(notification), &name);
	if (lttng_evaluation_event_rule_matches_get_captured_values(evaluation, &values) !=
	    LTTNG_EVALUATION_EVENT_RULE_MATCHES_STATUS_OK)
		return false;
	for (unsigned int i = 0; i < count; i++) {
		if (strcmp(rules[i].event, name))
			continue;
		printf("%s", name);
		for (unsigned int j = 0; j < rules[i].field_count; j++)
			complete &= print_value(rules[i].fields[j], values, j);
		putchar('\n');
	}
	return complete;
}

/*
 * Prints the notifications that have arrived. Returns their number, or -1 if one was dropped or a
 * value is missing.
 */
static int take(struct lttng_notification_channel *channel, const struct rule *rules,
		unsigned int count)
{
	int taken = 0;
	bool pending;

	while (lttng_notification_channel_has_pending_notification(channel, &pending) ==
		       LTTNG_NOTIFICATION_CHANNEL_STATUS_OK &&
	       pending) {
		struct lttng_notification *notification = NULL;
		bool complete;

		if (lttng_notification_channel_get_next_notification(channel, &notification) !=
		    LTTNG_NOTIFICATION_CHANNEL_STATUS_OK) {
			fprintf(stderr, "trigger-captures: notifications were dropped\n");
			return -1;
		}
		complete = print_notification(notification, rules, count);
		lttng_notification_destroy(notification);
		if (!complete)
			return -1;
		taken++;
	}
	return taken;
}

static unsigned int read_rules(int argc, char **argv, struct rule *rules)
{
	unsigned int count = 0;

	for (int i = 1; i + 2 < argc && count < RULES_MAX; i += 3, count++) {
		struct rule *rule = &rules[count];

		rule->event = argv[i];
		rule->filter = argv[i + 1];
		for (char *field = strtok(argv[i + 2], ",");
		     field && rule->field_count < FIELDS_MAX; field = strtok(NULL, ","))
			rule->fields[rule->field_count++] = field;
	}
	return count;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	const struct sigaction action = { .sa_handler = on_stop };
	struct lttng_notification_channel *channel;
	struct rule rules[RULES_MAX] = { 0 };
	unsigned int count = read_rules(argc, argv, rules);
	bool missing = false;

	if (!count || argc != 1 + 3 * (int)count)
		fail("usage: EVENT FILTER FIELD,FIELD...", "arguments");
	sigaction(SIGTERM, &action, NULL);
	channel = lttng_notification_channel_create(lttng_session_daemon_notification_endpoint);
	if (!channel)
		fail("no notification channel; is lttng-sessiond running?", "daemon");
	for (unsigned int i = 0; i < count; i++)
		start(&rules[i], channel);
	fprintf(stderr, "ready\n");
	for (unsigned int quiet = 0; quiet < QUIET;) {
		int taken = take(channel, rules, count);

		missing |= taken < 0;
		quiet = stop && !taken ? quiet + 1 : 0;
		nanosleep(&pause, NULL);
	}
	for (unsigned int i = 0; i < count; i++) {
		lttng_unregister_trigger(rules[i].trigger);
		lttng_trigger_destroy(rules[i].trigger);
	}
	lttng_notification_channel_destroy(channel);
	return missing;
}
