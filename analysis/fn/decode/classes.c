// SPDX-License-Identifier: LGPL-2.1-only
/* Binds the event classes of functions. */
#include "analysis/fn/decode/classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/events/argument-order.h"
#include "reader/sysinfo/threads.h"
#include "util/glob.h"
#include "util/nearest.h"
#include "util/never-returns.h"

static const char *const suffixes[] = {
	[FN_REQUEST_ENTRY] = "_entry",
	[FN_REQUEST_EXIT] = "_exit",
	[FN_REQUEST_CALL] = "_call",
};
static const char *const fields[] = {
	[FN_TID] = "tid", [FN_CALLER] = "caller",	 [FN_UNREAD] = "unread",
	[FN_RET] = "ret", [FN_DURATION] = "duration_ns",
};
/* Number of the above fields in each form of event. Arguments follow these fields. */
static const unsigned int field_counts[] = {
	[FN_REQUEST_ENTRY] = FN_RET,
	[FN_REQUEST_EXIT] = FN_DURATION,
	[FN_REQUEST_CALL] = FN_DURATION + 1,
};

void fn_classes_init(struct fn_classes *classes)
{
	*classes = (struct fn_classes){ 0 };
	mm_hash_init(&classes->by_name);
}

static void release_form(struct fn_value_form *form)
{
	free(form->name);
	fn_value_labels_release(&form->labels);
}

static void destroy_class(struct fn_class *class)
{
	for (unsigned int i = 0; i < class->count && class->arguments; i++)
		release_form(&class->arguments[i]);
	free(class->arguments);
	release_form(&class->ret);
	free(class);
}

void fn_classes_release(struct fn_classes *classes)
{
	for (size_t i = 0; i < classes->count; i++)
		destroy_class(classes->all[i]);
	free(classes->all);
	mm_strings_release(classes->names, classes->function_count);
	mm_hash_release(&classes->by_name);
}

void fn_classes_request_calls(struct mm_requests *requests, bool arguments)
{
	static const char *const patterns[] = { "fn_*_entry", "fn_*_exit", "fn_*_call" };

	for (int form = FN_REQUEST_ENTRY; form <= FN_REQUEST_CALL; form++) {
		mm_requests_add(requests, patterns[form]);
		mm_requests_add_field(requests, fields[FN_TID], MM_FIELD_INTEGER | MM_FIELD_FIRST);
		for (unsigned int i = FN_CALLER; i < field_counts[form]; i++)
			mm_requests_add_field(requests, fields[i],
					      i == FN_DURATION
						      ? MM_FIELD_INTEGER
						      : MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
		if (arguments && form != FN_REQUEST_EXIT)
			mm_requests_add_rest(requests, MM_FIELD_ARRAY);
	}
}

void fn_classes_request(struct mm_requests *requests)
{
	fn_classes_request_calls(requests, true);
	mm_requests_add(requests, "callsite_statedump_range");
	mm_requests_add_field(requests, "start", MM_FIELD_INTEGER);
	mm_requests_add_field(requests, "size", MM_FIELD_INTEGER);
	mm_requests_add_field(requests, "alive", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	mm_requests_add_field(requests, "name", MM_FIELD_STRING);
	mm_threads_request(requests);
}

static bool is_name(const void *names, uint32_t number, const void *wanted)
{
	return !strcmp(((char *const *)names)[number], wanted);
}

/*
 * Returns the number of the function. Returns MM_HASH_NONE if there are too many (sets
 * classes->too_many), or when out of memory.
 */
static uint32_t number_of(struct fn_classes *classes, const char *name)
{
	uint32_t key = mm_hash_of_string(&classes->by_name, name);
	uint32_t number = mm_hash_find(&classes->by_name, key, classes->names, name, is_name);

	if (number != MM_HASH_NONE)
		return number;
	if (classes->function_count == FN_FUNCTIONS_MAX) {
		classes->too_many = true;
		return MM_HASH_NONE;
	}
	number = (uint32_t)classes->function_count;
	if (mm_strings_add(&classes->names, &classes->function_count, name) ||
	    mm_hash_add(&classes->by_name, key, number)) {
		classes->too_many = false;
		return MM_HASH_NONE;
	}
	return number;
}

static bool is_argument(const char *member, enum fn_request form)
{
	for (unsigned int i = 0; i < field_counts[form]; i++)
		if (!strcmp(member, fields[i]))
			return false;
	return true;
}

/* Returns the bit of `unread` that marks the value @name as not read, or 0. */
static uint64_t unread_bit(const struct fn_value_labels *unread, const char *name)
{
	uint64_t bit = 0;

	return fn_value_labels_find(unread, name, &bit) ? bit : 0;
}

static int read_form(struct fn_value_form *form, const struct mm_event_type *type,
		     unsigned int field, const char *name, const struct fn_value_labels *unread)
{
	form->kind = type->kinds[field];
	/* The text of an array whose elements are not bytes is `{...}`. */
	if (form->kind == MM_KIND_ARRAY && type->element_kinds[field] != MM_KIND_UNSIGNED)
		form->kind = MM_KIND_COMPOUND;
	form->name = strdup(name);
	form->unread = unread_bit(unread, name);
	return !form->name || fn_value_labels_read(&form->labels, type, field) ? -1 : 0;
}

/* Returns the error bits of a vm_fault_t (VM_FAULT_ERROR); 0 if the labels are of another type. */
static uint64_t fault_errors(const struct fn_value_labels *labels)
{
	static const char *const names[] = { "OOM",	 "SIGBUS",	   "SIGSEGV",
					     "HWPOISON", "HWPOISON_LARGE", "FALLBACK" };
	static const char prefix[] = "VM_FAULT_";
	uint64_t bits = 0;
	unsigned int found = 0;

	for (size_t i = 0; i < labels->count && labels->is_flags; i++) {
		const char *name = labels->all[i].name;

		if (!strncmp(name, prefix, sizeof(prefix) - 1))
			name += sizeof(prefix) - 1;
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (!strcmp(name, names[k])) {
				bits |= labels->all[i].lower;
				found++;
			}
	}
	return found > 3 ? bits : 0;
}

static int read_arguments(struct fn_class *class, const struct mm_event_type *type,
			  const struct fn_value_labels *unread)
{
	const char *name;

	class->first = field_counts[class->form];
	class->arguments = calloc(FN_ARGUMENTS_MAX, sizeof(*class->arguments));
	if (!class->arguments)
		return -1;
	for (size_t i = 0;
	     (name = mm_event_type_member_at(type, i)) && class->count < FN_ARGUMENTS_MAX &&
	     class->first + class->count < type->field_count;
	     i++) {
		if (!is_argument(name, class->form))
			continue;
		class->count++;
		if (read_form(&class->arguments[class->count - 1], type,
			      class->first + class->count - 1, name, unread))
			return -1;
		class->has_texts |= fn_form_is_text(&class->arguments[class->count - 1]);
	}
	return 0;
}

/* Converts the number of a payload member to the number of the argument. */
static unsigned int argument_of(const struct fn_class *class, const struct mm_event_type *type,
				unsigned int member)
{
	unsigned int number = 0;

	for (unsigned int i = 0; i < member; i++)
		number += is_argument(mm_event_type_member_at(type, i), class->form);
	return number;
}

static void set_order(struct fn_class *class, const struct mm_event_type *type)
{
	struct mm_argument_order order = { .count = 0 };
	unsigned int shown = 0;

	for (unsigned int i = 0; i < class->count; i++)
		class->order[i] = (unsigned char)i;
	if (class->form != FN_REQUEST_EXIT)
		mm_argument_order_find(type, FN_UNREAD, &order);
	for (unsigned int i = 0; i < order.count; i++) {
		unsigned int member = order.at[i], number = argument_of(class, type, member);

		if (is_argument(mm_event_type_member_at(type, member), class->form) &&
		    number < class->count)
			class->order[shown++] = (unsigned char)number;
	}
}

/* Returns an upper bound of the bytes that fn_values_keep() writes for any event. */
static size_t room_of(const struct fn_class *class)
{
	size_t each = sizeof(uint64_t), texts = 0;

	for (unsigned int i = 0; i < class->count; i++)
		if (fn_form_is_text(&class->arguments[i]))
			texts += class->arguments[i].kind == MM_KIND_STRING ? FN_STRING_MAX
									    : FN_BYTES_TEXT_MAX;
	/* The header, padding and rounding need at most three numbers. */
	return 3 * sizeof(uint64_t) + class->count * each + texts;
}

static int read_fields(struct fn_class *class, const struct mm_event_type *type)
{
	struct fn_value_labels unread = { 0 };
	int ret = fn_value_labels_read(&unread, type, FN_UNREAD);

	class->has_caller = type->kinds[FN_CALLER] != MM_KIND_NONE;
	if (!ret && class->form != FN_REQUEST_ENTRY) {
		class->has_ret = type->kinds[FN_RET] != MM_KIND_NONE;
		ret = read_form(&class->ret, type, FN_RET, fields[FN_RET], &unread);
		class->ret_errors = fault_errors(&class->ret.labels);
	}
	if (!ret && class->form != FN_REQUEST_EXIT)
		ret = read_arguments(class, type, &unread);
	set_order(class, type);
	class->values_room = room_of(class);
	fn_value_labels_release(&unread);
	return ret;
}

int fn_classes_bind(struct fn_classes *classes, struct mm_event_type *type)
{
	enum fn_request form = (enum fn_request)type->request;
	size_t length = strlen(type->name) - strlen(suffixes[form]);
	char name[256];
	struct fn_class **grown, *class;

	if (length <= 3 || length - 3 >= sizeof(name))
		return 1;
	memcpy(name, type->name + 3, length - 3);
	name[length - 3] = '\0';
	grown = mm_array_grow(classes->all, classes->count, &classes->room, sizeof(class));
	if (!grown)
		return -1;
	classes->all = grown;
	class = calloc(1, sizeof(*class));
	if (!class)
		return -1;
	classes->all[classes->count++] = class;
	class->form = form;
	class->is_shown = mm_glob_match(classes->functions, name);
	class->never_returns = mm_never_returns(name);
	class->function = number_of(classes, name);
	if (class->function == MM_HASH_NONE)
		return classes->too_many ? 1 : -1;
	type->bound = class;
	return read_fields(class, type);
}

/*
 * Does the trace declare both the entry and the exit event of the function? If so, the function's
 * single records are ignored.
 */
static bool has_pairs(const struct mm_source *source, const char *name, size_t length)
{
	char event[512];

	snprintf(event, sizeof(event), "fn_%.*s_entry", (int)length, name);
	if (!mm_source_declares(source, event))
		return false;
	snprintf(event, sizeof(event), "fn_%.*s_exit", (int)length, name);
	return mm_source_declares(source, event);
}

bool fn_classes_use_singles(const struct mm_source *source)
{
	const char *suffix = suffixes[FN_REQUEST_CALL];

	for (size_t i = 0; i < mm_source_event_name_count(source); i++) {
		const char *name = mm_source_event_name_at(source, i);
		size_t length = strlen(name);

		if (strncmp(name, "fn_", 3) != 0 || length < 3 + strlen(suffix) ||
		    strcmp(name + length - strlen(suffix), suffix) != 0)
			continue;
		length -= 3 + strlen(suffix);
		if (length >= 256 || !has_pairs(source, name + 3, length))
			return true;
	}
	return false;
}

void fn_classes_learn(const struct fn_classes *classes, struct fn_class *class,
		      const struct mm_event *event)
{
	const char *function = classes->names[class->function];
	struct mm_value value;
	const char *name;

	class->knows_bases = true;
	class->is_ignored = class->form == FN_REQUEST_CALL &&
			    has_pairs(event->source, function, strlen(function));
	for (size_t i = 0; !mm_event_field_at(event, i, &name, &value); i++) {
		int argument = fn_class_argument(class, name);

		if (value.kind != MM_KIND_UNSIGNED)
			continue;
		if (argument >= 0 && class->form != FN_REQUEST_EXIT)
			class->arguments[argument].is_hex = value.base == 16;
		else if (!strcmp(name, fields[FN_RET]))
			class->ret.is_hex = value.base == 16;
	}
}

bool fn_classes_match_none(const struct fn_classes *classes, char *hint, size_t size)
{
	struct mm_nearest nearest = { .wanted = classes->functions };

	if (!classes->functions || !classes->function_count)
		return false;
	for (size_t i = 0; i < classes->function_count; i++) {
		if (mm_glob_match(classes->functions, classes->names[i]))
			return false;
		mm_nearest_offer(&nearest, classes->names[i]);
	}
	mm_nearest_hint(&nearest, hint, size);
	if (!*hint)
		snprintf(hint, size, ".");
	return true;
}

int fn_class_argument(const struct fn_class *class, const char *name)
{
	for (unsigned int i = 0; i < class->count; i++)
		if (!strcmp(class->arguments[i].name, name))
			return (int)i;
	return -1;
}
