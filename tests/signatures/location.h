/* SPDX-License-Identifier: LGPL-2.1-only */
/* The place of a parameter at the entry of its function according to debug information. */
#ifndef LTTNG_MM_TESTS_SIGNATURES_LOCATION_H
#define LTTNG_MM_TESTS_SIGNATURES_LOCATION_H

#include <elfutils/libdw.h>
#include <stdint.h>

enum location_kind {
	LOCATION_NONE,	   /* the parameter has no location: the compiler removed it */
	LOCATION_LATER,	   /* the parameter has locations, but none at the entry */
	LOCATION_FRAME,	   /* always in the function's frame, where it is stored after the entry */
	LOCATION_REGISTER, /* in a register that passes arguments */
	LOCATION_STACK,	   /* where the caller puts arguments */
	LOCATION_CONSTANT, /* the compiler knows the value: the function was specialized */
	LOCATION_OTHER,	   /* anything else, such as other registers, or parts of a structure */
};

struct location {
	enum location_kind kind;
	unsigned int number; /* 0 to 5: register; from 6 on: place on the stack */
	char text[96];	     /* the DWARF operations as text */
};

/*
 * Finds the location at the entry. @function is a concrete function, @entry its address in the
 * file. The first @hook_bytes bytes change no argument.
 */
void location_at_entry(Dwarf_Die *function, Dwarf_Die *parameter, Dwarf_Addr entry,
		       unsigned int hook_bytes, struct location *location);

#endif /* LTTNG_MM_TESTS_SIGNATURES_LOCATION_H */
