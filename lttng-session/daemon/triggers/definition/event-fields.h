/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the fields of kernel events from the metadata of a short session. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_FIELDS_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_FIELDS_H

#include <stddef.h>

#include "lttng-session/daemon/triggers/definition/field-cache.h"
#include "reader/ctf/model/model.h"
#include "util/error.h"

/*
 * Reads the fields of the @count events @names. (Names of system calls start with PROFILE_SYSCALL.)
 * liblttng-ctl cannot list the fields of kernel events. Therefore this function starts a session
 * with the events in a disabled channel, reads the session's metadata, and destroys the session.
 * This takes a second, because LTTng dumps the state of all processes when a session starts. It
 * takes several seconds if the session daemon has to start its consumer daemon.
 *
 * The tracer must know the first @required events; the other events are optional. If @cache is
 * open, first removes sessions that killed processes left, and finally adds the metadata to the
 * cache. Returns the declarations (release with ctf_trace_class_destroy()), or NULL with @err set.
 */
struct ctf_trace_class *event_fields_read(const char *const *names, size_t count, size_t required,
					  struct field_cache *cache, struct mm_error *err);

/*
 * Returns the event @name of @trace, or NULL. With @exit, returns the exit event of a system call.
 */
const struct ctf_event_class *event_fields_find(const struct ctf_trace_class *trace,
						const char *name, bool exit);

/*
 * Removes sessions and folders of processes that were killed in event_fields_read(). The caller
 * must be root and have the cache's lock, so that no other process is reading fields.
 */
void event_fields_sweep(void);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_FIELDS_H */
