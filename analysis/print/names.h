/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names for the numbers in printed events: of threads and of call sites. */
#ifndef LTTNG_MM_PRINT_NAMES_H
#define LTTNG_MM_PRINT_NAMES_H

#include "analysis/sysinfo/context.h"
#include "analysis/trace/source.h"

/* The first requested fields of every event: command name and thread id, from where they are. */
enum { MM_NAMES_PROCNAME, MM_NAMES_CONTEXT_TID, MM_NAMES_TID, MM_NAMES_FIELDS };

/* All events with those fields, and what else names are taken from, in the order of the trace. */
void mm_names_request(struct mm_requests *requests);
enum { MM_NAMES_CODE, MM_NAMES_PROCESS, MM_NAMES_FORK, MM_NAMES_EXIT, MM_NAMES_OTHERS };

struct mm_names;

/* @context outlives the object. NULL when out of memory; destroy takes NULL. */
struct mm_names *mm_names_create(const struct mm_context *context);
void mm_names_destroy(struct mm_names *names);

/*
 * Reads what state dumps say of threads and code: of a trace's streams of state; of all its streams
 * where the slab probe's are elsewhere. @trace has not run yet. What cannot be read is left out:
 * that is for those to report who run @trace.
 */
void mm_names_read(struct mm_names *names, struct mm_source *trace);

/*
 * To be called for each event of mm_names_wants but MM_NAMES_OTHERS, in order: what it says holds
 * from then on. @code: code ranges too, when nobody asks for a call site at the same time.
 */
int mm_names_see(struct mm_names *names, const struct mm_event *event, bool code);

/*
 * A thread's name by the system information and by mm_names_read(), NULL: not known. From any
 * thread.
 */
const char *mm_names_thread(const struct mm_names *names, int64_t tid);

/* Its name by mm_names_see(), NULL: not known. None is before the first one is. */
bool mm_names_has_seen(const struct mm_names *names);
const char *mm_names_seen_thread(const struct mm_names *names, int64_t tid);

/*
 * Appends the name of a call site, escaped for a terminal. From any thread. Returns 1; 0 where it
 * has none, and nothing is appended; -1: out of memory.
 */
int mm_names_call_site(struct mm_names *names, uint64_t code, struct mm_text *text);

/* Are fields `call_site` of this event such numbers, and may any have a name? */
bool mm_names_has_call_sites(const struct mm_names *names, const char *event);

#endif /* LTTNG_MM_PRINT_NAMES_H */
