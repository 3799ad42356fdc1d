// SPDX-License-Identifier: LGPL-2.1-only
/* The subsystem why: an analysis of events that other subsystems record. */
#include "analysis/subsystem/subsystem.h"

#include "analysis/why/why.h"

extern const struct mm_subsystem mm_why_subsystem;

const struct mm_subsystem mm_why_subsystem = {
	.name = "why",
	.analysis = &mm_why_analysis,
};
