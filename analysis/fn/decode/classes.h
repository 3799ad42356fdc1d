/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event classes of functions: fn_NAME_entry, fn_NAME_exit, and fn_NAME_call ("single record"). */
#ifndef LTTNG_MM_FN_DECODE_CLASSES_H
#define LTTNG_MM_FN_DECODE_CLASSES_H

#include "analysis/fn/decode/labels.h"
#include "util/text.h"

/*
 * Requests in the order of their numbers. Events of threads are in the order of enum
 * mm_thread_event.
 */
enum fn_request {
	FN_REQUEST_ENTRY,
	FN_REQUEST_EXIT,
	FN_REQUEST_CALL,
	FN_REQUEST_CALL_SITE,
	FN_REQUEST_THREADS,
	FN_REQUEST_FORK = FN_REQUEST_THREADS,
	FN_REQUEST_EXEC,
	FN_REQUEST_THREAD_EXIT,
	FN_REQUEST_DUMP,
	FN_REQUEST_DUMP_LTTNG,
	FN_REQUEST_SWITCH,		      /* listings only */
	FN_REQUEST_STATE = FN_REQUEST_SWITCH, /* reports only */
};

/*
 * Requested fields. All forms of events have the first three fields. Exits and single records have
 * the result, and single records also have the duration. The arguments follow these fields.
 */
enum fn_field { FN_TID, FN_CALLER, FN_UNREAD, FN_RET, FN_DURATION };

/* Limits for hostile traces. */
#define FN_ARGUMENTS_MAX 32u
#define FN_FUNCTIONS_MAX 4096u
#define FN_STRING_MAX 256u /* bytes stored of a string, with the NUL */
#define FN_BYTES_MAX 256u  /* bytes stored of an array */
/* Room for an array's text such as `00 ff`, with `...` if it is truncated, and the NUL. */
#define FN_BYTES_TEXT_MAX (3 * FN_BYTES_MAX + 4)

struct fn_value_form {
	char *name; /* untrusted */
	enum mm_kind kind;
	bool is_hex;
	struct fn_value_labels labels;
	uint64_t unread; /* bit in the field `unread` that marks this value as not read; 0: none */
};

/* Are values of this form stored as text? */
static inline bool fn_form_is_text(const struct fn_value_form *form)
{
	return form->kind == MM_KIND_STRING || form->kind == MM_KIND_ARRAY;
}

/* A bound event class. Valid as long as struct fn_classes exists. */
struct fn_class {
	uint32_t function;
	enum fn_request form;
	bool is_shown;	    /* --function selects it */
	bool never_returns; /* a function of the kernel such as do_task_dead() */
	bool has_texts;	    /* at least one argument is a string or an array */
	/* fn_classes_learn() was called, so the number bases of values are known */
	bool knows_bases;
	/* the events are single records, ignored because the trace declares entries and exits */
	bool is_ignored;
	unsigned int first, count; /* @first: index of the first argument */
	struct fn_value_form *arguments;
	unsigned char order[FN_ARGUMENTS_MAX]; /* arguments in the order of the declaration */
	struct fn_value_form ret;
	uint64_t ret_errors; /* error bits if the result is a vm_fault_t; else 0 */
	bool has_ret, has_caller;
	size_t values_room; /* see fn_values_room() */
};

struct fn_classes {
	struct fn_class **all;
	size_t count, room;
	char **names; /* names of functions, by number; untrusted */
	size_t function_count;
	struct mm_hash by_name;
	bool too_many;	       /* more than FN_FUNCTIONS_MAX functions; the rest is left out */
	const char *functions; /* patterns for mm_glob_match(); NULL: all */
};

void fn_classes_init(struct fn_classes *classes);
void fn_classes_release(struct fn_classes *classes);

/* Requests the events of functions. If @arguments is true, also requests the arguments. */
void fn_classes_request_calls(struct mm_requests *requests, bool arguments);
/* Requests the events of functions (including the arguments), call sites and threads. */
void fn_classes_request(struct mm_requests *requests);

/*
 * Binds a class of FN_REQUEST_ENTRY, FN_REQUEST_EXIT or FN_REQUEST_CALL. Returns 0, 1 if the class
 * must be ignored, or -1 when out of memory.
 */
int fn_classes_bind(struct fn_classes *classes, struct mm_event_type *type);

/* Completes the class from its first event, which shows each value's number base. */
void fn_classes_learn(const struct fn_classes *classes, struct fn_class *class,
		      const struct mm_event *event);

/* Does the trace declare single records of a function that lacks an entry or exit event? */
bool fn_classes_use_singles(const struct mm_source *source);

/*
 * Does the trace have functions, but none that the patterns select? If so, @hint receives the end
 * of a sentence: a list of similar names (mm_nearest_hint()), or a full stop.
 */
bool fn_classes_match_none(const struct fn_classes *classes, char *hint, size_t size);

/* Returns the number of the argument @name, or -1. */
int fn_class_argument(const struct fn_class *class, const char *name);

static inline uint64_t fn_event_unread(const struct mm_event *event)
{
	return event->fields[FN_UNREAD].u;
}

#endif /* LTTNG_MM_FN_DECODE_CLASSES_H */
