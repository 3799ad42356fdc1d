/* SPDX-License-Identifier: LGPL-2.1-only */
/* The functions that SPECs name: all that are added at once. */
#ifndef LTTNG_MM_SESSION_FN_SET_H
#define LTTNG_MM_SESSION_FN_SET_H

#include "lttng-session/fn/describe/function.h"
#include "lttng-session/fn/describe/symbols.h"

/* Functions that a pattern may match, unless --max says otherwise. */
#define FN_MATCHES_MAX 200

struct fn_added;

struct fn_set_options {
	struct fn_add_options function;
	unsigned int max; /* functions that a pattern may match */
	/* Of a pattern: only functions with an argument of this type; NULL: all. */
	const char *taking;
	/*
	 * Nothing will be added: whether functions can be traced is looked up, which takes time.
	 * Otherwise the module says it.
	 */
	bool dry_run;
	/*
	 * Is called with the functions before they are added; NULL: nothing is. If it returns -1,
	 * with @err set, nothing is added. Functions that were stopped are left alone then, instead
	 * of being started again: see fn_add_restart().
	 */
	int (*before_add)(void *user, const struct fn_added *added, struct mm_error *err);
	void *user;
};

struct fn_set {
	struct fn_types *types;
	struct fn_symbols *symbols;
	size_t count, room;
	struct fn_function *functions;
	/* What was left out, and what to know about the functions, as sentences. */
	char **notes;
	size_t note_count;
};

/*
 * Makes the functions of @count SPECs. If one is not possible, @set is empty, and @err says why.
 * Returns 0 or -1. Release with fn_set_release().
 */
int fn_set_make(const char *const *specs, size_t count, const struct fn_set_options *options,
		struct fn_set *set, struct mm_error *err);
void fn_set_release(struct fn_set *set);

/* Parses the SPECs without looking for what they name. Returns 0, or -1 with @err set. */
int fn_set_check(const char *const *specs, size_t count, const struct fn_set_options *options,
		 struct mm_error *err);

/*
 * Do SPECs that fn_set_check() accepts, with their options, record what may be addresses of the
 * kernel?
 */
bool fn_set_reveals(const char *const *specs, size_t count, const struct fn_set_options *options);

/* Can that be NAME: letters, digits and underscores? */
bool fn_name_is_valid(const char *name);

#endif /* LTTNG_MM_SESSION_FN_SET_H */
