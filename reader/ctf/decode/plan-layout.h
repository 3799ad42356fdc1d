/* SPDX-License-Identifier: LGPL-2.1-only */
/* The parts of plan.c that lay out the body of one event class. */
#ifndef LTTNG_MM_CTF_DECODE_PLAN_LAYOUT_H
#define LTTNG_MM_CTF_DECODE_PLAN_LAYOUT_H

#include "reader/ctf/decode/plan.h"

/* fields[i] is the scalar of value i; NULL if events of the class lack it. */
struct ctf_requested {
	const struct ctf_field **fields;
	unsigned int count;
	bool all;	 /* request every scalar of fixed size, instead of @fields */
	bool big_endian; /* the loads' byte order */
	/* number of array elements that the plan may still lay out */
	unsigned int *elements_left;
};

/*
 * Maximum number of array elements that a plan lays out one by one. It keeps the size of a plan
 * linear in the number of declared fields. A class that would exceed the limit is decoded in steps.
 */
#define CTF_ELEMENTS_MAX 65536

/* A class that needs more loads is decoded in steps. */
#define CTF_LOADS_MAX 1024

/* Is the first multi-byte field in @class big-endian? All loads use its byte order. */
bool ctf_plan_byte_order(const struct ctf_stream_class *class);

/* Fills plan->steps. Returns 0, or -1 when out of memory. */
int ctf_plan_steps(struct ctf_class_plan *plan, const struct ctf_requested *requested);

/*
 * Fills plan->layouts if the class can be plain (see CTF_FORM_PLAIN). A class with picks cannot be
 * plain. Sets plan->form. Returns 0, or -1 when out of memory.
 */
int ctf_plan_layouts(struct ctf_class_plan *plan, const struct ctf_requested *requested);

/*
 * Pads a requested plain class to @count loads with loads that have no effect. Returns 0, or -1
 * when out of memory.
 */
int ctf_plan_pad(struct ctf_class_plan *plan, unsigned int count);

void ctf_plan_release(struct ctf_class_plan *plan);

/*
 * Fills plan->quick. Call this last. @load_count: the number of loads of padded classes. Returns 0,
 * or -1 when out of memory.
 */
int ctf_plan_quick(struct ctf_plan *plan, unsigned int load_count);

/*
 * Does the length or selector of @field, or of a field in it, lie outside the event's body? If so,
 * the slot of the length or selector is below @outer_slots (see struct ctf_stream_class).
 */
bool ctf_field_reaches_out(const struct ctf_field *field, size_t outer_slots);

#endif /* LTTNG_MM_CTF_DECODE_PLAN_LAYOUT_H */
