// SPDX-License-Identifier: LGPL-2.1-only
/* Sends requests to the module lttng-probe-fn, and turns its error codes into messages. */
#include "lttng-session/fn/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lttng-session/fn/history.h"
#include "lttng-session/fn/sessions.h"
#include "lttng-session/system/session-daemon.h"

#define MODULE "lttng-probe-fn"
#define DEVICE "/dev/" LTTNG_MM_FN_DEVICE

int fn_device_open(bool load, struct mm_error *err)
{
	int fd;

	if (geteuid())
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"fn: only root may add, list or remove functions; run the command as root");
	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && load) {
		if (daemon_load_probe(MODULE, err))
			return -1;
		fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	}
	if (fd < 0 && errno == ENOENT && !load)
		return -1;
	if (fd < 0)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: " DEVICE ": %s", strerror(errno));
	return fd;
}

struct name_search {
	const char *name;
	bool found;
};

static int compare_name(const struct lttng_mm_fn_state *state, void *user)
{
	struct name_search *search = user;

	search->found |= !strcmp(state->name, search->name);
	return search->found;
}

/*
 * Explains LTTNG_MM_FN_EXISTS. LTTng refuses a second event of the same name in a channel, and
 * keeps the events of a removed function while a session or a trigger uses them.
 */
static void refuse_existing(int device, const struct fn_function *function, struct mm_error *err)
{
	struct name_search search = { .name = function->name };
	char session[FN_SESSION_MAX];

	fn_device_each(device, compare_name, &search, NULL);
	if (search.found)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"fn: %s: a function %s has already been added; remove it with `lttng-mm fn remove %s`, or choose another name with --as",
			function->spec, function->name, function->name);
	else if (fn_sessions_find(function->name, 0, session, sizeof(session)))
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"fn: %s: the session %s still uses events of an earlier function %s, whose fields differ; destroy the session, or choose another name with --as",
			function->spec, session, function->name);
	else
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"fn: %s: a session or trigger still uses events of an earlier function %s, whose fields differ; destroy the session, restart the session daemon (which releases the events of triggers), or choose another name with --as",
			function->spec, function->name);
}

/*
 * Writes a field's name for messages, such as ": the value address". @field is the field's index in
 * the request, and @number the index of its function.
 */
static void name_field(const struct fn_function *functions, size_t number, unsigned int field,
		       char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < number; i++)
		field -= (unsigned int)functions[i].count + functions[i].has_result;
	if (field < functions[number].count)
		snprintf(text, size, ": the value %s", functions[number].fields[field].name);
	else if (field == functions[number].count)
		snprintf(text, size, ": the result");
}

/*
 * Returns the column at which the function's name starts in its SPEC. A module may precede the
 * name.
 */
static size_t column_of(const struct fn_function *function)
{
	const size_t name = strcspn(function->spec, ":( ");

	return function->spec[name] == ':' ? name + 2 : 1;
}

/* Sets @err to the module's reason for refusing a function. */
static void refuse_function(const struct lttng_mm_fn_add *add, const struct fn_function *functions,
			    size_t number, struct mm_error *err)
{
	const struct fn_function *function = &functions[number];
	static const struct {
		enum lttng_mm_fn_error error;
		int code;
		const char *text;
	} errors[] = {
		{ LTTNG_MM_FN_BAD_NAME, MM_EXIT_BAD_INPUT,
		  "the name is invalid; choose another name with --as" },
		{ LTTNG_MM_FN_TWO_OF_A_NAME, MM_EXIT_BAD_INPUT,
		  "two functions or fields have the same name; choose another name with --as" },
		{ LTTNG_MM_FN_TOO_LARGE, MM_EXIT_BAD_INPUT,
		  "its record is too large; select fewer values" },
		{ LTTNG_MM_FN_NO_SYMBOL, MM_EXIT_BAD_INPUT, "the kernel has no such function" },
		{ LTTNG_MM_FN_NOT_TRACEABLE, MM_EXIT_BAD_INPUT,
		  "the kernel does not allow tracing it" },
		{ LTTNG_MM_FN_EXCLUDED, MM_EXIT_BAD_INPUT,
		  "this kernel traces functions with kprobes, and the function is on its kprobes blacklist; choose another function (if debugfs is mounted on /sys/kernel/debug, patterns skip such functions)" },
		{ LTTNG_MM_FN_OWN_PATH, MM_EXIT_BAD_INPUT, "the tracer itself calls it" },
		{ LTTNG_MM_FN_NO_INSIDE, MM_EXIT_BAD_INPUT,
		  "the kernel does not allow tracing the function of --inside" },
		{ LTTNG_MM_FN_TOO_MANY, MM_EXIT_ENVIRONMENT,
		  "the module has too many functions; remove some" },
		{ LTTNG_MM_FN_NO_MEMORY, MM_EXIT_ENVIRONMENT, "the kernel is out of memory" },
	};
	char field[FN_FIELD_NAME_MAX + 32] = "";

	if (add->field != LTTNG_MM_FN_NONE)
		name_field(functions, number, add->field, field, sizeof(field));
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].error != add->error)
			continue;
		if (!*field && errors[i].code == MM_EXIT_BAD_INPUT)
			snprintf(field, sizeof(field), ": column %zu", column_of(function));
		mm_error_set(err, errors[i].code, "fn: %s%s: %s", function->spec, field,
			     errors[i].text);
	}
	mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"fn: %s%s: the module refuses the request (error %u); check that the program and the module have the same version",
		function->spec, field, add->error);
}

int fn_device_add(int device, const struct fn_function *functions, size_t count,
		  struct mm_error *err)
{
	struct fn_device_request request;
	size_t number;
	int ret, error;

	if (!count)
		return 0;
	if (fn_history_check(functions, count, err))
		return -1;
	if (fn_request_build(functions, count, &request, err))
		return -1;
	fn_history_prepare(functions, count);
	ret = ioctl(device, LTTNG_MM_FN_ADD, &request.add);
	error = errno;
	fn_request_release(&request);
	if (!ret) {
		fn_history_add(functions, count);
		return 0;
	}
	number = request.add.function < count ? request.add.function : 0;
	if (request.add.error == LTTNG_MM_FN_OK)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: " DEVICE ": %s",
				    strerror(error));
	if (request.add.error == LTTNG_MM_FN_EXISTS)
		refuse_existing(device, &functions[number], err);
	else
		refuse_function(&request.add, functions, number, err);
	return -1;
}

int fn_device_remove(int device, const char *name, struct mm_error *err)
{
	struct lttng_mm_fn_remove request = { .name = "" };

	if (strlen(name) >= sizeof(request.name))
		return 1;
	strcpy(request.name, name);
	if (!ioctl(device, LTTNG_MM_FN_REMOVE, &request))
		return 0;
	if (errno == ENOENT)
		return 1;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: %s: cannot be removed: %s", name,
			    strerror(errno));
}

int fn_device_each(int device, int (*visit)(const struct lttng_mm_fn_state *state, void *user),
		   void *user, struct mm_error *err)
{
	struct lttng_mm_fn_state *state = calloc(1, sizeof(*state));
	int ret = 0;

	if (!state)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	for (unsigned int i = 0; !ret; i++) {
		state->index = i;
		if (ioctl(device, LTTNG_MM_FN_STATE, state)) {
			ret = errno == ENOENT ? 0
					      : mm_error_set(err, MM_EXIT_ENVIRONMENT,
							     "fn: " DEVICE ": %s", strerror(errno));
			break;
		}
		state->name[sizeof(state->name) - 1] = '\0';
		state->symbol[sizeof(state->symbol) - 1] = '\0';
		state->module[sizeof(state->module) - 1] = '\0';
		state->spec[sizeof(state->spec) - 1] = '\0';
		ret = visit(state, user);
	}
	free(state);
	return ret;
}
