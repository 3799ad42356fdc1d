// SPDX-License-Identifier: GPL-2.0-only
/* Creates event descriptions for LTTng at run time. */

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <lttng/abi.h>
#include <lttng/events.h>
#include <lttng/tracer.h>
#include <probes/lib/descriptor.h>
#include <probes/lib/record.h>

struct made_field {
	struct lttng_kernel_event_field field;
	union {
		struct lttng_kernel_type_integer integer;
		struct lttng_kernel_type_string string;
	};
	union {
		struct lttng_kernel_type_enum labels;
		struct lttng_kernel_type_array array;
	};
};

struct made_event {
	struct lttng_kernel_event_desc desc;
	struct lttng_mm_made_class made_class;
	const struct lttng_kernel_event_field *fields[LTTNG_MM_RECORD_FIELDS];
	struct made_field made[];
};

struct lttng_mm_provider {
	struct lttng_kernel_probe_desc desc;
	struct module *owner;
	bool shown;
	unsigned int count;
	const struct lttng_kernel_event_desc *events[];
};

/*
 * LTTng warns in the kernel log if an event name lacks the prefix of its provider, and truncates
 * long names.
 */
static bool is_event_name(const char *name, const char *provider)
{
	size_t len = strlen(provider);

	return name && strlen(name) < LTTNG_KERNEL_ABI_SYM_NAME_LEN &&
	       !strncmp(name, provider, len) && name[len] == '_' && name[len + 1];
}

/* LTTng copies field names into the metadata unchanged. */
static bool is_field_name(const char *name)
{
	if (!name || !*name)
		return false;
	while (isascii(*name) && (isalnum(*name) || *name == '_'))
		name++;
	return !*name;
}

static bool has_earlier(const struct lttng_mm_field_spec *field, unsigned int at)
{
	for (unsigned int i = 0; i < at; i++)
		if (!strcmp(field[i].name, field[at].name))
			return true;
	return false;
}

/*
 * Returns what is wrong with field AT of an event, or NULL. BITS is the size of the numbers before
 * the field. TEXT is true if a string or array precedes the field.
 */
static const char *field_flaw(const struct lttng_mm_field_spec *fields, unsigned int at,
			      unsigned int bits, bool text)
{
	const struct lttng_mm_field_spec *field = &fields[at];

	if (!is_field_name(field->name))
		return "a field's name is not made of letters, digits and underscores";
	if (has_earlier(fields, at))
		return "two fields have the same name";
	if (field->bytes > LTTNG_MM_ARRAY_BYTES || (field->bytes && field->bits))
		return "an array of more than 256 bytes, or of other elements";
	if (!field->bits)
		return field->labels ? "a string or an array with labels" : NULL;
	if (text)
		return "a number after a string or an array";
	if (field->bits > 64)
		return "a number of more than 64 bits";
	if (bits % 8 + field->bits > 64)
		return "a number that spans nine bytes";
	if (field->base != 10 && field->base != 16)
		return "the base of a number is neither 10 nor 16";
	return field->labels ? lttng_mm_enum_flaw(field->labels) : NULL;
}

/*
 * Returns what is wrong with an event, or NULL. One invalid field in the metadata makes the whole
 * trace unreadable.
 */
static const char *event_flaw(const struct lttng_mm_event_spec *spec, const char *provider)
{
	unsigned int bits = 0;
	bool text = false;

	if (!is_event_name(spec->name, provider))
		return "its name does not begin with the provider's and an underscore, or is too long";
	if (!spec->tracepoint || !spec->callback)
		return "it has no tracepoint or no callback";
	if (spec->field_count > LTTNG_MM_RECORD_FIELDS)
		return "it has too many fields";
	for (unsigned int i = 0; i < spec->field_count; i++) {
		const char *flaw = field_flaw(spec->field, i, bits, text);

		if (flaw)
			return flaw;
		text |= !spec->field[i].bits;
		bits += spec->field[i].bits;
	}
	if (bits % 8)
		return "its numeric fields do not end at a whole byte";
	return bits <= LTTNG_MM_RECORD_BYTES * 8 ? NULL : "its record is too large";
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * Refuses duplicate names. If two events have one name, LTTng enables the first and silently
 * ignores the second. Returns 0, -ENOMEM, or -EINVAL, which the kernel log explains.
 */
static int check_names(const struct lttng_mm_event_spec *events, unsigned int count)
{
	const char **names = kvmalloc_array(count, sizeof(*names), GFP_KERNEL);
	int ret = 0;

	if (!names)
		return count ? -ENOMEM : 0;
	for (unsigned int i = 0; i < count; i++)
		names[i] = events[i].name;
	sort(names, count, sizeof(*names), compare_names, NULL);
	for (unsigned int i = 1; i < count && !ret; i++) {
		if (strcmp(names[i - 1], names[i]))
			continue;
		pr_err("lttng-mm-lib: event %s refused: two events have this name\n", names[i]);
		ret = -EINVAL;
	}
	kvfree(names);
	return ret;
}

static int check_events(const struct lttng_mm_event_spec *events, unsigned int count,
			const char *provider)
{
	for (unsigned int i = 0; i < count; i++) {
		const char *flaw = event_flaw(&events[i], provider);

		if (!flaw)
			continue;
		pr_err("lttng-mm-lib: event %s refused: %s\n",
		       events[i].name ? events[i].name : "(unnamed)", flaw);
		return -EINVAL;
	}
	return check_names(events, count);
}

static void make_integer(struct lttng_kernel_type_integer *integer, unsigned int bits,
			 unsigned short alignment, bool is_signed, unsigned int base)
{
	integer->parent.type = lttng_kernel_type_integer;
	integer->size = bits;
	integer->alignment = alignment;
	integer->signedness = is_signed;
	integer->reverse_byte_order = __LITTLE_ENDIAN != __BYTE_ORDER;
	integer->base = base;
}

static void make_field(struct made_field *made, const struct lttng_mm_field_spec *spec,
		       const char *name)
{
	made->field.name = name;
	if (spec->bytes) {
		make_integer(&made->integer, 8, 8, false, 16);
		made->array.parent.type = lttng_kernel_type_array;
		made->array.elem_type = &made->integer.parent;
		made->array.length = spec->bytes;
		made->array.encoding = lttng_kernel_string_encoding_none;
		made->field.type = &made->array.parent;
		return;
	}
	if (!spec->bits) {
		made->string.parent.type = lttng_kernel_type_string;
		made->string.encoding = lttng_kernel_string_encoding_UTF8;
		made->field.type = &made->string.parent;
		return;
	}
	make_integer(&made->integer, spec->bits, 1, spec->is_signed, spec->base);
	made->field.type = &made->integer.parent;
	if (!spec->labels)
		return;
	made->labels.parent.type = lttng_kernel_type_enum;
	made->labels.desc = spec->labels;
	made->labels.container_type = &made->integer.parent;
	made->field.type = &made->labels.parent;
}

/*
 * Computes the places of the fields. Reading a number loads eight bytes. For a number near the end,
 * these are the last eight bytes of the numbers, so the load stays within the record unless the
 * record is shorter than eight bytes.
 */
static void make_places(struct lttng_mm_made_class *class, const struct lttng_mm_event_spec *spec)
{
	unsigned int bits = 0, last;

	for (unsigned int i = 0; i < spec->field_count; i++)
		bits += spec->field[i].bits;
	class->number_bytes = bits / 8;
	last = class->number_bytes > sizeof(u64) ? class->number_bytes - sizeof(u64) : 0;
	bits = 0;
	for (unsigned int i = 0; i < spec->field_count; i++) {
		const struct lttng_mm_field_spec *field = &spec->field[i];
		struct lttng_mm_place *place = &class->place[i];

		place->bytes = field->bytes;
		if (!field->bits)
			continue;
		class->numbers++;
		place->at = min(bits / 8, last);
		place->left = 64 - field->bits - (bits - 8 * place->at);
		place->right = 64 - field->bits;
		place->mask = field->is_signed ? ~0ULL : ~0ULL >> place->right;
		bits += field->bits;
	}
}

static void free_event(const struct lttng_kernel_event_desc *desc)
{
	struct made_event *event;

	if (!desc)
		return;
	event = container_of(desc, struct made_event, desc);
	for (unsigned int i = 0; i < event->made_class.class.nr_fields; i++)
		kfree(event->made[i].field.name);
	kfree(event->desc.event_name);
	kfree(event);
}

static const struct lttng_kernel_event_desc *make_event(struct lttng_mm_provider *provider,
							const struct lttng_mm_event_spec *spec)
{
	struct made_event *event = kzalloc(struct_size(event, made, spec->field_count), GFP_KERNEL);
	struct lttng_kernel_tracepoint_class *class;

	if (!event)
		return NULL;
	make_places(&event->made_class, spec);
	class = &event->made_class.class;
	class->probe_callback = spec->callback;
	class->fields = event->fields;
	class->probe_desc = &provider->desc;
	event->desc.event_name = kstrdup(spec->name, GFP_KERNEL);
	event->desc.event_kname = spec->tracepoint;
	event->desc.probe_desc = &provider->desc;
	event->desc.tp_class = class;
	event->desc.owner = provider->owner;
	for (unsigned int i = 0; i < spec->field_count && event->desc.event_name; i++) {
		const char *name = kstrdup(spec->field[i].name, GFP_KERNEL);

		if (!name)
			break;
		make_field(&event->made[i], &spec->field[i], name);
		event->fields[i] = &event->made[i].field;
		class->nr_fields++;
	}
	if (event->desc.event_name && class->nr_fields == spec->field_count)
		return &event->desc;
	free_event(&event->desc);
	return NULL;
}

static void free_provider(struct lttng_mm_provider *provider)
{
	for (unsigned int i = 0; i < provider->count; i++)
		free_event(provider->events[i]);
	kfree(provider->desc.provider_name);
	kvfree(provider);
}

int lttng_mm_provider_show(struct lttng_mm_provider *provider)
{
	int ret = lttng_kernel_probe_register(&provider->desc);

	provider->shown = !ret;
	return ret;
}
EXPORT_SYMBOL_GPL(lttng_mm_provider_show);

void lttng_mm_provider_hide(struct lttng_mm_provider *provider)
{
	if (provider->shown)
		lttng_kernel_probe_unregister(&provider->desc);
	provider->shown = false;
}
EXPORT_SYMBOL_GPL(lttng_mm_provider_hide);

struct lttng_mm_provider *lttng_mm_provider_create(const char *name, struct module *owner,
						   const struct lttng_mm_event_spec *events,
						   unsigned int count)
{
	struct lttng_mm_provider *provider;
	int ret = check_events(events, count, name);

	if (ret)
		return ERR_PTR(ret);
	provider = kvzalloc(struct_size(provider, events, count), GFP_KERNEL);
	if (!provider)
		return ERR_PTR(-ENOMEM);
	provider->owner = owner;
	provider->count = count;
	provider->desc.provider_name = kstrdup(name, GFP_KERNEL);
	provider->desc.event_desc = provider->events;
	provider->desc.nr_events = count;
	if (!provider->desc.provider_name)
		ret = -ENOMEM;
	for (unsigned int i = 0; i < count && !ret; i++) {
		provider->events[i] = make_event(provider, &events[i]);
		if (!provider->events[i])
			ret = -ENOMEM;
	}
	if (!ret)
		ret = lttng_mm_provider_show(provider);
	if (!ret)
		return provider;
	free_provider(provider);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(lttng_mm_provider_create);

void lttng_mm_provider_destroy(struct lttng_mm_provider *provider)
{
	if (IS_ERR_OR_NULL(provider))
		return;
	lttng_mm_provider_hide(provider);
	free_provider(provider);
}
EXPORT_SYMBOL_GPL(lttng_mm_provider_destroy);

const struct lttng_mm_made_class *lttng_mm_provider_class(const struct lttng_mm_provider *provider,
							  unsigned int index)
{
	return &container_of(provider->events[index], struct made_event, desc)->made_class;
}
EXPORT_SYMBOL_GPL(lttng_mm_provider_class);
