// SPDX-License-Identifier: LGPL-2.1-only
/* Generates random types that are valid in the current format. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/utils/ctf/type.h"

#define DEPTH_MAX 4
#define RANDOM_MEMBERS_MAX 10 /* without fields that are added by name */

void *mk_alloc(struct mk_arena *arena, size_t size)
{
	void *block = calloc(1, size);

	if (arena->count == arena->room) {
		arena->room = arena->room * 2 + 64;
		arena->blocks = realloc(arena->blocks, arena->room * sizeof(*arena->blocks));
	}
	if (!block || !arena->blocks)
		mk_fail("no memory");
	arena->blocks[arena->count++] = block;
	return block;
}

const char *mk_strdup(struct mk_arena *arena, const char *format, ...)
{
	char text[512], *copy;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = mk_alloc(arena, strlen(text) + 1);
	strcpy(copy, text);
	return copy;
}

void mk_arena_free(struct mk_arena *arena)
{
	for (size_t i = 0; i < arena->count; i++)
		free(arena->blocks[i]);
	free(arena->blocks);
	*arena = (struct mk_arena){ 0 };
}

struct mk_type *mk_type_new(struct mk_gen *gen, enum mk_kind kind)
{
	struct mk_type *type = mk_alloc(gen->arena, sizeof(*type));

	type->kind = kind;
	type->align = 1;
	type->base = 10;
	type->scope = gen->scope;
	if (gen->budget)
		gen->budget--;
	return type;
}

static uint64_t below(struct mk_gen *gen, uint64_t limit)
{
	return mk_below(gen->random, limit);
}

static bool chance(struct mk_gen *gen, unsigned int percent)
{
	return mk_chance(gen->random, percent);
}

static const char *new_name(struct mk_gen *gen)
{
	static const char *const words[] = {
		"a",	   "field",   "len",  "call_site", "ptr",    "X",   "_hidden",	 "__twice",
		"_struct", "_string", "_int", "value",	   "_event", "_id", "_timestamp"
	};
	static const char *const free_words[] = { "with space", "\"quoted\"", "h\xc3\xa9",
						  "a.b",	"1st",	      "-",
						  "{ x = 1 }",	"tab\there" };
	const char *word = words[below(gen, sizeof(words) / sizeof(words[0]))];

	if (gen->ctf2 && chance(gen, 8))
		word = free_words[below(gen, sizeof(free_words) / sizeof(free_words[0]))];
	return mk_strdup(gen->arena, "%s%s%u", gen->lttng_names ? "_" : "", word, gen->names++);
}

void mk_add_member(struct mk_gen *gen, struct mk_type *compound, const char *name,
		   struct mk_type *type)
{
	struct mk_member *member = &compound->members[compound->member_count++];

	if (compound->member_count > MK_MEMBERS_MAX)
		mk_fail("too many members");
	member->name = name ? name : new_name(gen);
	member->type = type;
	type->name = member->name;
	type->parent = compound;
}

/* Chooses a size and an alignment that are valid with the surrounding fields. */
static void set_layout(struct mk_gen *gen, struct mk_type *type, unsigned int bits)
{
	static const unsigned int sizes[] = { 8, 16, 32, 64 };
	unsigned int whole;

	if (!bits)
		bits = chance(gen, 60) ? sizes[below(gen, 4)] : 1 + (unsigned int)below(gen, 64);
	type->bits = bits;
	type->big = gen->packed_big;
	type->reversed = gen->ctf2 && chance(gen, 7);
	if (bits % 8) {
		type->align = chance(gen, 70) ? 1 : 1u << below(gen, 7);
		return;
	}
	whole = bits & (bits - 1) ? 8 : bits;
	if (gen->natural)
		type->align = whole > 32 ? 32 : whole;
	else if (chance(gen, 60))
		type->align = 8;
	else
		type->align = chance(gen, 50) ? whole : 1u << below(gen, 7);
	/* The byte order may change only at a byte boundary. */
	if (type->align >= 8 && chance(gen, 20))
		type->big = chance(gen, 50);
}

struct mk_type *mk_unsigned(struct mk_gen *gen, unsigned int bits, enum mk_role role)
{
	struct mk_type *type = mk_type_new(gen, MK_INT);

	set_layout(gen, type, bits ? bits : 8 + (unsigned int)below(gen, 57));
	type->role = role;
	return type;
}

static uint64_t mask(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

/* Chooses consecutive ranges of the type's values, which overlap only if @overlap is set. */
static void set_labels(struct mk_gen *gen, struct mk_type *type, unsigned int count, bool overlap)
{
	static const char *const words[] = { "RUNNING",
					     "_hidden",
					     "zero",
					     "_struct",
					     "x1",
					     "READ",
					     "a_long_label_that_says_much",
					     "_42" };
	uint64_t most = mask(type->bits);
	uint64_t from = 0;

	if (most < 64 && count > (most + 1) / 4)
		count = (unsigned int)(most + 1) / 4;
	if (!count)
		count = 1;
	if (type->is_signed)
		from = (uint64_t) - (int64_t)(1 + below(gen, most < 64 ? most / 4 + 1 : 20));
	type->label_count = count;
	for (unsigned int i = 0; i < count; i++) {
		uint64_t step = most < 64 ? 1 : below(gen, 6);
		struct mk_label *label = &type->labels[i];

		from += most < 64 ? 0 : below(gen, 3);
		label->range.lower = from;
		label->range.upper = from + (step ? step - 1 : 0);
		label->name = mk_strdup(gen->arena, "%s%u", words[below(gen, 8)], i);
		from = label->range.upper + 1;
		if (overlap && i && chance(gen, 25)) {
			label->range.lower = type->labels[0].range.lower;
			if (chance(gen, 30))
				label->name = type->labels[0].name;
		}
	}
	if (overlap && most > 1000 && chance(gen, 30))
		type->labels[count - 1].range.upper = type->is_signed ? most / 2 : most;
	/* Single bits, as for flags. */
	if (overlap && !type->is_signed && type->bits >= 8 && chance(gen, 30))
		for (unsigned int i = 0; i < count; i++)
			type->labels[i].range.lower = type->labels[i].range.upper =
				1ull << below(gen, type->bits);
}

static void set_integer(struct mk_gen *gen, struct mk_type *type)
{
	static const unsigned int bases[] = { 10, 10, 10, 16, 8, 2 };

	type->is_signed = chance(gen, 35);
	type->base = bases[below(gen, 6)];
	if (chance(gen, 20) && (type->kind == MK_INT || gen->ctf2)) {
		type->is_enum = true;
		set_labels(gen, type, 1 + (unsigned int)below(gen, 6), true);
	}
}

static struct mk_type *scalar(struct mk_gen *gen)
{
	uint64_t pick = below(gen, gen->ctf2 ? 100 : 80);
	struct mk_type *type;

	if (pick < 55) {
		type = mk_type_new(gen, MK_INT);
		set_layout(gen, type, 0);
		set_integer(gen, type);
		type->text = !gen->ctf2 && type->bits == 8 && !type->is_enum && chance(gen, 10);
	} else if (pick < 65) {
		type = mk_type_new(gen, MK_FLOAT);
		set_layout(gen, type, chance(gen, 50) ? 32 : 64);
	} else if (pick < 80) {
		type = mk_type_new(gen, MK_STRING);
		type->align = 8;
		if (gen->ctf2 && chance(gen, 25))
			type->encoding = (enum mk_encoding)below(gen, 5);
	} else if (pick < 85) {
		type = mk_type_new(gen, MK_BOOL);
		set_layout(gen, type, 0);
	} else if (pick < 92) {
		type = mk_type_new(gen, pick < 88 ? MK_BITMAP : MK_BITS);
		set_layout(gen, type, 0);
		if (type->kind == MK_BITMAP) {
			type->label_count = 1 + (unsigned int)below(gen, 5);
			for (unsigned int i = 0; i < type->label_count; i++) {
				uint64_t low = below(gen, type->bits);

				type->labels[i].name = mk_strdup(gen->arena, "flag %u", i);
				type->labels[i].range.lower = low;
				type->labels[i].range.upper = low + below(gen, type->bits - low);
			}
		}
	} else {
		type = mk_type_new(gen, MK_LEB);
		type->align = 8;
		type->bits = 64;
		set_integer(gen, type);
	}
	return type;
}

/*
 * Returns a random field to which a later field may refer, or NULL. In a CTF 2 variant, a path out
 * of a structure would have several steps up. babeltrace2 2.1 fails on such paths.
 */
static struct mk_type *old_target(struct mk_gen *gen)
{
	uint64_t at = below(gen, gen->target_count);

	if (!gen->target_count ||
	    (gen->ctf2 && gen->in_variant && at >= gen->variant_base && at < gen->structure_base))
		return NULL;
	return gen->targets[at];
}

/* Returns an unsigned integer for the length of a following field, preferably an existing one. */
static struct mk_type *length_field(struct mk_gen *gen, struct mk_type *place)
{
	struct mk_type *type;

	type = chance(gen, 40) ? old_target(gen) : NULL;
	if (type && type->is_length)
		return type;
	if (gen->ctf2 && chance(gen, 15)) {
		type = mk_type_new(gen, MK_LEB);
		type->align = 8;
		type->bits = 64;
	} else {
		type = mk_type_new(gen, MK_INT);
		set_layout(gen, type, chance(gen, 60) ? 0 : 8u << below(gen, 3));
	}
	type->is_length = true;
	type->limit = chance(gen, 10) ? 40 : 6;
	if (type->limit > mask(type->bits))
		type->limit = mask(type->bits);
	mk_add_member(gen, place, NULL, type);
	if (gen->target_count < MK_TARGETS_MAX)
		gen->targets[gen->target_count++] = type;
	return type;
}

/* Returns an enumeration (CTF 2: or an integer) whose labels select the options of a variant. */
static struct mk_type *selector_field(struct mk_gen *gen, struct mk_type *place)
{
	struct mk_type *type;

	type = chance(gen, 30) ? old_target(gen) : NULL;
	/* in TSDL, the selector of a variant is a single word */
	if (type && type->is_selector && (gen->ctf2 || type->parent == place))
		return type;
	type = mk_type_new(gen, MK_INT);
	set_layout(gen, type, chance(gen, 50) ? 0 : 8);
	type->is_signed = chance(gen, 30) && type->bits > 2;
	type->is_enum = !gen->ctf2 || chance(gen, 50);
	type->is_selector = true;
	set_labels(gen, type, 1 + (unsigned int)below(gen, 4), false);
	mk_add_member(gen, place, NULL, type);
	if (gen->target_count < MK_TARGETS_MAX)
		gen->targets[gen->target_count++] = type;
	return type;
}

static struct mk_type *any(struct mk_gen *gen, struct mk_type *place, unsigned int depth);

static struct mk_type *structure(struct mk_gen *gen, unsigned int fields, unsigned int depth)
{
	struct mk_type *type = mk_type_new(gen, MK_STRUCT);
	unsigned int base = gen->structure_base;

	gen->structure_base = gen->target_count;
	type->align = chance(gen, 25) ? 1u << below(gen, 7) : 1;
	while (fields--)
		mk_add_random(gen, type, depth);
	gen->structure_base = base;
	return type;
}

/*
 * Makes the contents of an array, variant or option. Later fields cannot refer to these contents.
 */
static struct mk_type *inner(struct mk_gen *gen, unsigned int depth)
{
	unsigned int count = gen->target_count;
	struct mk_type *type;

	if (depth + 1 < DEPTH_MAX && chance(gen, 40))
		type = structure(gen, 1 + (unsigned int)below(gen, 4), depth + 1);
	else
		type = any(gen, NULL, depth + 1);
	gen->target_count = count;
	return type;
}

static struct mk_type *variant(struct mk_gen *gen, struct mk_type *place, unsigned int depth)
{
	struct mk_type *selector = selector_field(gen, place);
	struct mk_type *type = mk_type_new(gen, MK_VARIANT);
	bool outermost = !gen->in_variant;

	if (outermost)
		gen->variant_base = gen->target_count;
	gen->in_variant = true;
	type->ref = selector;
	for (unsigned int i = 0; i < selector->label_count; i++) {
		struct mk_type *option = inner(gen, depth);

		mk_add_member(gen, type, selector->labels[i].name, option);
		type->members[i].range = selector->labels[i].range;
	}
	gen->in_variant = !outermost;
	return type;
}

static struct mk_type *option(struct mk_gen *gen, struct mk_type *place, unsigned int depth)
{
	struct mk_type *type = mk_type_new(gen, MK_OPTION), *selector;

	selector = mk_type_new(gen, chance(gen, 50) ? MK_BOOL : MK_INT);
	set_layout(gen, selector, 0);
	selector->is_signed = selector->kind == MK_INT && chance(gen, 30);
	if (selector->kind == MK_INT) {
		type->label_count = 1 + (unsigned int)below(gen, 2);
		for (unsigned int i = 0; i < type->label_count; i++) {
			uint64_t low = below(gen, mask(selector->bits) / 4);

			type->labels[i].range.lower = low;
			type->labels[i].range.upper = low + below(gen, mask(selector->bits) / 4);
		}
	}
	mk_add_member(gen, place, NULL, selector);
	type->ref = selector;
	type->element = inner(gen, depth);
	type->element->parent = type;
	return type;
}

static struct mk_type *array(struct mk_gen *gen, struct mk_type *place, unsigned int depth)
{
	bool dynamic = place && chance(gen, 50);
	struct mk_type *type, *length = NULL;

	if (dynamic)
		length = length_field(gen, place);
	type = mk_type_new(gen, dynamic ? MK_SEQUENCE : MK_ARRAY);
	type->ref = length;
	type->length = below(gen, 5);
	type->align = gen->ctf2 && chance(gen, 20) ? 1u << below(gen, 6) : 1;
	type->element = inner(gen, depth);
	type->element->parent = type;
	return type;
}

/* Makes a string or BLOB with a length. */
static struct mk_type *bytes(struct mk_gen *gen, struct mk_type *place)
{
	bool dynamic = place && chance(gen, 50);
	bool blob = gen->ctf2 && chance(gen, 40);
	struct mk_type *type, *length = NULL;

	if (dynamic)
		length = length_field(gen, place);
	if (blob)
		type = mk_type_new(gen, dynamic ? MK_DYNAMIC_BLOB : MK_STATIC_BLOB);
	else
		type = mk_type_new(gen, dynamic ? MK_DYNAMIC_STRING : MK_STATIC_STRING);
	type->ref = length;
	type->align = 8;
	/* babeltrace2 2.1 does not support a static BLOB of 0 bytes */
	type->length = blob ? 1 + below(gen, 18) : below(gen, 18);
	if (gen->ctf2 && !blob && !dynamic && chance(gen, 25)) {
		type->encoding = (enum mk_encoding)below(gen, 5);
		type->length *= 4;
	}
	return type;
}

/* Makes any type. @place: gets lengths and selectors that the type needs; NULL: none allowed. */
static struct mk_type *any(struct mk_gen *gen, struct mk_type *place, unsigned int depth)
{
	uint64_t pick = below(gen, 100);
	bool room = place && place->member_count + 2 <= RANDOM_MEMBERS_MAX;

	/* babeltrace2 2.0 and 2.1 crash on references in event contexts of CTF 1.8 */
	if (!gen->ctf2 && gen->scope == MK_SPECIFIC_CONTEXT)
		room = false;
	if (!gen->budget || depth >= DEPTH_MAX)
		return scalar(gen);
	if (pick < 10)
		return array(gen, room ? place : NULL, depth);
	if (pick < 18)
		return bytes(gen, room ? place : NULL);
	/* babeltrace2 does not support variants and options within variants in CTF 2 */
	if (pick < 26 && room && (!gen->ctf2 || !gen->in_variant))
		return variant(gen, place, depth);
	if (pick < 31 && room && gen->ctf2 && !gen->in_variant)
		return option(gen, place, depth);
	if (pick < 41)
		return structure(gen, (unsigned int)below(gen, 5), depth + 1);
	return scalar(gen);
}

void mk_add_random(struct mk_gen *gen, struct mk_type *structure, unsigned int depth)
{
	struct mk_type *type;

	if (structure->member_count >= RANDOM_MEMBERS_MAX)
		return;
	type = any(gen, structure, depth);
	mk_add_member(gen, structure, NULL, type);
}

void mk_add_fields(struct mk_gen *gen, struct mk_type *structure, unsigned int fields)
{
	while (fields--)
		mk_add_random(gen, structure, 1);
}

struct mk_type *mk_root(struct mk_gen *gen)
{
	return mk_type_new(gen, MK_STRUCT);
}

unsigned int mk_type_align(const struct mk_type *type)
{
	unsigned int align = type->align, inside;

	if (type->kind == MK_STRUCT) {
		for (unsigned int i = 0; i < type->member_count; i++) {
			inside = mk_type_align(type->members[i].type);
			if (inside > align)
				align = inside;
		}
	} else if (type->kind == MK_ARRAY || type->kind == MK_SEQUENCE) {
		inside = mk_type_align(type->element);
		if (inside > align)
			align = inside;
	}
	return align;
}
