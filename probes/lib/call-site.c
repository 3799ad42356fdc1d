// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call-site numbers: kernel code addresses as 32-bit numbers that do not reveal where KASLR put the
 * code.
 *
 *   [0, size of kernel text)   offset from _stext
 *   [next_number, ...)         one range per module, assigned when it is loaded or first seen
 *
 * A module that is loaded again gets its old range if its size and symbols are unchanged, so that a
 * number keeps its name. Otherwise it gets a new range, and the old range is never reused, so that
 * numbers of the old module never get names of the new module. (Build IDs would also distinguish
 * builds, but struct module has them only with CONFIG_STACKTRACE_BUILD_ID.) The init text of a
 * module has a range while it exists.
 *
 * Lookups read a sorted array under RCU. When a module is loaded or unloaded, a module notifier
 * replaces the array.
 */

#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <wrapper/kallsyms.h>
#include <probes/compat/module-text.h>
#include <probes/lib/call-site.h>

/*
 * Alignment of the modules' ranges. It usually leaves a gap before a range, so that the number just
 * after the last byte of the previous range is not the first number of a module.
 */
#define RANGE_ALIGN 64

struct code_range {
	struct list_head node; /* added under ranges_mutex, read under RCU, never removed */
	unsigned long start;
	u32 size, first;
	bool alive;
	u64 symbols; /* hash of the symbols' names and offsets; 0: unknown */
	char name[MODULE_NAME_LEN + sizeof(".init")];
};

struct call_site_table {
	unsigned int count;
	struct {
		unsigned long start;
		u32 size, first;
	} range[];
};

unsigned long lttng_mm_text_start, lttng_mm_text_size;
EXPORT_SYMBOL_GPL(lttng_mm_text_start);
EXPORT_SYMBOL_GPL(lttng_mm_text_size);

static LIST_HEAD(ranges);
static DEFINE_MUTEX(ranges_mutex);
static struct call_site_table __rcu *lookup;
static u32 next_number;

/* Cache of lookups, indexed by page: the array index of the last range found. May be outdated. */
static u16 hints[256];

u32 lttng_mm_call_site_of_module(unsigned long address)
{
	const struct call_site_table *table = rcu_dereference_raw(lookup);
	u16 *hint = &hints[(address >> PAGE_SHIFT) % ARRAY_SIZE(hints)];
	unsigned int low = 0, high, at = READ_ONCE(*hint);

	if (unlikely(!table))
		return 0;
	if (likely(at < table->count && address - table->range[at].start < table->range[at].size))
		return table->range[at].first + (u32)(address - table->range[at].start);
	high = table->count;
	while (low < high) {
		at = (low + high) / 2;
		if (address < table->range[at].start) {
			high = at;
		} else if (address - table->range[at].start >= table->range[at].size) {
			low = at + 1;
		} else {
			WRITE_ONCE(*hint, (u16)at);
			return table->range[at].first + (u32)(address - table->range[at].start);
		}
	}
	return 0;
}
EXPORT_SYMBOL_GPL(lttng_mm_call_site_of_module);

static int by_start(const void *a, const void *b)
{
	const typeof(((struct call_site_table *)0)->range[0]) *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Builds the array of live ranges, and replaces the current one. Under ranges_mutex. Sleeps. */
static void publish(void)
{
	struct call_site_table *new, *old = rcu_dereference_protected(lookup, true);
	struct code_range *range;
	unsigned int count = 0;

	list_for_each_entry(range, &ranges, node)
		count += range->alive;
	new = kvmalloc(struct_size(new, range, count), GFP_KERNEL);
	if (!new) {
		/*
		 * Continue without an array: code of modules then has the number 0. The old array
		 * could give a number of an unloaded module to other code.
		 */
		pr_err("lttng-mm-lib: no memory for %u code ranges\n", count);
	} else {
		new->count = 0;
		list_for_each_entry(range, &ranges, node) {
			if (!range->alive)
				continue;
			new->range[new->count].start = range->start;
			new->range[new->count].size = range->size;
			new->range[new->count++].first = range->first;
		}
		sort(new->range, new->count, sizeof(new->range[0]), by_start, NULL);
	}
	rcu_assign_pointer(lookup, new);
	synchronize_rcu();
	kvfree(old);
}

struct text_section {
	const char *name, *suffix;
	unsigned long start, size;
	u64 symbols;
};

/* Adds or revives a section's range. Under ranges_mutex. Returns true if anything changed. */
static bool add_code_range(const struct text_section *text)
{
	char full[sizeof(((struct code_range *)0)->name)];
	struct code_range *range;

	if (!text->start || !text->size || text->size > U32_MAX - RANGE_ALIGN - next_number)
		return false;
	snprintf(full, sizeof(full), "%s%s", text->name, text->suffix);
	list_for_each_entry(range, &ranges, node) {
		if (range->alive && range->start == text->start)
			return false;
		if (range->alive || range->size != text->size || !text->symbols ||
		    range->symbols != text->symbols || strcmp(range->name, full))
			continue;
		range->start = text->start;
		WRITE_ONCE(range->alive, true);
		return true;
	}
	range = kzalloc(sizeof(*range), GFP_KERNEL);
	if (!range)
		return false;
	strscpy(range->name, full, sizeof(range->name));
	range->start = text->start;
	range->size = (u32)text->size;
	range->symbols = text->symbols;
	range->first = next_number;
	range->alive = true;
	next_number = ALIGN(next_number + (u32)text->size, RANGE_ALIGN);
	list_add_tail_rcu(&range->node, &ranges);
	return true;
}

static bool drop_code_range(unsigned long start)
{
	struct code_range *range;

	list_for_each_entry(range, &ranges, node) {
		if (!range->alive || range->start != start)
			continue;
		WRITE_ONCE(range->alive, false);
		return true;
	}
	return false;
}

static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *mod = data;
	bool changed = false;

	mutex_lock(&ranges_mutex);
	switch (state) {
	case MODULE_STATE_COMING:
		changed = add_code_range(&(struct text_section){
			.name = mod->name,
			.suffix = "",
			.start = lttng_mm_module_text(mod),
			.size = lttng_mm_module_text_size(mod),
			.symbols = lttng_mm_module_text_symbols(mod),
		});
		changed |= add_code_range(&(struct text_section){
			.name = mod->name,
			.suffix = ".init",
			.start = lttng_mm_module_init_text(mod),
			.size = lttng_mm_module_init_text_size(mod),
			.symbols = lttng_mm_module_init_text_symbols(mod),
		});
		break;
	case MODULE_STATE_LIVE:
		changed = drop_code_range(lttng_mm_module_init_text(mod));
		break;
	case MODULE_STATE_GOING:
		changed = drop_code_range(lttng_mm_module_text(mod));
		changed |= drop_code_range(lttng_mm_module_init_text(mod));
		break;
	}
	if (changed)
		publish();
	mutex_unlock(&ranges_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_block = { .notifier_call = module_changes };

/*
 * Assigns a range to every loaded module. Copies the modules' data under RCU first, because the
 * allocation of ranges may sleep. If a copied module is unloaded before it has a range,
 * module_changes() waits for ranges_mutex, and then finds the range.
 */
static void add_loaded_modules(void)
{
	struct list_head *modules = (void *)wrapper_kallsyms_lookup_name("modules");
	struct loaded {
		char name[MODULE_NAME_LEN];
		struct text_section text;
	} * loaded;
	unsigned int count = 0, room = 0;
	struct module *mod;

	if (!modules) {
		pr_warn("lttng-mm-lib: call sites in modules that were loaded before this one cannot be named\n");
		return;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(mod, modules, list)
		room++;
	rcu_read_unlock();
	room += 16;
	loaded = kvmalloc_array(room, sizeof(*loaded), GFP_KERNEL);
	if (!loaded)
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(mod, modules, list) {
		if (mod->state == MODULE_STATE_UNFORMED || mod->state == MODULE_STATE_GOING ||
		    count == room)
			continue;
		strscpy(loaded[count].name, mod->name, MODULE_NAME_LEN);
		loaded[count].text = (struct text_section){
			.name = loaded[count].name,
			.suffix = "",
			.start = lttng_mm_module_text(mod),
			.size = lttng_mm_module_text_size(mod),
			.symbols = lttng_mm_module_text_symbols(mod),
		};
		count++;
	}
	rcu_read_unlock();
	for (unsigned int i = 0; i < count; i++)
		add_code_range(&loaded[i].text);
	kvfree(loaded);
}

bool lttng_mm_code_range(unsigned int index, struct lttng_mm_code_range *state)
{
	struct code_range *range;

	if (!index--) {
		*state = (struct lttng_mm_code_range){
			.name = "kernel",
			.size = (u32)lttng_mm_text_size,
			.alive = true,
		};
		return true;
	}
	list_for_each_entry_rcu(range, &ranges, node, true) {
		if (index--)
			continue;
		state->name = range->name;
		state->start = range->first;
		state->size = range->size;
		state->alive = READ_ONCE(range->alive);
		return true;
	}
	return false;
}

int lttng_mm_call_sites_init(void)
{
	unsigned long end;
	int ret;

	lttng_mm_text_start = wrapper_kallsyms_lookup_name("_stext");
	end = wrapper_kallsyms_lookup_name("_etext");
	if (!lttng_mm_text_start || end <= lttng_mm_text_start ||
	    end - lttng_mm_text_start > S32_MAX) {
		pr_err("lttng-mm-lib: not loaded: kallsyms has no valid _stext and _etext\n");
		return -ENOENT;
	}
	lttng_mm_text_size = end - lttng_mm_text_start;
	next_number = ALIGN((u32)lttng_mm_text_size, RANGE_ALIGN);
	ret = register_module_notifier(&module_block);
	if (ret)
		return ret;
	mutex_lock(&ranges_mutex);
	add_loaded_modules();
	publish();
	mutex_unlock(&ranges_mutex);
	return 0;
}

/* Frees the ranges. No lookup may be in progress. */
void lttng_mm_call_sites_exit(void)
{
	struct code_range *range, *next;

	unregister_module_notifier(&module_block);
	kvfree(rcu_dereference_protected(lookup, true));
	list_for_each_entry_safe(range, next, &ranges, node)
		kfree(range);
}
