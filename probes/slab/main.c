// SPDX-License-Identifier: GPL-2.0-only
/* LTTng probe of slab and page allocations (providers "slab" and "page"). */

#include <wrapper/vmalloc.h>
#include <probes/lib/module.h>
#include <probes/slab/slab.h>

static int __init slab_probe_init(void)
{
	int ret;

	wrapper_vmalloc_sync_mappings();
	ret = lttng_mm_caches_init();
	if (ret)
		return ret;
	ret = lttng_mm_slab_paths_init();
	if (ret)
		goto exit_caches;
	lttng_mm_caches_add_known();
	ret = lttng_mm_slab_hooks_init();
	if (ret)
		goto exit_paths;
	ret = lttng_mm_slab_events_init();
	if (ret)
		goto exit_hooks;
	return 0;

exit_hooks:
	lttng_mm_slab_hooks_exit();
exit_paths:
	lttng_mm_slab_paths_exit();
exit_caches:
	lttng_mm_caches_exit();
	return ret;
}

static void __exit slab_probe_exit(void)
{
	lttng_mm_slab_events_exit();
	lttng_mm_slab_hooks_exit();
	lttng_mm_slab_paths_exit();
	lttng_mm_caches_exit();
}

module_init(slab_probe_init);
module_exit(slab_probe_exit);

LTTNG_MM_MODULE("LTTng probe of slab and page allocations");
