/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event classes of functions: what their fields are, and how values become text. */
#ifndef LTTNG_MM_FN_DECODE_CLASSES_H
#define LTTNG_MM_FN_DECODE_CLASSES_H

#include "analysis/fn/decode/labels.h"
#include "util/text.h"

/* The requests, in this order. Those of threads are in the order of enum mm_thread_event. */
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
	FN_REQUEST_SWITCH,		      /* only of listings */
	FN_REQUEST_STATE = FN_REQUEST_SWITCH, /* only of reports */
};

/* Fields of all three forms, then the result, then the duration; arguments follow. */
enum fn_field { FN_TID, FN_CALLER, FN_UNREAD, FN_RET, FN_DURATION };

/* Of hostile traces, whose functions may have any number. */
#define FN_ARGUMENTS_MAX 32u
#define FN_FUNCTIONS_MAX 4096u
#define FN_STRING_MAX 256u /* bytes kept of a string, its NUL included */
#define FN_BYTES_MAX 256u  /* of an array of bytes that are kept */
/* Of their text, such as `00 ff`, with `...` if there are more, and the NUL. */
#define FN_BYTES_TEXT_MAX (3 * FN_BYTES_MAX + 4)

struct fn_value_form {
	char *name; /* hostile */
	enum mm_kind kind;
	bool is_hex;
	struct fn_value_labels labels;
	uint64_t unread; /* the bit of the field `unread` that says so; 0: none */
};

/* Is its value kept as a text? */
static inline bool fn_form_is_text(const struct fn_value_form *form)
{
	return form->kind == MM_KIND_STRING || form->kind == MM_KIND_ARRAY;
}

/* A class that is bound; it lives as long as the decoder. */
struct fn_class {
	uint32_t function; /* its number */
	enum fn_request form;
	bool is_shown;		   /* --function selects it */
	bool never_returns;	   /* the function is one of the kernel's that do not return */
	bool has_texts;		   /* strings or bytes are among its arguments */
	bool knows_bases;	   /* what needs an event is known, such as is_hex */
	bool is_ignored;	   /* calls of a function whose entries and exits are there, too */
	bool is_checked;	   /* ... and it is known whether they are */
	unsigned int first, count; /* of its arguments among the requested fields */
	struct fn_value_form *arguments;
	unsigned char order[FN_ARGUMENTS_MAX]; /* numbers of the arguments as they are shown */
	struct fn_value_form ret;
	uint64_t ret_errors; /* bits of a vm_fault_t that are errors; 0: it is none */
	bool has_ret, has_caller;
	size_t values_room; /* see fn_values_room() */
};

struct fn_classes {
	struct fn_class **all;
	size_t count, room;
	char **names; /* of functions, by number: hostile */
	size_t function_count;
	struct mm_hash by_name;
	bool too_many;	       /* functions: the rest is left out */
	const char *functions; /* patterns, as mm_glob_match() takes them; NULL: all */
};

void fn_classes_init(struct fn_classes *classes);
void fn_classes_release(struct fn_classes *classes);

/* Requests the events of functions; with @arguments, their arguments, too. */
void fn_classes_request_calls(struct mm_requests *requests, bool arguments);
/* The same with arguments, and what else the report needs. */
void fn_classes_request(struct mm_requests *requests);

/*
 * Binds a class of the first three requests. Returns 0; 1 if it is not of a function; or -1: out of
 * memory.
 */
int fn_classes_bind(struct fn_classes *classes, struct mm_event_type *type);

/* What only an event says of its class: to be called for the first one. */
void fn_classes_learn(const struct fn_classes *classes, struct fn_class *class,
		      const struct mm_event *event);

/* Does the trace declare single records of a function without its entry and exit? */
bool fn_classes_use_singles(const struct mm_source *source);

/*
 * Does the trace have functions, and none that @functions selects? Then writes to @hint which names
 * may be meant, as mm_nearest_hint() does, or a full stop.
 */
bool fn_classes_match_none(const struct fn_classes *classes, char *hint, size_t size);

/* The number of argument @name, or -1. */
int fn_class_argument(const struct fn_class *class, const char *name);

static inline uint64_t fn_event_unread(const struct mm_event *event)
{
	return event->fields[FN_UNREAD].u;
}

#endif /* LTTNG_MM_FN_DECODE_CLASSES_H */
