// SPDX-License-Identifier: GPL-2.0-only
/* Provider "fnstate": dumps the added functions. */

#include <linux/sched.h>
#include <linux/slab.h>
#include <instrumentation/events/fnstate.h>
#include <probes/fn/fn.h>
#include <probes/fn/hook.h>
#include <probes/lib/events.h>
#include <probes/lib/statedump.h>

/* Maximum size of a SPEC in a state dump, in bytes. */
#define SPEC_MAX 256

struct function_record {
	struct lttng_mm_fnstate_statedump_function numbers;
	u8 texts[2 * LTTNG_MM_FN_NAME_MAX + MODULE_NAME_LEN + SPEC_MAX];
} __packed;

/* Context: any. Reads the functions under RCU; takes no lock. */
static void lttng_mm_dump_fnstate_statedump_function(void *event,
						     struct lttng_kernel_session *session);

lttng_mm_define_statedump_provider(fnstate, lttng_mm_fnstate_statedump_events);

static void write_function(void *event, const struct fn *fn, struct function_record *rec)
{
	struct fn_hook_state state = fn_hook_state(fn);
	size_t len = 0;

	rec->numbers = (struct lttng_mm_fnstate_statedump_function){
		.calls = fn_calls(fn),
		.misses = state.misses,
		.misses_group = state.group,
		.hooked = state.hooked,
		.stopped = READ_ONCE(fn->stopped),
		.absent = !READ_ONCE(fn->address),
	};
	len = lttng_mm_put_text(rec->texts, len, fn->name, LTTNG_MM_FN_NAME_MAX);
	len = lttng_mm_put_text(rec->texts, len, fn->symbol, LTTNG_MM_FN_NAME_MAX);
	len = lttng_mm_put_text(rec->texts, len, fn->module ? fn->module : "", MODULE_NAME_LEN);
	len = lttng_mm_put_text(rec->texts, len, fn->spec, SPEC_MAX);
	lttng_mm_record_general(event, &lttng_mm_class_fnstate_statedump_function, rec,
				sizeof(rec->numbers) + len);
}

static void lttng_mm_dump_fnstate_statedump_function(void *event,
						     struct lttng_kernel_session *session)
{
	struct function_record *rec;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	rec = kmalloc(sizeof(*rec), GFP_ATOMIC);
	if (!rec)
		return;
	/* Since Linux 7.0, this loop can be preempted between two records. Before, it cannot. */
	for (unsigned int slot = 0; slot < LTTNG_MM_FN_FUNCTIONS; slot++) {
		const struct fn *fn;

		preempt_disable_notrace();
		fn = fn_of_slot(slot);
		if (fn)
			write_function(event, fn, rec);
		preempt_enable_notrace();
	}
	kfree(rec);
}

int fn_statedump_init(void)
{
	return lttng_mm_register_fnstate();
}

void fn_statedump_exit(void)
{
	lttng_mm_unregister_fnstate();
}
