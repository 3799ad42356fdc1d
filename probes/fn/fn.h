/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probe of functions: each function that root adds gets a separate provider, whose events have
 * the function's arguments and result.
 *
 * LTTng attaches the callback of an event to a tracepoint by its name, so each event has one of a
 * pool of tracepoints. They are never fired. While one has a callback, the function is hooked, and
 * the hook takes what to write to from the list of callbacks. (Two events at one tracepoint would
 * cost a grace period for each function when a session stops.)
 *
 * Locks: fn_mutex is for all of this but the hooks themselves, which take no lock. It is taken
 * before those of LTTng and of ftrace. A tracepoint changes with LTTng's locks held, so it only
 * requests that the hooks are settled.
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

/* The events of a function: fn_NAME_entry and so on. */
enum fn_event { FN_ENTRY, FN_EXIT, FN_CALL, FN_EVENTS };

/* Writes of eight bytes may begin at the last byte of the numbers. */
#define FN_NUMBER_ROOM (LTTNG_MM_FN_NUMBER_BYTES + 8)

/* What to do for one field. */
enum fn_op_kind {
	FN_REGISTER,	     /* the argument itself */
	FN_REGISTER_CHECKED, /* ... of 64 bits, which may be an address */
	FN_REGISTER_POINTER, /* ... encoded */
	FN_NUMBER,	     /* everything else that is a number */
	FN_STRING,
	FN_USER_STRING,
	FN_BYTES,
};

struct fn_op {
	u8 kind;
	u8 bytes;	/* of the last load */
	u8 left, right; /* shifts that leave the bits of the value */
	u8 steps;
	u8 out;	   /* byte of the record */
	u8 unread; /* bit of the field `unread' */
	bool is_signed, is_pointer, is_checked, in_place;
	u16 at;	 /* where the argument is: lttng_mm_fn_argument_at() */
	u16 max; /* of a text */
	s32 offset[LTTNG_MM_FN_STEPS];
};

/* One per CPU. */
struct fn_stats {
	u64 hits;
};

/* The layout of the records, which begin with the thread id. Offsets and sizes are in bytes. */
struct fn_layout {
	u8 caller; /* 0: there is none */
	u8 unread; /* 0: there is none */
	u8 unread_bytes;
	u8 prefix;	 /* size of what fn_NAME_entry and fn_NAME_call have in common */
	u8 result_bytes; /* 0: there is none */
	u8 exit_unread;	 /* in fn_NAME_exit; 0: there is none */
	u8 exit_result;
	u8 exit_size;
	u8 call_unread; /* in fn_NAME_call; 0: there is none */
	u8 call_result;
	u8 call_duration;
	u8 call_size; /* without texts */
	u16 texts;    /* bytes of texts at most */
};

struct fn {
	struct list_head node;		     /* of fn_all or of fn_removed, under fn_mutex */
	char *name, *symbol, *module, *spec; /* module: NULL if it is the kernel itself */
	u64 definition;			     /* a hash of all that was requested of it */
	struct lttng_mm_provider *provider;
	const struct lttng_mm_made_class *class[FN_EVENTS];
	struct fn_enum *enums; /* those of its fields, in a list */
	unsigned int slot;
	struct tracepoint *tracepoint[FN_EVENTS];
	struct fn_stats __percpu *stats;
	unsigned long address;	/* 0: its module is not loaded */
	struct fn_group *group; /* written under fn_mutex; NULL: not hooked */
	int error;		/* of the last attempt to hook it */

	/* Of a function without events, within whose calls others are recorded; see scope.h. */
	struct fn_scope_table *threads;
	unsigned int scope_users;
	atomic64_t lost; /* calls that were hooked, and found no room */
	/* Of groups that it has been in; under fn_mutex. */
	u64 past_misses;
	u32 last_group;

	/* What the hook reads. */
	struct fn *scope; /* recorded only within calls of this function; NULL: always */
	bool stopped;	  /* called too often */
	bool removed;
	bool wants_errors;
	bool returns_unsigned;	  /* of 64 bits */
	u32 max_rate, rate_batch; /* calls of a CPU after which the rate is checked */
	u64 slower_ns, error_mask;
	atomic64_t window_start, window_calls; /* of the rate */
	u64 stopped_ns;
	struct fn_layout layout;
	struct fn_op result;
	unsigned int number_count; /* operations before those of texts */
	unsigned int op_count;
	struct fn_op ops[];
};

/* What is kept from the entry to the exit of a call, for fn_NAME_call. */
struct fn_kept {
	u64 start;
	u32 group; /* number of the group whose hook kept it */
	u16 texts;
	u16 reserved;
	u8 bytes[]; /* the prefix, then texts */
};

extern struct mutex fn_mutex;
extern struct list_head fn_all;

/* functions.c: all under fn_mutex. */
int fn_add_all(const struct lttng_mm_fn_add *add, const void *data,
	       struct lttng_mm_fn_add *refused);
int fn_remove(const char *name);
/* Frees what was removed, if no session has events of this module. Waits for all readers. */
void fn_free_unused(void);
const struct fn *fn_at(unsigned int index);
void fn_forget_all(void);

/* With preemption off: a function that has been added, or NULL. */
const struct fn *fn_of_slot(unsigned int slot);
/* Calls since it was added. Context: any. */
u64 fn_calls(const struct fn *fn);

/* request.c */
struct fn_request {
	const struct lttng_mm_fn_function *functions;
	const struct lttng_mm_fn_field *fields;
	const struct lttng_mm_fn_labels *enums;
	const struct lttng_mm_fn_label *labels;
	const char *strings;
	struct lttng_mm_fn_add size;
};

/* Checks all of a request. Returns an enum lttng_mm_fn_error; REFUSED says what is wrong. */
int fn_request_check(struct fn_request *request, const struct lttng_mm_fn_add *add,
		     const void *data, struct lttng_mm_fn_add *refused);

static inline const char *fn_string(const struct fn_request *request, u32 offset)
{
	return request->strings + offset;
}

/* plan.c: fills operations and layout. Returns an enum lttng_mm_fn_error. */
int fn_plan(struct fn *fn, const struct fn_request *request,
	    const struct lttng_mm_fn_function *function);
/* Returns whether a field is a string or an array of bytes, which follow all numbers. */
bool fn_is_text(const struct lttng_mm_fn_field *field);
/* Returns whether a field needs a bit of `unread'. */
bool fn_may_be_unread(const struct lttng_mm_fn_field *field);
/* Returns the number of bytes that a call of the function keeps. */
size_t fn_kept_bytes(const struct fn *fn);

/* describe.c: makes the provider. Negative errno. */
int fn_describe(struct fn *fn, const struct fn_request *request,
		const struct lttng_mm_fn_function *function);
void fn_describe_end(struct fn *fn);

/* tracepoints.c */
struct tracepoint *fn_tracepoint(unsigned int slot, enum fn_event event);
static inline bool fn_tracepoint_used(struct tracepoint *tracepoint)
{
	return rcu_access_pointer(tracepoint->funcs) != NULL;
}
/* Returns whether a change has been reported that is not made yet. */
bool fn_tracepoints_change(void);
void fn_changed(bool soon);

/* capture.c: what the hooks call. */
void fn_callback(void *event);
/*
 * fn_enter, fn_leave - a call of the function begins, and ends
 *
 * KEPT has room for fn_kept_bytes(), or is NULL: fn_NAME_call is not recorded then. fn_enter()
 * returns whether the end of the call is of interest.
 *
 * Context: any in which RCU is watching; no lock.
 */
bool fn_enter(struct fn *fn, const void *regs, unsigned long caller, struct fn_kept *kept,
	      u32 group);
void fn_leave(struct fn *fn, const void *regs, unsigned long caller, const struct fn_kept *kept,
	      u32 group);
/*
 * Finds the kernel's return trampolines and allocates the buffers of texts. Sleeps. Returns 0 or a
 * negative errno.
 */
int fn_capture_init(void);
/* Frees the buffers. No function may be hooked. */
void fn_capture_exit(void);

/* device.c: registers the device by which root adds and removes functions. Negative errno. */
int fn_device_init(void);
void fn_device_exit(void);

/* statedump.c: registers the provider "fnstate". Negative errno. */
int fn_statedump_init(void);
void fn_statedump_exit(void);

#endif /* LTTNG_MM_PROBES_FN_FN_H */
