// SPDX-License-Identifier: GPL-2.0-only
/* LTTng probe of DAX faults and write-back (provider "dax"). */

#include <wrapper/vmalloc.h>
#include <probes/dax/dax.h>
#include <probes/lib/module.h>

static int __init dax_probe_init(void)
{
	int ret;

	wrapper_vmalloc_sync_mappings();
	ret = lttng_mm_hooks_init(&lttng_mm_dax_hooks);
	if (ret)
		return ret;
	ret = lttng_mm_dax_events_init();
	if (ret)
		lttng_mm_hooks_exit(&lttng_mm_dax_hooks);
	return ret;
}

/* Unregisters the events first. Nothing then needs the hooks, and they can be removed. */
static void __exit dax_probe_exit(void)
{
	lttng_mm_dax_events_exit();
	lttng_mm_hooks_exit(&lttng_mm_dax_hooks);
}

module_init(dax_probe_init);
module_exit(dax_probe_exit);

LTTNG_MM_MODULE("LTTng probe of DAX faults and write-back");
