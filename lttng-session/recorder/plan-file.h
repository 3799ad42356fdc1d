/* SPDX-License-Identifier: LGPL-2.1-only */
/* The folder /run/lttng-mm, and the plan's file in it. */
#ifndef LTTNG_MM_SESSION_PLAN_FILE_H
#define LTTNG_MM_SESSION_PLAN_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

#define PLAN_FILE "recorder.json"

/*
 * Opens /run/lttng-mm. With @make, creates it if needed. Refuses a folder that other users can
 * change. (They can read the folder.) Returns a descriptor, or -1 with errno set. ENOENT: the
 * folder does not exist. EPERM: neither the caller nor root owns the folder, or others can write to
 * it.
 */
int plan_folder_open(bool make);

/*
 * Opens the file @name in the folder for flock(), and creates it if needed. Returns a descriptor,
 * or -1 with errno set.
 */
int plan_lock_open(const char *name);
/*
 * Takes the exclusive lock of a file from plan_lock_open(). Waits up to @wait_ms. Returns 0, or -1
 * with errno set; EWOULDBLOCK if another process still has the lock.
 */
int plan_lock_wait(int fd, unsigned int wait_ms);

/*
 * Reads the plan's file. *@json is NULL if there is no file. Returns 0, or -1 with @err set if the
 * file is not JSON, or another user could have written it.
 */
int plan_file_read(json_t **json, struct mm_error *err);

/* Replaces the file by @json, or removes it if @json is NULL. Returns 0, or -1 with @err set. */
int plan_file_write(const json_t *json, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_PLAN_FILE_H */
