// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the functions that triggers need, and adds missing functions again. */
#include "lttng-session/daemon/triggers/definition/functions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/profile-trigger.h"
#include "lttng-session/daemon/triggers/definition/store.h"
#include "lttng-session/fn/add.h"
#include "lttng-session/fn/device.h"
#include "lttng-session/fn/list-entry.h"
#include "lttng-session/profile/event-names.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"

bool trigger_function_of(const char *event, char name[LTTNG_MM_FN_NAME_MAX])
{
	struct function_event parsed;

	if (!event || !function_event_parse(event, &parsed) ||
	    parsed.length >= LTTNG_MM_FN_NAME_MAX)
		return false;
	memcpy(name, parsed.name, parsed.length);
	name[parsed.length] = '\0';
	return true;
}

struct spec_lookup {
	const char *name;
	char *spec; /* SPEC of the function; NULL: not found, or out of memory */
	bool found;
};

static int look(const struct lttng_mm_fn_state *state, void *user)
{
	struct spec_lookup *lookup = user;

	lookup->found = !strcmp(state->name, lookup->name);
	if (lookup->found)
		lookup->spec = strdup(state->spec);
	return lookup->found;
}

/*
 * Looks up an added function. Returns 1 with its SPEC, which the caller frees. Returns 0 if there
 * is no such function, or -1 with @err set.
 */
static int find(const char *name, char **spec, struct mm_error *err)
{
	struct spec_lookup lookup = { .name = name };
	struct mm_error why = MM_ERROR_INIT;
	int device = fn_device_open(false, &why), ret;

	*spec = NULL;
	/* If the module is not loaded, no function exists. */
	if (device < 0)
		return why.code ? mm_error_set(err, why.code, "%s", why.message) : 0;
	ret = fn_device_each(device, look, &lookup, err);
	close(device);
	*spec = lookup.spec;
	return ret < 0 ? -1 : lookup.found;
}

/*
 * Adds a missing function. Tries twice, because the watcher of another trigger may add the function
 * at the same time. The second attempt then finds it.
 */
static int add_again(const struct trigger *trigger, const char *name, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;

	if (fn_list_entry_reveals(trigger->spec) && recorder_reveal_functions(err))
		return -1;
	if (!fn_add_listed(name, trigger->spec, &why))
		return 0;
	mm_error_clear(&why);
	if (!fn_add_listed(name, trigger->spec, &why))
		return 0;
	return trigger_error(trigger, err, why.code,
			     "the function of its event cannot be added again: %s", why.message);
}

static int restore(struct trigger *trigger, const char *name, struct mm_error *err)
{
	char *spec;
	int found = find(name, &spec, err);

	if (found > 0 && !trigger->spec) {
		trigger->spec = spec;
		return spec ? 0 : trigger_error(trigger, err, MM_EXIT_ENVIRONMENT, "out of memory");
	}
	free(spec);
	if (found || !trigger->spec)
		return found < 0 ? -1 : 0;
	if (trigger->uid)
		return trigger_error(
			trigger, err, MM_EXIT_ENVIRONMENT,
			"the function of its event does not exist, and only root may add it: lttng-mm fn add '%s'",
			trigger->spec);
	return add_again(trigger, name, err);
}

void trigger_add_functions(struct trigger *const *triggers, size_t count, struct mm_error *errs)
{
	char name[LTTNG_MM_FN_NAME_MAX];

	for (size_t i = 0; i < count && !geteuid(); i++)
		if (!errs[i].code && trigger_function_of(triggers[i]->event, name))
			restore(triggers[i], name, &errs[i]);
}

struct each_function_ctx {
	void (*take)(void *user, const struct trigger *trigger, const char *function);
	void *user;
};

static void visit_stored(void *user, struct trigger *trigger, const struct mm_error *refused)
{
	const struct each_function_ctx *ctx = user;
	char name[LTTNG_MM_FN_NAME_MAX];

	(void)refused;
	if (trigger && trigger_function_of(trigger->event, name))
		ctx->take(ctx->user, trigger, name);
	trigger_destroy(trigger);
}

static void visit_planned(struct each_function_ctx *ctx, const struct plan_session *session)
{
	const json_t *list = plan_session_triggers(session), *trigger;
	size_t i;

	json_array_foreach(list, i, trigger)
	{
		struct mm_error ignored = MM_ERROR_INIT;

		visit_stored(ctx, trigger_from_plan(trigger, session->recorder, &ignored), NULL);
	}
}

void trigger_each_function(void (*take)(void *user, const struct trigger *trigger,
					const char *function),
			   void *user)
{
	struct each_function_ctx ctx = { take, user };
	struct mm_error ignored = MM_ERROR_INIT;
	struct plan plan;

	trigger_store_list(visit_stored, &ctx, &ignored);
	if (plan_read(&plan, &ignored))
		return;
	for (size_t i = 0; i < plan.count; i++)
		visit_planned(&ctx, &plan.sessions[i]);
	plan_release(&plan);
}

bool trigger_reveals(const struct trigger *trigger)
{
	return trigger->event && (!event_name_is_safe(trigger->event) ||
				  (trigger->spec && fn_list_entry_reveals(trigger->spec)));
}
