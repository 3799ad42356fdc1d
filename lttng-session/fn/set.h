/* SPDX-License-Identifier: LGPL-2.1-only */
/* Resolves the SPECs of one command to functions. */
#ifndef LTTNG_MM_SESSION_FN_SET_H
#define LTTNG_MM_SESSION_FN_SET_H

#include "lttng-session/fn/describe/function.h"
#include "lttng-session/fn/describe/symbols.h"

/* Default of the option --max. */
#define FN_MATCHES_MAX 200

struct fn_added;

struct fn_set_options {
	struct fn_add_options function;
	unsigned int max; /* maximum number of functions that one pattern may match */
	const char
		/*
		 * patterns match only functions with an argument of this type; NULL: any function
		 */
		*taking;
	/*
	 * Do not add the functions. To find functions that cannot be traced, read tracefs, which
	 * is slow. (Without @dry_run, only patterns need tracefs: the module refuses other
	 * functions that cannot be traced.)
	 */
	bool dry_run;
	/*
	 * Called before the functions are added; may be NULL. If it returns -1 with @err set,
	 * nothing is added. With this callback, fn_add() does not restart stopped functions; call
	 * fn_add_restart().
	 */
	int (*before_add)(void *user, const struct fn_added *added, struct mm_error *err);
	void *user;
};

struct fn_set {
	struct fn_types *types;
	struct fn_symbols *symbols;
	size_t count, room;
	struct fn_function *functions;
	char **notes; /* sentences about functions that were added or skipped */
	size_t note_count;
};

/*
 * Resolves @count SPECs. Release @set with fn_set_release(). Returns 0, or -1 with @err set and an
 * empty set.
 */
int fn_set_make(const char *const *specs, size_t count, const struct fn_set_options *options,
		struct fn_set *set, struct mm_error *err);
void fn_set_release(struct fn_set *set);

/* Checks the syntax of SPECs and options. Returns 0, or -1 with @err set. */
int fn_set_check(const char *const *specs, size_t count, const struct fn_set_options *options,
		 struct mm_error *err);

/* Can these SPECs and options record kernel addresses? Call fn_set_check() first. */
bool fn_set_reveals(const char *const *specs, size_t count, const struct fn_set_options *options);

/* Can @name be the NAME of a function, with letters, digits and underscores? */
bool fn_name_is_valid(const char *name);

#endif /* LTTNG_MM_SESSION_FN_SET_H */
