// SPDX-License-Identifier: LGPL-2.1-only
/* Resolves SPECs and patterns to functions. */
#include "lttng-session/fn/set.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/glob.h"
#include "util/nearest.h"
#include "util/plural.h"
#include "util/text.h"

/* Maximum size of the list of names in a note. */
#define NAMED_MAX 640

bool fn_name_is_valid(const char *name)
{
	size_t length = strlen(name);

	return length && length < LTTNG_MM_FN_NAME_MAX && (*name < '0' || *name > '9') &&
	       strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
		       length;
}

struct set_ctx {
	const struct fn_set_options *options;
	struct fn_named_type taking;
	struct fn_set *set;
	struct mm_error *err;
};

/*
 * Functions that a pattern skips for one reason: an enum fn_refusal, or NO_TYPES (BTF lacks the
 * function). The object for STATIC differs. Its functions are not skipped, but some of their calls
 * may be inlined and not recorded.
 */
#define NO_TYPES FN_REFUSALS
#define STATIC (FN_REFUSALS + 1)
struct skipped_functions {
	size_t count;
	char names[NAMED_MAX];
};

static int add_note(const struct set_ctx *ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int add_note(const struct set_ctx *ctx, const char *fmt, ...)
{
	struct mm_error text = MM_ERROR_INIT;
	va_list args;

	va_start(args, fmt);
	mm_error_vset(&text, MM_EXIT_FAILED, fmt, args);
	va_end(args);
	return mm_strings_add(&ctx->set->notes, &ctx->set->note_count, text.message)
		       ? mm_error_set(ctx->err, MM_EXIT_ENVIRONMENT, "fn: out of memory")
		       : 0;
}

/*
 * Returns room for a new function, or NULL with the error set. keep_function() then adds the
 * function to the set.
 */
static struct fn_function *new_function(const struct set_ctx *ctx)
{
	struct fn_set *set = ctx->set;
	struct fn_function *functions =
		mm_array_grow(set->functions, set->count, &set->room, sizeof(*functions));

	if (!functions) {
		mm_error_set(ctx->err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
		return NULL;
	}
	set->functions = functions;
	return &functions[set->count];
}

/*
 * Adds the function that new_function() made room for, unless the set already contains it. Returns
 * 0, or -1.
 */
static int keep_function(const struct set_ctx *ctx)
{
	struct fn_set *set = ctx->set;
	const struct fn_function *added = &set->functions[set->count];

	for (size_t i = 0; i < set->count; i++) {
		const struct fn_function *other = &set->functions[i];

		if (strcmp(other->name, added->name) != 0)
			continue;
		if (!strcmp(other->spec, added->spec) && !strcmp(other->module, added->module))
			return 0;
		if (ctx->options->function.as)
			return mm_error_set(
				ctx->err, MM_EXIT_BAD_INPUT,
				"fn: --as: %s: the pattern matches several functions, and each needs its own name",
				added->name);
		return mm_error_set(
			ctx->err, MM_EXIT_BAD_INPUT,
			"fn: %s: another added function already has the name %s; add this one separately, with --as",
			added->spec, added->name);
	}
	if (*added->note && add_note(ctx, "fn: %s: %s", added->symbol, added->note))
		return -1;
	set->count++;
	return 0;
}

static int note_clones(const struct set_ctx *ctx, const struct fn_symbol *symbol)
{
	char clones[64];

	fn_symbol_clones(symbol, clones, sizeof(clones));
	return *clones ? add_note(
				 ctx,
				 "fn: %s: the compiler also made variants of it (%s); calls of these are not recorded",
				 symbol->name, clones)
		       : 0;
}

static const struct fn_btf *types_of(const struct set_ctx *ctx, const char *module)
{
	return ctx->set->types ? fn_types_of(ctx->set->types, module) : NULL;
}

/*
 * Returns the BTF of a module. If the module has no BTF, returns the kernel's BTF, which is enough
 * for casts.
 */
static const struct fn_btf *types_for(const struct set_ctx *ctx, const char *module)
{
	const struct fn_btf *btf = types_of(ctx, module);

	return btf || !ctx->set->types ? btf : fn_types_kernel(ctx->set->types);
}

static int add_named(const struct set_ctx *ctx, const struct fn_spec *spec)
{
	const struct fn_symbol *symbol;
	enum fn_refusal refusal = fn_symbols_find(
		ctx->set->symbols, *spec->module ? spec->module : NULL, spec->function, &symbol);
	struct fn_function *function;
	char hint[MM_NEAREST_TEXT];

	if (refusal == FN_NO_SYMBOL && *spec->module)
		return fn_spec_refuse(
			spec, spec->column, ctx->err,
			"there is no such function in the module %s, or it is not loaded%s",
			spec->module,
			fn_symbols_hint(ctx->set->symbols, spec->module, spec->function, hint,
					sizeof(hint)));
	if (refusal == FN_NO_SYMBOL)
		return fn_spec_refuse(spec, spec->column, ctx->err, "%s%s",
				      fn_refusal_text(refusal),
				      fn_symbols_hint(ctx->set->symbols, NULL, spec->function, hint,
						      sizeof(hint)));
	if (refusal == FN_SEVERAL_ADDRESSES && !*spec->module && symbol->addresses == 1)
		return fn_spec_refuse(
			spec, spec->column, ctx->err,
			"functions of several modules have this name; add the module, as in %s:%s",
			*symbol->module ? symbol->module : "vmlinux", spec->function);
	if (refusal)
		return fn_spec_refuse(spec, spec->column, ctx->err, "%s", fn_refusal_text(refusal));
	function = new_function(ctx);
	if (!function ||
	    fn_function_make(spec, types_for(ctx, symbol->module), symbol->name, symbol->module,
			     &ctx->options->function, function, ctx->err) ||
	    keep_function(ctx))
		return -1;
	if (symbol->is_static &&
	    add_note(ctx, "fn: %s: the function is static: inlined calls are not recorded",
		     symbol->name))
		return -1;
	return note_clones(ctx, symbol);
}

static void add_name(struct skipped_functions *skipped, const char *name)
{
	static const char more[] = "...";
	size_t room = sizeof(skipped->names) - strlen(skipped->names);

	skipped->count++;
	if (strlen(name) + sizeof(more) + 4 < room)
		mm_words_add(skipped->names, sizeof(skipped->names), name);
	else if (room > sizeof(more) + 2 && !strstr(skipped->names, more))
		mm_words_add(skipped->names, sizeof(skipped->names), more);
}

static bool matches(const struct fn_spec *spec, const struct fn_symbol *symbol)
{
	const char *module = strcmp(spec->module, "vmlinux") ? spec->module : "";

	if (*spec->module && strcmp(module, symbol->module) != 0)
		return false;
	return mm_glob_match(spec->function, symbol->name);
}

/*
 * Adds a function that a pattern matches. Returns 1, or 0 if the function is skipped, or -1 with
 * the error set. If @is_full is true, also returns 1 for a function that is not skipped, without
 * adding it, so that the caller can count the matches.
 */
static int add_match(const struct set_ctx *ctx, const struct fn_spec *spec,
		     const struct fn_symbol *symbol, bool is_full,
		     struct skipped_functions *skipped)
{
	enum fn_refusal refusal = fn_symbols_check(ctx->set->symbols, symbol, *spec->module);
	const struct fn_btf *btf = types_of(ctx, symbol->module);
	uint32_t id = btf ? fn_btf_function(btf, symbol->name) : 0;
	struct mm_error why = MM_ERROR_INIT;
	struct fn_signature signature;
	struct fn_function *function;
	size_t count;

	if (ctx->options->taking && (!id || fn_signature_read(btf, id, &signature) ||
				     !fn_signature_takes(&signature, &ctx->taking)))
		return 0;
	if (refusal || !id) {
		add_name(&skipped[refusal ? (size_t)refusal : NO_TYPES], symbol->name);
		return 0;
	}
	if (is_full)
		return 1;
	function = new_function(ctx);
	if (!function)
		return -1;
	if (fn_function_make(spec, btf, symbol->name, symbol->module, &ctx->options->function,
			     function, &why))
		return add_note(ctx, "%s; it is left out", why.message) ? -1 : 0;
	count = ctx->set->count;
	if (keep_function(ctx) || note_clones(ctx, symbol))
		return -1;
	if (symbol->is_static && ctx->set->count > count)
		add_name(&skipped[STATIC], symbol->name);
	return 1;
}

static int note_skipped(const struct set_ctx *ctx, const struct fn_spec *spec,
			const struct skipped_functions *skipped)
{
	for (size_t i = 0; i <= NO_TYPES; i++) {
		size_t count = skipped[i].count;

		if (count && add_note(ctx, "fn: %s: left out %zu function%s: %s: %s", spec->text,
				      count, mm_plural_s(count),
				      i == NO_TYPES ? "it is not in BTF"
						    : fn_refusal_text((enum fn_refusal)i),
				      skipped[i].names))
			return -1;
	}
	if (!skipped[STATIC].count)
		return 0;
	return add_note(ctx,
			"fn: %s: %zu function%s static; their inlined calls are not recorded: %s",
			spec->text, skipped[STATIC].count,
			skipped[STATIC].count == 1 ? " is" : "s are", skipped[STATIC].names);
}

static int add_pattern(const struct set_ctx *ctx, const struct fn_spec *spec)
{
	const struct fn_symbols *symbols = ctx->set->symbols;
	size_t total = fn_symbols_count(symbols), matched = 0;
	struct skipped_functions *skipped;
	int ret = 0;

	if (!ctx->set->types)
		return mm_error_set(ctx->err, MM_EXIT_ENVIRONMENT,
				    "fn: %s: a pattern requires the kernel's types (BTF)",
				    spec->text);
	if (fn_symbols_read_traceable(ctx->set->symbols, ctx->err))
		return -1;
	skipped = calloc(STATIC + 1, sizeof(*skipped));
	if (!skipped)
		return mm_error_set(ctx->err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	for (size_t i = 0; i < total && ret >= 0; i++) {
		const struct fn_symbol *symbol = fn_symbols_get(symbols, i);

		if (!matches(spec, symbol))
			continue;
		ret = add_match(ctx, spec, symbol, matched >= ctx->options->max, skipped);
		matched += ret > 0;
	}
	if (ret >= 0 && matched > ctx->options->max)
		ret = fn_spec_refuse(
			spec, spec->column, ctx->err,
			"the pattern matches %zu functions, but --max is %u; use a pattern that matches fewer functions, --taking, or a larger --max",
			matched, ctx->options->max);
	else if (ret >= 0 && !matched)
		ret = fn_spec_refuse(spec, spec->column, ctx->err,
				     "the pattern matches no function that can be traced%s",
				     ctx->options->taking ? " and has an argument of this type"
							  : "");
	if (ret >= 0)
		ret = note_skipped(ctx, spec, skipped);
	free(skipped);
	return ret < 0 ? -1 : 0;
}

/* Reads symbols, and BTF if the kernel has it. Checks the function of --inside. */
static int open_all(const struct set_ctx *ctx)
{
	const char *inside = ctx->options->function.inside;
	const struct fn_symbol *symbol;
	enum fn_refusal refusal;

	ctx->set->types = fn_types_open(NULL, NULL);
	ctx->set->symbols = fn_symbols_read(ctx->err);
	if (!ctx->set->symbols)
		return -1;
	if (ctx->options->dry_run)
		fn_symbols_read_traceable(ctx->set->symbols, NULL);
	if (!inside)
		return 0;
	refusal = fn_symbols_find(ctx->set->symbols, "vmlinux", inside, &symbol);
	if (strchr(inside, ':') ||
	    (refusal && !fn_symbols_find(ctx->set->symbols, NULL, inside, &symbol)))
		return mm_error_set(
			ctx->err, MM_EXIT_BAD_INPUT,
			"fn: --inside: %s: the function is in a module, which may be unloaded; name a function of the kernel itself",
			inside);
	return refusal ? mm_error_set(ctx->err, MM_EXIT_BAD_INPUT, "fn: --inside: %s: %s", inside,
				      fn_refusal_text(refusal))
		       : 0;
}

static int add_spec(const struct set_ctx *ctx, const char *text)
{
	struct fn_spec *spec = fn_spec_parse(text, ctx->err);
	int ret;

	if (!spec)
		return -1;
	ret = spec->is_pattern ? add_pattern(ctx, spec) : add_named(ctx, spec);
	fn_spec_destroy(spec);
	return ret;
}

int fn_set_check(const char *const *specs, size_t count, const struct fn_set_options *options,
		 struct mm_error *err)
{
	struct fn_named_type taking;
	bool has_pattern = false;

	for (size_t i = 0; i < count; i++) {
		struct fn_spec *spec = fn_spec_parse(specs[i], err);

		if (!spec)
			return -1;
		has_pattern |= spec->is_pattern;
		fn_spec_destroy(spec);
	}
	if (options->taking && !has_pattern)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"fn: --taking: the option needs a pattern of function names, such as 'ext4_*'");
	if (options->function.as && (count > 1 || !fn_name_is_valid(options->function.as)))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			count > 1
				? "fn: --as: %s: only one function can have this name"
				: "fn: --as: %s: a name consists of letters, digits and underscores",
			options->function.as);
	return options->taking ? fn_named_type_parse(options->taking, "--taking", &taking, err) : 0;
}

bool fn_set_reveals(const char *const *specs, size_t count, const struct fn_set_options *options)
{
	bool reveals = options->function.raw;

	for (size_t i = 0; i < count && !reveals; i++) {
		struct fn_spec *spec = fn_spec_parse(specs[i], NULL);

		reveals = spec && fn_spec_reveals(spec);
		fn_spec_destroy(spec);
	}
	return reveals;
}

int fn_set_make(const char *const *specs, size_t count, const struct fn_set_options *options,
		struct fn_set *set, struct mm_error *err)
{
	struct set_ctx ctx = { .options = options, .set = set, .err = err };
	int ret;

	*set = (struct fn_set){ .count = 0 };
	ret = fn_set_check(specs, count, options, err);
	if (!ret && options->taking)
		ret = fn_named_type_parse(options->taking, "--taking", &ctx.taking, err);
	if (!ret)
		ret = open_all(&ctx);
	for (size_t i = 0; i < count && !ret; i++)
		ret = add_spec(&ctx, specs[i]);
	if (ret)
		fn_set_release(set);
	return ret;
}

void fn_set_release(struct fn_set *set)
{
	free(set->functions);
	mm_strings_release(set->notes, set->note_count);
	fn_symbols_destroy(set->symbols);
	fn_types_close(set->types);
	*set = (struct fn_set){ .count = 0 };
}
