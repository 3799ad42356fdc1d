// SPDX-License-Identifier: LGPL-2.1-only
/* The DAX subsystem. */
#include "analysis/subsystem/subsystem.h"

#include "analysis/dax/dax.h"

static const struct mm_need needs[] = {
	{ MM_NEED_CONFIG, "CONFIG_FS_DAX", "without it the kernel has no DAX" },
	{ MM_NEED_DAX_MOUNT, NULL, NULL },
	{ 0 },
};

extern const struct mm_subsystem mm_dax_subsystem;

const struct mm_subsystem mm_dax_subsystem = {
	.name = "dax",
	.profile = "dax",
	.needs = needs,
	.analysis = &mm_dax_analysis,
};
