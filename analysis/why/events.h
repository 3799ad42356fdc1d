/* SPDX-License-Identifier: LGPL-2.1-only */
/* The events of the analysis: which are requested, of which thread each is, and its text. */
#ifndef LTTNG_MM_WHY_EVENTS_H
#define LTTNG_MM_WHY_EVENTS_H

#include "analysis/fn/decode/classes.h"
#include "analysis/registry/registry.h"
#include "analysis/why/interval.h"
#include "util/rows.h"

enum why_role {
	WHY_ROLE_FN,	    /* of a function */
	WHY_ROLE_THREAD,    /* of a thread: fork, exec, exit, state dump */
	WHY_ROLE_CALL_SITE, /* a state dump of call sites */
	WHY_ROLE_SWITCH,    /* sched_switch */
	WHY_ROLE_WAKING,    /* sched_waking, sched_wakeup */
	WHY_ROLE_IRQ_START, /* of a hard or soft interrupt */
	WHY_ROLE_IRQ_END,
	WHY_ROLE_OPERATION_START,
	WHY_ROLE_OPERATION_END,
	WHY_ROLE_ALLOCATION,
	WHY_ROLE_OWN, /* of a provider of this project: its field tid is the thread */
	WHY_ROLE_OTHER,
};

/* Requested fields by role; those of functions and threads are theirs. */
enum {
	WHY_PREV_TID = 0, /* of a switch */
	WHY_NEXT_TID,
	WHY_PREV_STATE,
	WHY_WOKEN_TID = 0, /* of a wake-up */
	WHY_CONTEXT_TID = 0,
	WHY_TID, /* of operations, allocations and own events */
	WHY_FIRST,
	WHY_OPERATION_PID = WHY_FIRST, /* of operations */
	WHY_OPERATION_OWN,	       /* the others are found by struct why_operation */
	WHY_BYTES = WHY_FIRST,	       /* of allocations */
	WHY_ORDER,
};

#define WHY_OPERATION_FIELDS (WHY_OPERATION_OWN + MM_OPERATION_SAME_MAX + MM_FILE_FIELDS)

/* An operation that a subsystem declares. */
struct why_operation {
	const struct mm_operation *operation;
	const struct mm_subsystem *of;
	size_t of_number;    /* of the subsystem, in mm_subsystems */
	unsigned int number; /* among those of all subsystems */
	/* The requested fields, and where in them those of the subsystem are. */
	const char *fields[WHY_OPERATION_FIELDS + 1];
	unsigned int same_count, same_at[MM_OPERATION_SAME_MAX];
	unsigned int file_at[MM_FILE_FIELDS]; /* if it has a file */
	bool selected;			      /* its intervals are looked at */
};

/* What a class of events is bound to. */
struct why_class {
	enum why_role role;
	char *name;			       /* of the events: hostile */
	struct fn_class *fn;		       /* NULL: not of a function */
	const struct why_operation *operation; /* that it starts or ends; NULL: none */
	/* ... of which it is the wide variant of the start or the end; NULL: none. */
	const struct why_operation *wide_of;
	const struct mm_event_roles *packs; /* of its subsystem, which has packed events; or NULL */
	bool starts, ends;		    /* it is of --pair */
	bool is_soft;			    /* of interrupts */
	bool is_packed;			    /* a value that does not fit is all ones */
	const char *lacks; /* the start of an operation: the field without a value; or NULL */
	bool is_wide;	   /* the values that do not fit the event that follows on the CPU */
};

/* May its events start or end an interval? */
static inline bool why_class_is_endpoint(const struct why_class *class)
{
	return class->role == WHY_ROLE_FN || class->role == WHY_ROLE_OPERATION_START ||
	       class->role == WHY_ROLE_OPERATION_END || class->starts || class->ends;
}

/* The last wide variant, by CPU, as text. */
#define WHY_WIDE_SLOTS 256u
struct why_wide_text {
	uint32_t cpu;
	char *event, *text; /* NULL: none */
};

struct why_events {
	struct fn_classes functions;
	char *start, *end;	  /* of --pair; NULL: not given */
	bool needs_files;	  /* --file: wide variants have inode numbers in the first pass */
	enum why_role roles[128]; /* by request */
	struct why_operation operations[MM_OPERATIONS_MAX];
	unsigned int operation_count;
	struct why_class **all;
	size_t count, room;
	bool has_singles;	/* there may be single records of calls */
	struct mm_rows running; /* by CPU, which thread runs on it, from sched_switch */
	struct why_wide_text wides[WHY_WIDE_SLOTS];
};

/* Returns 0, or -1: out of memory. */
int why_events_init(struct why_events *events);
void why_events_release(struct why_events *events);

/*
 * Selects the operations of the subsystems that @only marks, by their numbers in mm_subsystems.
 * With @on_files, it selects only operations on files, of all subsystems if @only marks none.
 */
void why_events_select(struct why_events *events, const bool only[MM_SUBSYSTEMS_MAX],
		       bool on_files);

/* Forms of the list of selected operations, for sentences. */
enum why_name_form {
	WHY_NAME_ONE,	 /* "DAX fault", joined by "or" */
	WHY_NAME_ALL,	 /* "DAX faults", joined by "and" */
	WHY_NAME_EVENTS, /* "DAX faults (dax_*)", joined by "and no" */
};

/* Writes the nouns of the selected operations to @text. Returns false if none is selected. */
bool why_events_name_operations(const struct why_events *events, enum why_name_form form,
				char *text, size_t size);
/* The profile that records the first selected operation; empty: none is selected. */
const char *why_events_profile(const struct why_events *events);
/* Does the trace declare events of the subsystem of a selected operation? */
bool why_events_declared(const struct why_events *events, const struct mm_source *source);

/* Takes `START,END`. Returns 0, or -1: out of memory, or (events->start is NULL) not two names. */
int why_events_pair(struct why_events *events, const char *pair);

/* Adds what pass @pass needs: in the first one what starts and ends intervals. */
void why_events_request(struct why_events *events, unsigned int pass, struct mm_requests *requests);

/* As mm_handler.bind(), but -1 is out of memory. */
int why_events_bind(struct why_events *events, struct mm_event_type *type);

/* Keeps which thread runs on a CPU from a switch on. Returns 0, or -1: out of memory. */
int why_events_switched(struct why_events *events, const struct mm_event *event);
/* It is not known any more: events are missing. @cpu may be MM_CPU_UNKNOWN: of any. */
void why_events_lost(struct why_events *events, uint32_t cpu);
/* Was there a switch on @cpu, at @time_ns or before? */
bool why_events_has_switch(const struct why_events *events, uint32_t cpu, int64_t time_ns);
/* The thread that runs on @cpu, by the last switch. False: it is not known. */
bool why_events_running(const struct why_events *events, uint32_t cpu, uint32_t *tid);

/* The thread of the event. False: it is not known. */
bool why_events_thread(const struct why_events *events, const struct why_class *class,
		       const struct mm_event *event, uint32_t *tid);

/* `slab_kmalloc(bytes_req=60, gfp_flags=IO|FS)`; hostile. Sets *@call_site if it has one. */
struct why_text {
	char text[2048];
	uint32_t call_site;
	bool has_call_site;
};

void why_events_text(struct why_events *events, const struct mm_event *event,
		     struct why_text *text);
/* Keeps the text of a wide variant. Returns 0, or -1: out of memory. */
int why_events_wide(struct why_events *events, const struct mm_event *event);

/* Whether the event of an allocation has its size, and the bytes of it; 0 without. */
bool why_events_bytes(const struct mm_event *event, uint64_t *bytes);

#endif /* LTTNG_MM_WHY_EVENTS_H */
