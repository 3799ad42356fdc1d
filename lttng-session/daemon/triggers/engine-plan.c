// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the triggers of profiles from the recorders' plan. */
#include "lttng-session/daemon/triggers/engine-plan.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <syslog.h>

#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"
#include "util/mounts.h"

struct engine_plan {
	struct engine *engine;
	sd_event_source *source;
	bool running; /* the plan has been read before */
};

/*
 * Returns the triggers in the plan as an array for engine_set_planned(), or NULL if out of memory.
 */
static json_t *gather(const struct plan *plan)
{
	json_t *all = json_array();

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_session *session = &plan->sessions[i];
		const json_t *triggers = plan_session_triggers(session);
		json_t *trigger;
		size_t n;

		json_array_foreach(triggers, n, trigger)
		{
			if (json_array_append_new(all, json_pack("{s:s,s:s,s:O}", "profile",
								 session->profile, "recorder",
								 session->recorder, "definition",
								 trigger)))
				goto fail;
		}
	}
	return all;
fail:
	json_decref(all);
	return NULL;
}

void engine_plan_read(struct engine_plan *plan)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan read;
	json_t *all;

	/* If the plan cannot be read, keep the current triggers. */
	if (plan_read(&read, &err)) {
		journal_note(LOG_WARNING, "%s", err.message);
		return;
	}
	all = gather(&read);
	if (all)
		engine_set_planned(plan->engine, all, plan->running);
	plan->running = true;
	json_decref(all);
	plan_release(&read);
}

static int on_change(sd_event_source *source, const struct inotify_event *event, void *user)
{
	/*
	 * Ignore changes of other files. An event without a name means that inotify's queue
	 * overflowed, so the plan may have changed.
	 */
	if (!event->len || !strcmp(event->name, PLAN_FILE))
		engine_plan_read(user);
	return 0;
}

struct engine_plan *engine_plan_create(sd_event *event, struct engine *engine)
{
	struct engine_plan *plan = calloc(1, sizeof(*plan));
	char path[PATH_MAX];
	int ret;

	if (!plan)
		return NULL;
	plan->engine = engine;
	if (mounts_path(path, sizeof(path), MESSAGE_FOLDER)) {
		ret = -ENAMETOOLONG;
	} else {
		/*
		 * Start watching before the first read, so that no change is missed. Writers
		 * replace the plan by a rename.
		 */
		ret = sd_event_add_inotify(event, &plan->source, path,
					   IN_MOVED_TO | IN_DELETE | IN_ONLYDIR, on_change, plan);
	}
	if (ret >= 0) {
		engine_plan_read(plan);
		return plan;
	}
	engine_plan_destroy(plan);
	errno = -ret;
	return NULL;
}

void engine_plan_destroy(struct engine_plan *plan)
{
	if (!plan)
		return;
	sd_event_source_disable_unref(plan->source);
	free(plan);
}

int engine_plan_remove(const char *name, struct mm_error *err)
{
	int lock = plan_lock(PLAN_WAIT_MS, err), ret;
	struct plan plan;

	if (lock < 0)
		return -1;
	ret = plan_read(&plan, err);
	if (!ret) {
		ret = plan_remove_trigger(&plan, name, err);
		if (ret > 0 && plan_write(&plan, err))
			ret = -1;
		plan_release(&plan);
	}
	plan_unlock(lock);
	return ret;
}
