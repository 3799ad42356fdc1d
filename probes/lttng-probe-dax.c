// SPDX-License-Identifier: GPL-2.0-only
/*
 * LTTng probe of DAX faults and write-back (provider "dax").
 */

#include <linux/module.h>
#include <linux/dax.h>
#include <linux/mm.h>
#include <lttng/tracer.h>
#include <lttng/kernel-version.h>
#include <probes/compat/fs-dax.h>

/*
 * The kernel's own declarations, so that an event of ours which does not match one of the running
 * kernel's does not compile.
 */
#include <trace/events/fs_dax.h>

/*
 * The probes.
 */
#include <probes/dax-evidence.h>

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
/* clang-format off */
#define TRACE_INCLUDE_PATH instrumentation/events
/* clang-format on */

#include <instrumentation/events/dax.h>

MODULE_LICENSE("GPL");
MODULE_AUTHOR("lttng-mm");
MODULE_DESCRIPTION("LTTng probe of DAX faults and write-back");
MODULE_VERSION(__stringify(LTTNG_MODULES_MAJOR_VERSION) "." __stringify(
	LTTNG_MODULES_MINOR_VERSION) "." __stringify(LTTNG_MODULES_PATCHLEVEL_VERSION)
		       LTTNG_MODULES_EXTRAVERSION);
