/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Simulates the module lttng-probe-fn: open() and ioctl() below replace the system's functions.
 */
#ifndef LTTNG_MM_TESTS_UNIT_FN_DEVICE_H
#define LTTNG_MM_TESTS_UNIT_FN_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "instrumentation/wire/fn.h"

/* The functions that have been added to the module. */
static struct lttng_mm_fn_state states[4];
static unsigned int state_count;
/* The module's answer to the next request to add functions; if add_error is 0, it succeeds. */
static unsigned int add_error, add_function, add_field;

/* Opens /dev/null instead of the module's device, and all other files as usual. */
int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (!strcmp(path, "/dev/" LTTNG_MM_FN_DEVICE))
		path = "/dev/null";
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

uid_t geteuid(void)
{
	return 0;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

/* Files to which a command's process appends the names of functions that it adds or removes. */
#define ADDED "added"
#define REMOVED "removed"

static void note_name(const char *path, const char *name)
{
	FILE *file = fopen(path, "a");

	if (!file)
		return;
	fprintf(file, "%s ", name);
	fclose(file);
}

static int remove_state(const char *name)
{
	note_name(REMOVED, name);
	for (unsigned int i = 0; i < state_count; i++) {
		if (strcmp(states[i].name, name) != 0)
			continue;
		memmove(&states[i], &states[i + 1], (--state_count - i) * sizeof(states[0]));
		return 0;
	}
	return fail(ENOENT);
}

static int add_state(struct lttng_mm_fn_add *add)
{
	const struct lttng_mm_fn_function *functions = (void *)(uintptr_t)add->at;
	const char *strings = (const char *)functions +
			      add->functions * sizeof(struct lttng_mm_fn_function) +
			      add->fields * sizeof(struct lttng_mm_fn_field) +
			      add->enumerations * sizeof(struct lttng_mm_fn_labels) +
			      add->labels * sizeof(struct lttng_mm_fn_label);

	if (add_error) {
		add->error = add_error;
		add->function = add_function;
		add->field = add_field;
		return fail(EINVAL);
	}
	for (unsigned int i = 0; i < add->functions && state_count < 4; i++) {
		struct lttng_mm_fn_state *state = &states[state_count++];

		memset(state, 0, sizeof(*state));
		strcpy(state->name, strings + functions[i].name);
		strcpy(state->spec, strings + functions[i].spec);
		note_name(ADDED, state->name);
	}
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	(void)fd;
	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (request == LTTNG_MM_FN_ADD)
		return add_state(argument);
	if (request == LTTNG_MM_FN_REMOVE)
		return remove_state(argument);
	if (request != LTTNG_MM_FN_STATE)
		return fail(ENOTTY);
	if (((struct lttng_mm_fn_state *)argument)->index >= state_count)
		return fail(ENOENT);
	memcpy(argument, &states[((struct lttng_mm_fn_state *)argument)->index], sizeof(states[0]));
	return 0;
}

#endif /* LTTNG_MM_TESTS_UNIT_FN_DEVICE_H */
