// SPDX-License-Identifier: GPL-2.0-only
/* LTTng probe of functions (providers "fn_NAME"). The functions are added through a device. */

#include <linux/module.h>
#include <wrapper/vmalloc.h>
#include <probes/fn/fn.h>
#include <probes/fn/hook.h>
#include <probes/lib/module.h>

static int __init fn_probe_init(void)
{
	int ret;

	wrapper_vmalloc_sync_mappings();
	ret = fn_hooks_init();
	if (ret)
		return ret;
	ret = fn_statedump_init();
	if (ret)
		goto exit_hooks;
	ret = fn_device_init();
	if (ret)
		goto exit_statedump;
	return 0;

exit_statedump:
	fn_statedump_exit();
exit_hooks:
	fn_hooks_exit();
	return ret;
}

/* No session has an event, and no file of the device is open. */
static void __exit fn_probe_exit_module(void)
{
	fn_device_exit();
	fn_statedump_exit();
	mutex_lock(&fn_mutex);
	fn_forget_all();
	mutex_unlock(&fn_mutex);
	fn_hooks_exit();
}

module_init(fn_probe_init);
module_exit(fn_probe_exit_module);

LTTNG_MM_MODULE("LTTng probe of function calls");
