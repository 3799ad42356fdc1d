/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of threads and call sites in printed events. */
#ifndef LTTNG_MM_PRINT_NAMES_H
#define LTTNG_MM_PRINT_NAMES_H

#include "reader/events/source.h"
#include "reader/sysinfo/sysinfo.h"

/*
 * The first requested fields of every event: the thread's name and id, from contexts and from the
 * payload. In a user-space trace, the context has the id in the PID namespace of the process
 * (vtid).
 */
enum {
	MM_NAMES_PROCNAME,
	MM_NAMES_CONTEXT_TID,
	MM_NAMES_CONTEXT_VTID,
	MM_NAMES_TID,
	MM_NAMES_FIELDS,
	MM_NAMES_UNREAD = MM_NAMES_FIELDS,
};

/*
 * Requests all events, with the fields above. Events that name threads or code have separate
 * requests.
 */
void mm_names_request(struct mm_requests *requests);
enum {
	MM_NAMES_CODE,
	MM_NAMES_THREAD,
	MM_NAMES_THREAD_LTTNG,
	MM_NAMES_FORK,
	MM_NAMES_EXEC,
	MM_NAMES_EXIT,
	MM_NAMES_OTHERS
};

struct mm_names;

/* @sysinfo must outlive the object. Returns NULL when out of memory; destroy accepts NULL. */
struct mm_names *mm_names_create(const struct mm_sysinfo *sysinfo);
void mm_names_destroy(struct mm_names *names);

/*
 * Reads names before @trace runs. State streams name threads and code ranges. If they have no code
 * ranges, searches all streams for code ranges. Events before the requested time range may also
 * name threads. Returns 0, or -1 with @err set when out of memory. Running @trace reports all other
 * errors.
 */
int mm_names_read(struct mm_names *names, struct mm_source *trace, struct mm_error *err);

/*
 * Reads the names in an event, which apply to later events. Call it in order for each requested
 * event except MM_NAMES_OTHERS. With @code, also reads code ranges. No thread may look up call
 * sites during such a call. Returns 0, or -1 when out of memory.
 */
int mm_names_see(struct mm_names *names, const struct mm_event *event, bool code);

/*
 * Returns a thread's name if it does not depend on the time of an event: the name from the system
 * information or, if the trace has no exec events, from a state stream. Returns NULL if there is
 * none. Can be called from any thread.
 */
const char *mm_names_thread(const struct mm_names *names, int64_t tid);

/*
 * mm_names_has_seen() returns whether mm_names_seen_thread() may return a name. That function
 * returns the name that events so far have given to a thread, or its name in a state stream, or
 * NULL.
 */
bool mm_names_has_seen(const struct mm_names *names);
const char *mm_names_seen_thread(const struct mm_names *names, int64_t tid);

/*
 * Appends a call site's name, escaped for a terminal. Any thread may call it. Returns 1 on success,
 * or -1 when out of memory. If the call site has no name, appends nothing and returns 0.
 */
int mm_names_call_site(struct mm_names *names, uint64_t code, struct mm_text *text);

/*
 * If @result, a function's result (64 bits, unsigned), is an error, appends the error: -ENOENT, or
 * its number if it has no name. Returns 1 on success, 0 if @result is not an error, or -1 when out
 * of memory.
 */
int mm_names_error(uint64_t result, struct mm_text *text);

/* May mm_names_call_site() find a name? */
bool mm_names_has_call_sites(const struct mm_names *names);

#endif /* LTTNG_MM_PRINT_NAMES_H */
