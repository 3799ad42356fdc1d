// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with arguments and results of every kind, called with known values in known numbers,
 * for the tests of lttng-probe-fn. tests/kernel/fn/fn.sh computes the values again.
 *
 *   echo N >/sys/module/fn_truth/parameters/run     calls each function N times, with n from 0
 *   echo N >/sys/module/fn_truth/parameters/block   starts N threads, which stay in
 *                                                   fn_truth_block() until 0 is written
 *   echo D >/sys/module/fn_truth/parameters/deep    fn_truth_deep() calls itself D times
 *   echo N >/sys/module/fn_truth/parameters/why     calls fn_truth_why() N times; each call is
 *                                                   delayed in one of its parts
 *   echo N >/sys/module/fn_truth/parameters/time    calls fn_truth_three() N times, and logs the
 *                                                   clock cycles per call
 */

#include <linux/completion.h>
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

/* The compiler must not inline, clone or pre-compute these functions. */
#define truth noinline __attribute__((__noipa__))
#define truth_end() asm volatile("" ::: "memory")

enum fn_truth_kind { TRUTH_RED, TRUTH_GREEN, TRUTH_BLUE = 5 };

struct fn_truth_pair {
	u32 first, second;
};

/* Like sockptr_t: the second eightbyte fills only a part of a register. */
struct fn_truth_wide_pair {
	u64 number;
	s32 low;
	u16 high;
	bool flag : 1;
};

/* Like struct qstr: two numbers that together may look like an address, and a pointer. */
struct fn_truth_named {
	union {
		struct {
			u32 hash, len;
		};
		u64 hash_len;
	};
	const char *name;
};

struct fn_truth_inner {
	char name[24];
	s16 level;
	u64 wide;
};

struct fn_truth_object {
	u8 tag;
	union {
		struct {
			u16 low, high;
		};
		u32 both;
	};
	unsigned int three : 3;
	int five : 5;
	unsigned int rest : 24;
	s32 array[4];
	struct fn_truth_inner inside;
	struct fn_truth_inner *pointed;
	const char *text;
};

u8 fn_truth_small(u8 a, s8 b, u16 c, s16 d, bool e, enum fn_truth_kind f);
s64 fn_truth_wide(u32 a, s32 b, u64 c, s64 d);
s16 fn_truth_many(u8 a, u64 b, s8 c, u32 d, u16 e, s64 f, u64 g, s32 h);
s64 fn_truth_five(u32 a, s16 b, u64 c, s8 d, s64 e);
s32 fn_truth_seven(u16 a, s32 b, u8 c, u64 d, s64 e, u32 f, s16 g);
void fn_truth_none(void);
void *fn_truth_pointers(void *null, void *error, void *direct, struct page *page, void *code,
			void *mapped);
bool fn_truth_text(const char *text, const char *missing, const char *longer);
u16 fn_truth_bytes(const u8 *data, const u8 *maybe, u32 n);
s32 fn_truth_object(struct fn_truth_object *object, unsigned long address);
u32 fn_truth_kernel(void *kobject, void *qstr);
u16 fn_truth_pair(struct fn_truth_pair pair, u8 after);
u32 fn_truth_by_value(u32 n, struct fn_truth_wide_pair wide, struct fn_truth_named named,
		      struct fn_truth_pair last);
u32 fn_truth_variadic(u32 count, ...);
u32 fn_truth_deep(u32 depth, u32 of);
u32 fn_truth_change(char *text, u8 *number);
u64 fn_truth_sleep(u32 n);
s8 fn_truth_interrupt(u32 n);
void fn_truth_block(u32 n);

truth u8 fn_truth_small(u8 a, s8 b, u16 c, s16 d, bool e, enum fn_truth_kind f)
{
	truth_end();
	return a ^ 0x55;
}

truth s64 fn_truth_wide(u32 a, s32 b, u64 c, s64 d)
{
	truth_end();
	return -1003LL * a;
}

truth s16 fn_truth_many(u8 a, u64 b, s8 c, u32 d, u16 e, s64 f, u64 g, s32 h)
{
	truth_end();
	return (s16)(-2 * h);
}

truth s64 fn_truth_five(u32 a, s16 b, u64 c, s8 d, s64 e)
{
	truth_end();
	return e;
}

truth s32 fn_truth_seven(u16 a, s32 b, u8 c, u64 d, s64 e, u32 f, s16 g)
{
	truth_end();
	return g;
}

truth void fn_truth_none(void)
{
	truth_end();
}

truth void *fn_truth_pointers(void *null, void *error, void *direct, struct page *page, void *code,
			      void *mapped)
{
	truth_end();
	return error;
}

truth bool fn_truth_text(const char *text, const char *missing, const char *longer)
{
	truth_end();
	return text[7] & 1;
}

truth u16 fn_truth_bytes(const u8 *data, const u8 *maybe, u32 n)
{
	truth_end();
	return (u16)(3 * n);
}

truth u32 fn_truth_kernel(void *kobject, void *qstr)
{
	truth_end();
	return ((struct qstr *)qstr)->len;
}

truth s32 fn_truth_object(struct fn_truth_object *object, unsigned long address)
{
	truth_end();
	return -object->tag;
}

truth u16 fn_truth_pair(struct fn_truth_pair pair, u8 after)
{
	truth_end();
	return (u16)(pair.first + after);
}

truth u32 fn_truth_by_value(u32 n, struct fn_truth_wide_pair wide, struct fn_truth_named named,
			    struct fn_truth_pair last)
{
	truth_end();
	return n + wide.high + last.first;
}

truth u32 fn_truth_variadic(u32 count, ...)
{
	truth_end();
	return count + 1;
}

truth u32 fn_truth_deep(u32 depth, u32 of)
{
	u32 below = depth < of ? fn_truth_deep(depth + 1, of) : 0;

	truth_end();
	return below + 1;
}

/* Overwrites the memory that its arguments point to. Events must contain the old contents. */
truth u32 fn_truth_change(char *text, u8 *number)
{
	u32 before = *number;

	strscpy(text, "changed", 16);
	*number = 0xff;
	truth_end();
	return before;
}

truth u64 fn_truth_sleep(u32 n)
{
	set_cpus_allowed_ptr(current, cpumask_of(n % num_online_cpus()));
	usleep_range(100, 200);
	set_cpus_allowed_ptr(current, cpumask_of((n + 1) % num_online_cpus()));
	return 0x8000000000ULL + n;
}

truth s8 fn_truth_interrupt(u32 n)
{
	truth_end();
	return (s8)n;
}

static void call_small(u32 n)
{
	/* Callers may leave garbage in the upper bits of the argument registers. */
	u64 (*with_garbage)(u64, u64, u64, u64, u64, u64) = (void *)fn_truth_small;
	const u64 garbage = 0xdeadbeefcafe0000ULL;

	with_garbage(garbage << 8 | (u8)n, garbage << 8 | (u8)-n, garbage | (u16)(3 * n),
		     garbage | (u16)(-5 * (s32)n), garbage << 8 | (n & 1),
		     garbage << 32 | (n % 3 == 2 ? 5 : n % 3));
}

/*
 * Passes negative 64-bit numbers close to 0: numbers in the kernel's address ranges would not be
 * recorded.
 */
static void call_wide(u32 n)
{
	fn_truth_wide(n, -(s32)n, n * 0x123456789ULL, -(s64)n * 1000);
}

static void call_pointers(u32 n, void *direct, struct page *page, void *mapped)
{
	fn_truth_pointers(NULL, ERR_PTR(-(long)(n % 4095) - 1), direct + n % 64, page,
			  (void *)fn_truth_none, mapped + n % 4096);
}

static void call_text(u32 n)
{
	static char longer[400];
	char text[32];

	memset(longer, 'x', sizeof(longer) - 1);
	snprintf(text, sizeof(text), "number-%u", n);
	fn_truth_text(text, (const char *)(n % 2 ? 8 : 0xffff888000000000ULL << 4), longer);
}

/* Passes readable bytes, an invalid address, and bytes that end at an unmapped page. */
static void call_bytes(u32 n, u8 *mapped)
{
	u8 data[40], there[16], *end = mapped + 2 * PAGE_SIZE - 8;

	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (u8)(n + 7 * i);
	for (unsigned int i = 0; i < sizeof(there); i++)
		there[i] = (u8)(n ^ i);
	memset(end, 0xff, 8);
	fn_truth_bytes(data, n % 3 == 0 ? there : n % 3 == 1 ? (u8 *)8 : end, n);
}

/* Passes structures. In each fifth call, the union contains an address. */
static void call_by_value(u32 n)
{
	struct fn_truth_wide_pair wide = {
		.number = n * 0x100000001ULL,
		.low = -(s32)n,
		.high = (u16)(3 * n),
		.flag = n & 1,
	};
	struct fn_truth_named named = {
		.hash = ~n,
		.len = 3 * n,
		.name = (const char *)(unsigned long)n,
	};

	if (n % 5 == 0)
		named.hash_len = (unsigned long)&named;
	fn_truth_by_value(n, wide, named, (struct fn_truth_pair){ n, ~n });
}

static void call_change(u32 n)
{
	char text[16];
	u8 number = (u8)n;

	snprintf(text, sizeof(text), "before-%u", n);
	fn_truth_change(text, &number);
}

/* Passes structures whose types exist in every kernel: bit fields, unions, pointers. */
static void call_kernel(u32 n)
{
	char name[24];
	struct kobject parent = { .state_in_sysfs = n % 2 };
	struct kobject kobject = {
		.name = name,
		.parent = n % 5 ? &parent : NULL,
		.state_initialized = n % 3 == 1,
		.state_in_sysfs = n % 3 == 2,
	};
	struct qstr qstr = { .hash = ~n, .len = 3 * n };

	snprintf(name, sizeof(name), "kobject %u", n);
	fn_truth_kernel(&kobject, &qstr);
}

static void call_object(u32 n)
{
	struct fn_truth_inner inner = { .level = -(s16)(n % 1000), .wide = n * 0x100000001ULL };
	struct fn_truth_object object = {
		.tag = (u8)n,
		.low = (u16)(2 * n),
		.high = (u16)(7 * n),
		.three = n,
		.five = (int)(n % 32) - 16,
		.rest = n * 3,
		.array = { 1, -(s32)n, 3, (s32)n },
		.inside = { .level = 9 },
		.pointed = n % 5 ? &inner : NULL,
		.text = inner.name,
	};

	snprintf(inner.name, sizeof(inner.name), "inner %u", n);
	snprintf(object.inside.name, sizeof(object.inside.name), "inside %u", n);
	/* A number that looks like an address is not recorded. */
	fn_truth_object(&object, n % 2 ? (unsigned long)&object : n);
}

static u32 interrupts;
static atomic_t in_interrupts;

static void on_irq_work(struct irq_work *work)
{
	fn_truth_interrupt(READ_ONCE(interrupts));
	atomic_inc(&in_interrupts);
}

static DEFINE_IRQ_WORK(truth_irq_work, on_irq_work);

static void on_timer(struct timer_list *timer)
{
	fn_truth_interrupt(READ_ONCE(interrupts));
	atomic_inc(&in_interrupts);
}

static DEFINE_TIMER(truth_timer, on_timer);

/* Calls the function once from a hard interrupt and once from a timer. */
static void call_interrupt(u32 n)
{
	int before = atomic_read(&in_interrupts);

	WRITE_ONCE(interrupts, n);
	irq_work_queue(&truth_irq_work);
	mod_timer(&truth_timer, jiffies);
	while (atomic_read(&in_interrupts) < before + 2)
		usleep_range(100, 200);
}

static int run_set(const char *text, const struct kernel_param *param)
{
	u32 count;
	int ret = kstrtou32(text, 0, &count);
	void *direct = kmalloc(64, GFP_KERNEL), *mapped = vmalloc(2 * PAGE_SIZE);

	if (!direct || !mapped)
		ret = -ENOMEM;
	for (u32 n = 0; n < count && !ret; n++) {
		call_small(n);
		call_wide(n);
		fn_truth_many((u8)n, n * 5ULL, -(s8)(n % 128), n, (u16)n, -(s64)n, n * 7ULL,
			      n % 8000);
		fn_truth_five(n, -(s16)n, 3ULL * n, -(s8)(n % 128), -5LL * n);
		fn_truth_seven((u16)n, -2 * (s32)n, (u8)(3 * n), 4ULL * n, -5LL * n, 6 * n,
			       -(s16)(n % 4000));
		fn_truth_none();
		call_pointers(n, direct, virt_to_page(direct), mapped);
		call_text(n);
		call_bytes(n, mapped);
		call_object(n);
		call_kernel(n);
		call_change(n);
		fn_truth_pair((struct fn_truth_pair){ n, ~n }, (u8)(n + 1));
		call_by_value(n);
		fn_truth_variadic(n, n, "ignored");
		fn_truth_deep(0, n % 8);
		if (!(n % 16)) {
			fn_truth_sleep(n);
			call_interrupt(n);
			cond_resched();
		}
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	if (!ret)
		pr_info("fn-truth: direct 0x%llx, page 0x%lx\n", (u64)virt_to_phys(direct),
			page_to_pfn(virt_to_page(direct)));
	vfree(mapped);
	kfree(direct);
	return ret;
}

static int deep_set(const char *text, const struct kernel_param *param)
{
	u32 depth;
	int ret = kstrtou32(text, 0, &depth);

	if (!ret && depth > 64)
		ret = -EINVAL;
	if (!ret)
		fn_truth_deep(0, depth);
	return ret;
}

u32 fn_truth_three(u32 a, u32 b, u32 c);

truth u32 fn_truth_three(u32 a, u32 b, u32 c)
{
	truth_end();
	return a;
}

static noinline u64 time_of(u32 count)
{
	u64 start = get_cycles();

	for (u32 n = 0; n < count; n++) {
		fn_truth_three(n, 2 * n, 3 * n);
		/* Yields, because this system call takes long. */
		if (!(n % 256))
			cond_resched();
	}
	return get_cycles() - start;
}

static int time_set(const char *text, const struct kernel_param *param)
{
	u32 count;
	int ret = kstrtou32(text, 0, &count);

	if (ret || !count)
		return ret ? ret : -EINVAL;
	time_of(count);
	/* Reports the second round, with warm caches. */
	pr_info("fn-truth: time %llu\n", time_of(count) / count);
	return 0;
}

/*
 * The part of fn_truth_why() that takes most of the time of a call. The argument of fn_truth_why()
 * selects the part; the function's result is the part that took longest.
 */
enum fn_truth_part { TRUTH_ITSELF, TRUTH_BUSY, TRUTH_NAP, TRUTH_ALLOC, TRUTH_PARTS };

/* Longer than most pauses of the guest, so that the delayed part takes the longest time. */
#define TRUTH_DELAY_US 15000
/*
 * If the host stops the guest until after the wake-up time, the thread does not sleep. The nap is
 * therefore longer than most pauses of the guest.
 */
#define TRUTH_NAP_US 30000
#define TRUTH_ALLOCATIONS 8

void fn_truth_busy(u32 us);
void fn_truth_nap(u32 us);
void fn_truth_alloc(u32 us);
u32 fn_truth_why(u32 n, u32 part);

/*
 * Uses a single udelay(). In a loop of short delays, an emulator could run another CPU for longer
 * than a delay, and the loop would take too long.
 */
static void delay(u32 us)
{
	if (us)
		udelay(us);
}

truth void fn_truth_busy(u32 us)
{
	delay(us);
	truth_end();
}

truth void fn_truth_nap(u32 us)
{
	if (us)
		usleep_range(us, us + 100);
	truth_end();
}

truth void fn_truth_alloc(u32 us)
{
	for (u32 i = 0; i < TRUTH_ALLOCATIONS; i++) {
		void *memory = kmalloc(200, GFP_KERNEL);

		delay(us / TRUTH_ALLOCATIONS);
		kfree(memory);
	}
}

/*
 * Delays in @part. Measures the parts, and returns the part that took longest. This part is not
 * @part if the host stopped the guest for longer in another part.
 */
truth u32 fn_truth_why(u32 n, u32 part)
{
	void (*const parts[TRUTH_PARTS])(u32 us) = {
		[TRUTH_BUSY] = fn_truth_busy,
		[TRUTH_NAP] = fn_truth_nap,
		[TRUTH_ALLOC] = fn_truth_alloc,
	};
	u64 took[TRUTH_PARTS], before, start = ktime_get_ns(), others = 0;
	u32 longest = TRUTH_ITSELF;

	for (u32 i = TRUTH_BUSY; i < TRUTH_PARTS; i++) {
		before = ktime_get_ns();
		parts[i](i != part ? 0 : i == TRUTH_NAP ? TRUTH_NAP_US : TRUTH_DELAY_US);
		took[i] = ktime_get_ns() - before;
		others += took[i];
	}
	if (part == TRUTH_ITSELF)
		udelay(TRUTH_DELAY_US);
	took[TRUTH_ITSELF] = ktime_get_ns() - start - others;
	for (u32 i = TRUTH_BUSY; i < TRUTH_PARTS; i++)
		if (took[i] > took[longest])
			longest = i;
	return longest;
}

static int why_set(const char *text, const struct kernel_param *param)
{
	u32 count;
	int ret = kstrtou32(text, 0, &count);

	for (u32 n = 0; n < count && !ret; n++) {
		fn_truth_why(n, n % TRUTH_PARTS);
		cond_resched();
	}
	return ret;
}

static DECLARE_COMPLETION(unblocked);
static atomic_t blocked;

truth void fn_truth_block(u32 n)
{
	atomic_inc(&blocked);
	wait_for_completion(&unblocked);
	atomic_dec(&blocked);
}

static int block(void *n)
{
	fn_truth_block((u32)(unsigned long)n);
	return 0;
}

/* Waits until all threads are in the function, or have left it. */
static int block_set(const char *text, const struct kernel_param *param)
{
	u32 count;
	int ret = kstrtou32(text, 0, &count);

	if (ret)
		return ret;
	if (!count) {
		complete_all(&unblocked);
		while (atomic_read(&blocked))
			msleep(1);
		/* Waits until each thread has returned from the function, too. */
		msleep(100);
		reinit_completion(&unblocked);
		return 0;
	}
	for (u32 i = 0; i < count; i++) {
		struct task_struct *thread =
			kthread_run(block, (void *)(unsigned long)i, "fn-truth-%u", i);

		if (IS_ERR(thread))
			return PTR_ERR(thread);
	}
	while (atomic_read(&blocked) < (int)count)
		msleep(1);
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);
static const struct kernel_param_ops deep_ops = { .set = deep_set };
module_param_cb(deep, &deep_ops, NULL, 0200);
static const struct kernel_param_ops time_ops = { .set = time_set };
module_param_cb(time, &time_ops, NULL, 0200);
static const struct kernel_param_ops why_ops = { .set = why_set };
module_param_cb(why, &why_ops, NULL, 0200);
static const struct kernel_param_ops block_ops = { .set = block_set };
module_param_cb(block, &block_ops, NULL, 0200);

static int __init fn_truth_init(void)
{
	return 0;
}

static void __exit fn_truth_exit(void)
{
}

module_init(fn_truth_init);
module_exit(fn_truth_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("lttng-mm");
MODULE_DESCRIPTION("Functions with known arguments, for the tests of lttng-probe-fn");
