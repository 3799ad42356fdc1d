// SPDX-License-Identifier: LGPL-2.1-only
/* Runs text plans on the bytes of packets. */
#include "reader/print/text-plan.h"

#include <string.h>

#include "reader/ctf/packet/map.h"
#include "reader/print/text-escape.h"
#include "reader/print/text-step.h"

static inline uint64_t load_16(const uint8_t *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static inline uint64_t load_32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static inline uint64_t load_64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static inline uint64_t load(const struct mm_text_step *step, const uint8_t *bytes)
{
	unsigned int shift = step->number.shift;
	uint64_t value;

	switch (step->code) {
	case MM_TEXT_LOAD_8:
		value = *bytes;
		break;
	case MM_TEXT_LOAD_16:
		value = load_16(bytes);
		break;
	case MM_TEXT_LOAD_32:
		value = load_32(bytes);
		break;
	case MM_TEXT_LOAD_64:
		value = load_64(bytes);
		break;
	case MM_TEXT_LOAD_16_SWAPPED:
		value = __builtin_bswap16((uint16_t)load_16(bytes));
		break;
	case MM_TEXT_LOAD_32_SWAPPED:
		value = __builtin_bswap32((uint32_t)load_32(bytes));
		break;
	default:
		value = __builtin_bswap64(load_64(bytes));
		break;
	}
	return ctf_once((uint64_t)((int64_t)(value << shift) >> shift));
}

/* Writes `( "a" : container = 1 )`, or `( <unknown> : container = 9 )`. */
static char *put_label(char *out, const struct mm_text_step *step, uint64_t value)
{
	static const char unknown[MM_LITERAL_PIECE] = "<unknown>";
	static const char container[MM_LITERAL_PIECE] = " : container = ";
	const struct mm_label *label = mm_text_labels_only(step->labels, value);

	out = mempcpy(out, "( ", 2);
	out = label ? mempcpy(out, label->text, label->length)
		    : mm_text_put_literal(out, unknown, 9);
	out = mm_text_put_literal(out, container, 15);
	out = mm_text_put_number(out, &step->number, mm_text_base_show(step->field), value);
	return mempcpy(out, " )", 2);
}

/*
 * Moves @cursor to the end of the run. Returns the start of the run in bits, or UINT64_MAX if the
 * run exceeds the packet.
 */
static inline uint64_t begin_run(const struct mm_text_step *step, struct ctf_cursor *cursor)
{
	uint64_t begin = (cursor->at + step->align - 1) & ~((uint64_t)step->align - 1);

	if (begin > cursor->end || step->bits > cursor->end - begin)
		return UINT64_MAX;
	cursor->at = begin + step->bits;
	return begin;
}

static int put_missing(struct mm_text *text)
{
	char *out = mm_text_reserve(text, 1);

	if (!out)
		return -1;
	*out = '?';
	text->length++;
	return 0;
}

/*
 * Appends the name of a call site or error, or its number if it has no name. If all bits are set,
 * the value is missing: appends `?`.
 */
__attribute__((noinline)) static int named_value(const struct mm_text_plan *plan,
						 const struct mm_text_step *step,
						 struct ctf_cursor *cursor, struct mm_text *text)
{
	struct ctf_scalar scalar;
	uint64_t at = cursor->at;
	int named;

	if (ctf_read_scalar(cursor, step->field, &scalar))
		return -1;
	if (step->missing && scalar.u == UINT64_MAX >> (64 - step->field->size))
		return put_missing(text);
	if (step->missing) {
		cursor->at = at;
		return mm_text_value(plan, cursor, step->field, step->names, step->top, text);
	}
	named = step->call_site ? mm_names_call_site(plan->call_sites, scalar.u, text)
				: mm_names_error(scalar.u, text);
	if (named)
		return named < 0 ? -1 : 0;
	cursor->at = at;
	return mm_text_value(plan, cursor, step->field, step->names, step->top, text);
}

static inline int value(const struct mm_text_plan *plan, const struct mm_text_step *step,
			struct ctf_cursor *cursor, struct mm_text *text)
{
	if (__builtin_expect(step->call_site | step->result | step->missing, 0))
		return named_value(plan, step, cursor, text);
	return mm_text_value(plan, cursor, step->field, step->names, step->top, text);
}

/* Appends the text of a field at a fixed place. Does not move the cursor. */
static int value_at(const struct mm_text_plan *plan, const struct mm_text_step *step,
		    struct ctf_cursor *cursor, uint64_t begin, struct mm_text *text)
{
	size_t before = text->length;
	uint64_t at = cursor->at;
	int ret;

	cursor->at = begin + step->place;
	ret = value(plan, step, cursor, text);
	cursor->at = at;
	if (ret)
		return -1;
	if (step->hush && text->length - before == 4 && !memcmp(text->data + before, "NONE", 4))
		text->length = before;
	return 0;
}

static int labelled(const struct mm_text_plan *plan, const struct mm_text_step *step,
		    uint64_t value, struct mm_text *text)
{
	size_t before = text->length;

	if (mm_text_labelled(plan, &step->number, step->labels, value, text))
		return -1;
	/* Print nothing if no bit is set, like the kernel's __print_flags(). */
	if (step->hush && text->length - before == 4 && !memcmp(text->data + before, "NONE", 4))
		text->length = before;
	return 0;
}

/*
 * Runs a step that is not part of a run: aligns the cursor, skips a field, or appends a field's
 * text.
 */
static int run_moving(const struct mm_text_plan *plan, const struct mm_text_step *step,
		      struct ctf_cursor *cursor, struct mm_text *text)
{
	switch (step->code) {
	case MM_TEXT_ALIGN:
		cursor->at = (cursor->at + step->align - 1) & ~((uint64_t)step->align - 1);
		return 0;
	case MM_TEXT_SKIP:
		return ctf_skip(cursor, step->field, NULL, NULL) ? -1 : 0;
	default:
		return value(plan, step, cursor, text);
	}
}

static int run(const struct mm_text_plan *plan, struct ctf_cursor *cursor, struct mm_text *text)
{
	char *out = mm_text_room(text, plan->room);
	uint64_t begin = 0, value = 0;
	const uint8_t *bytes = cursor->data;

	if (!out)
		return -1;
	for (const struct mm_text_step *step = plan->steps;; step++) {
		out = mm_text_put_literal(out, step->literal, step->literal_length);
		if (step->code == MM_TEXT_RUN) {
			begin = begin_run(step, cursor);
			if (begin == UINT64_MAX) {
				cursor->problem = "its fields are truncated: the file has changed";
				return -1;
			}
			bytes = cursor->data + begin / 8;
			continue;
		}
		if (step->code >= MM_TEXT_LOAD_8) {
			value = load(step, bytes + step->place);
			if (step->number.show == MM_TEXT_SHOW_LABEL) {
				out = put_label(out, step, value);
				continue;
			}
			if (step->number.show < MM_TEXT_SHOW_LABEL) {
				out = mm_text_put_number(out, &step->number, step->number.show,
							 value);
				continue;
			}
			if (step->number.show == MM_TEXT_SHOW_CHOICE) {
				bool set = value & step->number.mask;

				out = mm_text_put_literal(out, plan->literals + step->words[set],
							  step->word_lengths[set]);
				continue;
			}
		}
		if (step->code == MM_TEXT_CHARS) {
			const char *string = (const char *)bytes + step->place;

			out = mm_put_quoted(out, string, strnlen(string, step->bits));
			continue;
		}
		text->length = (size_t)(out - text->data);
		if (step->code == MM_TEXT_END)
			return 0;
		if (step->code >= MM_TEXT_LOAD_8     ? labelled(plan, step, value, text)
		    : step->code == MM_TEXT_VALUE_AT ? value_at(plan, step, cursor, begin, text)
						     : run_moving(plan, step, cursor, text))
			return -1;
		out = mm_text_room(text, step->rest);
		if (!out)
			return -1;
	}
}

int mm_text_plan_run(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		     struct mm_text *text)
{
	int ret = run(plan, cursor, text);

	if (ret && !text->problem)
		text->problem = cursor->problem;
	return ret;
}
