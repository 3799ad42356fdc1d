// SPDX-License-Identifier: LGPL-2.1-only
/* Lists the functions that the kernel module stopped. */
#include "lttng-session/fn/stopped.h"

#include <unistd.h>

#include "lttng-session/fn/device.h"
#include "util/clock.h"
#include "util/json-file.h"

#define NS_PER_S 1000000000

struct stopped_list {
	json_t *functions;
	json_int_t count;
	int64_t boot; /* time of boot in nanoseconds since the Epoch */
};

static int add(const struct lttng_mm_fn_state *state, void *user)
{
	struct stopped_list *list = user;
	const int64_t since = list->boot + (int64_t)state->stopped_ns;

	if (!(state->state & LTTNG_MM_FN_STATE_STOPPED))
		return 0;
	if (++list->count > FN_STOPPED_MAX)
		return 0;
	return json_array_append_new(list->functions,
				     json_pack("{s:o,s:I}", "name", mm_json_text(state->name),
					       "since", (json_int_t)(since / NS_PER_S)));
}

json_t *fn_stopped(void)
{
	struct stopped_list list = { .boot = mm_clock_ns(CLOCK_REALTIME) -
					     mm_clock_ns(CLOCK_BOOTTIME) };
	struct mm_error err = MM_ERROR_INIT;
	int device = fn_device_open(false, &err);
	bool failed = device < 0 && err.code;

	/* If the module is not loaded, no function has been added. */
	list.functions = json_array();
	if (device >= 0) {
		failed = fn_device_each(device, add, &list, &err);
		close(device);
	}
	if (!failed)
		return json_pack("{s:I,s:o}", "count", list.count, "functions", list.functions);
	json_decref(list.functions);
	return NULL;
}
