/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a subsystem is to the rest of the program: its profile, what recording it needs, its
 * analysis and its rules. All of it is data: the recorder reads it, and it never calls the
 * recorder.
 */
#ifndef LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H
#define LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/subsystem/analysis.h"
#include "analysis/subsystem/rules.h"

enum mm_need_kind {
	MM_NEED_END,
	MM_NEED_CONFIG,	   /* an option of the kernel, which is y or m */
	MM_NEED_DAX_MOUNT, /* a filesystem that is mounted with DAX */
};

/* What the machine must have. Arrays of these end with MM_NEED_END. */
struct mm_need {
	enum mm_need_kind kind;
	const char *name;   /* of a kernel option, with CONFIG_ */
	const char *reason; /* "the probe finds the members of struct kmem_cache in it" */
};

/* Events, contexts and buffers of the recorder, and the probe. */
struct mm_profile {
	const char *name;	     /* of the subsystem */
	const char *module;	     /* the probe to load */
	const char *const *events;   /* ends with NULL; names, or patterns that LTTng accepts */
	const char *const *contexts; /* ends with NULL; as lttng-add-context(1) names them */
	/* Further ones that `record --callstack` adds; NULL: the option is refused. */
	const char *const *callstack_contexts;
	uint64_t subbuf_bytes;	     /* a power of two */
	uint64_t subbuf_count;	     /* per CPU, a power of two */
	const struct mm_need *needs; /* NULL: none */
	/*
	 * The probe attaches to the kernel's tracepoints one by one, when the first session that
	 * uses them is about to start: for some milliseconds, that session records frees without
	 * allocations, or entries without exits, or the reverse. So a temporary session is started
	 * first.
	 */
	bool starts_unevenly;
	/*
	 * NULL, or the events of the state dump: names, no patterns; ends with NULL. They have a
	 * separate session, written again for each snapshot, because a tracker on a session drops
	 * its state dumps and a busy ring buffer overwrites them.
	 */
	const char *const *state_events;
};

/*
 * What names threads, for events and state_events of a profile. A record contains the thread id
 * only. The name of a thread, and which of those with one id it is, is stated by the events of its
 * start, of exec and of its exit, which stay in the ring buffer at least as long as its other
 * events. Threads that exist when a snapshot is taken are in its state dump.
 */
#define MM_THREAD_EVENTS "sched_process_fork", "sched_process_exec", "sched_process_exit"
#define MM_THREAD_STATE_EVENTS "lttng_statedump_process_state"

struct mm_subsystem {
	const char *name;
	struct mm_profile profile;
	const struct mm_analysis *analysis; /* NULL: none */
	const struct mm_rules *rules;	    /* NULL: none */
};

static inline bool mm_profile_needs(const struct mm_profile *profile, enum mm_need_kind kind)
{
	for (const struct mm_need *need = profile->needs; need && need->kind; need++)
		if (need->kind == kind)
			return true;
	return false;
}

#endif /* LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H */
