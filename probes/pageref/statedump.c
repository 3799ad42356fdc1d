// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state dump: address spaces and mappings.
 *
 * LTTng starts it with preemption off, and a process can have a million mappings. So the dump runs
 * when the system call of the thread that requested it returns. Until then, that thread keeps the
 * session.
 */

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <probes/lib/statedump.h>
#include <probes/pageref/pageref.h>

/* Mappings that are dumped while the mmap lock is held. */
#define DUMP_MAPPINGS 256

struct late_dump {
	struct callback_head head;
	void *event;
	void (*dump)(void *event);
};

/* The module may be unloaded after module_put(): pageref_exit() waits for this function. */
static void dump_on_return(struct callback_head *head)
{
	struct late_dump *dump = container_of(head, struct late_dump, head);

	dump->dump(dump->event);
	kfree(dump);
	module_put(THIS_MODULE);
}

/* Context: process; preemption is off. */
static void dump_later(void *event, struct lttng_kernel_session *session,
		       void (*function)(void *event))
{
	struct late_dump *dump;

	if (!lttng_mm_statedump_concerns(event, session) || (current->flags & PF_KTHREAD))
		return;
	dump = kmalloc(sizeof(*dump), GFP_ATOMIC);
	if (!dump)
		return;
	dump->event = event;
	dump->dump = function;
	init_task_work(&dump->head, dump_on_return);
	__module_get(THIS_MODULE);
	if (!task_work_add(current, &dump->head, TWA_RESUME))
		return;
	module_put(THIS_MODULE);
	kfree(dump);
}

static void dump_spaces(void *event)
{
	struct pageref_space *space;
	u32 number = 0;

	while ((space = pageref_next_space(number))) {
		struct lttng_mm_pageref_mm rec = {
			.mm = space->number,
			.pid = space->pid,
			.parent = space->parent,
		};

		number = space->number;
		preempt_disable_notrace();
		lttng_mm_record_text(event, &lttng_mm_class_pageref_statedump_mm, &rec, sizeof(rec),
				     space->name);
		preempt_enable_notrace();
		pageref_put_space(space);
	}
}

void lttng_mm_dump_pageref_statedump_mm(void *event, struct lttng_kernel_session *session)
{
	dump_later(event, session, dump_spaces);
}

/* Context: mmap lock held for reading. */
static void dump_one(void *event, const struct pageref_space *space,
		     const struct vm_area_struct *vma)
{
	struct lttng_mm_pageref_mapping rec;
	const char *name;

	/* The name of a file that is renamed meanwhile is freed after a grace period of RCU. */
	preempt_disable_notrace();
	name = pageref_describe_mapping(space, vma, &rec);
	lttng_mm_record_text(event, &lttng_mm_class_pageref_statedump_mapping, &rec, sizeof(rec),
			     name);
	preempt_enable_notrace();
}

/*
 * Dumps some mappings of the address space from ADDRESS on. Returns the address at which to go on,
 * or 0. A process that changes its mappings at the moment is left out.
 */
static unsigned long dump_some(void *event, const struct pageref_space *space,
			       unsigned long address)
{
	struct vm_area_struct *vma;

	if (!mmap_read_trylock(space->mm))
		return 0;
	for (unsigned int i = 0; i < DUMP_MAPPINGS; i++) {
		vma = find_vma(space->mm, address);
		if (vma && pageref_is_markable(vma))
			dump_one(event, space, vma);
		address = vma ? vma->vm_end : 0;
		if (!vma)
			break;
	}
	mmap_read_unlock(space->mm);
	return address;
}

static void dump_mappings(void *event)
{
	struct pageref_space *space;
	u32 number = 0;

	while ((space = pageref_next_space(number))) {
		unsigned long address = 0;

		number = space->number;
		do {
			if (!mmget_not_zero(space->mm))
				break;
			address = dump_some(event, space, address);
			mmput_async(space->mm);
			cond_resched();
		} while (address);
		pageref_put_space(space);
	}
}

void lttng_mm_dump_pageref_statedump_mapping(void *event, struct lttng_kernel_session *session)
{
	dump_later(event, session, dump_mappings);
}
