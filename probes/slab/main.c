// SPDX-License-Identifier: GPL-2.0-only
/*
 * LTTng probe of slab and page allocations (providers "slab" and "page").
 */

#include <linux/module.h>
#include <lttng/tracer.h>
#include <wrapper/vmalloc.h>
#include <probes/slab/slab.h>

static int __init slab_probe_init(void)
{
	int ret;

	wrapper_vmalloc_sync_mappings();
	ret = mm_codes_init();
	if (ret)
		return ret;
	ret = mm_caches_init();
	if (ret)
		goto exit_codes;
	ret = mm_slab_paths_init();
	if (ret)
		goto exit_caches;
	mm_caches_add_known();
	ret = mm_slab_hooks_init();
	if (ret)
		goto exit_paths;
	ret = mm_slab_events_init();
	if (ret)
		goto exit_hooks;
	return 0;

exit_hooks:
	mm_slab_hooks_exit();
exit_paths:
	mm_slab_paths_exit();
exit_caches:
	mm_caches_exit();
exit_codes:
	mm_codes_exit();
	return ret;
}

static void __exit slab_probe_exit(void)
{
	mm_slab_events_exit();
	mm_slab_hooks_exit();
	mm_slab_paths_exit();
	mm_caches_exit();
	mm_codes_exit();
}

module_init(slab_probe_init);
module_exit(slab_probe_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("lttng-mm");
MODULE_DESCRIPTION("LTTng probe of slab and page allocations");
MODULE_VERSION(__stringify(LTTNG_MODULES_MAJOR_VERSION) "." __stringify(
	LTTNG_MODULES_MINOR_VERSION) "." __stringify(LTTNG_MODULES_PATCHLEVEL_VERSION)
		       LTTNG_MODULES_EXTRAVERSION);
