/* SPDX-License-Identifier: LGPL-2.1-only */
/* The parts of plan.c that lay out one event class's body. */
#ifndef LTTNG_MM_DECODE_PLAN_LAYOUT_H
#define LTTNG_MM_DECODE_PLAN_LAYOUT_H

#include "analysis/ctf/decode/plan.h"

/* The fields that go to values 0.. in that order; NULL: the event has no such scalar. */
struct ctf_wanted {
	const struct ctf_field **fields;
	unsigned int count;
	bool all;		     /* every scalar of fixed size instead */
	bool big_endian;	     /* the loads' byte order */
	unsigned int *elements_left; /* of arrays, in the layouts of all classes of the plan */
};

/*
 * At most so many elements of arrays are laid out one by one, in all classes of a plan; a class
 * with more than are left is decoded in steps. So a plan is linear in the declared fields.
 */
#define CTF_ELEMENTS_MAX 65536

/* More loads than that are not made: the class is decoded in steps. */
#define CTF_LOADS_MAX 1024

/* The byte order that loads of this stream class have: that of its first field of several bytes. */
bool ctf_plan_byte_order(const struct ctf_stream_class *class);

/* Fills plan->steps. Returns 0, or -1 when out of memory. */
int ctf_plan_steps(struct ctf_class_plan *plan, const struct ctf_wanted *wanted);

/* Fills plan->layouts when the class can be plain, which one with picks cannot, and sets plan->form. As above. */
int ctf_plan_layouts(struct ctf_class_plan *plan, const struct ctf_wanted *wanted);

/* Gives a wanted plain class @count loads, of which the new ones load nothing. */
int ctf_plan_pad(struct ctf_class_plan *plan, unsigned int count);

void ctf_plan_release(struct ctf_class_plan *plan);

/*
 * Fills plan->quick when all else is made; @load_count: of the classes that are padded. As above.
 */
int ctf_plan_quick(struct ctf_plan *plan, unsigned int load_count);

/* Does @field, or one in it, refer to a slot below @outer_slots? */
bool ctf_field_reaches_out(const struct ctf_field *field, size_t outer_slots);

#endif /* LTTNG_MM_DECODE_PLAN_LAYOUT_H */
