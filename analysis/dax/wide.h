/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Packed events. All ones in a field mean that the value does not fit into the field. The wide
 * variant of the event has the complete value. It comes just before the packed event on the same
 * CPU.
 */
#ifndef LTTNG_MM_DAX_WIDE_H
#define LTTNG_MM_DAX_WIDE_H

#include "reader/events/source.h"

/* An unknown value. The wide variant with the value is lost, or was not recorded. */
#define DAX_UNKNOWN UINT64_MAX

/*
 * Maximum number of fields of an event with a wide variant. The last field, the thread's name, does
 * not count.
 */
#define DAX_WIDE_FIELDS 13
#define DAX_FIELDS_MAX (DAX_WIDE_FIELDS + 1)

/*
 * The fields of a packed event. For each field, @ones is the number that is recorded if a value
 * does not fit, or DAX_UNKNOWN if every value fits.
 */
struct dax_packed {
	unsigned int count;
	uint64_t ones[DAX_WIDE_FIELDS];
};

/* The last wide event of each CPU. */
struct dax_wides;

/* @wides may be NULL. */
void dax_wides_destroy(struct dax_wides *wides);

/*
 * Returns true and sets @packed if an event class with these fields is packed. Older probes do not
 * pack events, and have signed thread ids.
 */
bool dax_packed_init(struct dax_packed *packed, const char *const *names,
		     const struct mm_event_type *type);

/*
 * Returns the number that a packed field of this name records if a value does not fit. Returns
 * DAX_UNKNOWN if every value fits.
 */
uint64_t dax_packed_ones(const char *name);

/* Does at least one field say that its value did not fit? */
static inline bool dax_packed_is_short(const struct dax_packed *packed,
				       const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	bool is_short = false;

	for (unsigned int i = 0; i < packed->count; i++)
		is_short |= f[i].u == packed->ones[i];
	return is_short;
}

/*
 * Stores a wide event until the packed event of @request follows. Returns 0, or -1 when out of
 * memory.
 */
int dax_wides_store(struct dax_wides **wides, int request, const struct mm_event *event);

/*
 * Notes a loss of events, with the arguments of mm_handler.lost(). Returns 0, or -1 when out of
 * memory.
 */
int dax_wides_lost(struct dax_wides **wides, const struct mm_loss *loss);

enum dax_complete {
	DAX_COMPLETE,	/* all values are known */
	DAX_INCOMPLETE, /* unknown values are DAX_UNKNOWN, or 0 for flags */
};

/*
 * Copies the fields of a packed event to @fields. Replaces values that did not fit by the values of
 * the wide variant, and discards the variant.
 */
enum dax_complete dax_wides_complete(struct dax_wides *wides, const struct dax_packed *packed,
				     const char *const *names, const struct mm_event *event,
				     union mm_scalar fields[DAX_FIELDS_MAX]);

#endif /* LTTNG_MM_DAX_WIDE_H */
