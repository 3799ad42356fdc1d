// SPDX-License-Identifier: LGPL-2.1-only
/* Describes the subsystem fn: calls of functions. */
#include "analysis/subsystem/subsystem.h"

#include "analysis/fn/fn.h"
#include "analysis/fn/verify/verify.h"

static const struct mm_need needs[] = {
	{ MM_NEED_CONFIG, "CONFIG_KRETPROBES", "the probe hooks functions with it" },
	{ MM_NEED_BTF, NULL, "types must be given in each SPEC" },
	{ MM_NEED_TRACEFS, NULL, "patterns of functions require it" },
	{ 0 },
};

static const struct mm_event_text texts[] = {
	{ .events = "fn_*_entry", .in_argument_order = true },
	{ .events = "fn_*_exit", .result = "ret" },
	{ .events = "fn_*_call", .result = "ret", .in_argument_order = true },
	{ .events = NULL },
};

extern const struct mm_subsystem mm_fn_subsystem;

const struct mm_subsystem mm_fn_subsystem = {
	.name = "fn",
	.profile = "fn",
	.needs = needs,
	.analysis = &mm_fn_analysis,
	.rules = &mm_fn_rules,
	.texts = texts,
};
