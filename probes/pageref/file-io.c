// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks of the functions that read and write the page cache:
 *
 *   a recorded process calls one -> record the path of the file if it is new, hook the end of the
 *                                   call
 *   the call ends                -> record the call with its result
 *
 * The file systems call these functions for read(), write(), their variants with positions and
 * vectors, splice(), sendfile(), copy_file_range() between file systems, and io_uring. They do not
 * call them for direct I/O and DAX.
 */

#include <linux/errno.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/uio.h>
#include <lttng/kernel-version.h>
#include <wrapper/kallsyms.h>
#include <probes/pageref/pageref.h>

/* Maximum number of concurrent calls whose ends are hooked. */
#define ENDS 1024
/*
 * The call to ftrace is within the first ENTRY_BYTES of a function. No function is shorter, so
 * function_at() finds only one function.
 */
#define ENTRY_BYTES 16
/* The name of a file in use is recorded again after this time, for sessions that start later. */
#define NAMED_S 10
#define NAMED_BITS 12

enum call_kind {
	READ_TO_ITER, /* arguments: iocb, iter */
	READ_MORE, /* iocb, iter, number of bytes that were read before; the result includes them */
	READ_TO_PIPE,	 /* file, position, pipe, length */
	WRITE_FROM_ITER, /* iocb, iter; the position of an append is already set */
	WRITE_CHECKED, /* iocb, iter; the function itself sets the position of an append */
};

struct io_function {
	const char *name;
	enum call_kind kind;
	const char *module; /* the module with the function; NULL: the kernel */
	unsigned long address;
};

/*
 * No function in this table calls another function in it, so each read or write is recorded once.
 */
static struct io_function functions[] = {
	{ "filemap_read", READ_MORE },
	{ "generic_perform_write", WRITE_FROM_ITER },
	{ "iomap_file_buffered_write", WRITE_FROM_ITER },
	{ "shmem_file_read_iter", READ_TO_ITER },
/* Since Linux 6.5 splice() does not use the functions of read() any more. */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 5, 0))
	{ "filemap_splice_read", READ_TO_PIPE },
	{ "shmem_file_splice_read", READ_TO_PIPE },
#endif
	{ "btrfs_buffered_write", WRITE_CHECKED, "btrfs" },
};

/* A call whose end is hooked. */
struct io_end {
	struct rethook_node node; /* first, because the kernel frees the object by this address */
	struct lttng_mm_pageref_file_io rec;
	const struct kiocb *checked; /* the iocb of WRITE_CHECKED; else NULL */
	ssize_t before;		     /* READ_MORE: bytes that were read before; else 0 */
};

static struct rethook *ends;

/*
 * Hashes of the files whose names have been recorded. Two files with the same slot evict each
 * other, so a name may be recorded more often than necessary.
 */
static u64 named[1 << NAMED_BITS];
static unsigned int attachments;

static bool is_named(const struct inode *inode)
{
	const u64 owner = hash_64((u64)inode->i_sb->s_dev << 32 | inode->i_generation, 64);
	const u64 file = hash_64(owner ^ inode->i_ino, 64);
	const u64 time = (u64)READ_ONCE(attachments) << 48 | get_jiffies_64() / (NAMED_S * HZ);
	const u64 value = hash_64(file ^ time, 64);
	u64 *slot = &named[file >> (64 - NAMED_BITS)];

	return READ_ONCE(*slot) == value || xchg(slot, value) == value;
}

/*
 * Records the path of the file as the current process sees it. If the path is too long, records
 * only its last component.
 */
static noinline void fire_file(const struct file *file, const struct lttng_mm_pageref_file_io *io)
{
	const struct lttng_mm_pageref_file rec = { .dev = io->dev, .ino = io->ino };
	char buffer[LTTNG_MM_TEXT_BYTES];
	const char *path;

	path = current->fs ? d_path(&file->f_path, buffer, sizeof(buffer)) : ERR_PTR(-ENOENT);
	if (IS_ERR(path))
		path = (const char *)READ_ONCE(file->f_path.dentry->d_name.name);
	trace_lttng_mm_pageref_file(&rec, path);
}

static const struct io_function *function_at(unsigned long ip)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (ip - READ_ONCE(functions[i].address) < ENTRY_BYTES)
			return &functions[i];
	return NULL;
}

/* Fills END from the arguments of the call. Returns the file. */
static const struct file *describe(struct io_end *end, enum call_kind kind,
				   const struct pt_regs *regs)
{
	const struct kiocb *iocb = (const void *)regs->di;
	const struct file *file = kind == READ_TO_PIPE ? (const void *)regs->di : iocb->ki_filp;
	const struct inode *inode = file_inode(file);
	size_t length = kind == READ_TO_PIPE ? regs->cx : iov_iter_count((void *)regs->si);

	end->rec.tid = (u32)current->pid;
	end->rec.dev = MAJOR(inode->i_sb->s_dev) | MINOR(inode->i_sb->s_dev) << 12;
	end->rec.ino = inode->i_ino;
	end->rec.offset = (u64)(kind == READ_TO_PIPE ? *(const loff_t *)regs->si : iocb->ki_pos);
	end->rec.length = (u32)min_t(size_t, length, U32_MAX);
	end->rec.write = kind == WRITE_FROM_ITER || kind == WRITE_CHECKED;
	end->checked = kind == WRITE_CHECKED ? iocb : NULL;
	end->before = kind == READ_MORE ? (ssize_t)regs->dx : 0;
	return file;
}

static noinline void notrace on_call(unsigned long ip, struct pt_regs *regs)
{
	const struct io_function *function = function_at(ip);
	const struct pageref_space *space;
	const struct file *file;
	struct rethook_node *node;
	struct io_end *end;

	preempt_disable_notrace();
	space = pageref_space_of(current->mm);
	if (!space || !function)
		goto out;
	node = static_call(pageref_rethook_try_get)(ends);
	if (!node) {
		pageref_count(MISSED_IO);
		goto out;
	}
	end = container_of(node, struct io_end, node);
	end->rec.mm = space->number;
	file = describe(end, function->kind, regs);
	if (!is_named(file_inode(file)))
		fire_file(file, &end->rec);
	static_call(pageref_rethook_hook)(node, regs, true);
out:
	preempt_enable_notrace();
}

/* Context: process. See on_handle_mm_fault() for the registers. */
static void notrace on_io(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			  struct ftrace_regs *ftrace_regs)
{
	const struct mm_struct *mm = current->mm;

	if (unlikely(mm && pageref_maybe_recorded(mm)))
		on_call(ip, (struct pt_regs *)ftrace_regs);
}

/*
 * Records a call that has ended. Ignores calls that return EAGAIN or EIOCBQUEUED: nothing was
 * transferred, io_uring calls the function again, and the iocb may not exist any more.
 *
 * Context: preemption off.
 */
static void notrace LTTNG_MM_RETHOOK_HANDLER(on_end, node, regs)
{
	struct io_end *end = container_of(node, struct io_end, node);
	ssize_t result = (ssize_t)regs->ax;

	if (result == -EAGAIN || result == -EIOCBQUEUED)
		return;
	if (result > 0)
		result -= end->before;
	if (result > 0 && end->checked)
		end->rec.offset = (u64)(end->checked->ki_pos - result);
	end->rec.result = (s32)result;
	trace_lttng_mm_pageref_file_io(&end->rec);
}

/* hook_ops (hook.c) explains the flag, and why there is no recursion. */
static struct ftrace_ops io_ops = {
	.func = on_io,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

static bool attached;

int pageref_file_io_attach(void)
{
	bool found = false;
	int ret;

	/* ftrace would hook every function of the kernel if none is selected. */
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		found |= READ_ONCE(functions[i].address) != 0;
	if (!found)
		return -ENOENT;
	WRITE_ONCE(attachments, attachments + 1);
	ret = register_ftrace_function(&io_ops);
	attached = !ret;
	return ret;
}

void pageref_file_io_detach(void)
{
	if (attached)
		unregister_ftrace_function(&io_ops);
	attached = false;
}

/* Adds a function to the functions to hook. Context: process. */
static void add_function(struct io_function *function)
{
	unsigned long address = wrapper_kallsyms_lookup_name(function->name);
	int ret = address ? ftrace_set_filter_ip(&io_ops, address, 0, 0) : -ENOENT;

	if (!ret)
		WRITE_ONCE(function->address, address);
	else if (address || !function->module)
		pr_warn("lttng-probe-pageref: %s() cannot be hooked, so its reads or writes will not be recorded: error %d\n",
			function->name, ret);
}

static void remove_function(struct io_function *function)
{
	if (function->address)
		ftrace_set_filter_ip(&io_ops, function->address, 1, 0);
	WRITE_ONCE(function->address, 0);
}

/*
 * Adds or removes the functions of a module that is being loaded or unloaded. In both cases, the
 * module's text exists, and no CPU executes it.
 */
static int on_module(struct notifier_block *notifier, unsigned long state, void *data)
{
	const struct module *module = data;

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		struct io_function *function = &functions[i];

		if (!function->module || strcmp(module->name, function->module) != 0)
			continue;
		if (state == MODULE_STATE_COMING)
			add_function(function);
		else if (state == MODULE_STATE_GOING)
			remove_function(function);
	}
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = { .notifier_call = on_module };

int pageref_file_io_init(void)
{
	int ret;

	ends = pageref_make_ends(on_end, sizeof(struct io_end), ENDS);
	if (!ends)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		add_function(&functions[i]);
	ret = register_module_notifier(&module_notifier);
	if (ret)
		pageref_file_io_exit();
	return ret;
}

void pageref_file_io_exit(void)
{
	unregister_module_notifier(&module_notifier);
	pageref_free_ends(ends);
	ftrace_free_filter(&io_ops);
}
