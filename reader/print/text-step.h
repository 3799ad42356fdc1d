/* SPDX-License-Identifier: LGPL-2.1-only */
/* The parts of a text plan, for the files that make and run plans. */
#ifndef LTTNG_MM_PRINT_TEXT_STEP_H
#define LTTNG_MM_PRINT_TEXT_STEP_H

#include "reader/print/number.h"
#include "reader/print/text-plan.h"

/* Literals are copied in pieces of this size, so the buffer needs this much room after them. */
#define MM_LITERAL_PIECE 32

enum mm_text_code {
	MM_TEXT_END,
	MM_TEXT_ALIGN,
	MM_TEXT_SKIP,
	MM_TEXT_VALUE, /* appends @field at the cursor, and moves to its end */
	/*
	 * Starts a run: @bits of data with a fixed layout, aligned to @align. The cursor moves to
	 * the end of the run. In the steps below, places are relative to the start of the run.
	 */
	MM_TEXT_RUN,
	MM_TEXT_VALUE_AT, /* appends @field at @place (bits) */
	MM_TEXT_CHARS,	  /* appends a quoted string of up to @bits bytes at @place (bytes) */
	/* append an integer at @place (bytes) */
	MM_TEXT_LOAD_8,
	MM_TEXT_LOAD_16,
	MM_TEXT_LOAD_32,
	MM_TEXT_LOAD_64,
	MM_TEXT_LOAD_16_SWAPPED,
	MM_TEXT_LOAD_32_SWAPPED,
	MM_TEXT_LOAD_64_SWAPPED,
};

enum mm_text_show {
	MM_TEXT_SHOW_UNSIGNED,
	MM_TEXT_SHOW_SIGNED,
	MM_TEXT_SHOW_HEX,
	MM_TEXT_SHOW_OCTAL,
	MM_TEXT_SHOW_BINARY,
	MM_TEXT_SHOW_BOOL, /* true, false */
	MM_TEXT_SHOW_BIT,  /* 1, 0 */
	/* an enumeration in the style of sink.text.pretty, if no value has several labels */
	MM_TEXT_SHOW_LABEL,
	MM_TEXT_SHOW_LABELS, /* joined labels of an enumeration */
	MM_TEXT_SHOW_FLAGS,  /* labels of the set flags of a bit map */
	MM_TEXT_SHOW_CHOICE, /* one of two words; a mask of bits selects it */
};

struct mm_text_number {
	uint8_t show, shift; /* @shift: 64 - size in bits, to extend the sign; 0: unsigned */
	uint8_t digits;	     /* binary: number of digits; 0: as many as needed */
	uint8_t letter;	     /* hexadecimal: 'a' or 'A' */
	uint64_t mask;	     /* bits to print; for CHOICE, bits to test */
};

struct mm_text_step {
	union {
		const char *literal; /* written before the value */
		size_t literal_at;   /* offset of @literal until the plan is finished */
	};
	uint32_t literal_length;
	uint8_t code;
	bool names;
	bool top;	/* in the style MM_TEXT_LINE: write a string without quotes */
	bool hush;	/* write nothing instead of NONE */
	bool call_site; /* the value is a call site: write its name if it has one */
	bool result;	/* the value is a function's result: write an error by name */
	bool missing;	/* write `?` if all bits are set */
	struct mm_text_number number;
	uint32_t align;
	/* bytes that the following steps need, up to the next step that reserves room */
	uint32_t rest;
	uint64_t place, bits;
	const struct ctf_field *field;
	const struct mm_text_labels *labels;
	size_t words[2]; /* CHOICE: offsets of the words in the literals, for clear and set */
	uint32_t word_lengths[2];
};

struct mm_text_plan {
	enum mm_text_style style;
	const struct ctf_trace_class *trace;
	struct mm_text_step *steps;
	size_t step_count, step_room;
	char *literals;
	size_t literal_length, literal_room, literal_taken;
	struct mm_text_labels **labels; /* sorted by field address when the plan is finished */
	size_t label_count;
	struct mm_names *call_sites;
	uint32_t room; /* bytes that the steps need, up to the first step that reserves room */
	bool needs_slots, failed;

	/*
	 * while the plan is being made: the last step MM_TEXT_RUN, whether its run is open, the
	 * length of this run, and the known alignment of the cursor
	 */
	size_t run;
	bool in_run;
	uint64_t run_bits, known_align;
	struct mm_text_step nowhere; /* dummy step to return when out of memory */
	/* start of the structure opened by mm_text_plan_open(), in bits from the run's start */
	uint64_t open_place;
};

/* Returns the format of @field, which is an integer, Boolean or bit map. */
struct mm_text_number mm_text_number_of(const struct mm_text_plan *plan,
					const struct ctf_field *field);
const struct mm_text_labels *mm_text_plan_labels(const struct mm_text_plan *plan,
						 const struct ctf_field *field);

/* Room that mm_text_put_number() needs. */
#define MM_TEXT_NUMBER_ROOM (MM_NUMBER_ROOM + 4)

static inline char *mm_text_put_number(char *out, const struct mm_text_number *number,
				       enum mm_text_show show, uint64_t value)
{
	switch (show) {
	case MM_TEXT_SHOW_UNSIGNED:
		return mm_put_unsigned(out, value);
	case MM_TEXT_SHOW_SIGNED:
		return mm_put_signed(out, (int64_t)value);
	case MM_TEXT_SHOW_HEX:
		memcpy(out, "0x", 2);
		return mm_put_hex(out + 2, value & number->mask, number->letter);
	case MM_TEXT_SHOW_OCTAL:
		*out = '0';
		return mm_put_octal(out + 1, value & number->mask);
	case MM_TEXT_SHOW_BINARY:
		memcpy(out, "0b", 2);
		return mm_put_binary(out + 2, value,
				     number->digits
					     ? number->digits
					     : 64 - (unsigned int)__builtin_clzll(value | 1));
	case MM_TEXT_SHOW_BOOL:
		memcpy(out, value ? "true\0" : "false", 5);
		return out + (value ? 4 : 5);
	case MM_TEXT_SHOW_BIT:
		*out = value ? '1' : '0';
		return out + 1;
	default:
		return out;
	}
}

/* Returns how to print a value of an enumeration or bit map as a number, in the field's base. */
static inline enum mm_text_show mm_text_base_show(const struct ctf_field *field)
{
	switch (field->base) {
	case 2:
		return MM_TEXT_SHOW_BINARY;
	case 8:
		return MM_TEXT_SHOW_OCTAL;
	case 16:
		return MM_TEXT_SHOW_HEX;
	default:
		return field->kind == CTF_SIGNED || field->kind == CTF_LEB_SIGNED
			       ? MM_TEXT_SHOW_SIGNED
			       : MM_TEXT_SHOW_UNSIGNED;
	}
}

/*
 * Appends the text of a field of any class. With @top, writes strings without quotes. Returns 0, or
 * -1 on failure.
 */
int mm_text_value(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		  const struct ctf_field *field, bool names, bool top, struct mm_text *text);
/* Appends the text of an integer with labels or flags. */
int mm_text_labelled(const struct mm_text_plan *plan, const struct mm_text_number *number,
		     const struct mm_text_labels *labels, uint64_t value, struct mm_text *text);

/* Approximate maximum length of an event's text. */
#define MM_TEXT_MAX (UINT32_C(64) << 20)

/*
 * Enlarges @text for mm_text_room(). Returns NULL when out of memory, or with text->problem set if
 * the text is too long.
 */
char *mm_text_more_room(struct mm_text *text, size_t length);

static inline char *mm_text_room(struct mm_text *text, size_t length)
{
	if (text->room - text->length >= length)
		return text->data + text->length;
	return mm_text_more_room(text, length);
}

static inline char *mm_text_put_literal(char *out, const char *literal, uint32_t length)
{
	memcpy(out, literal, MM_LITERAL_PIECE);
	for (uint32_t done = MM_LITERAL_PIECE; done < length; done += MM_LITERAL_PIECE)
		memcpy(out + done, literal + done, MM_LITERAL_PIECE);
	return out + length;
}

#endif /* LTTNG_MM_PRINT_TEXT_STEP_H */
