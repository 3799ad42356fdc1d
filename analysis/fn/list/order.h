/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The starts and ends of calls, in the order of time. A single record is known at the end of its
 * call, when those within it are known already: items are held back until there are ORDER_ROOM of
 * them, and a call that started before the last one released has no start.
 */
#ifndef LTTNG_MM_FN_LIST_ORDER_H
#define LTTNG_MM_FN_LIST_ORDER_H

#include "analysis/fn/track/call.h"

#define FN_ORDER_ROOM 65536u
#define FN_LIST_NO_ITEM UINT64_MAX

enum fn_list_item_kind {
	FN_LIST_START,
	FN_LIST_LEAF, /* start and end of a call without others within it */
	FN_LIST_END,
	FN_LIST_LOSS,
	FN_LIST_FORK, /* the thread id stands for another thread from here on */
};

struct fn_list_item {
	enum fn_list_item_kind kind;
	enum fn_outcome outcome; /* FN_OUTCOMES: the call is complete */
	int64_t time_ns;
	uint64_t serial;
	uint32_t key, tid, cpu; /* of the thread; its id */
	uint32_t thread;	/* the number by which fn_list_comm() knows its name */
	bool is_single;		/* of a single record */
	bool has_off;		/* @off_ns is known, of an end */
	bool has_start;		/* of an end: its start is an item, too */
	bool has_no_event;	/* of an end: it is missing, and nothing shows where it was */
	const struct fn_class *entry, *exit;
	struct fn_values *values; /* owned; of a start */
	uint64_t unread, ret, ret_unread, duration_ns, self_ns, off_ns;
};

typedef int fn_list_release_fn(void *user, struct fn_list_item *item);

struct fn_order {
	struct fn_list_item *items; /* FN_ORDER_ROOM */
	uint32_t *heap;		    /* numbers of items, the first one at the root */
	uint32_t *unused;	    /* numbers of free items */
	uint32_t count;
	uint64_t serial; /* of the next item */
	int64_t released_ns;
	fn_list_release_fn *release;
	void *user;
};

/* Released items are handed to @release. Both return 0, or -1: out of memory. */
int fn_order_init(struct fn_order *order, fn_list_release_fn *release, void *user);
void fn_order_release(struct fn_order *order);

/*
 * Adds an item, whose serial number is set, and which owns item->values from then on, also on
 * failure. *@handle finds it with fn_order_find(). Returns 0, or -1: out of memory.
 */
int fn_order_add(struct fn_order *order, const struct fn_list_item *item, uint64_t *handle);
/* NULL: it was released. */
struct fn_list_item *fn_order_find(struct fn_order *order, uint64_t handle);
/* Releases all. */
int fn_order_flush(struct fn_order *order);

#endif /* LTTNG_MM_FN_LIST_ORDER_H */
