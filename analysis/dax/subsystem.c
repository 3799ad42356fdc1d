// SPDX-License-Identifier: LGPL-2.1-only
/* The DAX subsystem. */
#include "analysis/subsystem/subsystem.h"

#include "analysis/dax/dax.h"

/* All 27 fit LTTng's compact header. */
static const char *const events[] = { "dax_*", MM_THREAD_EVENTS, NULL };
static const char *const state_events[] = { MM_THREAD_STATE_EVENTS, NULL };
static const char *const contexts[] = { NULL };

static const struct mm_need needs[] = {
	{ MM_NEED_CONFIG, "CONFIG_FS_DAX", "without it the kernel has no DAX" },
	{ MM_NEED_DAX_MOUNT, NULL, NULL },
	{ 0 },
};

extern const struct mm_subsystem mm_dax_subsystem;

const struct mm_subsystem mm_dax_subsystem = {
	.name = "dax",
	.profile = {
		.name = "dax",
		.module = "lttng-probe-dax",
		.events = events,
		.contexts = contexts,
		.subbuf_bytes = 1 << 20,
		.subbuf_count = 8,
		.needs = needs,
		.starts_unevenly = true,
		.state_events = state_events,
	},
	.analysis = &mm_dax_analysis,
};
