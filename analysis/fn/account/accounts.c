// SPDX-License-Identifier: LGPL-2.1-only
/* Counts complete calls. */
#include "analysis/fn/account/accounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fn_accounts_init(struct fn_accounts *accounts)
{
	mm_hash_init(&accounts->by_error);
	mm_hash_init(&accounts->by.by_text);
	accounts->errors = calloc(1, sizeof(*accounts->errors));
	accounts->by.all = calloc(1, sizeof(*accounts->by.all));
	if (!accounts->errors || !accounts->by.all || fn_outer_init(&accounts->by.outer) ||
	    fn_failures_init(&accounts->failures))
		return -1;
	accounts->error_count = accounts->error_room = 1;
	accounts->by.count = accounts->by.room = 1;
	return 0;
}

void fn_accounts_release(struct fn_accounts *accounts)
{
	for (size_t i = 0; i < accounts->function_room; i++)
		fn_durations_release(&accounts->functions[i].durations);
	free(accounts->functions);
	free(accounts->errors);
	mm_hash_release(&accounts->by_error);
	fn_failures_release(&accounts->failures);
	for (size_t i = 0; i < accounts->slow_count; i++)
		free(accounts->slowest[i].values);
	for (size_t i = 0; i < accounts->by.count && accounts->by.all; i++) {
		free(accounts->by.all[i].text);
		fn_durations_release(&accounts->by.all[i].account.durations);
	}
	free(accounts->by.all);
	free(accounts->by.function);
	free(accounts->by.argument);
	mm_hash_release(&accounts->by.by_text);
	mm_rows_release(&accounts->by.outer);
	free(accounts->scratch);
}

int fn_accounts_by(struct fn_accounts *accounts, const char *path)
{
	const char *dot = strrchr(path, '.');

	accounts->by.function = strndup(path, dot ? (size_t)(dot - path) : strlen(path));
	accounts->by.argument = strdup(dot ? dot + 1 : "");
	return accounts->by.function && accounts->by.argument ? 0 : -1;
}

int fn_accounts_add_function(struct fn_accounts *accounts, uint32_t function)
{
	size_t room = accounts->function_room ? accounts->function_room : 64;
	struct fn_account *grown;

	if (function < accounts->function_room)
		return 0;
	while (room <= function)
		room *= 2;
	grown = reallocarray(accounts->functions, room, sizeof(*grown));
	if (!grown)
		return -1;
	memset(grown + accounts->function_room, 0,
	       (room - accounts->function_room) * sizeof(*grown));
	accounts->functions = grown;
	accounts->function_room = room;
	return 0;
}

/* Adds a call to @account. @outer_ns excludes the time of nested calls of the same account. */
static inline int count(struct fn_account *account, const struct fn_call *call, uint64_t outer_ns,
			bool failed)
{
	account->self_ns += call->self_ns;
	account->total_ns += outer_ns;
	account->errors += failed;
	return fn_durations_add(&account->durations, call->duration_ns);
}

static bool is_error(const void *all, uint32_t number, const void *wanted)
{
	const struct fn_error_count *one = (const struct fn_error_count *)all + number;
	const struct fn_error_count *other = wanted;

	return one->function == other->function && one->error.value == other->error.value &&
	       one->error.is_bits == other->error.is_bits;
}

static int count_error(struct fn_accounts *accounts, const struct fn_class *class,
		       const struct fn_error *error)
{
	const struct fn_error_count wanted = { class->function, *error, class, 1 };
	uint32_t key = mm_hash_of(&accounts->by_error, (uint64_t)error->value, class->function);
	uint32_t number =
		mm_hash_find(&accounts->by_error, key, accounts->errors, &wanted, is_error);
	struct fn_error_count *grown;

	if (number != MM_HASH_NONE || accounts->error_count == FN_ERRORS_MAX) {
		accounts->errors[number == MM_HASH_NONE ? 0 : number].count++;
		return 0;
	}
	grown = mm_array_grow(accounts->errors, accounts->error_count, &accounts->error_room,
			      sizeof(*grown));
	if (!grown)
		return -1;
	accounts->errors = grown;
	number = (uint32_t)accounts->error_count++;
	grown[number] = wanted;
	return mm_hash_add(&accounts->by_error, key, number);
}

/*
 * Returns the arguments of the call. If call->values is NULL, copies them from call->event; the
 * copy is valid until the next call of this function. Returns NULL when out of memory.
 */
static const struct fn_values *values_of(struct fn_accounts *accounts, const struct fn_call *call)
{
	size_t bytes = fn_values_room(call->entry);
	struct fn_values *grown;

	if (call->values)
		return call->values;
	if (bytes > accounts->scratch_bytes) {
		grown = realloc(accounts->scratch, bytes);
		if (!grown)
			return NULL;
		accounts->scratch = grown;
		accounts->scratch_bytes = bytes;
	}
	fn_values_keep(call->entry, call->event, accounts->scratch);
	return accounts->scratch;
}

static bool is_text(const void *all, uint32_t number, const void *text)
{
	return !strcmp(((const struct fn_value_group *)all)[number].text, text);
}

/*
 * Returns the group of @text. Returns group 0 if there are already FN_BY_MAX groups, or NULL when
 * out of memory.
 */
static struct fn_value_group *find_value(struct fn_grouping *by, const char *text)
{
	uint32_t key = mm_hash_of_string(&by->by_text, text);
	uint32_t number = mm_hash_find(&by->by_text, key, by->all, text, is_text);
	struct fn_value_group *grown;

	if (number != MM_HASH_NONE)
		return &by->all[number];
	if (by->count > FN_BY_MAX)
		return &by->all[0];
	grown = mm_array_grow(by->all, by->count, &by->room, sizeof(*grown));
	if (!grown)
		return NULL;
	by->all = grown;
	number = (uint32_t)by->count;
	grown[number] = (struct fn_value_group){ .text = strdup(text) };
	if (!grown[number].text)
		return NULL;
	by->count++;
	return mm_hash_add(&by->by_text, key, number) ? NULL : &grown[number];
}

static int count_by(struct fn_accounts *accounts, const struct fn_call *call, const char *name,
		    bool failed)
{
	struct fn_grouping *by = &accounts->by;
	const struct fn_values *values;
	struct fn_value_group *row;
	char text[FN_TEXT_MAX];
	uint64_t outer_ns;
	int argument;

	if (strcmp(name, by->function))
		return 0;
	argument = fn_class_argument(call->entry, by->argument);
	if (argument >= 0) {
		const struct fn_value_form *form = &call->entry->arguments[argument];

		values = values_of(accounts, call);
		if (!values)
			return -1;
		fn_value_format(form, values, values->numbers[argument],
				form->unread & call->unread, text, sizeof(text));
	} else if (!strcmp(by->argument, "ret") && call->exit->has_ret) {
		fn_result_text(call->exit, call->event->fields[FN_RET].u,
			       call->exit->ret.unread & fn_event_unread(call->event), text,
			       sizeof(text));
	} else if (!strcmp(by->argument, "caller") && call->exit->has_caller) {
		/* The report replaces the address with the call site's name. */
		snprintf(text, sizeof(text), "0x%" PRIx64, call->event->fields[FN_CALLER].u);
	} else {
		return 0;
	}
	by->found = true;
	row = find_value(by, text);
	if (!row || fn_outer_add(&by->outer, call, (uint32_t)(row - by->all), &outer_ns))
		return -1;
	return count(&row->account, call, outer_ns, failed);
}

static void swap(struct fn_slow_call *a, struct fn_slow_call *b)
{
	struct fn_slow_call kept = *a;

	*a = *b;
	*b = kept;
}

/* Orders the heap: the root is the fastest call, and of equally fast calls, the latest one. */
static bool is_before(const struct fn_slow_call *a, const struct fn_slow_call *b)
{
	if (a->duration_ns != b->duration_ns)
		return a->duration_ns < b->duration_ns;
	return a->start_ns > b->start_ns;
}

static size_t sift_up(struct fn_slow_call *heap, size_t at)
{
	for (; at && is_before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
	return at;
}

static size_t sift_down(struct fn_slow_call *heap, size_t count)
{
	size_t at = 0, next;

	while ((next = 2 * at + 1) < count) {
		next += next + 1 < count && is_before(&heap[next + 1], &heap[next]);
		if (!is_before(&heap[next], &heap[at]))
			break;
		swap(&heap[at], &heap[next]);
		at = next;
	}
	return at;
}

static int keep_slow(struct fn_accounts *accounts, const struct fn_call *call,
		     struct fn_slow_call **slow)
{
	const struct mm_event *event = call->event;
	const struct fn_values *values = values_of(accounts, call);
	struct fn_slow_call made = {
		.entry = call->entry,
		.exit = call->exit,
		.values = values ? malloc(values->bytes) : NULL,
		.start_ns = call->start_ns,
		.duration_ns = call->duration_ns,
		.self_ns = call->self_ns,
		.unread = call->unread,
		.ret = call->exit->has_ret ? event->fields[FN_RET].u : 0,
		.ret_unread = fn_event_unread(event) & call->exit->ret.unread,
		.caller = event->fields[FN_CALLER].u,
		.tid = (uint32_t)event->fields[FN_TID].u,
		.cpu = call->cpu,
	};

	if (!made.values)
		return -1;
	memcpy(made.values, values, values->bytes);
	if (accounts->slow_count < FN_SLOWEST_MAX) {
		accounts->slowest[accounts->slow_count++] = made;
		*slow = accounts->slowest + sift_up(accounts->slowest, accounts->slow_count - 1);
		return 0;
	}
	free(accounts->slowest[0].values);
	accounts->slowest[0] = made;
	*slow = accounts->slowest + sift_down(accounts->slowest, accounts->slow_count);
	return 0;
}

int fn_accounts_add(struct fn_accounts *accounts, const struct fn_call *call, const char *name,
		    struct fn_slow_call **slow)
{
	struct fn_error error = { false, 0 };
	bool failed = call->exit->has_ret &&
		      !(fn_event_unread(call->event) & call->exit->ret.unread) &&
		      fn_result_error(call->exit, call->event->fields[FN_RET].u, &error);

	*slow = NULL;
	if (count(&accounts->functions[call->exit->function], call, call->outer_ns, failed) ||
	    (failed && (count_error(accounts, call->exit, &error) ||
			fn_failures_add(&accounts->failures, call->thread, call, &error))) ||
	    (accounts->by.function && count_by(accounts, call, name, failed)))
		return -1;
	if (accounts->slow_count == FN_SLOWEST_MAX &&
	    call->duration_ns <= accounts->slowest[0].duration_ns)
		return 0;
	return keep_slow(accounts, call, slow);
}
