/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Packed events: a value that does not fit its field is all ones there, and complete in the event's
 * wide variant, which comes immediately before it on the same CPU.
 */
#ifndef LTTNG_MM_DAX_WIDE_H
#define LTTNG_MM_DAX_WIDE_H

#include "analysis/trace/source.h"

/* A value that is in no event: the wide variant was lost, or not recorded. */
#define DAX_UNKNOWN UINT64_MAX

/* Fields of an event that has a wide variant, but for the last, the name of an entry's thread. */
#define DAX_WIDE_FIELDS 13
#define DAX_FIELDS_MAX (DAX_WIDE_FIELDS + 1)

/* The values by which fields of a packed event say that theirs did not fit; else DAX_UNKNOWN. */
struct dax_packed {
	unsigned int count;
	uint64_t ones[DAX_WIDE_FIELDS];
};

/* The last wide events, by CPU. */
struct dax_wides;

/* Takes NULL. */
void dax_wides_destroy(struct dax_wides *wides);

/*
 * Is an event of the type, with fields of these names, packed? Then @packed says how wide its
 * fields are. Events of older probes have fields that all values fit, and signed thread ids.
 */
bool dax_packed_init(struct dax_packed *packed, const char *const *names,
		     const struct mm_event_type *type);

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
int dax_wides_keep(struct dax_wides **wides, int request, const struct mm_event *event);

/* Events may be missing as mm_handler.lost() got it. Returns 0, or -1: out of memory. */
int dax_wides_lost(struct dax_wides **wides, const struct mm_loss *loss);

enum dax_complete {
	DAX_COMPLETE,	/* all values are known */
	DAX_INCOMPLETE, /* those that are not are DAX_UNKNOWN; flags are taken for unset */
};

/*
 * Copies the fields of a packed event to @fields, with what did not fit from its wide variant,
 * which is used up.
 */
enum dax_complete dax_wides_complete(struct dax_wides *wides, const struct dax_packed *packed,
				     const char *const *names, const struct mm_event *event,
				     union mm_scalar fields[DAX_FIELDS_MAX]);

#endif /* LTTNG_MM_DAX_WIDE_H */
