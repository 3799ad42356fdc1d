// SPDX-License-Identifier: LGPL-2.1-only
/* Reads location descriptions of DWARF 4 and 5, as far as compilers use them for parameters. */
#include "tests/signatures/location.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Number of registers that pass arguments. */
#define REGISTERS 6

struct function_entry {
	Dwarf_Die *function;
	Dwarf_Addr entry;
	unsigned int hook_bytes;
};

/*
 * Returns the number of the argument that a DWARF register passes (System V ABI for x86-64, figure
 * 3.36), or REGISTERS.
 */
static unsigned int position_of(uint64_t number)
{
	static const uint64_t passing[REGISTERS] = { 5, 4, 1, 2, 8, 9 };
	unsigned int position = 0;

	while (position < REGISTERS && passing[position] != number)
		position++;
	return position;
}

static void write_text(const Dwarf_Op *ops, size_t count, char *text, size_t size)
{
	size_t at = 0;

	*text = '\0';
	for (size_t i = 0; i < count && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s0x%x(%" PRId64 ")", i ? " " : "",
				       ops[i].atom, (int64_t)ops[i].number);
}

/* Is @op a register, or a register and an offset? If so, sets @number. */
static bool is_register(const Dwarf_Op *op, uint64_t *number)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*number = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*number = op->number;
	else
		return false;
	return true;
}

static bool is_register_and_offset(const Dwarf_Op *op, uint64_t *number, int64_t *offset)
{
	if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31)
		return false;
	*number = op->atom - DW_OP_breg0;
	*offset = (int64_t)op->number;
	return true;
}

static void set_register(struct location *location, uint64_t number)
{
	location->number = position_of(number);
	location->kind = location->number < REGISTERS ? LOCATION_REGISTER : LOCATION_OTHER;
}

/*
 * Sets the location of memory. Memory above the canonical frame address belongs to the caller's
 * frame, and memory below it to the function's frame.
 */
static void set_memory(struct location *location, int64_t from_cfa)
{
	location->kind = from_cfa < 0	? LOCATION_FRAME
			 : from_cfa % 8 ? LOCATION_OTHER
					: LOCATION_STACK;
	if (location->kind == LOCATION_STACK)
		location->number = REGISTERS + (unsigned int)(from_cfa / 8);
}

/* Is the frame base of the function the canonical frame address? */
static bool has_cfa(const struct function_entry *function_entry)
{
	Dwarf_Attribute attribute;
	size_t count;
	Dwarf_Op *ops;

	return dwarf_attr_integrate(function_entry->function, DW_AT_frame_base, &attribute) &&
	       dwarf_getlocation_addr(&attribute, function_entry->entry, &ops, &count, 1) == 1 &&
	       count == 1 && ops[0].atom == DW_OP_call_frame_cfa;
}

/* DW_OP_entry_value: the parameter has the value that a register had at the entry. */
static bool set_entry_value(Dwarf_Attribute *attribute, const Dwarf_Op *op,
			    struct location *location)
{
	Dwarf_Attribute inner;
	uint64_t number;
	size_t count;
	Dwarf_Op *ops;

	if (op->atom != DW_OP_entry_value && op->atom != DW_OP_GNU_entry_value)
		return false;
	if (dwarf_getlocation_attr(attribute, op, &inner) ||
	    dwarf_getlocation(&inner, &ops, &count) || count != 1 || !is_register(ops, &number))
		return false;
	set_register(location, number);
	return true;
}

static bool is_constant(const Dwarf_Op *op)
{
	return (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) ||
	       (op->atom >= DW_OP_addr && op->atom <= DW_OP_consts && op->atom != DW_OP_deref) ||
	       op->atom == DW_OP_implicit_value || op->atom == DW_OP_implicit_pointer ||
	       op->atom == DW_OP_GNU_implicit_pointer || op->atom == DW_OP_GNU_parameter_ref ||
	       op->atom == DW_OP_addrx || op->atom == DW_OP_constx;
}

/* Sets the location of a structure in two consecutive argument registers. */
static bool set_pair(const Dwarf_Op *ops, size_t count, struct location *location)
{
	uint64_t first, second;

	if (count != 4 || ops[1].atom != DW_OP_piece || ops[1].number != 8 ||
	    ops[3].atom != DW_OP_piece || !is_register(&ops[0], &first) ||
	    !is_register(&ops[2], &second) || position_of(second) != position_of(first) + 1)
		return false;
	set_register(location, first);
	return true;
}

static void set_operations(const struct function_entry *function_entry, Dwarf_Attribute *attribute,
			   const Dwarf_Op *ops, size_t count, struct location *location)
{
	const bool is_value = count == 2 && ops[1].atom == DW_OP_stack_value;
	uint64_t number;
	int64_t offset;

	write_text(ops, count, location->text, sizeof(location->text));
	location->kind = LOCATION_OTHER;
	if (!count)
		location->kind = LOCATION_NONE;
	else if ((count == 1 && is_register(&ops[0], &number)) ||
		 (is_value && is_register_and_offset(&ops[0], &number, &offset) && !offset))
		set_register(location, number);
	else if (((count == 1 || is_value) && set_entry_value(attribute, &ops[0], location)) ||
		 set_pair(ops, count, location))
		return;
	else if (count == 1 && ops[0].atom == DW_OP_fbreg && has_cfa(function_entry))
		set_memory(location, (int64_t)ops[0].number);
	else if (count == 1 && ops[0].atom == DW_OP_breg7)
		/* At the entry, rsp is 8 below the canonical frame address. */
		set_memory(location, (int64_t)ops[0].number - 8);
	else if ((count == 1 || is_value) && is_constant(&ops[0]))
		location->kind = LOCATION_CONSTANT;
}

/*
 * Uses the first list entry that is valid when the hook is called, even if its range is empty. The
 * next entry at the same address would describe the value after a statement without instructions.
 */
static void set_of_list(const struct function_entry *function_entry, Dwarf_Attribute *attribute,
			struct location *location)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t count;
	Dwarf_Op *ops;

	while ((at = dwarf_getlocations(attribute, at, &base, &start, &end, &ops, &count)) > 0) {
		if (start >= function_entry->entry &&
		    start <= function_entry->entry + function_entry->hook_bytes) {
			set_operations(function_entry, attribute, ops, count, location);
			/* The function has not set up its frame yet. */
			if (location->kind == LOCATION_FRAME)
				location->kind = LOCATION_OTHER;
			return;
		}
		location->kind = LOCATION_LATER;
		write_text(ops, count, location->text, sizeof(location->text));
	}
}

void location_at_entry(Dwarf_Die *function, Dwarf_Die *parameter, Dwarf_Addr entry,
		       unsigned int hook_bytes, struct location *location)
{
	const struct function_entry function_entry = { function, entry, hook_bytes };
	Dwarf_Attribute attribute;
	size_t count;
	Dwarf_Op *ops;

	*location = (struct location){ .kind = LOCATION_NONE };
	if (dwarf_attr(parameter, DW_AT_const_value, &attribute))
		location->kind = LOCATION_CONSTANT;
	else if (!dwarf_attr(parameter, DW_AT_location, &attribute))
		return;
	else if (dwarf_whatform(&attribute) != DW_FORM_exprloc)
		set_of_list(&function_entry, &attribute, location);
	else if (!dwarf_getlocation(&attribute, &ops, &count))
		set_operations(&function_entry, &attribute, ops, count, location);
}
