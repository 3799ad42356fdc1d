// SPDX-License-Identifier: LGPL-2.1-only
/* Completes packed events with their wide variants. */
#include "analysis/dax/wide.h"

#include <stdlib.h>
#include <string.h>

#include "instrumentation/wire/dax.h"

/*
 * Number of elements. CPUs with higher numbers share elements with other CPUs. The stored fields
 * show which CPU's event an element belongs to.
 */
#define WIDES 1024u

struct dax_wide {
	int request; /* request of the packed event plus 1; 0: none */
	int64_t time_ns;
	int64_t lost_until_ns; /* before this time, events of the CPU may be missing */
	union mm_scalar fields[DAX_WIDE_FIELDS];
};

struct dax_wides {
	struct dax_wide by_cpu[WIDES];
};

/* Packed fields and their widths. Other fields are wide enough for all values. */
static const struct {
	const char *name;
	unsigned int bits;
} widths[] = {
	{ "ino", LTTNG_MM_DAX_INO_BITS },
	{ "address", LTTNG_MM_DAX_ADDRESS_BITS },
	{ "result", LTTNG_MM_DAX_RESULT_BITS },
	{ "vm_flags", LTTNG_MM_DAX_VM_FLAGS_BITS },
	{ "pgoff", LTTNG_MM_DAX_PGOFF_BITS },
	{ "flags", LTTNG_MM_DAX_FLAGS_BITS },
	{ "vm_start", LTTNG_MM_DAX_ADDRESS_BITS },
	{ "vm_end", LTTNG_MM_DAX_ADDRESS_BITS },
	{ "max_pgoff", LTTNG_MM_DAX_PGOFF_BITS },
	{ "pos", LTTNG_MM_DAX_POS_BITS },
	{ "extent_offset", LTTNG_MM_DAX_POS_BITS },
	{ "extent_length", LTTNG_MM_DAX_POS_BITS },
	{ "extent_addr", LTTNG_MM_DAX_DEVICE_BITS },
	{ "extent_type", LTTNG_MM_DAX_TYPE_BITS },
};

void dax_wides_destroy(struct dax_wides *wides)
{
	free(wides);
}

uint64_t dax_packed_ones(const char *name)
{
	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++)
		if (!strcmp(name, widths[w].name))
			return LTTNG_MM_DAX_ALL_ONES(widths[w].bits);
	return DAX_UNKNOWN;
}

bool dax_packed_init(struct dax_packed *packed, const char *const *names,
		     const struct mm_event_type *type)
{
	packed->count = 0;
	if (!type->field_count || type->kinds[0] != MM_KIND_UNSIGNED)
		return false;
	for (unsigned int i = 0; i < type->field_count && i < DAX_WIDE_FIELDS; i++) {
		packed->ones[i] = type->kinds[i] == MM_KIND_UNSIGNED ? dax_packed_ones(names[i])
								     : DAX_UNKNOWN;
		packed->count = i + 1;
	}
	return true;
}

static struct dax_wide *place_of(struct dax_wides *wides, uint32_t cpu)
{
	return &wides->by_cpu[cpu % WIDES];
}

static int make(struct dax_wides **wides)
{
	if (*wides)
		return 0;
	*wides = calloc(1, sizeof(**wides));
	if (!*wides)
		return -1;
	for (unsigned int i = 0; i < WIDES; i++)
		(*wides)->by_cpu[i].lost_until_ns = INT64_MIN;
	return 0;
}

int dax_wides_lost(struct dax_wides **wides, const struct mm_loss *loss)
{
	struct dax_wide *wide;

	if (make(wides))
		return -1;
	wide = place_of(*wides, loss->cpu);
	if (loss->lost_until_ns > wide->lost_until_ns)
		wide->lost_until_ns = loss->lost_until_ns;
	return 0;
}

int dax_wides_store(struct dax_wides **wides, int request, const struct mm_event *event)
{
	unsigned int count = event->type->field_count;
	struct dax_wide *wide;

	if (make(wides))
		return -1;
	wide = place_of(*wides, event->cpu);
	wide->request = request + 1;
	wide->time_ns = event->time_ns;
	if (count > DAX_WIDE_FIELDS)
		count = DAX_WIDE_FIELDS;
	memcpy(wide->fields, event->fields, count * sizeof(wide->fields[0]));
	return 0;
}

/*
 * Is @wide the wide variant of @event? A loss can leave a wide variant without its packed event, or
 * the reverse. The fields then differ, or @wide is older than the loss.
 */
static bool belongs(const struct dax_wide *wide, const struct dax_packed *packed,
		    const struct mm_event *event)
{
	if (wide->request != event->type->request + 1 || wide->time_ns < wide->lost_until_ns)
		return false;
	for (unsigned int i = 0; i < packed->count; i++)
		if (event->fields[i].u != packed->ones[i] &&
		    event->fields[i].u != wide->fields[i].u)
			return false;
	return true;
}

enum dax_complete dax_wides_complete(struct dax_wides *wides, const struct dax_packed *packed,
				     const char *const *names, const struct mm_event *event,
				     union mm_scalar fields[DAX_FIELDS_MAX])
{
	struct dax_wide *wide = wides ? place_of(wides, event->cpu) : NULL;
	enum dax_complete complete = DAX_COMPLETE;

	memcpy(fields, event->fields, event->type->field_count * sizeof(*fields));
	if (wide && !belongs(wide, packed, event))
		wide = NULL;
	for (unsigned int i = 0; i < packed->count; i++) {
		if (fields[i].u != packed->ones[i])
			continue;
		fields[i].u = wide			  ? wide->fields[i].u
			      : strstr(names[i], "flags") ? 0
							  : DAX_UNKNOWN;
		/* A hole has no address on the device: all ones are recorded correctly. */
		if (!wide && strcmp(names[i], "extent_addr") != 0)
			complete = DAX_INCOMPLETE;
	}
	if (wide)
		wide->request = 0;
	return complete;
}
