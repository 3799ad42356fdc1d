// SPDX-License-Identifier: LGPL-2.1-only
/* Derives the fields of a function from its SPEC and BTF. */
#include "lttng-session/fn/describe/function.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lttng-session/fn/describe/labels.h"
#include "lttng-session/fn/describe/members.h"
#include "util/never-returns.h"
#include "util/text.h"

/*
 * Maximum size of all numeric arguments together. The rest of LTTNG_MM_FN_NUMBER_BYTES is for the
 * fields tid, caller, unread, ret and duration_ns.
 */
#define NUMBER_BYTES                                                                              \
	(LTTNG_MM_FN_NUMBER_BYTES -                                                               \
	 (LTTNG_MM_FN_TID_BITS + LTTNG_MM_FN_CALLER_BITS + 32 + 64 + LTTNG_MM_FN_DURATION_BITS) / \
		 8)

struct function_ctx {
	const struct fn_spec *spec;
	const struct fn_btf *btf;
	const struct fn_add_options *options;
	struct fn_function *function;
	struct mm_error *err;
	/* per field: the position of its argument in the signature */
	size_t argument_of[LTTNG_MM_FN_FIELDS];
	/*
	 * The names of arguments of a function without BTF, in the order of first use. Their number
	 * is @named.
	 */
	size_t named;
	const char *names[LTTNG_MM_FN_FIELDS];
};

static bool is_taken(const char *name, const void *user)
{
	const struct fn_function *function = user;

	/* The last field has no name yet, so skip it. */
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

static const char *name_argument(const struct fn_argument *argument, size_t position, char *text,
				 size_t size)
{
	if (*argument->name)
		snprintf(text, size, "%s", argument->name);
	else
		snprintf(text, size, "arg%zu", position + 1);
	return text;
}

static const struct fn_argument *find_argument(const struct fn_signature *signature,
					       const char *name)
{
	char text[FN_WORD_MAX];

	for (size_t i = 0; i < signature->count; i++)
		if (!strcmp(name_argument(&signature->arguments[i], i, text, sizeof(text)), name))
			return &signature->arguments[i];
	return NULL;
}

static int refuse_argument(const struct function_ctx *ctx, const struct fn_signature *signature,
			   const struct fn_spec_item *item)
{
	char names[512] = "", text[FN_WORD_MAX];

	for (size_t i = 0; i < signature->count; i++)
		mm_words_add(names, sizeof(names),
			     name_argument(&signature->arguments[i], i, text, sizeof(text)));
	return fn_spec_refuse(ctx->spec, item->column, ctx->err,
			      "%s has no argument '%s'; it has: %s", ctx->function->symbol,
			      item->argument, *names ? names : "none");
}

/* Sets @place to the part of @argument that @item names. Returns 0, or -1 with an error set. */
static int follow(const struct function_ctx *ctx, const struct fn_argument *argument,
		  const struct fn_spec_item *item, struct fn_place *place)
{
	*place = (struct fn_place){
		.btf = ctx->btf,
		.source = argument->source,
		.type = argument->type,
		.name = argument->name,
	};
	if (argument->value.is_structure) {
		place->structure = argument->type;
		place->eightbytes = argument->eightbytes;
	}
	return fn_place_follow(ctx->spec, item, place, ctx->err);
}

/*
 * State of the iteration over the members of an argument that is a structure. Each member becomes a
 * field.
 */
struct struct_expansion {
	struct function_ctx *ctx;
	const struct fn_argument *argument;
	size_t position;
	bool is_full;
	bool failed;
};

/* Adds a field for the part of an argument that @item names. Returns 0, or -1 with an error set. */
static int take_value(struct function_ctx *ctx, const struct fn_argument *argument, size_t position,
		      const struct fn_spec_item *item)
{
	struct fn_function *function = ctx->function;
	struct fn_field *field = &function->fields[function->count];
	struct fn_place place;

	if (follow(ctx, argument, item, &place) ||
	    fn_field_of_place(ctx->spec, &place, &item->type, item->column, field, ctx->err))
		return -1;
	ctx->argument_of[function->count++] = position;
	fn_field_name(item, field->name);
	fn_field_name_distinguish(field->name, is_taken, function);
	return 0;
}

static int take_member(void *user, const struct fn_spec_item *item)
{
	struct struct_expansion *structure = user;

	if (structure->ctx->function->count == LTTNG_MM_FN_FIELDS) {
		structure->is_full = true;
		return -1;
	}
	if (!take_value(structure->ctx, structure->argument, structure->position, item))
		return 0;
	structure->failed = true;
	return -1;
}

static unsigned int count_bytes(const struct fn_function *function, size_t first)
{
	unsigned int bytes = 0;

	for (size_t i = first; i < function->count; i++)
		bytes += function->fields[i].wire.bits / 8;
	return bytes;
}

/*
 * Adds fields for all members of a structure argument, or for none. Adds their size to *@bytes.
 * Returns FN_AVAILABLE, or the reason why it added none.
 */
static enum fn_reason take_structure(struct function_ctx *ctx, const struct fn_argument *argument,
				     size_t position, unsigned int *bytes)
{
	struct struct_expansion structure = { .ctx = ctx,
					      .argument = argument,
					      .position = position };
	const size_t first = ctx->function->count;
	struct fn_spec_item item = { .column = ctx->spec->column };
	unsigned int taken;
	int ret;

	name_argument(argument, position, item.argument, sizeof(item.argument));
	ret = fn_members_each(ctx->btf, argument->type, &item, take_member, &structure);
	taken = count_bytes(ctx->function, first);
	if (!ret && *bytes + taken <= NUMBER_BYTES) {
		*bytes += taken;
		return FN_AVAILABLE;
	}
	ctx->function->count = first;
	if (structure.failed && ctx->err)
		mm_error_clear(ctx->err);
	return ret > 0 ? (enum fn_reason)ret : structure.failed ? FN_UNKNOWN_TYPE : FN_NO_ROOM;
}

/* Adds a field for a numeric argument. Returns FN_AVAILABLE or FN_NO_ROOM. */
static enum fn_reason take_number(struct function_ctx *ctx, const struct fn_argument *argument,
				  size_t position, unsigned int *bytes)
{
	struct fn_function *function = ctx->function;
	struct fn_field *field = &function->fields[function->count];

	if (*bytes + argument->value.bits / 8 > NUMBER_BYTES ||
	    function->count == LTTNG_MM_FN_FIELDS)
		return FN_NO_ROOM;
	*bytes += argument->value.bits / 8;
	ctx->argument_of[function->count++] = position;
	fn_field_of_value(ctx->btf, &argument->value, argument->source, field);
	fn_field_name_of_argument(argument->name, (unsigned int)position + 1, field->name);
	fn_field_name_distinguish(field->name, is_taken, function);
	return FN_AVAILABLE;
}

/*
 * Adds a field for each argument that is available and fits. Notes why the other arguments are not
 * recorded.
 */
static void take_all(struct function_ctx *ctx, const struct fn_signature *signature)
{
	unsigned int bytes = 0;

	for (size_t i = 0; i < signature->count; i++) {
		const struct fn_argument *argument = &signature->arguments[i];
		enum fn_reason reason = argument->value.reason;

		if (!reason)
			reason = argument->value.by_member
					 ? take_structure(ctx, argument, i, &bytes)
					 : take_number(ctx, argument, i, &bytes);
		if (reason)
			note(ctx->function, "argument %zu, %s, is not recorded: %s", i + 1,
			     *argument->name ? argument->name : "without a name",
			     fn_reason_text(reason));
	}
}

static int refuse_full(const struct function_ctx *ctx, const struct fn_spec_item *item)
{
	return fn_spec_refuse(ctx->spec, item->column, ctx->err,
			      "more than %d values; name fewer members", LTTNG_MM_FN_FIELDS);
}

static int take_item(struct function_ctx *ctx, const struct fn_signature *signature,
		     const struct fn_spec_item *item)
{
	const struct fn_argument *argument = find_argument(signature, item->argument);
	struct struct_expansion structure = { .ctx = ctx, .argument = argument };
	struct fn_spec_item copy = *item;
	struct fn_place place;
	int ret;

	if (!argument)
		return refuse_argument(ctx, signature, item);
	structure.position = (size_t)(argument - signature->arguments);
	if (argument->value.reason)
		return fn_spec_refuse(ctx->spec, item->column, ctx->err,
				      "'%s' is not available: %s", item->argument,
				      fn_reason_text(argument->value.reason));
	if (follow(ctx, argument, item, &place))
		return -1;
	/*
	 * If the item is a whole structure in registers, and the SPEC states no type, add all its
	 * members.
	 */
	if (argument->value.by_member && item->type.kind == FN_TYPE_OWN && !place.steps &&
	    !place.pointers && fn_is_structure(ctx->btf, place.type))
		ret = fn_members_each(ctx->btf, place.type, &copy, take_member, &structure);
	else if (ctx->function->count == LTTNG_MM_FN_FIELDS)
		return refuse_full(ctx, item);
	else
		return take_value(ctx, argument, structure.position, item);
	if (structure.is_full)
		return refuse_full(ctx, item);
	return ret > 0 ? fn_spec_refuse(ctx->spec, item->column, ctx->err, "%s",
					fn_reason_text((enum fn_reason)ret))
		       : ret;
}

/*
 * Returns the position of an argument of a function without BTF. The arguments are numbered in the
 * order of their first use in the SPEC.
 */
static unsigned int position_of(struct function_ctx *ctx, const char *name)
{
	unsigned int position = 0;

	while (position < ctx->named && strcmp(ctx->names[position], name) != 0)
		position++;
	if (position == ctx->named)
		ctx->names[ctx->named++] = name;
	return position;
}

/*
 * Fills in a field of a function that is not in BTF. If @item has a cast, the argument is a pointer
 * to the cast's type.
 */
static int set_by_hand(struct function_ctx *ctx, const struct fn_spec_item *item,
		       unsigned int source, struct fn_field *field)
{
	struct fn_place place = { .btf = ctx->btf, .source = source, .pointers = 1 };

	if (source >= LTTNG_MM_FN_ARGUMENTS)
		return fn_spec_refuse(ctx->spec, item->column, ctx->err, "more than %d arguments",
				      LTTNG_MM_FN_ARGUMENTS);
	if (!item->count && item->type.kind == FN_TYPE_OWN)
		return fn_spec_refuse(ctx->spec, item->column, ctx->err,
				      "%s is not in BTF; give the type of '%s', as in %s:u32",
				      ctx->function->symbol, item->argument, item->argument);
	if (!item->count)
		return fn_field_by_hand(ctx->spec, ctx->btf, source, &item->type, field, ctx->err);
	if (!ctx->btf)
		return fn_spec_refuse(ctx->spec, item->accesses[0].column, ctx->err,
				      "this kernel has no BTF, so members are unknown");
	if (fn_place_follow(ctx->spec, item, &place, ctx->err))
		return -1;
	return fn_field_of_place(ctx->spec, &place, &item->type, item->column, field, ctx->err);
}

static int take_by_hand(struct function_ctx *ctx, const struct fn_spec_item *item)
{
	struct fn_function *function = ctx->function;
	struct fn_field *field = &function->fields[function->count];
	const unsigned int source = position_of(ctx, item->argument);

	if (set_by_hand(ctx, item, source, field))
		return -1;
	ctx->argument_of[function->count++] = source;
	fn_field_name(item, field->name);
	fn_field_name_distinguish(field->name, is_taken, function);
	return 0;
}

/*
 * Sorts the fields in the order of the signature's arguments. Fields of the same argument keep
 * their order in the SPEC.
 */
static void sort_fields(struct function_ctx *ctx)
{
	struct fn_function *function = ctx->function;
	size_t *of = ctx->argument_of;

	for (size_t i = 0; i < function->count; i++) {
		const struct fn_field field = function->fields[i];
		const size_t argument = of[i];
		size_t at = i;

		for (; at && of[at - 1] > argument; at--) {
			of[at] = of[at - 1];
			function->fields[at] = function->fields[at - 1];
		}
		of[at] = argument;
		function->fields[at] = field;
	}
}

static int take_items(struct function_ctx *ctx, const struct fn_signature *signature)
{
	const struct fn_spec *spec = ctx->spec;

	for (size_t i = 0; i < spec->count; i++)
		if (signature ? take_item(ctx, signature, &spec->items[i])
			      : take_by_hand(ctx, &spec->items[i]))
			return -1;
	sort_fields(ctx);
	return 0;
}

/* Adds the field for the result of a function that is in BTF. */
static int take_result(struct function_ctx *ctx, const struct fn_signature *signature)
{
	const struct fn_type *type = &ctx->spec->result;
	struct fn_function *function = ctx->function;
	struct fn_place place = { .btf = ctx->btf,
				  .source = LTTNG_MM_FN_RESULT,
				  .type = signature->result_type };

	if (type->kind == FN_TYPE_VOID || (type->kind == FN_TYPE_OWN && !signature->result_type))
		return 0;
	if (!signature->result_type)
		return fn_spec_refuse(ctx->spec, type->column, ctx->err, "%s returns nothing",
				      function->symbol);
	if (signature->result.reason && type->kind != FN_TYPE_OWN)
		return fn_spec_refuse(ctx->spec, type->column, ctx->err,
				      "the result is not available: %s",
				      fn_reason_text(signature->result.reason));
	if (signature->result.reason) {
		note(function, "the result is not recorded: %s",
		     fn_reason_text(signature->result.reason));
		return 0;
	}
	function->has_result = true;
	return fn_field_of_place(ctx->spec, &place, type, type->column, &function->result,
				 ctx->err);
}

static int take_result_by_hand(struct function_ctx *ctx)
{
	const struct fn_type *type = &ctx->spec->result;

	if (type->kind == FN_TYPE_VOID || type->kind == FN_TYPE_OWN)
		return 0;
	ctx->function->has_result = true;
	return fn_field_by_hand(ctx->spec, ctx->btf, LTTNG_MM_FN_RESULT, type,
				&ctx->function->result, ctx->err);
}

static int take_values(struct function_ctx *ctx)
{
	const struct fn_spec *spec = ctx->spec;
	struct fn_function *function = ctx->function;
	const bool has_own = ctx->btf && !strcmp(ctx->btf->module, function->module);
	uint32_t id = has_own ? fn_btf_function(ctx->btf, function->symbol) : 0;
	struct fn_signature signature;

	if (!id && !spec->selects)
		return mm_error_set(
			ctx->err, ctx->btf ? MM_EXIT_BAD_INPUT : MM_EXIT_ENVIRONMENT,
			"fn: %s: column %u: the function is not in BTF; give the types, as in '%s(a:u32, b:string) : s32'",
			spec->text, spec->column, function->symbol);
	if (!id)
		return take_items(ctx, NULL) ? -1 : take_result_by_hand(ctx);
	if (fn_signature_read(ctx->btf, id, &signature))
		return fn_spec_refuse(spec, spec->column, ctx->err,
				      "the function has more than %d arguments", FN_SIGNATURE_MAX);
	if (!spec->selects)
		take_all(ctx, &signature);
	else if (take_items(ctx, &signature))
		return -1;
	return take_result(ctx, &signature);
}

/* Checks that the result can be an error. For a vm_fault_t, sets the mask of error bits. */
static int set_errors(const struct function_ctx *ctx)
{
	struct fn_function *function = ctx->function;
	const struct fn_field *result = &function->result;

	if (!function->has_result)
		return mm_error_set(ctx->err, MM_EXIT_BAD_INPUT,
				    "fn: --errors: %s: its result is not recorded",
				    ctx->spec->text);
	function->flags |= LTTNG_MM_FN_ERRORS;
	if (result->labels && result->btf && result->labels == result->btf->fault_reasons)
		function->error_mask = fn_labels_fault_errors(result->btf);
	if (function->error_mask || result->wire.kind == LTTNG_MM_FN_SIGNED ||
	    result->wire.kind == LTTNG_MM_FN_POINTER || result->wire.mask_bits == 64)
		return 0;
	return mm_error_set(
		ctx->err, MM_EXIT_BAD_INPUT,
		"fn: --errors: %s: by its type, the result cannot be an error; if the type is wrong, give another one, as in '%s() : s64'",
		ctx->spec->text, function->symbol);
}

/*
 * Refuses --slower, --errors and --calls for a function that never returns, because the function
 * has only entry events.
 */
static int check_return(const struct function_ctx *ctx)
{
	const struct fn_add_options *options = ctx->options;
	struct fn_function *function = ctx->function;
	const char *option = options->slower_ns ? "--slower"
			     : options->errors	? "--errors"
			     : options->calls	? "--calls"
						: NULL;

	if (*function->module || !mm_never_returns(function->symbol))
		return 0;
	if (option)
		return mm_error_set(
			ctx->err, MM_EXIT_BAD_INPUT,
			"fn: %s: %s: %s() never returns, so it has no fn_%s_call; record its entries, without %s",
			option, ctx->spec->text, function->symbol, function->name, option);
	note(function, "it never returns, so only its entries are recorded");
	return 0;
}

/* Writes the text that `fn list` shows: the SPEC, and options such as --slower. */
static int write_spec(const struct function_ctx *ctx, const char *text)
{
	const struct fn_add_options *options = ctx->options;
	char slower[48] = "", rate[48] = "", inside[LTTNG_MM_FN_NAME_MAX + 16] = "";
	struct fn_function *function = ctx->function;
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
		return mm_error_set(ctx->err, MM_EXIT_BAD_INPUT,
				    "fn: %s: the SPEC and its options are longer than %zu bytes",
				    text, sizeof(function->spec) - 1);
	return 0;
}

static int set_options(const struct function_ctx *ctx)
{
	const struct fn_add_options *options = ctx->options;
	struct fn_function *function = ctx->function;
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
	if (options->errors && set_errors(ctx))
		return -1;
	/* A pattern adds several functions, so list each function under its own name. */
	snprintf(text, sizeof(text), "%s%s%s", ctx->spec->module, *ctx->spec->module ? ":" : "",
		 function->symbol);
	return write_spec(ctx, ctx->spec->is_pattern ? text : ctx->spec->text);
}

int fn_function_make(const struct fn_spec *spec, const struct fn_btf *btf, const char *symbol,
		     const char *module, const struct fn_add_options *options,
		     struct fn_function *function, struct mm_error *err)
{
	struct function_ctx ctx = {
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
	return check_return(&ctx) || take_values(&ctx) ? -1 : set_options(&ctx);
}
