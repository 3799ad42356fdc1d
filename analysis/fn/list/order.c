// SPDX-License-Identifier: LGPL-2.1-only
/* Sorts starts and ends of calls by time. */
#include "analysis/fn/list/order.h"

#include <stdlib.h>

#define NUMBER_BITS 16u
_Static_assert(FN_ORDER_ROOM == 1u << NUMBER_BITS, "a handle has the number of an item");

int fn_order_init(struct fn_order *order, fn_list_release_fn *release, void *user)
{
	*order = (struct fn_order){ .released_ns = INT64_MIN, .release = release, .user = user };
	order->items = calloc(FN_ORDER_ROOM, sizeof(*order->items));
	order->heap = calloc(FN_ORDER_ROOM, sizeof(*order->heap));
	order->unused = calloc(FN_ORDER_ROOM, sizeof(*order->unused));
	if (!order->items || !order->heap || !order->unused)
		return -1;
	for (uint32_t i = 0; i < FN_ORDER_ROOM; i++)
		order->unused[i] = FN_ORDER_ROOM - 1 - i;
	return 0;
}

void fn_order_release(struct fn_order *order)
{
	for (uint32_t i = 0; i < order->count; i++)
		free(order->items[order->heap[i]].values);
	free(order->items);
	free(order->heap);
	free(order->unused);
}

/*
 * Among single records with the same time, ends come before starts, and longer calls start first.
 * All other items keep the recorded order.
 */
static bool is_before(const struct fn_list_item *a, const struct fn_list_item *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->is_single && b->is_single) {
		bool ends_a = a->kind == FN_LIST_END, ends_b = b->kind == FN_LIST_END;

		if (ends_a != ends_b)
			return ends_a;
		if (!ends_a && a->duration_ns != b->duration_ns)
			return a->duration_ns > b->duration_ns;
	}
	return a->serial < b->serial;
}

static void swap(struct fn_order *order, uint32_t a, uint32_t b)
{
	uint32_t number = order->heap[a];

	order->heap[a] = order->heap[b];
	order->heap[b] = number;
}

static bool precedes(const struct fn_order *order, uint32_t a, uint32_t b)
{
	return is_before(&order->items[order->heap[a]], &order->items[order->heap[b]]);
}

static int pop(struct fn_order *order)
{
	uint32_t number = order->heap[0], at = 0, next;
	struct fn_list_item *item = &order->items[number];
	int ret;

	order->heap[0] = order->heap[--order->count];
	while ((next = 2 * at + 1) < order->count) {
		next += next + 1 < order->count && precedes(order, next + 1, next);
		if (!precedes(order, next, at))
			break;
		swap(order, at, next);
		at = next;
	}
	if (item->time_ns > order->released_ns)
		order->released_ns = item->time_ns;
	ret = order->release(order->user, item);
	free(item->values);
	item->values = NULL;
	item->serial = UINT64_MAX;
	order->unused[FN_ORDER_ROOM - order->count - 1] = number;
	return ret;
}

int fn_order_add(struct fn_order *order, const struct fn_list_item *item, uint64_t *handle)
{
	uint32_t number, at;

	if (order->count == FN_ORDER_ROOM && pop(order)) {
		free(item->values);
		return -1;
	}
	at = order->count++;
	number = order->unused[FN_ORDER_ROOM - order->count];
	order->items[number] = *item;
	order->items[number].serial = order->serial++;
	order->heap[at] = number;
	for (; at && precedes(order, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(order, at, (at - 1) / 2);
	*handle = order->items[number].serial << NUMBER_BITS | number;
	return 0;
}

struct fn_list_item *fn_order_find(struct fn_order *order, uint64_t handle)
{
	struct fn_list_item *item = &order->items[handle & (FN_ORDER_ROOM - 1)];

	return handle != FN_LIST_NO_ITEM && item->serial == handle >> NUMBER_BITS ? item : NULL;
}

int fn_order_flush(struct fn_order *order)
{
	while (order->count)
		if (pop(order))
			return -1;
	return 0;
}
