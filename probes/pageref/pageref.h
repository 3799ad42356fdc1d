/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of lttng-probe-pageref:
 *
 *   control.c    the control file: which processes to record
 *   targets.c    finds these processes, and follows forks and execs
 *   spaces.c     the address spaces of these processes, and the pages that they lose
 *   marker.c     the thread that marks their pages at every interval, and removes the marks
 *   walk.c       walks page tables, marks and unmarks entries
 *   overhead.c   chooses the sample of pages by what recording costs
 *   hook.c       the hook of handle_mm_fault(): restores marked entries, records touches
 *   around.c     the pages that faults map around their own
 *   ends.c       hooks of the ends of single function calls
 *   file-io.c    the hooks of reads and writes through the page cache
 *   events.c     the events
 *   statedump.c  events of mappings, the state dump
 */
#ifndef LTTNG_MM_PROBES_PAGEREF_PAGEREF_H
#define LTTNG_MM_PROBES_PAGEREF_PAGEREF_H

#include <linux/bitmap.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>
#include <linux/xarray.h>
#include <instrumentation/events/pageref.h>
#include <instrumentation/wire/pageref-sample.h>
#include <probes/compat/rethook.h>
#include <probes/lib/events.h>

/* The hooks that events can need. */
enum lttng_mm_pageref_hook {
	/*
	 * The hook of handle_mm_fault(). Detaching it removes all marks. A fork in the meantime
	 * copies marks, and the hook of forks must still add the child's address space. This hook
	 * is therefore detached before the others.
	 */
	lttng_mm_hook_touch,
	lttng_mm_hook_fork,
	lttng_mm_hook_exec,
	/* The functions that read and write the page cache. */
	lttng_mm_hook_file_io,
	LTTNG_MM_PAGEREF_HOOKS,
};
extern struct lttng_mm_hooks pageref_hooks;

/* Bits of struct pageref_table.huge. */
enum pageref_huge {
	PAGEREF_HUGE_TOUCHED,  /* since the last pass, a huge page was touched here */
	PAGEREF_HUGE_FAULTING, /* a fault that may map a huge page here is in progress */
};

/* The state of the pages of one page table, or of the huge page in its place. */
struct pageref_table {
	/* Since the last pass, a touch of the page was recorded. */
	DECLARE_BITMAP(touched, PTRS_PER_PTE);
	/* Since the last pass, a fault mapped the page without a touch, and this was recorded. */
	DECLARE_BITMAP(around, PTRS_PER_PTE);
	/* The page's mapping has been recorded. */
	DECLARE_BITMAP(mapping_known, PTRS_PER_PTE);
	/* A fault of the page is in progress. Its end decides whether it is a touch. */
	DECLARE_BITMAP(faulting, PTRS_PER_PTE);
	/* A fault of the page has ended without mapping it. The kernel will retry the fault. */
	DECLARE_BITMAP(retried, PTRS_PER_PTE);
	/* A pass or a recorded fault has seen the page, and it has not disappeared since then. */
	DECLARE_BITMAP(present, PTRS_PER_PTE);
	unsigned long huge; /* bits of enum pageref_huge */
	/*
	 * @sampled has the pages of the sample with the threshold @sample. If @sample is 0,
	 * @sampled is not computed. Only passes use these two members.
	 */
	u32 sample;
	DECLARE_BITMAP(sampled, PTRS_PER_PTE);
	struct rcu_head rcu;
};

/* A recorded address space. */
struct pageref_space {
	struct hlist_node node; /* in the hash table by @mm; readers use RCU */
	struct list_head list;	/* all spaces, by ascending number */
	struct mmu_notifier notifier;
	struct mm_struct *mm; /* with a reference */
	u32 parent;	      /* number of the original address space, if this is a copy; else 0 */
	u32 pid;	      /* ID and name of the process when the space was added */
	char name[TASK_COMM_LEN];
	struct pid *process; /* with a reference */
	atomic64_t cpu_ns;   /* processor time of @process that has been accounted */
	u32 sample; /* threshold of the sample of pages; a pass changes it when it starts */
	/*
	 * Pages whose hash is below this threshold are monitored: the last complete pass has marked
	 * them, and no later pass has left them out. Only passes use this member.
	 */
	u32 monitored;
	/* Unique while the module is loaded. 0: the space of pageref_add_own_space(). */
	u32 number;
	struct kref refs; /* number of references; the list of all spaces has one */
	bool ended;	  /* the process has ended or executed a program, or recording stopped */
	bool listed;	  /* @list is in the list of all spaces */
	bool watched;	  /* the notifier is registered */
	bool passed;	  /* a pass has marked all pages of the space */
	/* Number of pages in mappings that are never marked, by reason, as last recorded. */
	u64 left_out[LTTNG_MM_PAGEREF_REASONS_COUNT];
	struct xarray tables; /* the tables, indexed by address >> PMD_SHIFT */
};

/*
 * Protects the targets. It is not held while page tables are walked. pageref_stop() can therefore
 * remove the targets during a walk, and the walk then ends.
 */
extern struct mutex pageref_mutex;

/* Counters of the control file. */
enum pageref_counter {
	PAGEREF_MARKED,	     /* entries marked */
	PAGEREF_RESTORED,    /* entries restored by the hook */
	PAGEREF_UNMARKED,    /* marks removed: recording stopped, or the page left the sample */
	PAGEREF_MISSED_ENDS, /* faults whose end could not be hooked */
	PAGEREF_MISSED_IO,   /* reads and writes whose end could not be hooked */
	PAGEREF_NO_TABLE,    /* faults for which no struct pageref_table could be allocated */
	PAGEREF_SKIPPED,     /* passes that gave up, because the mmap lock was held for long */
	PAGEREF_PASSES,
	PAGEREF_TOUCHES, /* recorded touches */
	PAGEREF_PASS_NS, /* processor time of passes while they held mmap locks */
	PAGEREF_COUNTERS,
};
DECLARE_PER_CPU(u64[PAGEREF_COUNTERS], pageref_counts);
#define pageref_count(_counter) this_cpu_inc(pageref_counts[PAGEREF_##_counter])
#define pageref_count_many(_counter, _n) this_cpu_add(pageref_counts[PAGEREF_##_counter], _n)
u64 pageref_counter(enum pageref_counter counter);

/* main.c */
/*
 * Finds a function that the kernel does not export. If the kernel does not have it, writes a line
 * to the kernel log, and returns NULL.
 */
void *pageref_find_function(const char *name);

/* control.c */
int pageref_control_init(void);
void pageref_control_exit(void);

/* targets.c */
void pageref_targets_init(void);
/*
 * These functions add targets: processes by their IDs, or the processes of a user or a cgroup. The
 * user and the cgroup replace the previous ones. A function that fails returns a negative errno. It
 * has then added no target or, if the errno is -ENOMEM, perhaps some of the processes. Context:
 * pageref_mutex is held.
 */
int pageref_target_pids(const pid_t *pids, unsigned int count);
void pageref_target_uid(kuid_t uid);
int pageref_target_cgroup(const char *path);
/* Removes all targets. Context: pageref_mutex is held. */
void pageref_targets_clear(void);
bool pageref_has_targets(void);
/* Sets the process that has the control file open. It is never a target. */
void pageref_set_owner(struct pid *owner);
/* Adds the address spaces of all processes that are targets. Context: pageref_mutex is held. */
void pageref_find_targets(void);
void pageref_on_fork(void *unused, struct task_struct *parent, struct task_struct *child);
void pageref_on_exec(void *unused, struct task_struct *task, pid_t old_pid,
		     struct linux_binprm *program);

/* spaces.c */
/*
 * Finds the address space of MM, or NULL. Context: preemption off or RCU read lock. Takes about ten
 * instructions if MM is not recorded.
 */
struct pageref_space *pageref_space_of(const struct mm_struct *mm);
/*
 * Incremented when an address space or a table is removed. This makes the last lookups of the hook
 * invalid, before RCU frees the memory.
 */
extern atomic_long_t pageref_generation;
extern DECLARE_BITMAP(pageref_filter, 4096);
static __always_inline unsigned int pageref_filter_bit(const struct mm_struct *mm)
{
	return hash_ptr((void *)mm, 12);
}
static __always_inline bool pageref_maybe_recorded(const struct mm_struct *mm)
{
	return test_bit(pageref_filter_bit(mm), pageref_filter);
}
/*
 * Starts to record the address space MM of TASK. PARENT is the address space of which MM is a copy,
 * or NULL. Returns the new space with a reference, or NULL if MM is recorded already or there is no
 * memory. Context: any but interrupts; may sleep if GFP allows it. The caller keeps MM from being
 * freed.
 */
struct pageref_space *pageref_add_space(struct mm_struct *mm, const struct task_struct *task,
					const struct pageref_space *parent, gfp_t gfp);
/*
 * Registers the MMU notifier of an address space. The notifier reports the pages that the address
 * space loses, and the end of the address space. If a signal is pending, or if the mmap lock is
 * held for long, the space stays unwatched. Context: process; the caller is a user of the address
 * space (mmget()).
 */
void pageref_watch_space(struct pageref_space *space);
/*
 * Records that an address space has ended, unless this was recorded before. Context: any but
 * interrupts; the caller has a reference.
 */
void pageref_end_space(struct pageref_space *space);
/* Forgets ended address spaces or, with ALL, all address spaces. Context: any but interrupts. */
void pageref_forget_spaces(bool all);
/*
 * Returns the next recorded address space by number, with a reference, or NULL at the end. Drops
 * the reference to PREVIOUS, which is NULL at the start. The address space 0 is left out.
 * Context: any but interrupts.
 */
struct pageref_space *pageref_next_space(struct pageref_space *previous);
void pageref_put_space(struct pageref_space *space);
/*
 * Records the current address space under the number 0, so that the probe can time touches of its
 * own buffer. Passes do not mark its pages. Returns the space with a reference, or NULL. Context:
 * process.
 */
struct pageref_space *pageref_add_own_space(void);
/* Undoes pageref_add_own_space(), and drops the reference. */
void pageref_remove_own_space(struct pageref_space *space);
/*
 * Waits until all address spaces are freed. Context: process; all address spaces were forgotten,
 * and nobody has a reference.
 */
void pageref_spaces_exit(void);
/*
 * Returns the table for ADDRESS. If there is none, allocates one with GFP. Returns NULL if there is
 * no memory, or if GFP is 0. Context: RCU read lock, or the space cannot be freed.
 */
struct pageref_table *pageref_table_of(struct pageref_space *space, unsigned long address,
				       gfp_t gfp);
/*
 * Forgets which of the pages FIRST to LAST (exclusive) of a table were touched. Sets the bit in
 * UNSEEN of each page in CHANGED, unless the page was touched, a recorded fault mapped it, or a
 * fault on it is in progress. CHANGED and UNSEEN may be NULL.
 */
void pageref_forget_touches(struct pageref_table *table, unsigned int first, unsigned int last,
			    const unsigned long *changed, unsigned long *unseen);
/* Sets the bits in ADDED in a bitmap of a table, atomically: others may clear bits meanwhile. */
void pageref_set_bits(unsigned long *bits, const unsigned long *added);
static __always_inline unsigned int pageref_page_bit(unsigned long address)
{
	return (address >> PAGE_SHIFT) % PTRS_PER_PTE;
}

/* walk.c */
enum pageref_walk_mode {
	PAGEREF_MARK,
	PAGEREF_UNMARK,
};
int pageref_walk_init(void);
/*
 * Marks or unmarks all pages of an address space, and adds the number of changed entries to
 * *CHANGED. Returns false if it gave up because the mmap lock was held for long. Context: process;
 * the mmap lock is not held.
 */
bool pageref_walk(struct pageref_space *space, enum pageref_walk_mode mode, u64 *changed);
/*
 * Marks the pages from START to END, which must belong to one mapping. Returns the number of marked
 * entries. Context: process; the mmap lock is not held.
 */
u64 pageref_mark_range(struct pageref_space *space, unsigned long start, unsigned long end);
/*
 * Resets the counts of missed touches: the next pass reports only touches that are missed from now
 * on. Context: as pageref_walk().
 */
void pageref_forget_missed(void);
/*
 * A writer can hold the mmap lock of a process for as long as it sleeps, for example while it waits
 * for a file system. A walk tries the lock LOCK_TRIES times, and then continues with the next
 * process.
 */
#define PAGEREF_LOCK_TRIES 50
#define PAGEREF_LOCK_PAUSE_US 500
/*
 * The number of page tables and huge pages that passes have started to mark. It is incremented
 * under the lock of the entries, before the first entry changes. The hook takes this lock to
 * restore an entry. If the number changes afterwards, the entry may have been marked again.
 */
extern unsigned long pageref_marked_tables;
/* Are pages of DAX mappings marked, too? */
extern bool pageref_dax;
#ifdef VM_SHADOW_STACK
#define PAGEREF_SHADOW_STACK VM_SHADOW_STACK
#else
#define PAGEREF_SHADOW_STACK 0
#endif
#define PAGEREF_DEVICE (VM_PFNMAP | VM_IO | VM_MIXEDMAP)
#define PAGEREF_ACCESS (VM_READ | VM_WRITE | VM_EXEC)
/*
 * Is a mapping of INODE left out because of DAX? Device files always are: their mappings can have
 * entries of 1 GiB, which are never marked.
 */
static inline bool pageref_is_left_out_dax(const struct inode *inode)
{
	return IS_DAX(inode) && !(READ_ONCE(pageref_dax) && S_ISREG(inode->i_mode));
}
/* Are pages of this mapping marked? */
static __always_inline bool pageref_is_markable(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_HUGETLB | PAGEREF_DEVICE | PAGEREF_SHADOW_STACK)) &&
	       (vma->vm_flags & PAGEREF_ACCESS) &&
	       !(vma->vm_file && pageref_is_left_out_dax(file_inode(vma->vm_file)));
}
/* marker.c */
int pageref_marker_init(void);
void pageref_marker_exit(void);
void pageref_set_interval(unsigned int ms);
unsigned int pageref_interval(void);
/* Marks all pages of all targets now. Returns -ENODATA if no session records pageref_touch. */
int pageref_arm(void);
/* Forgets all targets and removes all marks. Context: process. */
void pageref_stop(void);
/* Removes all marks. Context: process. */
void pageref_unmark_all(void);

/*
 * Wakes the thread, because pageref_is_size_due() may have become true. Context: process or
 * interrupt.
 */
void pageref_marker_wake(void);

/* overhead.c */
void pageref_overhead_exit(void);
/* The functions that set a number return a negative errno if the number is not valid. */
int pageref_set_sample(u32 threshold);
int pageref_set_max_overhead(unsigned int limit);
int pageref_set_from(u64 bytes);
/* Sets all settings to their defaults. */
void pageref_overhead_reset(void);
/*
 * Sets the address space in which touches are timed. It belongs to the process that has opened the
 * control file. NULL: none.
 */
void pageref_set_lender(struct mm_struct *mm);
/* Prints the settings and the state of the sample. Returns the length of the text. */
int pageref_overhead_print(char *text, size_t size);
/*
 * Chooses the sample of a pass. IS_FIRST is true if no page is marked yet. Context: as
 * pageref_walk().
 */
void pageref_overhead_pass(bool is_first);
/* Returns the processor time of a process, or 0 if it is gone. */
u64 pageref_process_ns(struct pid *pid);
/*
 * Determines the processor time that the process has used since the last call of this function, and
 * adds it to the sum of the interval.
 */
void pageref_account(struct pageref_space *space);
/* Threshold of the sample for new address spaces, and for the next walks. */
extern u32 pageref_sample;
static __always_inline bool pageref_is_sampled(u32 sample, unsigned long address)
{
	return likely(sample == LTTNG_MM_PAGEREF_SAMPLE_ALL) ||
	       lttng_mm_sample_has(sample, address >> PAGE_SHIFT);
}
/* A CPU adds its touched pages to the common sum in batches of this size. 0: nothing is counted. */
extern unsigned long pageref_size_batch;
DECLARE_PER_CPU(unsigned long, pageref_size);
void pageref_add_size(void);
/* Counts a touch. Context: preemption off. */
static __always_inline void pageref_count_size(bool huge)
{
	unsigned long batch = READ_ONCE(pageref_size_batch);

	if (unlikely(batch) && this_cpu_add_return(pageref_size, huge ? PTRS_PER_PTE : 1) >= batch)
		pageref_add_size();
}
/* Have the pages that were touched since the last pass reached the size of `from`? */
bool pageref_is_size_due(void);

/* hook.c */
int pageref_hook_init(void);
void pageref_hook_exit(void);
/* Returns 0 or a negative errno. */
int pageref_hook_attach(void);
/* Called when all requested hooks are attached. From then on, pages may be marked. */
void pageref_hook_settled(void);
/*
 * Removes all marks, and then the hook. Meanwhile, the hook still restores pages that are touched.
 */
void pageref_hook_detach(unsigned int hook);
/* Is a started session recording pageref_touch? */
bool pageref_is_recording(void);

/* ends.c */
/* Finds the functions of the kernel. Returns false if one is missing. */
bool pageref_ends_init(void);
/*
 * Makes COUNT nodes for hooks of function ends. A node has BYTES bytes, and starts with a struct
 * rethook_node. Returns NULL if there is no memory.
 */
struct rethook *pageref_make_ends(rethook_handler_t handler, size_t bytes, unsigned int count);
/* Frees the nodes. Calls that are still in progress end without a call of the handler. */
void pageref_free_ends(struct rethook *ends);
DECLARE_STATIC_CALL(pageref_rethook_try_get, rethook_try_get);
DECLARE_STATIC_CALL(pageref_rethook_hook, rethook_hook);

/* file-io.c */
int pageref_file_io_init(void);
void pageref_file_io_exit(void);
/* Returns 0 or a negative errno. */
int pageref_file_io_attach(void);
void pageref_file_io_detach(void);

/* events.c */
int pageref_events_init(void);
void pageref_events_exit(void);
/* statedump.c */
/* Fills REC with the mapping VMA of SPACE. Returns the name to record with it. */
const char *pageref_describe_mapping(const struct pageref_space *space,
				     const struct vm_area_struct *vma,
				     struct lttng_mm_pageref_mapping *rec);
/*
 * Records the mapping VMA, to which the pages of TABLE from START to END belong. Context:
 * preemption off.
 */
void pageref_fire_mapping(struct pageref_space *space, struct pageref_table *table,
			  const struct vm_area_struct *vma, unsigned long start, unsigned long end);
#define pageref_declare_dump(_provider, _event)                                    \
	extern const struct lttng_kernel_tracepoint_class lttng_mm_class_##_event; \
	void lttng_mm_dump_##_event(void *event, struct lttng_kernel_session *session);
lttng_mm_pageref_statedump_events(pageref_declare_dump)
	/* clang-format off */
lttng_mm_pageref_packed_events(lttng_mm_declare_long)
lttng_mm_pageref_wide_events(lttng_mm_declare_wide)
lttng_mm_pageref_text_events(lttng_mm_declare_text)
/* clang-format on */

/* Fires an event outside of a kernel tracepoint. Context: any. */
#define pageref_fire(_event, ...)                     \
	do {                                          \
		preempt_disable_notrace();            \
		trace_lttng_mm_##_event(__VA_ARGS__); \
		preempt_enable_notrace();             \
	} while (0)

#endif /* LTTNG_MM_PROBES_PAGEREF_PAGEREF_H */
