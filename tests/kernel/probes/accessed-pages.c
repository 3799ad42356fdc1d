// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/accessed-pages: the pages of a process that the processor has accessed, according to the
 * Accessed bits of its page tables. The bits do not depend on the probe of page references, so they
 * can check its recordings. Commands, one per write():
 *
 *   pid N    select a process
 *   clear    clear its Accessed bits
 *   hint     turn its writable anonymous pages into hints of NUMA balancing, as the kernel does
 *
 * Reading prints the present pages of the selected process, except in mappings that the probe
 * leaves out, as lines "PAGE PAGES ACCESSED": the first page number of a run of pages, its length,
 * and 1 if these pages were accessed since the last clear. The process must sleep meanwhile.
 */

#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <probes/compat/page-marks.h>

static pid_t selected;

/* The kernel exports neither function. */
static void (*flush_range)(struct mm_struct *mm, unsigned long start, unsigned long end,
			   unsigned int stride_shift, bool freed_tables);
static unsigned long (*hint_range)(struct vm_area_struct *vma, unsigned long start,
				   unsigned long end);

/* Visits present pages: visit() is called with the lock of the page table. */
struct visitor {
	void (*visit)(struct visitor *visitor, unsigned long address, unsigned long pages,
		      unsigned long *entry);
	/* The run of pages that is not printed yet. */
	struct seq_file *to;
	unsigned long first, pages;
	bool accessed;
};

static void *find_function(const char *name)
{
	struct kprobe probe = { .symbol_name = name };
	void *address;

	if (register_kprobe(&probe)) {
		pr_err("accessed-pages: there is no function %s()\n", name);
		return NULL;
	}
	address = probe.addr;
	unregister_kprobe(&probe);
	return address;
}

static struct mm_struct *selected_space(void)
{
	struct pid *pid = find_get_pid(selected);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;

	if (task)
		put_task_struct(task);
	put_pid(pid);
	return mm;
}

static bool is_recorded(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_HUGETLB | VM_PFNMAP | VM_IO | VM_MIXEDMAP)) &&
	       (vma->vm_flags & (VM_READ | VM_WRITE | VM_EXEC));
}

static void visit_entries(struct visitor *visitor, struct mm_struct *mm, pmd_t *at,
			  unsigned long address, unsigned long end)
{
	spinlock_t *lock;
	pmd_t pmd;
	pte_t *entry;

	rcu_read_lock();
	lock = lttng_mm_lock_entries(mm, at, &pmd);
	if (lock && lttng_mm_pmd_is_table(pmd)) {
		entry = pte_offset_kernel(&pmd, address);
		for (; address < end; address += PAGE_SIZE, entry++)
			if (lttng_mm_is_mapped(pte_val(READ_ONCE(*entry))))
				visitor->visit(visitor, address, 1, (unsigned long *)entry);
	} else if (lock && lttng_mm_is_mapped(pmd_val(pmd))) {
		visitor->visit(visitor, address, (end - address) >> PAGE_SHIFT,
			       (unsigned long *)at);
	}
	if (lock)
		spin_unlock(lock);
	rcu_read_unlock();
}

static int visit_pages(struct visitor *visitor)
{
	struct mm_struct *mm = selected_space();
	unsigned long address = 0, next;
	struct vm_area_struct *vma;

	if (!mm)
		return -ESRCH;
	mmap_read_lock(mm);
	for (; (vma = find_vma(mm, address)); address = vma->vm_end) {
		if (!is_recorded(vma))
			continue;
		for (address = vma->vm_start; address < vma->vm_end; address = next) {
			pmd_t *at = lttng_mm_pmd_of(mm, address, &next);

			if (!next || next > vma->vm_end)
				next = vma->vm_end;
			if (at)
				visit_entries(visitor, mm, at, address, next);
		}
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return 0;
}

static void clear_page_bit(struct visitor *visitor, unsigned long address, unsigned long pages,
			   unsigned long *entry)
{
	clear_bit(_PAGE_BIT_ACCESSED, entry);
}

static int clear_accessed(void)
{
	struct visitor visitor = { .visit = clear_page_bit };
	int ret = visit_pages(&visitor);
	struct mm_struct *mm = selected_space();

	if (!mm)
		return -ESRCH;
	flush_range(mm, 0, TASK_SIZE_MAX, PAGE_SHIFT, false);
	mmput(mm);
	return ret;
}

static int make_hints(void)
{
	struct mm_struct *mm = selected_space();
	unsigned long address = 0;
	struct vm_area_struct *vma;

	if (!mm)
		return -ESRCH;
	mmap_read_lock(mm);
	for (; (vma = find_vma(mm, address)); address = vma->vm_end)
		if (is_recorded(vma) && !vma->vm_file && (vma->vm_flags & VM_WRITE))
			hint_range(vma, vma->vm_start, vma->vm_end);
	mmap_read_unlock(mm);
	mmput(mm);
	return 0;
}

static void print_run(struct visitor *visitor)
{
	if (visitor->pages)
		seq_printf(visitor->to, "%lu %lu %d\n", visitor->first, visitor->pages,
			   visitor->accessed);
}

static void add_page(struct visitor *visitor, unsigned long address, unsigned long pages,
		     unsigned long *entry)
{
	bool accessed = test_bit(_PAGE_BIT_ACCESSED, entry);
	unsigned long page = address >> PAGE_SHIFT;

	if (page == visitor->first + visitor->pages && accessed == visitor->accessed) {
		visitor->pages += pages;
		return;
	}
	print_run(visitor);
	visitor->first = page;
	visitor->pages = pages;
	visitor->accessed = accessed;
}

static int show(struct seq_file *to, void *unused)
{
	struct visitor visitor = { .visit = add_page, .to = to };
	int ret = visit_pages(&visitor);

	print_run(&visitor);
	return ret;
}

static int pages_open(struct inode *inode, struct file *file)
{
	/* The text is made at once, in a buffer that seq_file enlarges until the text fits. */
	return single_open_size(file, show, NULL, 1 << 20);
}

static ssize_t pages_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	char line[32];
	int ret;

	if (size >= sizeof(line))
		return -E2BIG;
	if (copy_from_user(line, text, size))
		return -EFAULT;
	line[size] = '\0';
	if (!strncmp(line, "pid ", 4))
		ret = kstrtoint(line + 4, 10, &selected);
	else if (sysfs_streq(line, "clear"))
		ret = clear_accessed();
	else if (sysfs_streq(line, "hint"))
		ret = make_hints();
	else
		ret = -EINVAL;
	return ret ? ret : (ssize_t)size;
}

static const struct proc_ops pages_operations = {
	.proc_open = pages_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = pages_write,
};

static int __init accessed_pages_init(void)
{
	flush_range = find_function("flush_tlb_mm_range");
	hint_range = find_function("change_prot_numa");
	if (!flush_range || !hint_range)
		return -ENOENT;
	return proc_create("accessed-pages", 0600, NULL, &pages_operations) ? 0 : -ENOMEM;
}

static void __exit accessed_pages_exit(void)
{
	remove_proc_entry("accessed-pages", NULL);
}

module_init(accessed_pages_init);
module_exit(accessed_pages_exit);
MODULE_LICENSE("GPL");
MODULE_AUTHOR("lttng-mm contributors");
MODULE_DESCRIPTION("Accessed bits of the page tables of a process");
