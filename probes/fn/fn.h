/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The function probe: each function that root adds gets its own provider, whose events contain the
 * function's arguments and result.
 *
 * LTTng attaches the callback of an event to a tracepoint by name, so each event gets a tracepoint
 * from a pool. These tracepoints never fire. While one of them has a callback, the function is
 * hooked, and the hook writes a record for each callback in the tracepoint's list. (Two events on
 * one tracepoint would cost a grace period per function when a session stops.)
 *
 * Locks: fn_mutex protects everything except the hooks, which take no lock. It is taken before the
 * locks of LTTng and ftrace. A tracepoint changes while LTTng's locks are held, so on_use() and
 * on_disuse() only request that the hooks are settled later.
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

/* Kinds of operations; each records one field. */
enum fn_op_kind {
	FN_REGISTER, /* the argument itself */
	/* an argument of 64 bits, which is not recorded if it is a kernel address */
	FN_REGISTER_CHECKED,
	FN_REGISTER_POINTER, /* an argument that is encoded as a pointer */
	FN_NUMBER,	     /* any other number */
	FN_STRING,
	FN_USER_STRING,
	FN_BYTES,
};

struct fn_op {
	u8 kind;
	u8 bytes;	/* number of bytes that the last load reads */
	u8 left, right; /* shifts that extract the bits of the value */
	u8 steps;
	u8 out;	   /* byte offset in the record */
	u8 unread; /* number of this field's bit in `unread' */
	bool is_signed, is_pointer, is_checked, in_place;
	u16 at;	 /* location of the argument: lttng_mm_fn_argument_at() */
	u16 max; /* maximum size of a text */
	s32 offset[LTTNG_MM_FN_STEPS];
};

/* Counters, one instance per CPU. */
struct fn_stats {
	u64 hits;
};

/*
 * Layout of the records, which start with the thread ID. Offsets and sizes are in bytes; an offset
 * or size of 0 means that the record has no such field.
 */
struct fn_layout {
	u8 caller;
	u8 unread;
	u8 unread_bytes;
	u8 prefix; /* size of the fields that fn_NAME_entry and fn_NAME_call have in common */
	u8 result_bytes;
	u8 exit_unread; /* this and the next two members describe fn_NAME_exit */
	u8 exit_result;
	u8 exit_size;
	u8 call_unread; /* this and the next three members describe fn_NAME_call */
	u8 call_result;
	u8 call_duration;
	u8 call_size; /* size without texts */
	u16 texts;    /* maximum size of all texts */
};

struct fn {
	struct list_head node;		     /* in fn_all or fn_removed, under fn_mutex */
	char *name, *symbol, *module, *spec; /* @module: NULL for the kernel itself */
	u64 definition;			     /* hash of the complete request for this function */
	struct lttng_mm_provider *provider;
	const struct lttng_mm_made_class *class[FN_EVENTS];
	struct fn_enum *enums; /* list of the enumerations of its fields */
	unsigned int slot;
	struct tracepoint *tracepoint[FN_EVENTS];
	struct fn_stats __percpu *stats;
	unsigned long address;	/* 0: its module is not loaded */
	struct fn_group *group; /* written under fn_mutex; NULL: not hooked */
	int error;		/* result of the last failed attempt to hook it */

	/*
	 * Set only if this function is a scope: the scope has no events, and other functions are
	 * recorded during its calls; see scope.h.
	 */
	struct fn_scope_table *threads;
	unsigned int scope_users;
	atomic64_t lost; /* calls that were hooked but not recorded, for lack of room */
	/* Calls that earlier groups missed, and number of the last group. Under fn_mutex. */
	u64 past_misses;
	u32 last_group;

	/* The following members are read by the hook. */
	struct fn *scope; /* record only during calls of this function; NULL: always */
	bool stopped;	  /* the calls exceeded @max_rate: no longer recorded */
	bool removed;
	bool wants_errors;
	bool returns_unsigned;	  /* the result is an unsigned 64-bit type */
	u32 max_rate, rate_batch; /* @rate_batch: calls on a CPU between checks of the rate */
	u64 slower_ns, error_mask;
	/* window for the maximum rate: its start (jiffies) and number of calls */
	atomic64_t window_start, window_calls;
	u64 stopped_ns;
	struct fn_layout layout;
	struct fn_op result;
	unsigned int number_count; /* number of operations before the texts */
	unsigned int op_count;
	struct fn_op ops[];
};

/* Data that is kept from the entry to the exit of a call, for fn_NAME_call. */
struct fn_kept {
	u64 start;
	u32 group; /* number of the group whose hook stored the data */
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
/* Frees the removed functions, if no session has events of this module. Waits for all readers. */
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
 * Checks a complete request. Returns an enum lttng_mm_fn_error; on an error, REFUSED names the
 * function and field.
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
/* Is the field a string or an array of bytes? Such fields follow all numbers. */
bool fn_is_text(const struct lttng_mm_fn_field *field);
/* Does the field need a bit of `unread'? */
bool fn_may_be_unread(const struct lttng_mm_fn_field *field);
/* Returns the number of bytes that a call of the function keeps until its exit. */
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
/* Has a tracepoint announced a change that the kernel has not made yet? */
bool fn_tracepoints_change(void);
void fn_changed(bool soon);

/* capture.c: called by the hooks. */
void fn_callback(void *event);
/*
 * fn_enter, fn_leave - record the entry and the exit of a call
 *
 * KEPT has room for fn_kept_bytes(); if it is NULL, fn_NAME_call is not recorded. fn_enter()
 * returns whether fn_leave() must be called at the exit.
 *
 * Context: any in which RCU is watching; takes no lock.
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
 * device.c: registers the device through which root adds and removes functions. Returns 0 or a
 * negative errno.
 */
int fn_device_init(void);
void fn_device_exit(void);

/* statedump.c: registers the provider "fnstate". Returns 0 or a negative errno. */
int fn_statedump_init(void);
void fn_statedump_exit(void);

#endif /* LTTNG_MM_PROBES_FN_FN_H */
