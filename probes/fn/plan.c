// SPDX-License-Identifier: GPL-2.0-only
/* Translates the fields of a request to operations and the layout of the records. */

#include <linux/kernel.h>
#include <probes/fn/fn.h>

bool fn_is_text(const struct lttng_mm_fn_field *field)
{
	return field->kind == LTTNG_MM_FN_STRING || field->kind == LTTNG_MM_FN_USER_STRING ||
	       field->kind == LTTNG_MM_FN_BYTES;
}

/*
 * Must the value be checked for a kernel address? This applies to 64-bit numbers that are not
 * declared as pointers. Addresses must not be recorded, not even in part.
 */
static bool is_checked(const struct lttng_mm_fn_field *field)
{
	return field->kind != LTTNG_MM_FN_POINTER && !fn_is_text(field) && field->bytes == 8 &&
	       !(field->flags & LTTNG_MM_FN_RAW);
}

static bool is_on_stack(const struct lttng_mm_fn_field *field)
{
	return field->source != LTTNG_MM_FN_RESULT &&
	       lttng_mm_fn_argument_at(field->source) >= LTTNG_MM_FN_STACK;
}

bool fn_may_be_unread(const struct lttng_mm_fn_field *field)
{
	return field->steps > 0 || fn_is_text(field) || is_checked(field) || is_on_stack(field);
}

static enum fn_op_kind op_kind(const struct lttng_mm_fn_field *field)
{
	bool whole = !field->steps && !field->shift && field->mask_bits == field->bits &&
		     field->bits == 8 * field->bytes && !is_on_stack(field);

	if (field->kind == LTTNG_MM_FN_STRING)
		return FN_STRING;
	if (field->kind == LTTNG_MM_FN_USER_STRING)
		return FN_USER_STRING;
	if (field->kind == LTTNG_MM_FN_BYTES)
		return FN_BYTES;
	if (!whole)
		return FN_NUMBER;
	if (field->kind == LTTNG_MM_FN_POINTER && !(field->flags & LTTNG_MM_FN_RAW))
		return FN_REGISTER_POINTER;
	return is_checked(field) ? FN_REGISTER_CHECKED : FN_REGISTER;
}

static void plan_op(struct fn_op *op, const struct lttng_mm_fn_field *field, unsigned int unread)
{
	op->kind = op_kind(field);
	op->unread = unread;
	op->steps = field->steps;
	op->is_signed = field->kind == LTTNG_MM_FN_SIGNED;
	op->is_pointer = field->kind == LTTNG_MM_FN_POINTER && !(field->flags & LTTNG_MM_FN_RAW);
	op->is_checked = is_checked(field);
	op->in_place = field->flags & LTTNG_MM_FN_IN_PLACE;
	memcpy(op->offset, field->offset, sizeof(op->offset));
	if (field->source != LTTNG_MM_FN_RESULT)
		op->at = lttng_mm_fn_argument_at(field->source);
	if (fn_is_text(field)) {
		op->bytes = sizeof(u64);
		op->max = field->max;
		return;
	}
	op->bytes = field->bytes;
	op->left = 64 - field->shift - field->mask_bits;
	op->right = 64 - field->mask_bits;
}

/*
 * Lays out the result and other fields after the arguments, in fn_NAME_exit and fn_NAME_call.
 * Returns the size of fn_NAME_call, which is the larger event.
 */
static unsigned int plan_end(struct fn_layout *layout, unsigned int start,
			     const struct lttng_mm_fn_field *result)
{
	const bool unread = result && fn_may_be_unread(result);
	unsigned int at = start, call = layout->prefix;

	layout->exit_unread = unread ? at : 0;
	at += unread ? layout->unread_bytes : 0;
	layout->exit_result = at;
	layout->result_bytes = result ? result->bits / 8 : 0;
	layout->exit_size = at + layout->result_bytes;
	layout->call_unread = !unread ? 0 : layout->unread ? layout->unread : call;
	call += unread && !layout->unread ? layout->unread_bytes : 0;
	layout->call_result = call;
	layout->call_duration = call + layout->result_bytes;
	call = layout->call_duration + LTTNG_MM_FN_DURATION_BITS / 8;
	layout->call_size = (u8)call;
	return call;
}

/* Puts the numbers before the texts. Numbers are in the order of the request, and so are texts. */
int fn_plan(struct fn *fn, const struct fn_add_request *request,
	    const struct lttng_mm_fn_function *function)
{
	const struct lttng_mm_fn_field *fields = request->fields + function->first;
	const struct lttng_mm_fn_field *result = NULL;
	unsigned int at = LTTNG_MM_FN_TID_BITS / 8, start, bits = 0, texts = 0;

	if (function->result != LTTNG_MM_FN_NONE)
		result = request->fields + function->result;
	if (function->flags & LTTNG_MM_FN_CALLER) {
		fn->layout.caller = at;
		at += LTTNG_MM_FN_CALLER_BITS / 8;
	}
	start = at;
	for (u32 i = 0; i < function->count; i++) {
		bits = fn_may_be_unread(&fields[i]) ? function->count : bits;
		if (fn_is_text(&fields[i]))
			continue;
		fn->ops[fn->number_count].out = (u8)at;
		plan_op(&fn->ops[fn->number_count++], &fields[i], i);
		at += fields[i].bits / 8;
		if (at > LTTNG_MM_FN_NUMBER_BYTES)
			return LTTNG_MM_FN_TOO_LARGE;
	}
	fn->op_count = fn->number_count;
	for (u32 i = 0; i < function->count; i++) {
		if (!fn_is_text(&fields[i]))
			continue;
		plan_op(&fn->ops[fn->op_count++], &fields[i], i);
		texts += fields[i].max;
	}
	if (result && fn_may_be_unread(result))
		fn->layout.unread_bytes = (function->count + 8) / 8;
	else if (bits)
		fn->layout.unread_bytes = (function->count + 7) / 8;
	fn->layout.unread = bits ? at : 0;
	fn->layout.prefix = (u8)(at + (bits ? fn->layout.unread_bytes : 0));
	fn->layout.texts = (u16)texts;
	if (result)
		plan_op(&fn->result, result, function->count);
	if (result && fn->result.kind != FN_REGISTER)
		fn->result.kind = FN_NUMBER;
	if (plan_end(&fn->layout, start, result) > LTTNG_MM_FN_NUMBER_BYTES ||
	    texts > LTTNG_MM_FN_TEXTS_MAX)
		return LTTNG_MM_FN_TOO_LARGE;
	return LTTNG_MM_FN_OK;
}

size_t fn_kept_bytes(const struct fn *fn)
{
	return sizeof(struct fn_kept) + round_up(fn->layout.prefix + fn->layout.texts, 8);
}
