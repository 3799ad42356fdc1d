// SPDX-License-Identifier: LGPL-2.1-only
/* Changes the conditions under which calls of added functions are recorded. */
#include "lttng-session/fn/change.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/fn/add.h"
#include "lttng-session/fn/device.h"
#include "lttng-session/fn/history.h"
#include "lttng-session/fn/list-entry.h"
#include "lttng-session/system/process.h"

static int collect(const struct lttng_mm_fn_state *state, void *user)
{
	struct fn_changed *all = user;
	struct fn_changed_one *grown = reallocarray(all->functions, all->count + 1, sizeof(*grown));

	if (!grown)
		return 1;
	all->functions = grown;
	snprintf(grown[all->count].name, sizeof(grown->name), "%s", state->name);
	snprintf(grown[all->count].listed, sizeof(grown->listed), "%s", state->spec);
	all->count++;
	return 0;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Overwrites the options in @own that are set in @options. Returns true if an option of @own
 * changed. Changes of @calls do not count, because they do not affect the added function.
 */
static bool merge(struct fn_add_options *own, const struct fn_add_options *options)
{
	const struct fn_add_options before = *own;

	if (options->inside)
		own->inside = options->inside;
	if (options->slower_ns)
		own->slower_ns = options->slower_ns;
	own->errors |= options->errors;
	own->calls = options->calls;
	return !is_same(before.inside, own->inside) || before.slower_ns != own->slower_ns ||
	       before.errors != own->errors;
}

static int add_again(const struct fn_changed_one *one, const struct fn_list_entry *parts,
		     const struct fn_add_options *changed, struct mm_error *err)
{
	struct fn_set_options options;
	const char *spec = parts->spec;
	struct fn_added added;

	fn_set_options_init(&options);
	options.function = *changed;
	options.function.as = one->name;
	if (fn_add(&spec, 1, &options, &added, err))
		return -1;
	fn_added_release(&added);
	return 0;
}

/*
 * Returns 1 if the function was changed, or 0 if it already had these options or no longer exists.
 * On failure, undoes the change and returns -1 with @err set.
 */
static int change(int device, const struct fn_changed_one *one,
		  const struct fn_add_options *options, struct mm_error *err)
{
	struct fn_list_entry *parts = fn_list_entry_parse(one->listed, err);
	struct mm_error ignored = MM_ERROR_INIT;
	const char *name = one->name;
	struct fn_add_options own;
	int ret = -1, removed;

	if (!parts)
		return -1;
	own = parts->options;
	/*
	 * fn_device_remove() returns 1 if the function was removed meanwhile. Ignore such a
	 * function.
	 */
	removed = merge(&own, options) ? fn_device_remove(device, name, err) : 1;
	if (removed > 0) {
		ret = 0;
	} else if (!removed) {
		fn_history_remove(&name, 1);
		ret = add_again(one, parts, &own, err) ? -1 : 1;
		if (ret < 0)
			fn_add_listed(name, one->listed, &ignored);
	}
	fn_list_entry_destroy(parts);
	return ret;
}

int fn_change_all(const struct fn_add_options *options, struct fn_changed *changed,
		  struct mm_error *err)
{
	struct fn_changed all = { .count = 0 };
	int device = fn_device_open(false, err), ret = 0;
	size_t count = 0;
	sigset_t before;

	*changed = (struct fn_changed){ .count = 0 };
	if (device < 0)
		return err->code ? -1 : 0;
	process_block_signals(&before);
	if (fn_device_each(device, collect, &all, err))
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	for (size_t i = 0; i < all.count && ret >= 0; i++) {
		ret = change(device, &all.functions[i], options, err);
		/* Keep only functions that were changed. */
		if (ret > 0)
			all.functions[count++] = all.functions[i];
	}
	all.count = count;
	*changed = all;
	if (ret < 0)
		fn_changed_undo(changed);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(device);
	return ret < 0 ? -1 : 0;
}

void fn_changed_undo(struct fn_changed *changed)
{
	struct mm_error ignored = MM_ERROR_INIT;
	int device = changed->count ? fn_device_open(false, &ignored) : -1;

	for (size_t i = 0; i < changed->count && device >= 0; i++) {
		const char *name = changed->functions[i].name;

		if (fn_device_remove(device, name, &ignored))
			continue;
		fn_history_remove(&name, 1);
		fn_add_listed(name, changed->functions[i].listed, &ignored);
	}
	if (device >= 0)
		close(device);
	fn_changed_release(changed);
}

void fn_changed_release(struct fn_changed *changed)
{
	free(changed->functions);
	*changed = (struct fn_changed){ .count = 0 };
}
