// SPDX-License-Identifier: GPL-2.0-only
/* Checks requests completely. The rest of the module does not check them again. */

#include <linux/ctype.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <lttng/abi.h>
#include <probes/fn/fn.h>

/* The longest event name must fit in LTTng's limit. */
static_assert(LTTNG_MM_FN_NAME_MAX + sizeof("fn__entry") < LTTNG_KERNEL_ABI_SYM_NAME_LEN);
/* The five other fields are tid, caller, unread, ret and duration_ns. */
static_assert(LTTNG_MM_FN_FIELDS + 5 <= LTTNG_MM_RECORD_FIELDS);
static_assert(LTTNG_MM_FN_NUMBER_BYTES <= LTTNG_MM_RECORD_BYTES);
static_assert(LTTNG_MM_FN_FIELDS < 32);
static_assert(LTTNG_MM_FN_TEXT_MAX <= LTTNG_MM_ARRAY_BYTES);
static_assert(sizeof(struct lttng_mm_fn_function) % 8 == 0 &&
	      sizeof(struct lttng_mm_fn_field) % 8 == 0 &&
	      sizeof(struct lttng_mm_fn_labels) % 8 == 0);

static bool is_identifier(const char *name, size_t max)
{
	size_t len = 0;

	if (!isascii(*name) || (!isalpha(*name) && *name != '_'))
		return false;
	for (; name[len]; len++)
		if (!isascii(name[len]) || (!isalnum(name[len]) && name[len] != '_'))
			return false;
	return len < max;
}

static bool is_reserved(const char *name)
{
	return !strcmp(name, "tid") || !strcmp(name, "caller") || !strcmp(name, "unread") ||
	       !strcmp(name, "ret") || !strcmp(name, "duration_ns");
}

static bool is_string(const struct fn_add_request *request, u32 offset)
{
	return offset < request->size.string_bytes;
}

/* Symbols may contain a dot: the compiler adds one to the names of clones. */
static bool is_symbol(const struct fn_add_request *request, u32 offset)
{
	const char *name;

	if (!is_string(request, offset))
		return false;
	name = fn_string(request, offset);
	return *name && strlen(name) < LTTNG_MM_FN_NAME_MAX && !strchr(name, ':');
}

static bool is_text_valid(const struct lttng_mm_fn_field *field)
{
	const unsigned int min = field->kind == LTTNG_MM_FN_BYTES ? 1 : 2;

	return !field->bytes && !field->shift && !field->mask_bits && !field->bits &&
	       field->labels == LTTNG_MM_FN_NONE && field->max >= min &&
	       field->max <= LTTNG_MM_FN_TEXT_MAX && field->source != LTTNG_MM_FN_RESULT &&
	       (!(field->flags & LTTNG_MM_FN_IN_PLACE) || field->steps);
}

/*
 * Is label AT greater than the previous label, and is its name unique? AT is not the first label of
 * its set.
 */
static bool is_next_label(const struct fn_add_request *request,
			  const struct lttng_mm_fn_labels *set, u32 at)
{
	const struct lttng_mm_fn_label *label = &request->labels[at];

	if (set->is_signed ? label->value <= label[-1].value
			   : (u64)label->value <= (u64)label[-1].value)
		return false;
	for (u32 i = set->first; i < at; i++)
		if (!strcmp(fn_string(request, request->labels[i].name),
			    fn_string(request, label->name)))
			return false;
	return true;
}

/* Refuses labels whose values do not fit in the field, because readers could not look them up. */
static bool are_labels_valid(const struct fn_add_request *request,
			     const struct lttng_mm_fn_field *field)
{
	const struct lttng_mm_fn_labels *set = &request->enums[field->labels];
	const unsigned int unused = 64 - field->bits;

	if (set->is_signed != (field->kind == LTTNG_MM_FN_SIGNED))
		return false;
	for (u32 i = set->first; i < set->first + set->count; i++) {
		u64 value = request->labels[i].value;
		u64 kept = set->is_signed ? (u64)((s64)(value << unused) >> unused)
					  : value << unused >> unused;

		if (kept != value || (i > set->first && !is_next_label(request, set, i)))
			return false;
	}
	return true;
}

static bool is_number_valid(const struct lttng_mm_fn_field *field, u32 enumerations)
{
	const unsigned int bits = 8 * field->bytes;

	if ((field->bytes != 1 && field->bytes != 2 && field->bytes != 4 && field->bytes != 8) ||
	    (field->bits != 8 && field->bits != 16 && field->bits != 32 && field->bits != 64))
		return false;
	if (!field->mask_bits || field->mask_bits + field->shift > bits ||
	    field->bits < field->mask_bits || (field->flags & LTTNG_MM_FN_IN_PLACE) || field->max)
		return false;
	if (field->labels != LTTNG_MM_FN_NONE && field->labels >= enumerations)
		return false;
	if (field->kind == LTTNG_MM_FN_POINTER &&
	    (field->mask_bits != 64 || field->labels != LTTNG_MM_FN_NONE))
		return false;
	return field->source != LTTNG_MM_FN_RESULT || !field->steps;
}

static bool is_field_valid(const struct lttng_mm_fn_field *field, u32 enumerations)
{
	if (field->reserved || field->kind >= LTTNG_MM_FN_KINDS ||
	    field->steps > LTTNG_MM_FN_STEPS ||
	    (field->flags & ~(LTTNG_MM_FN_RAW | LTTNG_MM_FN_IN_PLACE)) ||
	    (field->source >= LTTNG_MM_FN_ARGUMENTS && field->source != LTTNG_MM_FN_RESULT))
		return false;
	for (unsigned int i = 0; i < field->steps; i++)
		if (field->offset[i] > LTTNG_MM_FN_OFFSET_MAX ||
		    field->offset[i] < -LTTNG_MM_FN_OFFSET_MAX)
			return false;
	if (fn_is_text(field))
		return is_text_valid(field);
	return is_number_valid(field, enumerations);
}

static int check_field(const struct fn_add_request *request,
		       const struct lttng_mm_fn_function *function, u32 at)
{
	const struct lttng_mm_fn_field *fields = request->fields;
	const struct lttng_mm_fn_field *field = &fields[at];
	const char *name;

	if (!is_field_valid(field, request->size.enumerations))
		return LTTNG_MM_FN_BAD_FIELD;
	if (field->labels != LTTNG_MM_FN_NONE && !are_labels_valid(request, field))
		return LTTNG_MM_FN_BAD_LABELS;
	if (field->source != LTTNG_MM_FN_RESULT &&
	    lttng_mm_fn_argument_at(field->source) == LTTNG_MM_FN_UNAVAILABLE)
		return LTTNG_MM_FN_BAD_FIELD;
	if (at == function->result)
		return LTTNG_MM_FN_OK;
	if (field->source == LTTNG_MM_FN_RESULT || !is_string(request, field->name))
		return LTTNG_MM_FN_BAD_FIELD;
	name = fn_string(request, field->name);
	if (!is_identifier(name, LTTNG_MM_FN_NAME_MAX))
		return LTTNG_MM_FN_BAD_NAME;
	if (is_reserved(name))
		return LTTNG_MM_FN_TWO_OF_A_NAME;
	for (u32 i = function->first; i < at; i++)
		if (!strcmp(fn_string(request, fields[i].name), name))
			return LTTNG_MM_FN_TWO_OF_A_NAME;
	return LTTNG_MM_FN_OK;
}

static int check_function(const struct fn_add_request *request, u32 index,
			  struct lttng_mm_fn_add *refused)
{
	const struct lttng_mm_fn_function *function = &request->functions[index];
	const u32 fields = request->size.fields;
	int error;

	if (!is_string(request, function->name) || !is_symbol(request, function->symbol) ||
	    !is_string(request, function->spec) ||
	    (function->module != LTTNG_MM_FN_NONE && !is_symbol(request, function->module)) ||
	    (function->flags & ~(LTTNG_MM_FN_CALLER | LTTNG_MM_FN_ERRORS)) ||
	    function->count > LTTNG_MM_FN_FIELDS || function->first > fields ||
	    function->count > fields - function->first ||
	    strlen(fn_string(request, function->spec)) >= LTTNG_MM_FN_SPEC_MAX)
		return LTTNG_MM_FN_BAD_REQUEST;
	if (function->inside != LTTNG_MM_FN_NONE && !is_symbol(request, function->inside))
		return LTTNG_MM_FN_BAD_REQUEST;
	if (!is_identifier(fn_string(request, function->name), LTTNG_MM_FN_NAME_MAX))
		return LTTNG_MM_FN_BAD_NAME;
	if (function->result != LTTNG_MM_FN_NONE) {
		refused->field = function->result;
		/*
		 * The result must not be one of the arguments. If its index is lower than the first
		 * index, the unsigned difference wraps to a huge number.
		 */
		if (function->result - function->first < function->count ||
		    function->result >= fields ||
		    request->fields[function->result].source != LTTNG_MM_FN_RESULT)
			return LTTNG_MM_FN_BAD_REQUEST;
		error = check_field(request, function, function->result);
		if (error)
			return error;
	} else if (function->flags & LTTNG_MM_FN_ERRORS) {
		return LTTNG_MM_FN_BAD_REQUEST;
	}
	for (u32 i = function->first; i < function->first + function->count; i++) {
		refused->field = i;
		error = check_field(request, function, i);
		if (error)
			return error;
	}
	refused->field = LTTNG_MM_FN_NONE;
	return LTTNG_MM_FN_OK;
}

static int check_labels(const struct fn_add_request *request)
{
	for (u32 i = 0; i < request->size.enumerations; i++) {
		const struct lttng_mm_fn_labels *set = &request->enums[i];

		if (!set->count || set->count > LTTNG_MM_FN_LABELS || set->is_signed > 1 ||
		    set->reserved || set->first > request->size.labels ||
		    set->count > request->size.labels - set->first)
			return LTTNG_MM_FN_BAD_LABELS;
	}
	for (u32 i = 0; i < request->size.labels; i++) {
		const struct lttng_mm_fn_label *label = &request->labels[i];

		if (!is_string(request, label->name) || label->reserved ||
		    !is_identifier(fn_string(request, label->name), LTTNG_MM_FN_NAME_MAX))
			return LTTNG_MM_FN_BAD_LABELS;
	}
	return LTTNG_MM_FN_OK;
}

int fn_request_check(struct fn_add_request *request, const struct lttng_mm_fn_add *add,
		     const void *data, struct lttng_mm_fn_add *refused)
{
	int error;

	request->size = *add;
	request->functions = data;
	request->fields = (const void *)(request->functions + add->functions);
	request->enums = (const void *)(request->fields + add->fields);
	request->labels = (const void *)(request->enums + add->enumerations);
	request->strings = (const void *)(request->labels + add->labels);
	if (!add->string_bytes || request->strings[add->string_bytes - 1])
		return LTTNG_MM_FN_BAD_REQUEST;
	if (add->functions > LTTNG_MM_FN_FUNCTIONS)
		return LTTNG_MM_FN_TOO_MANY;
	error = check_labels(request);
	for (u32 i = 0; i < add->functions && !error; i++) {
		refused->function = i;
		error = check_function(request, i, refused);
		cond_resched();
	}
	return error;
}
