/* SPDX-License-Identifier: LGPL-2.1-only */
/* The folder /run/lttng-mm, and the plan's file in it. */
#ifndef LTTNG_MM_SESSION_PLAN_FILE_H
#define LTTNG_MM_SESSION_PLAN_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

#define PLAN_FILE "recorder.json"

/*
 * Opens /run/lttng-mm, which is created with @make. Others may read it, but must not be able to
 * change it. Returns a descriptor, or -1 with errno set: ENOENT if there is none, EPERM if it is
 * not the caller's or root's, or others can write to it.
 */
int plan_folder_open(bool make);

/*
 * Opens the file @name in that folder, to be locked with flock(); it is made if it is not there.
 * Returns a descriptor, or -1 with errno set.
 */
int plan_lock_open(const char *name);
/*
 * Locks such a file for this process alone, for which it waits up to @wait_ms. Returns 0, or -1
 * with errno set: EWOULDBLOCK if others still have the lock.
 */
int plan_lock_wait(int fd, unsigned int wait_ms);

/*
 * Reads the file. *@json is NULL if there is none. Returns 0, or -1 with @err set: not JSON, or
 * another user could have written it.
 */
int plan_file_read(json_t **json, struct mm_error *err);

/* Replaces the file; NULL removes it. Returns 0, or -1 with @err set. */
int plan_file_write(const json_t *json, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_PLAN_FILE_H */
