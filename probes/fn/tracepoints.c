// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of tracepoints for function events. LTTng attaches its callbacks to them.
 *
 * LTTng finds only tracepoints that a module has when it is loaded. Like the tracepoints of the
 * kernel's synthetic events, these have no call site, no static call and no iterator.
 */

#include <linux/kernel.h>
#include <linux/tracepoint.h>
#include <probes/fn/fn.h>

/*
 * Number of tracepoints in use. The kernel calls on_use() or on_disuse() before it changes a
 * tracepoint. The kernel then holds its tracepoint mutex.
 */
static atomic_t used;

static int on_use(void)
{
	atomic_inc(&used);
	fn_changed(true);
	return 0;
}

static void on_disuse(void)
{
	atomic_dec(&used);
	fn_changed(false);
}

/* Linux 6.14 moved these functions to a separate struct. */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 14, 0))
static struct tracepoint_ext fn_tracepoint_ext = {
	.regfunc = on_use,
	.unregfunc = on_disuse,
};
#define FN_TRACEPOINT_FUNCTIONS .ext = &fn_tracepoint_ext
#else
#define FN_TRACEPOINT_FUNCTIONS .regfunc = on_use, .unregfunc = on_disuse
#endif

/* clang-format off */
#define FN_ONE(_name)								\
	static struct tracepoint __used __section("__tracepoints") __tracepoint_##_name = { \
		.name = #_name,							\
		FN_TRACEPOINT_FUNCTIONS,					\
	};									\
	__TRACEPOINT_ENTRY(_name);
#define FN_THREE(_number)							\
	FN_ONE(lttng_mm_fn_entry_##_number)					\
	FN_ONE(lttng_mm_fn_exit_##_number)					\
	FN_ONE(lttng_mm_fn_call_##_number)
#define FN_POINTERS(_number)							\
	{ &__tracepoint_lttng_mm_fn_entry_##_number,				\
	  &__tracepoint_lttng_mm_fn_exit_##_number,				\
	  &__tracepoint_lttng_mm_fn_call_##_number },

#define FN_16(_do, _n)								\
	_do(_n##0) _do(_n##1) _do(_n##2) _do(_n##3) _do(_n##4) _do(_n##5) _do(_n##6) _do(_n##7) \
	_do(_n##8) _do(_n##9) _do(_n##a) _do(_n##b) _do(_n##c) _do(_n##d) _do(_n##e) _do(_n##f)
#define FN_256(_do, _n)								\
	FN_16(_do, _n##0) FN_16(_do, _n##1) FN_16(_do, _n##2) FN_16(_do, _n##3)	\
	FN_16(_do, _n##4) FN_16(_do, _n##5) FN_16(_do, _n##6) FN_16(_do, _n##7)	\
	FN_16(_do, _n##8) FN_16(_do, _n##9) FN_16(_do, _n##a) FN_16(_do, _n##b)	\
	FN_16(_do, _n##c) FN_16(_do, _n##d) FN_16(_do, _n##e) FN_16(_do, _n##f)
#define FN_ALL(_do)								\
	FN_256(_do, 0) FN_256(_do, 1) FN_256(_do, 2) FN_256(_do, 3)		\
	FN_256(_do, 4) FN_256(_do, 5) FN_256(_do, 6) FN_256(_do, 7)

FN_ALL(FN_THREE)

static struct tracepoint *const pool[][FN_EVENTS] = { FN_ALL(FN_POINTERS) };
/* clang-format on */

static_assert(ARRAY_SIZE(pool) == LTTNG_MM_FN_FUNCTIONS);

bool fn_tracepoints_change(void)
{
	int expected = atomic_read(&used), found = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(pool); i++)
		for (unsigned int event = 0; event < FN_EVENTS; event++)
			found += fn_tracepoint_used(pool[i][event]);
	return found != expected;
}

struct tracepoint *fn_tracepoint(unsigned int slot, enum fn_event event)
{
	return pool[slot][event];
}
