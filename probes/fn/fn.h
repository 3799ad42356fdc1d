/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The function probe. Each function that root adds gets its own provider. Its events contain the
 * function's arguments and result.
 *
 * LTTng attaches an event's callback to a tracepoint by name, so each event gets a tracepoint from
 * a pool. These tracepoints never fire. While one of these tracepoints has a callback, its function
 * is hooked. The hook writes a record for each callback in the tracepoint's list. (If the events of
 * several functions shared a tracepoint, LTTng would detach their callbacks one by one, and a
 * stopping session would wait for a grace period per function.)
 *
 * Locks: fn_mutex protects everything except the hooks, which take no lock. Take it before the
 * locks of LTTng and ftrace. on_use() and on_disuse() (tracepoints.c) are called under LTTng's
 * locks, so they only request that hooks are attached or detached later.
 */
#ifndef LTTNG_MM_PROBES_FN_FN_H
#define LTTNG_MM_PROBES_FN_FN_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/tracepoint.h>
#include <instrumentation/wire/fn.h>
#include <probes/compat/fn-registers.h>
#include <probes/lib/record.h>

struct fn_group;
struct fn_scope_table;
struct lttng_mm_provider;

/* Events of a function: fn_NAME_entry, fn_NAME_exit, fn_NAME_call. */
enum fn_event { FN_ENTRY, FN_EXIT, FN_CALL, FN_EVENTS };

/* An eight-byte store may start at the last byte of the numbers. */
#define FN_NUMBER_ROOM (LTTNG_MM_FN_NUMBER_BYTES + 8)

/* Kinds of operations. Each records one field. */
enum fn_op_kind {
	FN_REGISTER, /* an argument without conversion */
	/* a 64-bit argument, which is not recorded if it is a kernel address */
	FN_REGISTER_CHECKED,
	FN_REGISTER_POINTER, /* an argument encoded as a pointer */
	FN_NUMBER,	     /* any other number */
	FN_STRING,
	FN_USER_STRING,
	FN_BYTES,
};

struct fn_op {
	u8 kind;
	u8 bytes;	/* size of the last load */
	u8 left, right; /* shifts that extract the value */
	u8 steps;
	u8 out;	   /* byte offset in the record */
	u8 unread; /* the field's bit in `unread' */
	bool is_signed, is_pointer, is_checked, in_place;
	u16 at;	 /* where the argument is: lttng_mm_fn_argument_at() */
	u16 max; /* maximum size of a text */
	s32 offset[LTTNG_MM_FN_STEPS];
};

struct fn_stats {
	u64 hits;
};

/*
 * Layout of the records, which start with the thread ID. Offsets and sizes are in bytes. 0: the
 * record has no such field.
 */
struct fn_layout {
	u8 caller;
	u8 unread;
	u8 unread_bytes;
	u8 prefix; /* size of the fields that fn_NAME_entry and fn_NAME_call share */
	u8 result_bytes;
	u8 exit_unread; /* this and the next two members: layout of fn_NAME_exit */
	u8 exit_result;
	u8 exit_size;
	u8 call_unread; /* this and the next three members: layout of fn_NAME_call */
	u8 call_result;
	u8 call_duration;
	u8 call_size; /* size without texts */
	u16 texts;    /* maximum size of all texts */
};

struct fn {
	struct list_head node;		     /* in fn_all or fn_removed, under fn_mutex */
	char *name, *symbol, *module, *spec; /* @module: NULL for the kernel itself */
	u64 definition;			     /* hash of the request without the name and SPEC */
	struct lttng_mm_provider *provider;
	const struct lttng_mm_made_class *class[FN_EVENTS];
	struct fn_enum *enums; /* the enumerations of its fields */
	unsigned int slot;
	struct tracepoint *tracepoint[FN_EVENTS];
	struct fn_stats __percpu *stats;
	unsigned long address;	/* address of the function; 0: its module is not loaded */
	struct fn_group *group; /* written under fn_mutex; NULL: not hooked */
	int error;		/* result of the last failed attempt to hook it */

	/*
	 * Set only for a scope: a function without events. Other functions are recorded only during
	 * its calls (scope.h).
	 */
	struct fn_scope_table *threads;
	unsigned int scope_users;
	atomic64_t lost; /* hooked calls that were not recorded, because there was no room */
	/*
	 * @past_misses: number of calls that earlier groups of the function have missed.
	 * @last_group: number of the last group. Under fn_mutex.
	 */
	u64 past_misses;
	u32 last_group;

	/* The hook reads the members below. */
	struct fn *scope; /* record only during calls of this function; NULL: always */
	bool stopped;	  /* not recorded any more, because the calls exceeded @max_rate */
	bool removed;
	bool wants_errors;
	bool returns_unsigned;	  /* the result is an unsigned 64-bit type */
	u32 max_rate, rate_batch; /* @rate_batch: calls on a CPU between two checks of the rate */
	u64 slower_ns, error_mask;
	/* the current window for the maximum rate: its start (jiffies) and its calls */
	atomic64_t window_start, window_calls;
	u64 stopped_ns;
	struct fn_layout layout;
	struct fn_op result;
	unsigned int number_count; /* number of operations before the texts */
	unsigned int op_count;
	struct fn_op ops[];
};

/* Data of a call, kept from its entry to its exit for fn_NAME_call. */
struct fn_kept {
	u64 start;
	u32 group; /* the group whose hook stored the data */
	u16 texts;
	u16 reserved;
	u8 bytes[]; /* the prefix, then the texts */
};

extern struct mutex fn_mutex;
extern struct list_head fn_all;

/* functions.c: all under fn_mutex. */
int fn_add_all(const struct lttng_mm_fn_add *add, const void *data,
	       struct lttng_mm_fn_add *refused);
int fn_remove(const char *name);
/* Frees removed functions unless a session has events of this module. Waits for all readers. */
void fn_free_unused(void);
const struct fn *fn_at(unsigned int index);
void fn_forget_all(void);

/* Returns an added function, or NULL. Context: preemption off. */
const struct fn *fn_of_slot(unsigned int slot);
/* Returns the number of calls since the function was added. Context: any. */
u64 fn_calls(const struct fn *fn);

/* request.c */
struct fn_add_request {
	const struct lttng_mm_fn_function *functions;
	const struct lttng_mm_fn_field *fields;
	const struct lttng_mm_fn_labels *enums;
	const struct lttng_mm_fn_label *labels;
	const char *strings;
	struct lttng_mm_fn_add size;
};

/*
 * Checks a complete request. Returns an enum lttng_mm_fn_error. On an error, REFUSED names the
 * function and the field.
 */
int fn_request_check(struct fn_add_request *request, const struct lttng_mm_fn_add *add,
		     const void *data, struct lttng_mm_fn_add *refused);

static inline const char *fn_string(const struct fn_add_request *request, u32 offset)
{
	return request->strings + offset;
}

/* plan.c: fills the operations and the layout. Returns an enum lttng_mm_fn_error. */
int fn_plan(struct fn *fn, const struct fn_add_request *request,
	    const struct lttng_mm_fn_function *function);
/* Is the field a string or an array of bytes? Such a field follows all numbers. */
bool fn_is_text(const struct lttng_mm_fn_field *field);
/* Does the field need a bit of `unread'? */
bool fn_may_be_unread(const struct lttng_mm_fn_field *field);
/* Returns how many bytes a call of the function keeps until its exit. */
size_t fn_kept_bytes(const struct fn *fn);

/* describe.c: makes the provider. Returns 0 or a negative errno. */
int fn_describe(struct fn *fn, const struct fn_add_request *request,
		const struct lttng_mm_fn_function *function);
void fn_describe_end(struct fn *fn);

/* tracepoints.c */
struct tracepoint *fn_tracepoint(unsigned int slot, enum fn_event event);
static inline bool fn_tracepoint_used(struct tracepoint *tracepoint)
{
	return rcu_access_pointer(tracepoint->funcs) != NULL;
}
/* Has on_use() or on_disuse() announced a change that the kernel has yet to make? */
bool fn_tracepoints_change(void);
void fn_changed(bool soon);

/* capture.c: called by the hooks. */
void fn_callback(void *event);
/*
 * fn_enter, fn_leave - record the entry and the exit of a call
 *
 * KEPT has room for fn_kept_bytes(). If it is NULL, fn_NAME_call is not recorded. If fn_enter()
 * returns true, call fn_leave() at the exit.
 *
 * Context: any in which RCU is watching. Takes no lock.
 */
bool fn_enter(struct fn *fn, const void *regs, unsigned long caller, struct fn_kept *kept,
	      u32 group);
void fn_leave(struct fn *fn, const void *regs, unsigned long caller, const struct fn_kept *kept,
	      u32 group);
/*
 * Finds the kernel's return trampolines and allocates the text buffers. Sleeps. Returns 0 or a
 * negative errno.
 */
int fn_capture_init(void);
/* Frees the text buffers. No function may be hooked. */
void fn_capture_exit(void);

/*
 * device.c: registers the device for adding and removing functions. Returns 0 or a negative errno.
 */
int fn_device_init(void);
void fn_device_exit(void);

/* statedump.c: registers the provider "fnstate". Returns 0 or a negative errno. */
int fn_statedump_init(void);
void fn_statedump_exit(void);

#endif /* LTTNG_MM_PROBES_FN_FN_H */
