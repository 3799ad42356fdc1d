// SPDX-License-Identifier: LGPL-2.1-only
/* Turns a SPEC into the fields that record a function. */
#include "lttng-session/fn/function.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lttng-session/fn/labels.h"
#include "util/never-returns.h"
#include "util/text.h"

/*
 * Bytes of numbers that remain for arguments: tid, caller, unread, ret and duration_ns are taken
 * off.
 */
#define NUMBER_BYTES                                                                              \
	(LTTNG_MM_FN_NUMBER_BYTES -                                                               \
	 (LTTNG_MM_FN_TID_BITS + LTTNG_MM_FN_CALLER_BITS + 32 + 64 + LTTNG_MM_FN_DURATION_BITS) / \
		 8)

struct making {
	const struct fn_spec *spec;
	const struct fn_btf *btf;
	const struct fn_options *options;
	struct fn_function *function;
	struct mm_error *err;
	/* Names of arguments whose types are given by hand, in the order of their positions. */
	size_t named;
	const char *names[LTTNG_MM_FN_FIELDS];
};

static bool is_taken(const char *name, const void *user)
{
	const struct fn_function *function = user;

	/* The last one is being named. */
	for (size_t i = 0; i + 1 < function->count; i++)
		if (!strcmp(function->fields[i].name, name))
			return true;
	return false;
}

static void note(struct fn_function *function, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct fn_function *function, const char *fmt, ...)
{
	size_t length = strlen(function->note);
	va_list args;

	if (length + 3 >= sizeof(function->note))
		return;
	if (length)
		length += (size_t)snprintf(function->note + length, sizeof(function->note) - length,
					   "; ");
	va_start(args, fmt);
	vsnprintf(function->note + length, sizeof(function->note) - length, fmt, args);
	va_end(args);
}

/* All arguments that are available and fit. */
static void take_all(struct fn_function *function, const struct fn_signature *signature)
{
	unsigned int bytes = 0;

	for (size_t i = 0; i < signature->count; i++) {
		const struct fn_argument *argument = &signature->arguments[i];
		enum fn_reason reason = argument->value.reason;
		struct fn_field *field;

		if (!reason && (bytes + argument->value.bits / 8 > NUMBER_BYTES ||
				function->count == LTTNG_MM_FN_FIELDS))
			reason = FN_NO_ROOM;
		if (reason) {
			note(function, "argument %zu, %s, is not recorded: %s", i + 1,
			     *argument->name ? argument->name : "without a name",
			     fn_reason_text(reason));
			continue;
		}
		bytes += argument->value.bits / 8;
		field = &function->fields[function->count++];
		fn_field_of_value(signature->btf, &argument->value, argument->source, field);
		fn_field_name_of_argument(argument->name, (unsigned int)i + 1, field->name);
		fn_field_name_distinguish(field->name, is_taken, function);
	}
}

/* An argument that has no name in the types is argN. */
static const struct fn_argument *find_argument(const struct fn_signature *signature,
					       const char *name)
{
	char number[32];

	for (size_t i = 0; i < signature->count; i++) {
		const struct fn_argument *argument = &signature->arguments[i];

		snprintf(number, sizeof(number), "arg%zu", i + 1);
		if (!strcmp(*argument->name ? argument->name : number, name))
			return argument;
	}
	return NULL;
}

static int refuse_argument(const struct making *making, const struct fn_signature *signature,
			   const struct fn_item *item)
{
	char names[512] = "";

	for (size_t i = 0; i < signature->count; i++) {
		const char *name = signature->arguments[i].name;
		char number[32];

		snprintf(number, sizeof(number), "arg%zu", i + 1);
		mm_words_add(names, sizeof(names), *name ? name : number);
	}
	return fn_spec_refuse(making->spec, item->column, making->err,
			      "%s has no argument '%s'; it has: %s", making->function->symbol,
			      item->argument, *names ? names : "none");
}

static int take_item(struct making *making, const struct fn_signature *signature,
		     const struct fn_item *item, struct fn_field *field)
{
	const struct fn_argument *argument = find_argument(signature, item->argument);
	struct fn_place place = { .btf = making->btf };

	if (!argument)
		return refuse_argument(making, signature, item);
	if (argument->value.reason)
		return fn_spec_refuse(making->spec, item->column, making->err,
				      "'%s' is not available: %s", item->argument,
				      fn_reason_text(argument->value.reason));
	place.source = argument->source;
	place.type = argument->type;
	place.name = argument->name;
	if (fn_place_follow(making->spec, item, &place, making->err))
		return -1;
	return fn_field_of_place(making->spec, &place, &item->type, item->column, field,
				 making->err);
}

/* The position of an argument is that of the first item with its name. */
static unsigned int position_of(struct making *making, const char *name)
{
	unsigned int position = 0;

	while (position < making->named && strcmp(making->names[position], name) != 0)
		position++;
	if (position == making->named)
		making->names[making->named++] = name;
	return position;
}

/* Without a description of the function. A cast says what a pointer points to. */
static int take_by_hand(struct making *making, const struct fn_item *item, struct fn_field *field)
{
	unsigned int source = position_of(making, item->argument);
	struct fn_place place = { .btf = making->btf, .source = source, .pointers = 1 };

	if (source >= LTTNG_MM_FN_ARGUMENTS)
		return fn_spec_refuse(making->spec, item->column, making->err,
				      "more than %d arguments", LTTNG_MM_FN_ARGUMENTS);
	if (!item->count && item->type.kind == FN_TYPE_OWN)
		return fn_spec_refuse(making->spec, item->column, making->err,
				      "no types describe %s; give that of '%s', as in %s:u32",
				      making->function->symbol, item->argument, item->argument);
	if (!item->count)
		return fn_field_by_hand(making->spec, making->btf, source, &item->type, field,
					making->err);
	if (!making->btf)
		return fn_spec_refuse(making->spec, item->accesses[0].column, making->err,
				      "there are no types with members on this kernel");
	if (fn_place_follow(making->spec, item, &place, making->err))
		return -1;
	return fn_field_of_place(making->spec, &place, &item->type, item->column, field,
				 making->err);
}

/* The position of the argument that an item starts with: in the signature, or by hand. */
static size_t argument_of(struct making *making, const struct fn_signature *signature,
			  const struct fn_item *item)
{
	if (!signature)
		return position_of(making, item->argument);
	return (size_t)(find_argument(signature, item->argument) - signature->arguments);
}

/*
 * Sorts the fields by their arguments, so that records and reports show these in the order of the
 * signature. Fields of one argument stay in the order of the SPEC.
 */
static void sort_fields(struct making *making, const struct fn_signature *signature)
{
	struct fn_function *function = making->function;
	size_t of[LTTNG_MM_FN_FIELDS];

	for (size_t i = 0; i < function->count; i++) {
		const size_t argument = argument_of(making, signature, &making->spec->items[i]);
		const struct fn_field field = function->fields[i];
		size_t at = i;

		for (; at && of[at - 1] > argument; at--) {
			of[at] = of[at - 1];
			function->fields[at] = function->fields[at - 1];
		}
		of[at] = argument;
		function->fields[at] = field;
	}
}

static int take_items(struct making *making, const struct fn_signature *signature)
{
	struct fn_function *function = making->function;
	const struct fn_spec *spec = making->spec;

	for (size_t i = 0; i < spec->count; i++) {
		struct fn_field *field = &function->fields[function->count++];
		int ret = signature ? take_item(making, signature, &spec->items[i], field)
				    : take_by_hand(making, &spec->items[i], field);

		if (ret)
			return -1;
		fn_field_name(&spec->items[i], field->name);
		fn_field_name_distinguish(field->name, is_taken, function);
	}
	sort_fields(making, signature);
	return 0;
}

/* The result of a function that the types describe. */
static int take_result(struct making *making, const struct fn_signature *signature)
{
	const struct fn_type *type = &making->spec->result;
	struct fn_function *function = making->function;
	struct fn_place place = { .btf = making->btf,
				  .source = LTTNG_MM_FN_RESULT,
				  .type = signature->result_type };

	if (type->kind == FN_TYPE_VOID || (type->kind == FN_TYPE_OWN && !signature->result_type))
		return 0;
	if (!signature->result_type)
		return fn_spec_refuse(making->spec, type->column, making->err, "%s returns nothing",
				      function->symbol);
	if (signature->result.reason && type->kind != FN_TYPE_OWN)
		return fn_spec_refuse(making->spec, type->column, making->err,
				      "the result is not available: %s",
				      fn_reason_text(signature->result.reason));
	if (signature->result.reason) {
		note(function, "the result is not recorded: %s",
		     fn_reason_text(signature->result.reason));
		return 0;
	}
	function->has_result = true;
	return fn_field_of_place(making->spec, &place, type, type->column, &function->result,
				 making->err);
}

static int take_result_by_hand(struct making *making)
{
	const struct fn_type *type = &making->spec->result;

	if (type->kind == FN_TYPE_VOID || type->kind == FN_TYPE_OWN)
		return 0;
	making->function->has_result = true;
	return fn_field_by_hand(making->spec, making->btf, LTTNG_MM_FN_RESULT, type,
				&making->function->result, making->err);
}

static int take_values(struct making *making)
{
	const struct fn_spec *spec = making->spec;
	struct fn_function *function = making->function;
	const bool has_own = making->btf && !strcmp(making->btf->module, function->module);
	uint32_t id = has_own ? fn_btf_function(making->btf, function->symbol) : 0;
	struct fn_signature signature;

	if (!id && !spec->selects)
		return mm_error_set(
			making->err, making->btf ? MM_EXIT_BAD_INPUT : MM_EXIT_ENVIRONMENT,
			"fn: %s: column %u: no types describe it; give them, as in '%s(a:u32, b:string) : s32'",
			spec->text, spec->column, function->symbol);
	if (!id)
		return take_items(making, NULL) ? -1 : take_result_by_hand(making);
	if (fn_signature_read(making->btf, id, &signature))
		return fn_spec_refuse(spec, spec->column, making->err,
				      "it has more than %d arguments", FN_SIGNATURE_MAX);
	if (!spec->selects)
		take_all(function, &signature);
	else if (take_items(making, &signature))
		return -1;
	return take_result(making, &signature);
}

/* What is an error of the result? */
static int set_errors(const struct making *making)
{
	struct fn_function *function = making->function;
	const struct fn_field *result = &function->result;

	if (!function->has_result)
		return mm_error_set(making->err, MM_EXIT_BAD_INPUT,
				    "fn: --errors: %s: its result is not recorded",
				    making->spec->text);
	function->flags |= LTTNG_MM_FN_ERRORS;
	if (result->labels && result->btf && result->labels == result->btf->fault_reasons)
		function->error_mask = fn_labels_fault_errors(result->btf);
	if (function->error_mask || result->wire.kind == LTTNG_MM_FN_SIGNED ||
	    result->wire.kind == LTTNG_MM_FN_POINTER || result->wire.mask_bits == 64)
		return 0;
	return mm_error_set(
		making->err, MM_EXIT_BAD_INPUT,
		"fn: --errors: %s: its result cannot be an error; if it can, give its type, as in '%s() : s64'",
		making->spec->text, function->symbol);
}

/* A function that never returns has entries only. */
static int check_return(const struct making *making)
{
	const struct fn_options *options = making->options;
	struct fn_function *function = making->function;
	const char *option = options->slower_ns ? "--slower"
			     : options->errors	? "--errors"
			     : options->calls	? "--calls"
						: NULL;

	if (*function->module || !mm_never_returns(function->symbol))
		return 0;
	if (option)
		return mm_error_set(
			making->err, MM_EXIT_BAD_INPUT,
			"fn: %s: %s: %s() never returns, so it has no fn_%s_call; record its entries, without %s",
			option, making->spec->text, function->symbol, function->name, option);
	note(function, "it never returns, so only its entries are recorded");
	return 0;
}

/* What `fn list` shows: the SPEC, and the options that change what is recorded. */
static int write_spec(const struct making *making, const char *text)
{
	const struct fn_options *options = making->options;
	char slower[48] = "", rate[48] = "", inside[LTTNG_MM_FN_NAME_MAX + 16] = "";
	struct fn_function *function = making->function;
	int length;

	if (options->slower_ns)
		snprintf(slower, sizeof(slower), " --slower=%" PRId64 "ns", options->slower_ns);
	if (options->max_rate != FN_MAX_RATE)
		snprintf(rate, sizeof(rate), " --max-rate=%u", options->max_rate);
	if (options->inside)
		snprintf(inside, sizeof(inside), " --inside=%s", options->inside);
	length = snprintf(function->spec, sizeof(function->spec), "%s%s%s%s%s%s%s", text,
			  options->caller ? " --caller" : "", inside, slower,
			  options->errors ? " --errors" : "", rate, options->raw ? " --raw" : "");
	if (length < 0 || (size_t)length >= sizeof(function->spec))
		return mm_error_set(making->err, MM_EXIT_BAD_INPUT,
				    "fn: %s: with its options it is longer than %zu bytes", text,
				    sizeof(function->spec) - 1);
	return 0;
}

static int set_options(const struct making *making)
{
	const struct fn_options *options = making->options;
	struct fn_function *function = making->function;
	char text[FN_MODULE_MAX + LTTNG_MM_FN_NAME_MAX];

	function->flags = options->caller ? LTTNG_MM_FN_CALLER : 0;
	function->max_rate = options->max_rate;
	function->slower_ns = (uint64_t)options->slower_ns;
	if (options->inside)
		snprintf(function->inside, sizeof(function->inside), "%s", options->inside);
	for (size_t i = 0; options->raw && i < function->count; i++)
		if (!fn_field_is_text(&function->fields[i]))
			function->fields[i].wire.flags |= LTTNG_MM_FN_RAW;
	if (options->raw && function->has_result)
		function->result.wire.flags |= LTTNG_MM_FN_RAW;
	if (options->errors && set_errors(making))
		return -1;
	/* A pattern is listed as the functions that it has added. */
	snprintf(text, sizeof(text), "%s%s%s", making->spec->module,
		 *making->spec->module ? ":" : "", function->symbol);
	return write_spec(making, making->spec->is_pattern ? text : making->spec->text);
}

int fn_function_make(const struct fn_spec *spec, const struct fn_btf *btf, const char *symbol,
		     const char *module, const struct fn_options *options,
		     struct fn_function *function, struct mm_error *err)
{
	struct making making = {
		.spec = spec, .btf = btf, .options = options, .function = function, .err = err
	};

	memset(function, 0, sizeof(*function));
	if (strlen(symbol) >= sizeof(function->symbol))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "fn: %s: the name is longer than %zu bytes", symbol,
				    sizeof(function->symbol) - 1);
	snprintf(function->symbol, sizeof(function->symbol), "%s", symbol);
	snprintf(function->module, sizeof(function->module), "%s", module);
	snprintf(function->name, sizeof(function->name), "%s", options->as ? options->as : symbol);
	return check_return(&making) || take_values(&making) ? -1 : set_options(&making);
}
