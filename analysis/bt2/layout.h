/* SPDX-License-Identifier: LGPL-2.1-only */
/* Where the wanted fields of an event class are, found once, and how an event's are read. */
#ifndef LTTNG_MM_BT2_LAYOUT_H
#define LTTNG_MM_BT2_LAYOUT_H

#include <babeltrace2/babeltrace.h>

#include "analysis/trace/source.h"

/* Which structure of the event a field is in. */
enum mm_bt2_place {
	MM_BT2_PAYLOAD,
	MM_BT2_SPECIFIC_CONTEXT,
	MM_BT2_COMMON_CONTEXT,
	MM_BT2_PLACES,
};

/* How the scalar of a field is had from it. */
enum mm_bt2_read {
	MM_BT2_READ_NOTHING,
	MM_BT2_READ_UNSIGNED,
	MM_BT2_READ_SIGNED,
	MM_BT2_READ_BOOL,
	MM_BT2_READ_BITS,
	MM_BT2_READ_DOUBLE,
	MM_BT2_READ_SINGLE,
	MM_BT2_READ_STRING,
};

struct mm_bt2_slot {
	enum mm_bt2_read read;
	enum mm_bt2_place place;
	uint64_t index; /* in that structure */
};

/* It stays where it is until it is destroyed: events point at its type. */
struct mm_bt2_layout {
	struct mm_event_type type; /* type.want < 0: nobody requests events of this class */
	bool ignored;		   /* ... nor must its events be looked at for any other reason */
	enum mm_kind kinds[MM_WANT_FIELDS_MAX];
	struct mm_bt2_slot slots[MM_WANT_FIELDS_MAX];
	bool uses[MM_BT2_PLACES];
};

/* Holds a reference to @class. NULL when memory is short; destroy takes NULL. */
struct mm_bt2_layout *mm_bt2_layout_create(const bt_event_class *class,
					   const struct mm_want *wants);
void mm_bt2_layout_destroy(struct mm_bt2_layout *layout);

/* Reads the wanted fields of @event, which is of the layout's class, into @fields. */
void mm_bt2_layout_read(const struct mm_bt2_layout *layout, const bt_event *event,
			union mm_scalar *fields);

/* A structure's member by name; false when there is none. @structure may be NULL. */
bool mm_bt2_member_find(const bt_field_class *structure, const char *name, uint64_t *index);

#endif /* LTTNG_MM_BT2_LAYOUT_H */
