// SPDX-License-Identifier: LGPL-2.1-only
/*
 * --folded: writes call stacks with their self time or number of calls, in the format of
 * flamegraph.pl:
 *
 *   do_sys_openat2;d_lookup 1800
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fn/list/call-list.h"
#include "util/escape.h"

/*
 * Maximum number of stacks, which limits the memory for a hostile trace. A call that would exceed
 * the maximum counts as part of its caller's stack.
 */
#define NODES_MAX (1u << 18)

/* A stack, which consists of the stack @parent and one more function. Node 0 is the empty stack. */
struct stack_node {
	uint32_t parent, function, depth;
	uint64_t sum; /* self time, or calls */
};

struct folded_stacks {
	struct stack_node *nodes;
	size_t count, room;
	struct mm_hash by_call;
};

static bool is_call(const void *nodes, uint32_t number, const void *wanted)
{
	const struct stack_node *node = (const struct stack_node *)nodes + number, *other = wanted;

	return node->parent == other->parent && node->function == other->function;
}

/*
 * Returns the stack of @function called from @parent. If a limit is reached, returns @parent.
 * Returns MM_HASH_NONE when out of memory.
 */
static uint32_t find_node(struct folded_stacks *folded, uint32_t parent, uint32_t function)
{
	const struct stack_node made = { parent, function, folded->nodes[parent].depth + 1, 0 };
	uint32_t key = mm_hash_of(&folded->by_call, parent, function);
	uint32_t number = mm_hash_find(&folded->by_call, key, folded->nodes, &made, is_call);
	struct stack_node *grown;

	if (number != MM_HASH_NONE)
		return number;
	if (folded->count == NODES_MAX || made.depth > FN_DEPTH_MAX)
		return parent;
	grown = mm_array_grow(folded->nodes, folded->count, &folded->room, sizeof(*grown));
	if (!grown)
		return MM_HASH_NONE;
	folded->nodes = grown;
	number = (uint32_t)folded->count++;
	grown[number] = made;
	return mm_hash_add(&folded->by_call, key, number) ? MM_HASH_NONE : number;
}

/*
 * Returns the innermost open call of the function at or above @node, or 0. The call can be above
 * @node, because callees with missing events may still be on the stack although they have ended.
 */
static uint32_t find_running(const struct folded_stacks *folded, uint32_t node, uint32_t function)
{
	while (node && folded->nodes[node].function != function)
		node = folded->nodes[node].parent;
	return node;
}

static int release(void *user, struct fn_list_item *item)
{
	struct fn_list *list = user;
	struct folded_stacks *folded = list->sink;
	struct fn_list_thread *thread;
	uint32_t node;

	if (item->kind == FN_LIST_LOSS)
		return 0;
	thread = fn_list_thread(list, item->key);
	if (!thread)
		return -1;
	if (item->kind == FN_LIST_FORK) {
		thread->node = 0;
		return 0;
	}
	if (item->kind == FN_LIST_END) {
		node = item->has_start ? find_running(folded, thread->node, item->entry->function)
				       : 0;
		if (!node)
			return 0;
		if (item->outcome == FN_OUTCOMES)
			folded->nodes[node].sum += list->counts_calls ? 1 : item->self_ns;
		thread->node = folded->nodes[node].parent;
		return 0;
	}
	node = find_node(folded, thread->node, item->entry->function);
	if (node == MM_HASH_NONE)
		return -1;
	if (item->kind == FN_LIST_LEAF)
		folded->nodes[node].sum += list->counts_calls ? 1 : item->self_ns;
	else
		thread->node = node;
	return 0;
}

static void put_stack(const struct fn_list *list, const struct folded_stacks *folded,
		      uint32_t number)
{
	uint32_t path[FN_DEPTH_MAX + 1], depth = 0;

	for (uint32_t at = number; at && depth <= FN_DEPTH_MAX; at = folded->nodes[at].parent)
		path[depth++] = folded->nodes[at].function;
	while (depth--) {
		mm_escape_print(list->out, list->classes.names[path[depth]]);
		fputc(depth ? ';' : ' ', list->out);
	}
	fprintf(list->out, "%" PRIu64 "\n", folded->nodes[number].sum);
}

static void destroy(void *user)
{
	struct fn_list *list = user;
	struct folded_stacks *folded = list ? list->sink : NULL;

	if (folded) {
		free(folded->nodes);
		mm_hash_release(&folded->by_call);
		free(folded);
	}
	fn_list_destroy(list);
}

static void *create(const struct mm_report_options *options, const struct mm_sysinfo *sysinfo,
		    FILE *out)
{
	const struct fn_option_values *given = MM_OPTIONS_OF(struct fn_option_values, options);
	struct fn_list *list = fn_list_create(given, sysinfo, out, release);
	struct folded_stacks *folded = calloc(1, sizeof(*folded));

	if (list)
		list->sink = folded;
	if (list && folded) {
		list->counts_calls = !strcmp(given->folded, "calls");
		mm_hash_init(&folded->by_call);
		folded->nodes = calloc(1, sizeof(*folded->nodes));
		folded->count = folded->room = 1;
		if (folded->nodes)
			return list;
	}
	if (!list)
		free(folded);
	destroy(list);
	return NULL;
}

static int finish(void *user, struct mm_error *err)
{
	struct fn_list *list = user;
	const struct folded_stacks *folded = list->sink;

	if (fn_list_finish(list, err))
		return -1;
	for (uint32_t i = 1; i < folded->count; i++)
		if (folded->nodes[i].sum)
			put_stack(list, folded, i);
	return 0;
}

const struct mm_listing fn_folded_listing = {
	.create = create,
	.destroy = destroy,
	.request_ahead = mm_threads_request_history,
	.ahead = fn_list_ahead,
	.select = fn_list_select,
	.left_out = fn_list_left_out,
	.request = fn_list_request,
	.bind = fn_list_bind,
	.event = fn_list_event,
	.lost = fn_list_lost,
	.finish = finish,
};
