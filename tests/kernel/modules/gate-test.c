// SPDX-License-Identifier: GPL-2.0-only
/*
 * The regressions that the tests of `gate` must find: a function that becomes slower, and a leak.
 *
 *   echo 'N LOOPS' >/sys/module/gate_test/parameters/call   calls gate_test_function() N times,
 *                                                           with a loop of LOOPS steps
 *   echo N >/sys/module/gate_test/parameters/leak           allocates N objects, which are freed
 *                                                           when the module is unloaded
 */

#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

/* The allocations take about this time, so that some are made in each quarter of a run. */
#define LEAK_MS 400

struct gate_test_object {
	struct list_head list;
	char rest[80];
};

static LIST_HEAD(leaked);

u32 gate_test_function(u32 loops);
int gate_test_leak(void);

noinline __attribute__((__noipa__)) u32 gate_test_function(u32 loops)
{
	u32 sum = 0;

	for (u32 i = 0; i < loops; i++) {
		sum += i;
		/* The compiler must not replace the loop by a formula. */
		asm volatile("" : "+r"(sum));
	}
	return sum;
}

noinline __attribute__((__noipa__)) int gate_test_leak(void)
{
	struct gate_test_object *object = kzalloc(sizeof(*object), GFP_KERNEL);

	if (!object)
		return -ENOMEM;
	list_add(&object->list, &leaked);
	return 0;
}

static int call_set(const char *text, const struct kernel_param *param)
{
	unsigned int calls, loops;

	if (sscanf(text, "%u %u", &calls, &loops) != 2)
		return -EINVAL;
	while (calls--)
		gate_test_function(loops);
	return 0;
}

static int leak_set(const char *text, const struct kernel_param *param)
{
	unsigned int count, i;
	int ret = kstrtouint(text, 0, &count);

	for (i = 0; !ret && i < count; i++) {
		ret = gate_test_leak();
		if (count >= LEAK_MS && i % (count / LEAK_MS) == 0)
			usleep_range(1000, 1100);
	}
	return ret;
}

static const struct kernel_param_ops call_ops = { .set = call_set };
module_param_cb(call, &call_ops, NULL, 0200);
static const struct kernel_param_ops leak_ops = { .set = leak_set };
module_param_cb(leak, &leak_ops, NULL, 0200);

static int __init gate_test_init(void)
{
	return 0;
}

static void __exit gate_test_exit(void)
{
	struct gate_test_object *object, *next;

	list_for_each_entry_safe(object, next, &leaked, list)
		kfree(object);
}

module_init(gate_test_init);
module_exit(gate_test_exit);
MODULE_DESCRIPTION("Test module of lttng-mm: a slow function and a leak");
MODULE_LICENSE("GPL");
