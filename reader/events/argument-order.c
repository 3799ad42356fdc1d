// SPDX-License-Identifier: LGPL-2.1-only
/* Derives the order of a function's arguments from the labels of the field `unread`. */
#include "reader/events/argument-order.h"

#include <string.h>

/* Number of bits in `unread`. Each argument has at most one bit. */
#define POSITIONS 32
#define NOWHERE 0xff

struct argument_positions {
	unsigned int count;
	unsigned char member[POSITIONS];   /* indexes in the payload, ascending */
	unsigned char position[POSITIONS]; /* positions in the signature; NOWHERE: not known yet */
};

static bool is_first(const char *name)
{
	return !strcmp(name, "tid") || !strcmp(name, "caller");
}

static bool is_argument(const char *name)
{
	return !is_first(name) && strcmp(name, "unread") != 0 && strcmp(name, "ret") != 0 &&
	       strcmp(name, "duration_ns") != 0;
}

/* Returns the bit of `unread` whose label is @name, or NOWHERE. */
static unsigned char bit_of(const struct mm_event_type *type, unsigned int unread, const char *name)
{
	struct mm_enum_label label;

	for (size_t i = 0; !mm_event_type_label_at(type, unread, i, &label); i++) {
		uint64_t value = label.lower.u;

		if (!label.name || strcmp(label.name, name) != 0)
			continue;
		if (!value || value != label.upper.u || value & (value - 1) || value > UINT32_MAX)
			return NOWHERE;
		return (unsigned char)__builtin_ctzll(value);
	}
	return NOWHERE;
}

/*
 * Sets the positions of the arguments. An argument's bit in `unread` gives its position. Arguments
 * that are always readable have no bit, and get the remaining positions in payload order.
 */
static bool find_positions(const struct mm_event_type *type, unsigned int unread,
			   struct argument_positions *arguments)
{
	uint32_t taken = 0;
	unsigned char next = 0;

	for (unsigned int i = 0; i < arguments->count; i++) {
		const char *name = mm_event_type_member_at(type, arguments->member[i]);
		unsigned char bit = bit_of(type, unread, name);

		arguments->position[i] = bit;
		if (bit == NOWHERE)
			continue;
		if (bit >= arguments->count || taken & UINT32_C(1) << bit)
			return false;
		taken |= UINT32_C(1) << bit;
	}
	for (unsigned int i = 0; i < arguments->count; i++) {
		if (arguments->position[i] != NOWHERE)
			continue;
		while (taken & UINT32_C(1) << next)
			next++;
		arguments->position[i] = next++;
	}
	return true;
}

static bool find_arguments(const struct mm_event_type *type, struct argument_positions *arguments,
			   unsigned int *members)
{
	const char *name;

	for (*members = 0; (name = mm_event_type_member_at(type, *members)); ++*members) {
		if (*members == MM_ARGUMENT_ORDER_MAX)
			return false;
		if (!is_argument(name))
			continue;
		if (arguments->count == POSITIONS)
			return false;
		arguments->member[arguments->count++] = (unsigned char)*members;
	}
	return true;
}

static void append(struct mm_argument_order *order, unsigned int member)
{
	order->at[order->count++] = (unsigned char)member;
}

void mm_argument_order_find(const struct mm_event_type *type, unsigned int unread,
			    struct mm_argument_order *order)
{
	struct argument_positions arguments = { .count = 0 };
	unsigned int members;
	bool moved = false;

	*order = (struct mm_argument_order){ .count = 0 };
	if (!find_arguments(type, &arguments, &members) ||
	    !find_positions(type, unread, &arguments))
		return;
	for (unsigned int i = 0; i < members; i++)
		if (is_first(mm_event_type_member_at(type, i)))
			append(order, i);
	for (unsigned int position = 0; position < arguments.count; position++)
		for (unsigned int i = 0; i < arguments.count; i++)
			if (arguments.position[i] == position)
				append(order, arguments.member[i]);
	for (unsigned int i = 0; i < members; i++) {
		const char *name = mm_event_type_member_at(type, i);

		if (!is_argument(name) && !is_first(name))
			append(order, i);
	}
	for (unsigned int i = 0; i < members; i++)
		moved |= order->at[i] != i;
	if (!moved)
		order->count = 0;
}
