/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sorts starts and ends of calls by time. A single record is written at the end of its call, after
 * the records of its callees. The list therefore holds back FN_ORDER_ROOM items, so that the start
 * of the call can be inserted before its callees. If a call started before the last item that left
 * the list, its start is not listed.
 */
#ifndef LTTNG_MM_FN_LIST_ORDER_H
#define LTTNG_MM_FN_LIST_ORDER_H

#include "analysis/fn/track/call.h"

#define FN_ORDER_ROOM 65536u
#define FN_LIST_NO_ITEM UINT64_MAX

enum fn_list_item_kind {
	FN_LIST_START,
	FN_LIST_LEAF, /* a call without listed callees */
	FN_LIST_END,
	FN_LIST_LOSS,
	FN_LIST_FORK, /* from here on, the thread id belongs to a new thread */
};

struct fn_list_item {
	enum fn_list_item_kind kind;
	enum fn_outcome outcome; /* ends only; FN_OUTCOMES: the call is complete */
	int64_t time_ns;
	uint64_t serial;
	uint32_t key, tid, cpu; /* key and id of the thread; CPU of the event */
	uint32_t thread;	/* number of the thread, for fn_list_comm() */
	bool is_single;		/* the item belongs to a single record */
	bool has_off;		/* ends only: @off_ns is known */
	bool has_start;		/* ends only: the start was added */
	bool has_no_event;	/* ends only: the exit event is missing */
	const struct fn_class *entry, *exit;
	struct fn_values *values; /* starts only; owned */
	uint64_t unread, ret, ret_unread, duration_ns, self_ns, off_ns;
};

typedef int fn_list_release_fn(void *user, struct fn_list_item *item);

struct fn_order {
	struct fn_list_item *items; /* FN_ORDER_ROOM items */
	uint32_t *heap;		    /* indexes in @items; the earliest item is at the root */
	uint32_t *unused;	    /* indexes of free items */
	uint32_t count;
	uint64_t serial; /* serial number of the next item */
	int64_t released_ns;
	fn_list_release_fn *release;
	void *user;
};

/*
 * Initializes the buffer. Items that leave the buffer are passed to @release. Returns 0, or -1 when
 * out of memory.
 */
int fn_order_init(struct fn_order *order, fn_list_release_fn *release, void *user);
void fn_order_release(struct fn_order *order);

/*
 * Adds a copy of @item, and sets the copy's serial number. Takes ownership of item->values, even on
 * failure. *@handle identifies the copy for fn_order_find(). Returns 0, or -1 when out of memory.
 */
int fn_order_add(struct fn_order *order, const struct fn_list_item *item, uint64_t *handle);
/* Returns the item of the handle, or NULL if the item was released. */
struct fn_list_item *fn_order_find(struct fn_order *order, uint64_t handle);
/* Releases all items. Returns 0, or -1 when out of memory. */
int fn_order_flush(struct fn_order *order);

#endif /* LTTNG_MM_FN_LIST_ORDER_H */
