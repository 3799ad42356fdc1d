/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The events of the analysis: requests, threads and text. If a value does not fit in a packed
 * event, a wide variant of the event precedes it on the CPU.
 */
#ifndef LTTNG_MM_WHY_EVENTS_H
#define LTTNG_MM_WHY_EVENTS_H

#include "analysis/fn/decode/classes.h"
#include "analysis/registry/registry.h"
#include "analysis/why/interval.h"
#include "util/rows.h"

enum why_role {
	WHY_ROLE_FN,	    /* event of a function */
	WHY_ROLE_THREAD,    /* fork, exec, exit or state dump of a thread */
	WHY_ROLE_CALL_SITE, /* state dump of call sites */
	WHY_ROLE_SWITCH,    /* sched_switch */
	WHY_ROLE_WAKING,    /* sched_waking, sched_wakeup */
	WHY_ROLE_IRQ_START, /* entry of a hard or soft interrupt */
	WHY_ROLE_IRQ_END,
	WHY_ROLE_OPERATION_START,
	WHY_ROLE_OPERATION_END,
	WHY_ROLE_ALLOCATION,
	WHY_ROLE_TOUCH,
	WHY_ROLE_SAMPLE, /* states which share of the pages is recorded */
	WHY_ROLE_OWN,	 /* other event of a subsystem, with the thread id in the field tid */
	WHY_ROLE_OTHER,
};

/* Indexes of requested fields, by role. Events of functions and threads use other enumerations. */
enum {
	WHY_PREV_TID = 0, /* fields of switches */
	WHY_NEXT_TID,
	WHY_PREV_STATE,
	WHY_WOKEN_TID = 0, /* fields of wake-ups */
	WHY_CONTEXT_TID = 0,
	WHY_TID, /* fields of operations, allocations and other events of subsystems */
	WHY_FIRST,
	WHY_OPERATION_PID = WHY_FIRST, /* fields of operations */
	/* first of the fields that depend on the operation: see struct why_operation */
	WHY_OPERATION_OWN,
	WHY_BYTES = WHY_FIRST, /* fields of allocations */
	WHY_ORDER,
	WHY_SAMPLE = WHY_FIRST,
};

#define WHY_OPERATION_FIELDS (WHY_OPERATION_OWN + MM_OPERATION_SAME_MAX + MM_FILE_FIELDS)

/* An operation that a subsystem declares. */
struct why_operation {
	const struct mm_operation *operation;
	const struct mm_subsystem *of;
	size_t of_number;    /* index in mm_subsystems */
	unsigned int number; /* number among the operations of all subsystems */
	/* The requested fields. @same_at and @file_at contain indexes into the array. */
	const char *fields[WHY_OPERATION_FIELDS + 1];
	unsigned int same_count, same_at[MM_OPERATION_SAME_MAX];
	unsigned int file_at[MM_FILE_FIELDS]; /* set only if the subsystem declares a file */
	bool selected;			      /* the user selected the operation */
};

/* A bound event class. */
struct why_class {
	enum why_role role;
	char *name;	     /* name of the event; untrusted */
	struct fn_class *fn; /* NULL: not a function's event */
	/* the operation that events of this class start or end, or NULL */
	const struct why_operation *operation;
	/* if the class is the wide variant of a start or end event: the operation; else NULL */
	const struct why_operation *wide_of;
	/* if the event is packed: the roles of its subsystem; else NULL */
	const struct mm_event_roles *packs;
	bool starts, ends; /* the event is START or END of --pair */
	bool is_soft;
	bool is_packed; /* a field value of all ones means that the value does not fit */
	/* in start events: the field of the outcome, which has no value yet; else NULL */
	const char *lacks;
	bool is_wide; /* wide variant of the next packed event on the CPU */
};

/* May events of the class start or end an interval? */
static inline bool why_class_is_endpoint(const struct why_class *class)
{
	return class->role == WHY_ROLE_FN || class->role == WHY_ROLE_OPERATION_START ||
	       class->role == WHY_ROLE_OPERATION_END || class->starts || class->ends;
}

/*
 * The last wide variant on a CPU, as text. CPUs whose numbers are equal modulo WHY_WIDE_SLOTS share
 * a slot and overwrite each other's text.
 */
#define WHY_WIDE_SLOTS 256u
struct why_wide_text {
	uint32_t cpu;
	char *event, *text; /* NULL: none */
};

struct why_events {
	struct fn_classes functions;
	char *start, *end; /* --pair; NULL: not given */
	/* --file was given: the first pass needs inode numbers, and therefore wide variants */
	bool needs_files;
	enum why_role roles[128];
	struct why_operation operations[MM_OPERATIONS_MAX];
	unsigned int operation_count;
	struct why_class **all;
	size_t count, room;
	bool has_singles;	/* the trace may have single records of calls */
	struct mm_rows running; /* struct cpu_thread per CPU, from sched_switch */
	struct why_wide_text wides[WHY_WIDE_SLOTS];
};

/* Returns 0, or -1 when out of memory. */
int why_events_init(struct why_events *events);
void why_events_release(struct why_events *events);

/*
 * Selects the operations of subsystem I if only[I] is set. With @on_files, selects only operations
 * on files. In this case, an @only without set elements means all subsystems.
 */
void why_events_select(struct why_events *events, const bool only[MM_SUBSYSTEMS_MAX],
		       bool on_files);

/* Form of the operations' names in a sentence. */
enum why_name_form {
	WHY_NAME_ONE,	 /* "DAX fault", joined by "or" */
	WHY_NAME_ALL,	 /* "DAX faults", joined by "and" */
	WHY_NAME_EVENTS, /* "DAX faults (dax_*)", joined by "and no" */
};

/* Writes the names of the selected operations to @text. Returns false if none is selected. */
bool why_events_name_operations(const struct why_events *events, enum why_name_form form,
				char *text, size_t size);
/* Returns the profile that records the first selected operation, or "". */
const char *why_events_profile(const struct why_events *events);
/* Does the trace declare events of a subsystem with a selected operation? */
bool why_events_declared(const struct why_events *events, const struct mm_source *source);

/* Parses `START,END`. Returns 0; or -1 if @pair is not two names or when out of memory. */
int why_events_pair(struct why_events *events, const char *pair);

/* Adds the requests of pass @pass. The first pass requests only starts and ends of intervals. */
void why_events_request(struct why_events *events, unsigned int pass, struct mm_requests *requests);

/* Implements mm_handler.bind(). Returns -1 only when out of memory. */
int why_events_bind(struct why_events *events, struct mm_event_type *type);

/* Notes which thread runs on a CPU after a switch. Returns 0, or -1 when out of memory. */
int why_events_switched(struct why_events *events, const struct mm_event *event);
/*
 * Call this when events of @cpu are lost (MM_CPU_UNKNOWN: of any CPU). Forgets the running thread.
 */
void why_events_lost(struct why_events *events, uint32_t cpu);
/* Was there a switch on @cpu at or before @time_ns? */
bool why_events_has_switch(const struct why_events *events, uint32_t cpu, int64_t time_ns);
/* Finds the thread that runs on @cpu. Returns false if the thread is not known. */
bool why_events_running(const struct why_events *events, uint32_t cpu, uint32_t *tid);

/* Finds the thread of the event. Returns false if the thread is not known. */
bool why_events_thread(const struct why_events *events, const struct why_class *class,
		       const struct mm_event *event, uint32_t *tid);

/* The text of an event (untrusted): `slab_kmalloc(bytes_req=60, gfp_flags=IO|FS)`. */
struct why_text {
	char text[2048];
	uint32_t call_site;
	bool has_call_site;
};

void why_events_text(struct why_events *events, const struct mm_event *event,
		     struct why_text *text);
/* If the event is a wide variant, stores its text. Returns 0, or -1 when out of memory. */
int why_events_wide(struct why_events *events, const struct mm_event *event);

/*
 * Returns the share of the pages whose touches are recorded, as @event states it: before the start
 * of a pass, or after its end. Returns 1 if the event does not state a valid share.
 */
double why_events_sample(const struct mm_event *event);
/* Sets *@bytes to the size of an allocation. If the event has no size, sets 0 and returns false. */
bool why_events_bytes(const struct mm_event *event, uint64_t *bytes);

#endif /* LTTNG_MM_WHY_EVENTS_H */
