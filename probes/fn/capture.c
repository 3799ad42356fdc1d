// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hot path. It turns the registers of a call into the records of its events.
 *
 * Numbers are stored one after another. Each store writes eight bytes. If the number is shorter,
 * the next number is stored over the surplus bytes. Only the hook at the entry follows pointers in
 * arguments. It reads memory without faulting. A function with texts (strings or arrays of bytes)
 * builds its records in a per-CPU buffer, which has one record per interrupt level.
 */

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <probes/compat/tracepoint.h>
#include <probes/fn/fn.h>
#include <probes/fn/scope.h>
#include <probes/lib/call-site.h>
#include <probes/lib/encode.h>
#include <wrapper/kallsyms.h>
#include <wrapper/trace-clock.h>

struct fn_record {
	struct lttng_mm_header header;
	u8 bytes[FN_NUMBER_ROOM];
};

struct fn_text_record {
	struct lttng_mm_header header;
	u8 bytes[FN_NUMBER_ROOM + LTTNG_MM_FN_TEXTS_MAX];
};

/* A thread and three kinds of interrupts may be nested. ftrace allows one more level. */
#define FN_LEVELS 5

struct fn_text_buffers {
	int level;
	struct fn_text_record record[FN_LEVELS];
};

static struct fn_text_buffers __percpu *text_buffers;

/* LTTng attaches this callback to the pool's tracepoints, which never fire. */
void fn_callback(void *event)
{
}

/*
 * The kernel's return trampolines. If a hooked function ends with a tail call, the callee's return
 * address is a trampoline, and its caller is unknown.
 */
static unsigned long trampolines[2];

static __always_inline u32 caller_number(unsigned long caller)
{
	if (unlikely(caller == trampolines[0] || caller == trampolines[1]))
		return 0;
	return lttng_mm_call_site(caller);
}

int fn_capture_init(void)
{
	trampolines[0] = wrapper_kallsyms_lookup_name("return_to_handler");
	trampolines[1] = wrapper_kallsyms_lookup_name("arch_rethook_trampoline");
	text_buffers = alloc_percpu(struct fn_text_buffers);
	return text_buffers ? 0 : -ENOMEM;
}

void fn_capture_exit(void)
{
	free_percpu(text_buffers);
}

static __always_inline void store(u8 *at, u64 value)
{
	lttng_mm_word_at(at)->word = (__force u64)cpu_to_le64(value);
}

/* Copies whole words. Both buffers must have room for the whole last word. */
static __always_inline void copy_words(u8 *to, const u8 *from, unsigned int bytes)
{
	for (unsigned int at = 0; at < bytes; at += sizeof(u64))
		lttng_mm_word_at(to + at)->word = lttng_mm_word_at(from + at)->word;
}

static __always_inline u64 keep_bits(const struct fn_op *op, u64 value)
{
	value <<= op->left;
	return op->is_signed ? (u64)((s64)value >> op->right) : value >> op->right;
}

/* Follows the pointers of an operation. Returns false if memory cannot be read. */
static bool follow(const struct fn_op *op, u64 *value)
{
	for (unsigned int i = 0; i < op->steps; i++) {
		const void *at = (const void *)(unsigned long)(*value + (s64)op->offset[i]);
		bool last = i + 1 == op->steps;
		__le64 loaded = 0;

		if (last && op->in_place) {
			*value = (unsigned long)at;
			return true;
		}
		if (copy_from_kernel_nofault(&loaded, at, last ? op->bytes : sizeof(loaded)))
			return false;
		*value = le64_to_cpu(loaded);
	}
	return true;
}

/* Reads an argument. Returns false if it is on the stack and cannot be read. */
static __always_inline bool argument(const struct fn_op *op, const void *regs, u64 *value)
{
	if (likely(op->at < LTTNG_MM_FN_STACK)) {
		*value = lttng_mm_fn_register(regs, op->at);
		return true;
	}
	return !copy_from_kernel_nofault(value, lttng_mm_fn_on_stack(regs, op->at), sizeof(*value));
}

/*
 * Converts a value to the recorded number. If the value is a kernel address, but the field is not
 * declared as a pointer, returns 0 and sets the bit of the field in UNREAD.
 */
static u64 shown(const struct fn_op *op, u64 value, u32 *unread)
{
	if (op->is_checked && lttng_mm_is_kernel_address(value)) {
		*unread |= 1u << op->unread;
		return 0;
	}
	value = keep_bits(op, value);
	return op->is_pointer ? lttng_mm_encode_pointer(value) : value;
}

/* Slow path: computes a number that is not just an argument in a register. */
static noinline u64 number(const struct fn_op *op, const void *regs, u32 *unread)
{
	u64 value;

	if (argument(op, regs, &value) && follow(op, &value))
		return shown(op, value, unread);
	*unread |= 1u << op->unread;
	return 0;
}

/* Stores the numbers that fn_NAME_entry and fn_NAME_call share. */
static __always_inline void fill(const struct fn *fn, const void *regs, unsigned long caller,
				 u8 *bytes, u32 *unread)
{
	const struct fn_op *end = fn->ops + fn->number_count;

	store(bytes, (u32)current->pid);
	if (fn->layout.caller)
		store(bytes + fn->layout.caller, caller_number(caller));
	for (const struct fn_op *op = fn->ops; op < end; op++) {
		u64 value;

		switch (op->kind) {
		case FN_REGISTER:
			value = lttng_mm_fn_register(regs, op->at);
			break;
		case FN_REGISTER_CHECKED:
			value = lttng_mm_fn_register(regs, op->at);
			if (unlikely((s64)value < 0) && lttng_mm_is_kernel_address(value)) {
				*unread |= 1u << op->unread;
				value = 0;
			}
			break;
		case FN_REGISTER_POINTER:
			value = lttng_mm_encode_pointer(lttng_mm_fn_register(regs, op->at));
			break;
		default:
			value = number(op, regs, unread);
		}
		store(bytes + op->out, value);
	}
}

/*
 * Copies a string from kernel memory. Each read ends at the next multiple of eight bytes, so no
 * read crosses a page. Returns the string's size with the NUL, or 0 if the memory cannot be read.
 */
static unsigned int kernel_string(u8 *to, u64 from, unsigned int max)
{
	unsigned int len = 0;

	while (len < max - 1) {
		unsigned int bytes = min_t(unsigned int, 8 - (from + len) % 8, max - 1 - len);
		const u8 *nul;

		if (copy_from_kernel_nofault(to + len, (const void *)(unsigned long)(from + len),
					     bytes))
			return 0;
		nul = memchr(to + len, '\0', bytes);
		if (nul)
			return nul - to + 1;
		len += bytes;
	}
	to[len] = '\0';
	return len + 1;
}

/* Copies a string from user memory. Returns its size with the NUL, or 0 if the memory is absent. */
static unsigned int user_string(u8 *to, u64 from, unsigned int max)
{
	long len;

	if (!in_task() || !current->mm)
		return 0;
	pagefault_disable();
	len = strncpy_from_user((char *)to, (const char __user *)(unsigned long)from, max - 1);
	pagefault_enable();
	if (len < 0)
		return 0;
	to[len] = '\0';
	return len + 1;
}

/* Copies a byte array from kernel memory. Returns BYTES, or 0 if any byte cannot be read. */
static unsigned int kernel_bytes(u8 *to, u64 from, unsigned int bytes)
{
	return copy_from_kernel_nofault(to, (const void *)(unsigned long)from, bytes) ? 0 : bytes;
}

/* Copies one text. Returns its size, or 0 if it cannot be read. */
static unsigned int text(const struct fn_op *op, const void *regs, u8 *to)
{
	u64 value;

	if (!argument(op, regs, &value) || !follow(op, &value))
		return 0;
	switch (op->kind) {
	case FN_STRING:
		return kernel_string(to, value, op->max);
	case FN_USER_STRING:
		return user_string(to, value, op->max);
	default:
		return kernel_bytes(to, value, op->max);
	}
}

/* Copies all texts. Returns their total size. */
static unsigned int fill_texts(const struct fn *fn, const void *regs, u8 *bytes, u32 *unread)
{
	const struct fn_op *end = fn->ops + fn->op_count;
	unsigned int at = 0;

	for (const struct fn_op *op = fn->ops + fn->number_count; op < end; op++) {
		unsigned int len = text(op, regs, bytes + at);

		if (!len) {
			*unread |= 1u << op->unread;
			len = op->kind == FN_BYTES ? op->max : 1;
			memset(bytes + at, 0, len);
		}
		at += len;
	}
	return at;
}

/*
 * Writes a record for each of our callbacks in the list. (If the kernel cannot remove a callback
 * from a list, it replaces the callback by a function that does nothing, which is skipped here.)
 * NOW is the current time, or 0 if it has not been read.
 */
static noinline void write(const struct tracepoint_func *callback,
			   const struct lttng_mm_made_class *class, void *rec, size_t len, u64 now)
{
	for (; callback->func; callback++)
		if (likely(callback->func == fn_callback))
			lttng_mm_record_made(callback->data, class, rec, len, now);
}

/*
 * Called after each batch of calls on a CPU. Stops recording if the calls in the current one-second
 * window exceed the maximum rate. The first batch after the end of the window starts the next
 * window.
 */
static noinline void check_rate(struct fn *fn)
{
	s64 now = (s64)get_jiffies_64(), start = atomic64_read(&fn->window_start);

	if (now - start >= HZ) {
		if (atomic64_cmpxchg(&fn->window_start, start, now) == start)
			atomic64_set(&fn->window_calls, 0);
		return;
	}
	if (atomic64_add_return(fn->rate_batch, &fn->window_calls) <= fn->max_rate)
		return;
	WRITE_ONCE(fn->stopped_ns, ktime_get_boot_fast_ns());
	WRITE_ONCE(fn->stopped, true);
}

static __always_inline void count(struct fn *fn)
{
	u64 hits = this_cpu_inc_return(fn->stats->hits);

	if (unlikely(!(hits & (fn->rate_batch - 1))) && fn->max_rate)
		check_rate(fn);
}

/* Completes a filled record. Writes fn_NAME_entry, and keeps a copy for fn_NAME_call. */
static __always_inline void enter(const struct fn *fn, const struct tracepoint_func *entries,
				  const struct tracepoint_func *calls, void *rec, u8 *bytes,
				  unsigned int texts, u32 unread, struct fn_kept *kept, u32 group)
{
	const unsigned int prefix = fn->layout.prefix;

	if (fn->layout.unread) {
		__le32 bits = cpu_to_le32(unread);

		if (texts)
			memcpy(bytes + fn->layout.unread, &bits, fn->layout.unread_bytes);
		else
			store(bytes + fn->layout.unread, unread);
	}
	if (kept) {
		kept->group = calls ? group : 0;
		kept->texts = (u16)texts;
		if (calls)
			copy_words(kept->bytes, bytes, prefix + texts);
	}
	if (entries)
		write(entries, fn->class[FN_ENTRY], rec, prefix + texts, 0);
	if (calls)
		kept->start = trace_clock_read64();
}

static noinline void enter_with_texts(struct fn *fn, const void *regs, unsigned long caller,
				      const struct tracepoint_func *entries,
				      const struct tracepoint_func *calls, struct fn_kept *kept,
				      u32 group)
{
	struct fn_text_buffers *buffers = this_cpu_ptr(text_buffers);
	int level = buffers->level++;
	struct fn_text_record *rec;
	unsigned int texts;
	u32 unread = 0;

	barrier();
	if (level < FN_LEVELS) {
		rec = &buffers->record[level];
		fill(fn, regs, caller, rec->bytes, &unread);
		texts = fill_texts(fn, regs, rec->bytes + fn->layout.prefix, &unread);
		enter(fn, entries, calls, rec, rec->bytes, texts, unread, kept, group);
	} else {
		atomic64_inc(&fn->lost);
		if (kept)
			kept->group = 0;
	}
	barrier();
	buffers->level--;
}

bool fn_enter(struct fn *fn, const void *regs, unsigned long caller, struct fn_kept *kept,
	      u32 group)
{
	const struct tracepoint_func *entries, *calls;
	lttng_mm_callbacks_state state;

	if (unlikely(READ_ONCE(fn->stopped)))
		return false;
	if (unlikely(fn->threads))
		return fn_scope_enter(fn, group);
	if (unlikely(fn->scope) && !fn_scope_has(fn->scope))
		return false;
	lttng_mm_enter();
	state = lttng_mm_callbacks_lock();
	count(fn);
	entries = rcu_dereference_raw(fn->tracepoint[FN_ENTRY]->funcs);
	calls = kept ? rcu_dereference_raw(fn->tracepoint[FN_CALL]->funcs) : NULL;
	if (likely(fn->number_count == fn->op_count)) {
		struct fn_record rec LTTNG_MM_NO_CLEAR;
		u32 unread = 0;

		fill(fn, regs, caller, rec.bytes, &unread);
		enter(fn, entries, calls, &rec, rec.bytes, 0, unread, kept, group);
	} else {
		enter_with_texts(fn, regs, caller, entries, calls, kept, group);
	}
	lttng_mm_callbacks_unlock(state);
	lttng_mm_leave();
	return true;
}

struct call_result {
	u64 value;
	u32 unread;
};

static __always_inline struct call_result result_of(const struct fn *fn, const void *regs)
{
	struct call_result result = { .unread = 0 };
	u64 value = lttng_mm_fn_result(regs);

	result.value =
		fn->result.kind == FN_REGISTER ? value : shown(&fn->result, value, &result.unread);
	return result;
}

static __always_inline void exit_event(const struct fn *fn, const struct tracepoint_func *exits,
				       unsigned long caller, const struct call_result *result,
				       u64 now)
{
	struct fn_record rec LTTNG_MM_NO_CLEAR;

	store(rec.bytes, (u32)current->pid);
	if (fn->layout.caller)
		store(rec.bytes + fn->layout.caller, caller_number(caller));
	if (fn->layout.exit_unread)
		store(rec.bytes + fn->layout.exit_unread, result->unread);
	if (fn->layout.result_bytes)
		store(rec.bytes + fn->layout.exit_result, result->value);
	write(exits, fn->class[FN_EXIT], &rec, fn -> layout.exit_size, now);
}

static bool is_error(const struct fn *fn, u64 value)
{
	if (fn->error_mask)
		return value & fn->error_mask;
	if (fn->returns_unsigned)
		return IS_ERR_VALUE(value);
	/* Shifts the sign bit of the result's type to bit 63. */
	return (s64)(value << fn->result.left) < 0;
}

static bool is_wanted(const struct fn *fn, u64 raw, u64 duration)
{
	return duration >= fn->slower_ns && (!fn->wants_errors || is_error(fn, raw));
}

/* Appends the result and the duration to the fields in BYTES. Returns the size of the record. */
static __always_inline unsigned int end_call(const struct fn *fn, const struct call_result *result,
					     u64 duration, u8 *bytes)
{
	const struct fn_layout *layout = &fn->layout;

	if (layout->call_unread) {
		__le32 bits = 0;

		if (layout->unread)
			memcpy(&bits, bytes + layout->call_unread, layout->unread_bytes);
		bits |= cpu_to_le32(result->unread);
		memcpy(bytes + layout->call_unread, &bits, layout->unread_bytes);
	}
	if (layout->result_bytes)
		store(bytes + layout->call_result, result->value);
	store(bytes + layout->call_duration, duration);
	return layout->call_size;
}

static noinline void call_with_texts(struct fn *fn, const struct tracepoint_func *calls,
				     const struct call_result *result, u64 now,
				     const struct fn_kept *kept)
{
	struct fn_text_buffers *buffers = this_cpu_ptr(text_buffers);
	int level = buffers->level++;
	struct fn_text_record *rec;
	unsigned int len;

	barrier();
	if (level < FN_LEVELS) {
		rec = &buffers->record[level];
		memcpy(rec->bytes, kept->bytes, fn->layout.prefix);
		len = end_call(fn, result, now - kept->start, rec->bytes);
		memcpy(rec->bytes + len, kept->bytes + fn->layout.prefix, kept->texts);
		write(calls, fn->class[FN_CALL], rec, len + kept->texts, now);
	} else {
		atomic64_inc(&fn->lost);
	}
	barrier();
	buffers->level--;
}

void fn_leave(struct fn *fn, const void *regs, unsigned long caller, const struct fn_kept *kept,
	      u32 group)
{
	const struct tracepoint_func *exits, *calls;
	lttng_mm_callbacks_state state;
	struct call_result result;
	/* Reading the clock is expensive, so all records of the exit share one reading. */
	u64 now = 0;

	if (unlikely(READ_ONCE(fn->stopped)))
		return;
	if (unlikely(fn->threads)) {
		fn_scope_leave(fn, group);
		return;
	}
	lttng_mm_enter();
	state = lttng_mm_callbacks_lock();
	calls = kept && kept->group == group ? rcu_dereference_raw(fn->tracepoint[FN_CALL]->funcs)
					     : NULL;
	if (calls)
		now = trace_clock_read64();
	result = result_of(fn, regs);
	exits = rcu_dereference_raw(fn->tracepoint[FN_EXIT]->funcs);
	if (exits)
		exit_event(fn, exits, caller, &result, now);
	if (calls && is_wanted(fn, lttng_mm_fn_result(regs), now - kept->start)) {
		if (kept->texts) {
			call_with_texts(fn, calls, &result, now, kept);
		} else {
			struct fn_record rec LTTNG_MM_NO_CLEAR;
			unsigned int len;

			copy_words(rec.bytes, kept->bytes, fn->layout.prefix);
			len = end_call(fn, &result, now - kept->start, rec.bytes);
			write(calls, fn->class[FN_CALL], &rec, len, now);
		}
	}
	lttng_mm_callbacks_unlock(state);
	lttng_mm_leave();
}
