/* SPDX-License-Identifier: LGPL-2.1-only */
/* Locates the requested fields of an event class once, and reads them from its events. */
#ifndef LTTNG_MM_BT2_LAYOUT_H
#define LTTNG_MM_BT2_LAYOUT_H

#include <babeltrace2/babeltrace.h>

#include "reader/events/source.h"

/* The structures of an event that a field can belong to. */
enum mm_bt2_place {
	MM_BT2_PAYLOAD,
	MM_BT2_SPECIFIC_CONTEXT,
	MM_BT2_COMMON_CONTEXT,
	MM_BT2_PLACES,
};

enum mm_bt2_read {
	MM_BT2_READ_NOTHING,
	MM_BT2_READ_UNSIGNED,
	MM_BT2_READ_SIGNED,
	MM_BT2_READ_BOOL,
	MM_BT2_READ_BITS,
	MM_BT2_READ_DOUBLE,
	MM_BT2_READ_SINGLE,
	MM_BT2_READ_STRING,
	MM_BT2_READ_ARRAY,
};

struct mm_bt2_slot {
	enum mm_bt2_read read, element; /* @element: how to read the elements of an array */
	enum mm_bt2_place place;
	/* the path from the structure @place to the field, as indexes of members and elements */
	uint64_t *path;
	unsigned int path_count;
	const bt_field_class *class;
	struct mm_span span;	 /* the field's array in the event that was read last */
	union mm_scalar *values; /* storage of @span's values */
	size_t room;
};

/*
 * The fields of an event class. The object must not move in memory, because events point to @type.
 */
struct mm_bt2_layout {
	struct mm_event_type type; /* type.request < 0: not requested */
	bool ignored;		   /* events of the class are only counted */
	enum mm_kind *kinds;
	struct mm_bt2_slot *slots;
	bool uses[MM_BT2_PLACES];
};

/*
 * Creates the layout of @class and keeps a reference to it. The request that matches the class's
 * name determines the fields. Returns NULL when out of memory; destroy accepts NULL.
 */
struct mm_bt2_layout *mm_bt2_layout_create(const bt_event_class *class,
					   const struct mm_requests *requests);
void mm_bt2_layout_destroy(struct mm_bt2_layout *layout);

/*
 * Reads the requested fields of @event, which must be of the layout's class, into @fields. Arrays
 * are valid until the next event is read. Returns 0, or -1 when out of memory.
 */
int mm_bt2_layout_read(struct mm_bt2_layout *layout, const bt_event *event,
		       union mm_scalar *fields);

/* Implementations of member_at() and label_at() of mm_source_ops. */
const char *mm_bt2_member_at(const struct mm_event_type *type, size_t index);
int mm_bt2_label_at(const struct mm_event_type *type, unsigned int field, size_t index,
		    struct mm_enum_label *label);

/* Finds a structure's member by name. Returns false if it is absent. @structure may be NULL. */
bool mm_bt2_member_find(const bt_field_class *structure, const char *name, uint64_t *index);

#endif /* LTTNG_MM_BT2_LAYOUT_H */
