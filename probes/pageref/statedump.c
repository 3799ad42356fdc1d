// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of mappings, and the state dump of address spaces and mappings.
 *
 * LTTng starts the state dump with preemption off, and a process can have a million mappings. A
 * thread requests the dump by a system call. The dump therefore runs when this system call returns.
 * Until then, the thread keeps the session alive.
 */

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <probes/lib/statedump.h>
#include <probes/pageref/pageref.h>

/* Maximum number of mappings that are dumped before the mmap lock is released. */
#define DUMP_MAPPINGS 256

struct late_dump {
	struct callback_head head;
	void *event;
	void (*dump)(void *event);
};

/* See add_on_return() in targets.c for module_put(). */
static void dump_on_return(struct callback_head *head)
{
	struct late_dump *dump = container_of(head, struct late_dump, head);

	dump->dump(dump->event);
	kfree(dump);
	module_put(THIS_MODULE);
}

/* Runs FUNCTION when the current system call returns. Context: process; preemption is off. */
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
	struct pageref_space *space = NULL;

	while ((space = pageref_next_space(space))) {
		struct lttng_mm_pageref_mm rec = {
			.mm = space->number,
			.pid = space->pid,
			.parent = space->parent,
		};

		preempt_disable_notrace();
		lttng_mm_record_text(event, &lttng_mm_class_pageref_statedump_mm, &rec, sizeof(rec),
				     space->name);
		preempt_enable_notrace();
	}
}

void lttng_mm_dump_pageref_statedump_mm(void *event, struct lttng_kernel_session *session)
{
	dump_later(event, session, dump_spaces);
}

/* Returns the last component of the path of a mapping's file, or a name such as "[heap]". */
static const char *mapping_name(const struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_file)
		return (const char *)READ_ONCE(vma->vm_file->f_path.dentry->d_name.name);
	if (vma->vm_start <= mm->brk && vma->vm_end >= mm->start_brk)
		return "[heap]";
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return "[stack]";
	return "";
}

const char *pageref_describe_mapping(const struct pageref_space *space,
				     const struct vm_area_struct *vma,
				     struct lttng_mm_pageref_mapping *rec)
{
	*rec = (struct lttng_mm_pageref_mapping){
		.mm = space->number,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.pgoff = vma->vm_pgoff,
		.readable = !!(vma->vm_flags & VM_READ),
		.writable = !!(vma->vm_flags & VM_WRITE),
		.executable = !!(vma->vm_flags & VM_EXEC),
		.shared = !!(vma->vm_flags & VM_SHARED),
	};
	if (vma->vm_file) {
		const struct inode *inode = file_inode(vma->vm_file);

		rec->dev = MAJOR(inode->i_sb->s_dev) | MINOR(inode->i_sb->s_dev) << 12;
		rec->ino = inode->i_ino;
	}
	return mapping_name(vma);
}

void pageref_fire_mapping(struct pageref_space *space, struct pageref_table *table,
			  const struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	struct lttng_mm_pageref_mapping rec;
	/* Preemption is off, so RCU does not free the name if the file is renamed meanwhile. */
	const char *name = pageref_describe_mapping(space, vma, &rec);

	for (; start < end; start += PAGE_SIZE)
		set_bit(pageref_page_bit(start), table->mapping_known);
	/* The mapping of the probe's own buffer, in the address space 0, is not recorded. */
	if (space->number)
		trace_lttng_mm_pageref_mapping(&rec, name);
}

/* Context: mmap lock held for reading. */
static void dump_one(void *event, const struct pageref_space *space,
		     const struct vm_area_struct *vma)
{
	struct lttng_mm_pageref_mapping rec;
	const char *name;

	/* With preemption off, RCU does not free the name if the file is renamed meanwhile. */
	preempt_disable_notrace();
	name = pageref_describe_mapping(space, vma, &rec);
	lttng_mm_record_text(event, &lttng_mm_class_pageref_statedump_mapping, &rec, sizeof(rec),
			     name);
	preempt_enable_notrace();
}

/*
 * Dumps up to DUMP_MAPPINGS mappings of the address space from ADDRESS on. Returns the address at
 * which to continue, or 0 at the end. If the process is changing its mappings, the rest of its
 * mappings is not dumped.
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
	struct pageref_space *space = NULL;

	while ((space = pageref_next_space(space))) {
		unsigned long address = 0;

		do {
			if (!mmget_not_zero(space->mm))
				break;
			address = dump_some(event, space, address);
			mmput_async(space->mm);
			cond_resched();
		} while (address);
	}
}

void lttng_mm_dump_pageref_statedump_mapping(void *event, struct lttng_kernel_session *session)
{
	dump_later(event, session, dump_mappings);
}
