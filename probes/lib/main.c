// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library of all probes. It has call-site numbers, state dumps of call-site numbers and threads
 * (providers "callsite" and "process"), packed records, and attaching on demand. The probe modules
 * depend on it, so modprobe loads it first.
 */

#include <wrapper/vmalloc.h>
#include <probes/lib/call-site.h>
#include <probes/lib/encode.h>
#include <probes/lib/filter.h>
#include <probes/lib/module.h>
#include <probes/lib/statedump.h>

static int __init lttng_mm_lib_init(void)
{
	int ret;

	wrapper_vmalloc_sync_mappings();
	lttng_mm_filter_init();
	ret = lttng_mm_encode_init();
	if (ret)
		return ret;
	ret = lttng_mm_call_sites_init();
	if (ret)
		return ret;
	ret = lttng_mm_callsite_events_init();
	if (ret)
		goto no_callsite_events;
	ret = lttng_mm_process_events_init();
	if (ret)
		goto no_process_events;
	return 0;

no_process_events:
	lttng_mm_callsite_events_exit();
no_callsite_events:
	lttng_mm_call_sites_exit();
	return ret;
}

static void __exit lttng_mm_lib_exit(void)
{
	lttng_mm_process_events_exit();
	lttng_mm_callsite_events_exit();
	lttng_mm_call_sites_exit();
}

module_init(lttng_mm_lib_init);
module_exit(lttng_mm_lib_exit);

LTTNG_MM_MODULE("Library of the lttng-mm probes");
