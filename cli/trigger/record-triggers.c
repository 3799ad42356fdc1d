// SPDX-License-Identifier: LGPL-2.1-only
/* Checks the triggers of profiles, and reports which of them are active. */
#include "cli/trigger/record-triggers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/profile-trigger.h"
#include "lttng-session/daemon/triggers/definition/store.h"
#include "lttng-session/recorder/plan.h"
#include "util/escape.h"
#include "util/plural.h"

static const struct profile *profile_of(const struct record_triggers *triggers, size_t number)
{
	return triggers->options->profiles[triggers->profiles[number]];
}

/* Passes the checked triggers to the plan. Returns 0, or -1 with @err set. */
static int note(const struct record_triggers *triggers, struct mm_error *err)
{
	struct recorder_options *options = triggers->options;

	for (size_t i = 0; i < RECORDER_PROFILES_MAX; i++) {
		json_decref(options->triggers[i]);
		options->triggers[i] = NULL;
	}
	for (size_t i = 0; i < triggers->count; i++) {
		json_t **list = &options->triggers[triggers->profiles[i]];

		if (!*list)
			*list = json_array();
		if (json_array_append_new(*list, trigger_to_json(triggers->all[i])))
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "record: out of memory");
	}
	return 0;
}

static int check_all(const struct record_triggers *triggers, struct mm_error *whys,
		     struct mm_error *err)
{
	trigger_check_events(triggers->all, triggers->count, whys);
	for (size_t i = 0; i < triggers->count; i++)
		if (whys[i].code || trigger_check_pressure(triggers->all[i], &whys[i]))
			return trigger_refuse_profile(profile_of(triggers, i), triggers->numbers[i],
						      &whys[i], err);
	return 0;
}

/*
 * Checks the triggers and adds them to the plan. Called when the tracer knows the events of the
 * profiles.
 */
static int check(void *user, struct mm_error *err)
{
	struct record_triggers *triggers = user;
	struct mm_error *whys = calloc(RECORD_TRIGGERS_MAX, sizeof(*whys));
	int ret = 0;

	if (!whys)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "record: out of memory");
	if (!triggers->unchecked)
		ret = check_all(triggers, whys, err);
	free(whys);
	return ret ? ret : note(triggers, err);
}

int record_triggers_use(struct record_triggers *triggers, struct recorder_options *options,
			struct mm_error *err)
{
	triggers->options = options;
	for (size_t i = 0; i < options->count; i++) {
		const struct profile *profile = options->profiles[i];

		for (size_t n = 0; n < profile->triggers.count; n++) {
			struct trigger *trigger =
				trigger_from_profile(profile, n, options->recorder, err);

			if (!trigger)
				return -1;
			triggers->profiles[triggers->count] = i;
			triggers->numbers[triggers->count] = n;
			triggers->all[triggers->count++] = trigger;
		}
	}
	if (triggers->count) {
		options->prepared = check;
		options->prepared_user = triggers;
	}
	return 0;
}

void record_triggers_release(struct record_triggers *triggers)
{
	for (size_t i = 0; i < triggers->count; i++)
		trigger_destroy(triggers->all[i]);
	triggers->count = 0;
}

void record_triggers_print(FILE *out, const struct record_triggers *triggers)
{
	for (size_t i = 0; i < triggers->count; i++) {
		fprintf(out,
			"# while recording, the recorder daemon takes a snapshot on the trigger %s of the profile %s: ",
			triggers->all[i]->name, profile_of(triggers, i)->name);
		mm_escape_print(out, triggers->all[i]->on);
		fputc('\n', out);
	}
}

/*
 * Triggers that users added. If a trigger of a profile has the same name, the user's trigger has
 * priority.
 */
struct name_conflicts {
	const struct record_triggers *triggers;
	struct {
		bool stored;
		uid_t uid; /* user who added the trigger */
	} all[RECORD_TRIGGERS_MAX];
};

static void look_at_stored(void *user, struct trigger *trigger, const struct mm_error *refused)
{
	struct name_conflicts *conflicts = user;

	(void)refused;
	for (size_t i = 0; trigger && i < conflicts->triggers->count; i++)
		if (!strcmp(trigger->name, conflicts->triggers->all[i]->name)) {
			conflicts->all[i].stored = true;
			conflicts->all[i].uid = trigger->uid;
		}
	trigger_destroy(trigger);
}

/* Returns the first session in the plan that has a trigger named @name, or NULL. */
static const struct plan_session *find_owner(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->count; i++) {
		const json_t *list = plan_session_triggers(&plan->sessions[i]), *trigger;
		size_t n;

		json_array_foreach(list, n, trigger)
		{
			if (!strcmp(json_string_value(json_object_get(trigger, "name")), name))
				return &plan->sessions[i];
		}
	}
	return NULL;
}

/* If the trigger is not active, prints a note. Returns true if it is active. */
static bool report(FILE *notes, const struct name_conflicts *conflicts, size_t number,
		   const struct plan *plan)
{
	const struct record_triggers *triggers = conflicts->triggers;
	const struct profile *profile = profile_of(triggers, number);
	const char *name = triggers->all[number]->name;
	const struct plan_session *owner = find_owner(plan, name);

	if (conflicts->all[number].stored) {
		fprintf(notes,
			"lttng-mm: note: the trigger %s of the profile %s is disabled: user %lu added a trigger with the same name, which takes precedence\n",
			name, profile->name, (unsigned long)conflicts->all[number].uid);
		return false;
	}
	if (owner && (strcmp(owner->recorder, triggers->options->recorder) != 0 ||
		      !plan_session_is_for(owner, profile->name))) {
		fprintf(notes,
			"lttng-mm: note: the trigger %s of the profile %s is disabled: the profile %s in session %s has a trigger with the same name\n",
			name, profile->name, owner->profile, owner->name);
		return false;
	}
	return true;
}

void record_triggers_report(FILE *out, FILE *notes, const struct record_triggers *triggers)
{
	struct name_conflicts conflicts = { .triggers = triggers };
	struct mm_error ignored = MM_ERROR_INIT;
	size_t effective = 0;
	struct plan plan;

	if (!triggers->count || plan_read(&plan, &ignored))
		return;
	trigger_store_list(look_at_stored, &conflicts, &ignored);
	for (size_t i = 0; i < triggers->count; i++) {
		if (!report(notes, &conflicts, i, &plan))
			continue;
		fprintf(out, "%s%s", effective++ ? ", " : "triggers: ", triggers->all[i]->name);
	}
	if (effective)
		fprintf(out, "; `lttng-mm trigger list` shows them\n");
	plan_release(&plan);
}
