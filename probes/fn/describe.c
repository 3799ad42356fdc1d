// SPDX-License-Identifier: GPL-2.0-only
/* Describes a function's provider and its three events for LTTng. */

#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <probes/fn/fn.h>
#include <probes/lib/descriptor.h>

/* An enumeration. LTTng keeps a pointer to @desc. */
struct fn_enum {
	struct fn_enum *next;
	struct lttng_kernel_enum_desc desc;
	const struct lttng_kernel_enum_entry **pointers;
	struct lttng_kernel_enum_entry *sorted;
	struct lttng_kernel_enum_entry entries[];
};

static void free_enum(struct fn_enum *labels)
{
	if (!labels)
		return;
	for (unsigned int i = 0; i < labels->desc.nr_entries; i++)
		kfree(labels->entries[i].string);
	kfree(labels->pointers);
	kfree(labels->sorted);
	kfree(labels);
}

/*
 * Allocates an enumeration with room for COUNT labels. FN owns it. Returns NULL when out of memory.
 */
static struct fn_enum *new_enum(struct fn *fn, unsigned int count)
{
	struct fn_enum *labels = kzalloc(struct_size(labels, entries, count), GFP_KERNEL);

	if (!labels)
		return NULL;
	labels->pointers = kcalloc(count, sizeof(*labels->pointers), GFP_KERNEL);
	labels->sorted = kcalloc(count, sizeof(*labels->sorted), GFP_KERNEL);
	if (!labels->pointers || !labels->sorted) {
		free_enum(labels);
		return NULL;
	}
	labels->desc.name = "labels";
	labels->desc.entries = labels->pointers;
#ifdef LTTNG_MM_ENUM_SORTED
	labels->desc.sorted_entries = labels->sorted;
#endif
	labels->next = fn->enums;
	fn->enums = labels;
	return labels;
}

static bool add_label(struct fn_enum *labels, const char *name, u64 value, bool is_signed)
{
	struct lttng_kernel_enum_entry *entry = &labels->entries[labels->desc.nr_entries];

	entry->string = kstrdup(name, GFP_KERNEL);
	if (!entry->string)
		return false;
	entry->start.value = value;
	entry->start.signedness = is_signed;
	entry->end = entry->start;
	labels->pointers[labels->desc.nr_entries++] = entry;
	return true;
}

static struct fn_enum *labels_of(struct fn *fn, const struct fn_add_request *request, u32 index)
{
	const struct lttng_mm_fn_labels *set = &request->enums[index];
	struct fn_enum *labels = new_enum(fn, set->count);

	for (u32 i = 0; labels && i < set->count; i++) {
		const struct lttng_mm_fn_label *label = &request->labels[set->first + i];

		if (!add_label(labels, fn_string(request, label->name), label->value,
			       set->is_signed))
			return NULL;
	}
	return labels;
}

/*
 * Makes the labels of the field `unread'. They are "ret" and the names of the fields that may be
 * unread.
 */
static struct fn_enum *unread_labels(struct fn *fn, const struct fn_add_request *request,
				     const struct lttng_mm_fn_function *function)
{
	const struct lttng_mm_fn_field *fields = request->fields + function->first;
	struct fn_enum *labels = new_enum(fn, function->count + 2);

	if (!labels || !add_label(labels, "NONE", 0, false))
		return NULL;
	for (u32 i = 0; i < function->count; i++)
		if (fn_may_be_unread(&fields[i]) &&
		    !add_label(labels, fn_string(request, fields[i].name), 1ULL << i, false))
			return NULL;
	if (function->result != LTTNG_MM_FN_NONE &&
	    fn_may_be_unread(request->fields + function->result) &&
	    !add_label(labels, "ret", 1ULL << function->count, false))
		return NULL;
	return labels;
}

struct fn_specs {
	struct lttng_mm_event_spec event[FN_EVENTS];
	struct lttng_mm_field_spec field[FN_EVENTS][LTTNG_MM_RECORD_FIELDS];
	char name[FN_EVENTS][LTTNG_MM_FN_NAME_MAX + 16];
	char provider[LTTNG_MM_FN_NAME_MAX + 16];
};

static struct lttng_mm_field_spec *add_field(struct fn_specs *specs, unsigned int event,
					     const char *name, unsigned int bits, unsigned int base)
{
	struct lttng_mm_event_spec *spec = &specs->event[event];
	struct lttng_mm_field_spec *field = &specs->field[event][spec->field_count++];

	field->name = name;
	field->bits = bits;
	field->base = base;
	return field;
}

static void add_text(struct fn_specs *specs, unsigned int event, const char *name,
		     const struct lttng_mm_fn_field *text)
{
	struct lttng_mm_field_spec *field = add_field(specs, event, name, 0, 10);

	if (text->kind == LTTNG_MM_FN_BYTES)
		field->bytes = text->max;
}

static int add_number(struct fn *fn, struct fn_specs *specs, unsigned int event,
		      const struct fn_add_request *request, const struct lttng_mm_fn_field *number,
		      const char *name)
{
	const bool hex = number->kind == LTTNG_MM_FN_HEX || number->kind == LTTNG_MM_FN_POINTER;
	struct lttng_mm_field_spec *field =
		add_field(specs, event, name, number->bits, hex ? 16 : 10);
	struct fn_enum *labels;

	field->is_signed = number->kind == LTTNG_MM_FN_SIGNED;
	if (number->labels == LTTNG_MM_FN_NONE)
		return 0;
	labels = labels_of(fn, request, number->labels);
	if (!labels)
		return -ENOMEM;
	field->labels = &labels->desc;
	return 0;
}

static int add_unread(struct fn_specs *specs, unsigned int event, const struct fn *fn,
		      const struct fn_enum *labels)
{
	struct lttng_mm_field_spec *field =
		add_field(specs, event, "unread", fn->layout.unread_bytes * 8, 16);

	field->labels = &labels->desc;
	return 0;
}

/*
 * Adds the fields of the arguments: the texts if TEXTS is set, or else the numbers. fn_plan() puts
 * them into a record in the same order.
 */
static int add_arguments(struct fn *fn, struct fn_specs *specs, unsigned int event,
			 const struct fn_add_request *request,
			 const struct lttng_mm_fn_function *function, bool texts)
{
	const struct lttng_mm_fn_field *fields = request->fields + function->first;
	int ret = 0;

	for (u32 i = 0; i < function->count && !ret; i++) {
		const char *name = fn_string(request, fields[i].name);
		bool text = fn_is_text(&fields[i]);

		if (text && texts)
			add_text(specs, event, name, &fields[i]);
		else if (!text && !texts)
			ret = add_number(fn, specs, event, request, &fields[i], name);
	}
	return ret;
}

static int add_event(struct fn *fn, struct fn_specs *specs, unsigned int event,
		     const struct fn_add_request *request,
		     const struct lttng_mm_fn_function *function, const struct fn_enum *unread)
{
	const struct fn_layout *layout = &fn->layout;
	int ret = 0;

	add_field(specs, event, "tid", LTTNG_MM_FN_TID_BITS, 10);
	if (layout->caller)
		add_field(specs, event, "caller", LTTNG_MM_FN_CALLER_BITS, 16);
	if (event != FN_EXIT)
		ret = add_arguments(fn, specs, event, request, function, false);
	if (event != FN_EXIT && layout->unread)
		add_unread(specs, event, fn, unread);
	if ((event == FN_EXIT && layout->exit_unread) ||
	    (event == FN_CALL && layout->call_unread && !layout->unread))
		add_unread(specs, event, fn, unread);
	if (!ret && event != FN_ENTRY && function->result != LTTNG_MM_FN_NONE)
		ret = add_number(fn, specs, event, request, request->fields + function->result,
				 "ret");
	if (event == FN_CALL)
		add_field(specs, event, "duration_ns", LTTNG_MM_FN_DURATION_BITS, 10);
	if (!ret && event != FN_EXIT)
		ret = add_arguments(fn, specs, event, request, function, true);
	return ret;
}

static int make_provider(struct fn *fn, struct fn_specs *specs,
			 const struct fn_add_request *request,
			 const struct lttng_mm_fn_function *function)
{
	static const char *const suffixes[FN_EVENTS] = { "entry", "exit", "call" };
	struct fn_enum *unread = NULL;

	if (fn->layout.unread_bytes) {
		unread = unread_labels(fn, request, function);
		if (!unread)
			return -ENOMEM;
	}
	snprintf(specs->provider, sizeof(specs->provider), "fn_%s", fn->name);
	for (unsigned int i = 0; i < FN_EVENTS; i++) {
		int ret;

		snprintf(specs->name[i], sizeof(specs->name[i]), "fn_%s_%s", fn->name, suffixes[i]);
		specs->event[i].name = specs->name[i];
		specs->event[i].tracepoint = fn->tracepoint[i]->name;
		specs->event[i].callback = fn_callback;
		specs->event[i].field = specs->field[i];
		ret = add_event(fn, specs, i, request, function, unread);
		if (ret)
			return ret;
	}
	fn->provider =
		lttng_mm_provider_create(specs->provider, THIS_MODULE, specs->event, FN_EVENTS);
	if (IS_ERR(fn->provider))
		return PTR_ERR(fn->provider);
	for (unsigned int i = 0; i < FN_EVENTS; i++)
		fn->class[i] = lttng_mm_provider_class(fn->provider, i);
	return 0;
}

int fn_describe(struct fn *fn, const struct fn_add_request *request,
		const struct lttng_mm_fn_function *function)
{
	struct fn_specs *specs = kvzalloc(sizeof(*specs), GFP_KERNEL);
	int ret = -ENOMEM;

	for (unsigned int i = 0; i < FN_EVENTS; i++)
		fn->tracepoint[i] = fn_tracepoint(fn->slot, i);
	if (specs)
		ret = make_provider(fn, specs, request, function);
	kvfree(specs);
	return ret;
}

void fn_describe_end(struct fn *fn)
{
	lttng_mm_provider_destroy(fn->provider);
	while (fn->enums) {
		struct fn_enum *labels = fn->enums;

		fn->enums = labels->next;
		free_enum(labels);
	}
}
