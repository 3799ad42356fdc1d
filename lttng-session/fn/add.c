// SPDX-License-Identifier: LGPL-2.1-only
/* Adds functions to the kernel module, and removes them if a later step fails. */
#include "lttng-session/fn/add.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/fn/device.h"
#include "lttng-session/fn/history.h"
#include "lttng-session/fn/list-entry.h"

struct add_ctx {
	struct fn_added *added;
	struct mm_error *err;
};

/*
 * Called for each function of the kernel module. If a function of the set has the same name, stores
 * whether it is present or stopped. Fails if the two functions differ in their SPEC or module.
 */
static int compare(const struct lttng_mm_fn_state *state, void *user)
{
	struct add_ctx *ctx = user;

	for (size_t i = 0; i < ctx->added->set.count; i++) {
		const struct fn_function *function = &ctx->added->set.functions[i];

		if (strcmp(function->name, state->name) != 0)
			continue;
		if (strcmp(function->spec, state->spec) != 0 ||
		    strcmp(function->module, state->module) != 0)
			return mm_error_set(
				ctx->err, MM_EXIT_BAD_INPUT,
				"fn: %s: a function of this name has already been added, as '%s'; remove it with `lttng-mm fn remove %s`, or choose another name with --as",
				function->spec, state->spec, state->name);
		ctx->added->presence[i] =
			state->state & LTTNG_MM_FN_STATE_STOPPED ? FN_STOPPED : FN_PRESENT;
	}
	return 0;
}

/*
 * Restarts stopped functions by removing and adding them, because the module cannot restart them.
 */
static int restart(const struct fn_added *added, int device, struct mm_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < added->set.count && ret >= 0; i++) {
		const char *name = added->set.functions[i].name;

		if (added->presence[i] != FN_STOPPED)
			continue;
		ret = fn_device_remove(device, name, err);
		if (!ret)
			fn_history_remove(&name, 1);
		if (ret >= 0)
			ret = fn_device_add(device, &added->set.functions[i], 1, err);
	}
	return ret < 0 ? -1 : 0;
}

int fn_add_restart(const struct fn_added *added, struct mm_error *err)
{
	int device, ret;

	for (size_t i = 0; i < added->set.count; i++) {
		if (added->presence[i] != FN_STOPPED)
			continue;
		device = fn_device_open(true, err);
		if (device < 0)
			return -1;
		ret = restart(added, device, err);
		close(device);
		return ret;
	}
	return 0;
}

void fn_added_undo(const struct fn_added *added)
{
	struct mm_error ignored = MM_ERROR_INIT;
	int device = fn_device_open(false, &ignored);

	for (size_t i = 0; i < added->set.count && device >= 0; i++) {
		const char *name = added->set.functions[i].name;

		if (added->presence[i] == FN_MISSING && !fn_device_remove(device, name, &ignored))
			fn_history_remove(&name, 1);
	}
	if (device >= 0)
		close(device);
}

/*
 * Adds the missing functions in a single request, because the module adds either all functions of a
 * request or none.
 */
static int send(struct add_ctx *ctx, int device, const struct fn_set_options *options)
{
	const struct fn_added *added = ctx->added;
	struct fn_function *missing;
	size_t count = 0;
	int ret;

	if (fn_device_each(device, compare, ctx, ctx->err) ||
	    (options->before_add && options->before_add(options->user, added, ctx->err)))
		return -1;
	missing = calloc(added->set.count + 1, sizeof(*missing));
	if (!missing)
		return mm_error_set(ctx->err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	for (size_t i = 0; i < added->set.count; i++)
		if (added->presence[i] == FN_MISSING)
			missing[count++] = added->set.functions[i];
	ret = fn_device_add(device, missing, count, ctx->err);
	free(missing);
	if (ret || options->before_add)
		return ret;
	ret = restart(added, device, ctx->err);
	if (ret)
		fn_added_undo(added);
	return ret;
}

int fn_add(const char *const *specs, size_t count, const struct fn_set_options *options,
	   struct fn_added *added, struct mm_error *err)
{
	struct add_ctx ctx = { .added = added, .err = err };
	int device = -1, ret;

	*added = (struct fn_added){ .presence = NULL };
	/* Check the syntax before loading the module, so that a wrong SPEC changes nothing. */
	if (fn_set_check(specs, count, options, err))
		return -1;
	if (!options->dry_run) {
		device = fn_device_open(true, err);
		if (device < 0)
			return -1;
	}
	ret = fn_set_make(specs, count, options, &added->set, err);
	if (!ret) {
		added->presence = calloc(added->set.count + 1, sizeof(*added->presence));
		if (!added->presence)
			ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	}
	if (!ret && device >= 0)
		ret = send(&ctx, device, options);
	if (device >= 0)
		close(device);
	if (ret)
		fn_added_release(added);
	return ret ? -1 : 0;
}

void fn_added_release(struct fn_added *added)
{
	free(added->presence);
	added->presence = NULL;
	fn_set_release(&added->set);
}

void fn_set_options_init(struct fn_set_options *options)
{
	*options = (struct fn_set_options){ .function = { .max_rate = FN_MAX_RATE },
					    .max = FN_MATCHES_MAX };
}

int fn_add_listed(const char *name, const char *listed, struct mm_error *err)
{
	struct fn_list_entry *parts = fn_list_entry_parse(listed, err);
	struct fn_set_options options;
	struct fn_added added;
	const char *spec;
	int ret;

	if (!parts)
		return -1;
	fn_set_options_init(&options);
	options.function = parts->options;
	options.function.as = name;
	spec = parts->spec;
	ret = fn_add(&spec, 1, &options, &added, err);
	if (!ret)
		fn_added_release(&added);
	fn_list_entry_destroy(parts);
	return ret;
}
