/* SPDX-License-Identifier: LGPL-2.1-only */
/* The fields of the tracer's events. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_FIELDS_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_FIELDS_H

#include <stddef.h>

#include "lttng-session/daemon/triggers/definition/field-cache.h"
#include "reader/ctf/model/model.h"
#include "util/error.h"

/*
 * Has the tracer describe the @count events @names (system calls start with PROFILE_SYSCALL): the
 * session daemon starts a session of its own that has them, but records nothing, and destroys it.
 * Nothing else shows fields of kernel events: the library cannot list them. It takes a second, or
 * several if the session daemon has to start its consumer daemon first: the start of a session
 * dumps the state of all processes, and its end waits until the consumer daemon has written all.
 *
 * The first @required of them must be known to the tracer. With @cache, which is open, the
 * description is added to it, and what a process that was killed left is removed. Returns what the
 * metadata declares, to be released with ctf_trace_class_destroy(), or NULL with @err set.
 */
struct ctf_trace_class *event_fields_read(const char *const *names, size_t count, size_t required,
					  struct field_cache *cache, struct mm_error *err);

/* The event @name of @trace; NULL: there is none. Of a system call, @exit selects the class. */
const struct ctf_event_class *event_fields_find(const struct ctf_trace_class *trace,
						const char *name, bool exit);

/*
 * Removes sessions and folders that processes left that were killed while they had the tracer
 * describe events. No other process does so now: the caller has the lock of the cache, and is root.
 */
void event_fields_sweep(void);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_FIELDS_H */
