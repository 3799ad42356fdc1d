/* SPDX-License-Identifier: LGPL-2.1-only */
/* What a text plan consists of; for the files that make and run plans. */
#ifndef LTTNG_MM_PRINT_TEXT_STEP_H
#define LTTNG_MM_PRINT_TEXT_STEP_H

#include "analysis/print/number.h"
#include "analysis/print/text-plan.h"

/* Literals are copied in pieces of that many bytes, so that much room is needed behind them. */
#define MM_LITERAL_PIECE 32

enum mm_text_code {
	MM_TEXT_END,
	MM_TEXT_ALIGN, /* the cursor, to @align */
	MM_TEXT_SKIP,  /* over @field */
	MM_TEXT_VALUE, /* text of @field at the cursor, which moves over it */
	/*
	 * The cursor moves over @bits of fixed layout from @align on; the places below count from
	 * there.
	 */
	MM_TEXT_RUN,
	MM_TEXT_VALUE_AT, /* text of @field at @place, in bits */
	MM_TEXT_CHARS,	  /* the quoted string of at most @bits bytes at @place, in bytes */
	/* Integers at @place, in bytes. */
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
	/* sink.text.pretty's form of an enumeration whose values have one label */
	MM_TEXT_SHOW_LABEL,
	MM_TEXT_SHOW_LABELS, /* of an enumeration */
	MM_TEXT_SHOW_FLAGS,  /* of a bit map */
	MM_TEXT_SHOW_CHOICE, /* one of two words, by a mask */
};

/* How an integer is written. */
struct mm_text_number {
	uint8_t show, shift; /* @shift: 64 - its size, to extend the sign; 0 where it has none */
	uint8_t digits;	     /* binary: how many; 0: no more than needed */
	uint8_t letter;	     /* hexadecimal: 'a' or 'A' */
	uint64_t mask;	     /* what is shown of it, or what CHOICE asks for */
};

struct mm_text_step {
	union {
		const char *literal; /* written before the value */
		size_t literal_at;   /* until the plan is finished */
	};
	uint32_t literal_length;
	uint8_t code;
	bool names;
	bool top;	/* strings without quotes (plans for lines) */
	bool hush;	/* nothing instead of NONE */
	bool call_site; /* by name, where it has one */
	struct mm_text_number number;
	uint32_t align;
	/* How much room all that follows takes, up to the next step that makes room itself. */
	uint32_t rest;
	uint64_t place, bits;
	const struct ctf_field *field;
	const struct mm_text_labels *labels;
	size_t words[2]; /* CHOICE: the bit is clear, is set; places in the literals */
	uint32_t word_lengths[2];
};

struct mm_text_plan {
	enum mm_text_style style;
	const struct ctf_trace_class *trace;
	struct mm_text_step *steps;
	size_t step_count, step_room;
	char *literals;
	size_t literal_length, literal_room, literal_taken;
	struct mm_text_labels **labels; /* by field address once the plan is finished */
	size_t label_count;
	struct mm_names *call_sites; /* names for steps that are one */
	uint32_t room;		     /* at the beginning, as `rest` */
	bool needs_slots, failed;

	/* While it is made: the run that is open, how long it is, what the cursor is aligned to. */
	size_t run;
	bool in_run;
	uint64_t run_bits, known_align;
	struct mm_text_step nowhere; /* for steps that there is no memory for */
	/* mm_text_plan_open(): where the structure begins in the run, in bits. */
	uint64_t open_place;
};

/* How @field, an integer, a Boolean or a bit map, is written. */
struct mm_text_number mm_text_number_of(const struct mm_text_plan *plan,
					const struct ctf_field *field);
/* The labels of @field; NULL when it has none. */
const struct mm_text_labels *mm_text_plan_labels(const struct mm_text_plan *plan,
						 const struct ctf_field *field);

/* Room for a number as mm_text_put_number() writes it. */
#define MM_TEXT_NUMBER_ROOM (MM_NUMBER_ROOM + 4)

/* A number by itself: the labels of enumerations and flags are somebody else's. */
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

/* The number part of an enumeration or bit map is shown in its base. */
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

/* The text of one field, whatever it is, appended to @text. @top: strings without quotes. */
int mm_text_value(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		  const struct ctf_field *field, bool names, bool top, struct mm_text *text);
/* Of an integer with labels or flags. */
int mm_text_labelled(const struct mm_text_plan *plan, const struct mm_text_number *number,
		     const struct mm_text_labels *labels, uint64_t value, struct mm_text *text);

/* One event's text is at most about that long; a longer one is refused. */
#define MM_TEXT_MAX (UINT32_C(64) << 20)

/* NULL when the event's text is too long, which text->problem then says, or when out of memory. */
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
