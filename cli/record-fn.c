// SPDX-License-Identifier: LGPL-2.1-only
/* Functions that `lttng-mm record fn` adds. */
#include "cli/record-fn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/fn/device.h"
#include "lttng-session/fn/listed.h"
#include "util/text.h"

void record_fn_init(struct record_fn *fn)
{
	*fn = (struct record_fn){ .given = false };
	fn_set_options_init(&fn->set);
}

void record_fn_release(struct record_fn *fn)
{
	free(fn->specs);
	fn->specs = NULL;
}

void record_fn_add_spec(struct record_fn *fn, const char *spec, struct argp_state *state)
{
	const char **grown = reallocarray(fn->specs, fn->count + 1, sizeof(*grown));

	if (!grown) {
		argp_failure(state, MM_EXIT_ENVIRONMENT, 0, "out of memory");
		return;
	}
	fn->specs = grown;
	grown[fn->count++] = spec;
}

void record_fn_check(struct record_fn *fn, const struct argp_state *state)
{
	const struct fn_options *options = &fn->set.function;
	const char *given = fn->of_functions.last ? fn->of_functions.last
			    : fn->calls		  ? "--calls"
						  : NULL;

	if (given && !fn->given)
		argp_error(state, "%s: only the profile " RECORD_FN " has this option", given);
	if (fn->of_functions.last && !fn->count)
		argp_error(state,
			   "%s: it concerns functions that are added; give a SPEC after " RECORD_FN,
			   given);
	/* A written entry cannot be taken back. */
	fn->calls |= options->slower_ns || options->errors;
}

/* In single quotation marks, as one word of a shell. */
static void print_quoted(FILE *out, const char *before, const char *text)
{
	fprintf(out, "%s'", before);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			putc(*text, out);
	putc('\'', out);
}

int record_fn_print(FILE *out, const struct record_fn *fn, struct mm_error *err)
{
	const struct fn_options *options = &fn->set.function;

	if (!fn->count)
		return 0;
	if (fn_set_check(fn->specs, fn->count, &fn->set, err))
		return -1;
	fprintf(out, "lttng-mm fn add");
	for (size_t i = 0; i < fn->count; i++)
		print_quoted(out, " ", fn->specs[i]);
	if (options->as)
		print_quoted(out, " --as=", options->as);
	if (fn->set.max != FN_MATCHES_MAX)
		fprintf(out, " --max=%u", fn->set.max);
	if (fn->set.taking)
		print_quoted(out, " --taking=", fn->set.taking);
	if (options->caller)
		fprintf(out, " --caller");
	if (options->inside)
		print_quoted(out, " --inside=", options->inside);
	if (options->slower_ns)
		fprintf(out, " --slower=%" PRId64 "ns", options->slower_ns);
	if (options->errors)
		fprintf(out, " --errors");
	if (options->max_rate != FN_MAX_RATE)
		fprintf(out, " --max-rate=%u", options->max_rate);
	if (options->raw)
		fprintf(out, " --raw");
	putc('\n', out);
	return 0;
}

struct existing {
	size_t count;
	bool raw;
};

static int look(const struct lttng_mm_fn_state *state, void *user)
{
	struct existing *existing = user;

	existing->count++;
	existing->raw |= fn_listed_reveals(state->spec);
	return 0;
}

/* Events of all functions are recorded, whoever has added them. */
static int look_at_all(struct recorder_options *options, struct mm_error *err)
{
	struct existing existing = { .count = 0 };
	struct mm_error why = MM_ERROR_INIT;
	int device = fn_device_open(false, &why), ret = 0;

	if (device >= 0) {
		ret = fn_device_each(device, look, &existing, err);
		close(device);
	} else if (why.code) {
		return mm_error_set(err, why.code, "%s", why.message);
	}
	options->raw = existing.raw;
	if (!ret && !existing.count)
		ret = mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"record: fn: no function has been added; name one, as in `lttng-mm record fn handle_mm_fault`");
	return ret;
}

int record_fn_add(const struct record_fn *fn, struct recorder_options *options,
		  struct mm_error *err)
{
	struct fn_added added;

	if (!fn->given)
		return 0;
	if (fn->count) {
		if (fn_command_add(fn->specs, fn->count, &fn->set, &added, err))
			return -1;
		fn_print_added(&added, false);
		fn_added_release(&added);
	}
	return look_at_all(options, err);
}
