/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Packed events: a value that does not fit its field is all ones there, and complete in the event's
 * wide variant, which comes immediately before it on the same CPU.
 */
#ifndef LTTNG_MM_DAX_WIDE_H
#define LTTNG_MM_DAX_WIDE_H

#include "reader/events/source.h"

/* A value that no event contains: the wide variant was lost, or not recorded. */
#define DAX_UNKNOWN UINT64_MAX

/*
 * The fields of an event with a wide variant, except the last one, the name of an entry's thread.
 */
#define DAX_WIDE_FIELDS 13
#define DAX_FIELDS_MAX (DAX_WIDE_FIELDS + 1)

/* The values that mark fields of a packed event whose value did not fit; else DAX_UNKNOWN. */
struct dax_packed {
	unsigned int count;
	uint64_t ones[DAX_WIDE_FIELDS];
};

/* The last wide events, by CPU. */
struct dax_wides;

/* Takes NULL. */
void dax_wides_destroy(struct dax_wides *wides);

/*
 * Is an event of the type, with fields of these names, packed? Then @packed receives the widths of
 * its fields. Events of older probes have fields that all values fit, and signed thread ids.
 */
bool dax_packed_init(struct dax_packed *packed, const char *const *names,
		     const struct mm_event_type *type);

/* What a packed field of that name has in place of a value that does not fit; else DAX_UNKNOWN. */
uint64_t dax_packed_ones(const char *name);

/* Does a value of the event not fit? */
static inline bool dax_packed_is_short(const struct dax_packed *packed,
				       const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	bool is_short = false;

	for (unsigned int i = 0; i < packed->count; i++)
		is_short |= f[i].u == packed->ones[i];
	return is_short;
}

/* Keeps a wide event of the packed ones of @request. Returns 0, or -1: out of memory. */
int dax_wides_store(struct dax_wides **wides, int request, const struct mm_event *event);

/*
 * Events may be missing, with the arguments of mm_handler.lost(). Returns 0, or -1: out of memory.
 */
int dax_wides_lost(struct dax_wides **wides, const struct mm_loss *loss);

enum dax_complete {
	DAX_COMPLETE,	/* all values are known */
	DAX_INCOMPLETE, /* unknown ones are DAX_UNKNOWN, and unknown flags are unset */
};

/*
 * Copies the fields of a packed event to @fields, and the values that did not fit from its wide
 * variant, which is then discarded.
 */
enum dax_complete dax_wides_complete(struct dax_wides *wides, const struct dax_packed *packed,
				     const char *const *names, const struct mm_event *event,
				     union mm_scalar fields[DAX_FIELDS_MAX]);

#endif /* LTTNG_MM_DAX_WIDE_H */
