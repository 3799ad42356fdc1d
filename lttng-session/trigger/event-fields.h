/* SPDX-License-Identifier: LGPL-2.1-only */
/* The fields of the tracer's events. */
#ifndef LTTNG_MM_SESSION_TRIGGER_EVENT_FIELDS_H
#define LTTNG_MM_SESSION_TRIGGER_EVENT_FIELDS_H

#include <stddef.h>

#include "analysis/ctf/model/model.h"
#include "util/error.h"

/*
 * Has the tracer describe the @count events @names (system calls start with PROFILE_SYSCALL): the
 * session daemon starts a session of its own that has them, but records nothing, and destroys it.
 * Nothing else shows fields of kernel events: the library cannot list them. Returns what the
 * metadata declares, to be released with ctf_trace_class_destroy(), or NULL with @err set.
 */
struct ctf_trace_class *event_fields_read(const char *const *names, size_t count,
					  struct mm_error *err);

#endif /* LTTNG_MM_SESSION_TRIGGER_EVENT_FIELDS_H */
