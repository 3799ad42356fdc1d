// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of the providers "slab" and "page": their descriptions, and what LTTng calls for them.
 */

#include <linux/module.h>
#include <lttng/tracer.h>
#include <probes/slab/events.h>

static struct lttng_kernel_probe_desc mm_provider_slab;
static struct lttng_kernel_probe_desc mm_provider_page;

/* No label is past its field's last bit. */
#define mm_gfp_enum(_provider, _bits, _last)					\
	mm_enum(_provider##_gfp_flags_##_bits, mm_provider_##_provider,		\
		lttng_kernel_static_enum_entry_value("NONE", 0ULL) mm_bits_0_##_last(mm_gfp_entry))

mm_gfp_enum(slab, 23, 22);
mm_gfp_enum(slab, 32, 31);
mm_gfp_enum(page, 29, 28);
mm_gfp_enum(page, 32, 31);
mm_enum(slab_size_class, mm_provider_slab, mm_size_class_entries);
mm_enum(slab_path, mm_provider_slab, mm_slab_path_entries);
mm_enum(page_migrate_type, mm_provider_page, mm_migrate_type_entries);

#define mm_event_desc(_provider, _event, _kname, _callback)					\
	static const struct lttng_kernel_event_field *const fields_##_event[] = {		\
		mm_##_event##_fields								\
	};											\
	const struct lttng_kernel_tracepoint_class mm_class_##_event = {			\
		.probe_callback = (void *)_callback,						\
		.fields = fields_##_event,							\
		.nr_fields = ARRAY_SIZE(fields_##_event),					\
		.probe_desc = &mm_provider_##_provider,						\
	};											\
	static_assert(ARRAY_SIZE(fields_##_event) <= MM_RECORD_FIELDS);				\
	static const struct lttng_kernel_event_desc desc_##_event = {				\
		.event_name = #_event,								\
		.event_kname = _kname,								\
		.tp_class = &mm_class_##_event,							\
		.probe_desc = &mm_provider_##_provider,						\
		.owner = THIS_MODULE,								\
	};

#define mm_trace_hooked(_event, _hook, ...)							\
	static int want_##_event(void)								\
	{											\
		return mm_slab_hook_want(mm_hook_##_hook);					\
	}											\
	static void unwant_##_event(void)							\
	{											\
		mm_slab_hook_unwant(mm_hook_##_hook);						\
	}											\
	DEFINE_TRACE_FN(_event, want_##_event, unwant_##_event, TP_PROTO(__VA_ARGS__), TP_ARGS(rec));

#define mm_define_packed(_provider, _event, _bytes, _hook)					\
	static void probe_##_event(void *event, struct mm_packed *rec);				\
	mm_event_desc(_provider, _event, #_event, probe_##_event)				\
	static void probe_##_event(void *event, struct mm_packed *rec)				\
	{											\
		mm_record(event, &mm_class_##_event, rec, _bytes);				\
	}											\
	static_assert(_bytes <= sizeof_field(struct mm_packed, word));				\
	mm_trace_hooked(_event, _hook, struct mm_packed *rec)

#define mm_define_wide(_provider, _event, _hook)						\
	static void probe_##_event(void *event, const struct mm_##_event *rec);			\
	mm_event_desc(_provider, _event, #_event, probe_##_event)				\
	static void probe_##_event(void *event, const struct mm_##_event *rec)			\
	{											\
		mm_record_slow(event, &mm_class_##_event, rec, sizeof(*rec), NULL);		\
	}											\
	mm_trace_hooked(_event, _hook, const struct mm_##_event *rec)

#define mm_define_statedump(_provider, _event)							\
	mm_event_desc(_provider, _event, "lttng_statedump_end", mm_dump_##_event)

mm_slab_packed_events(mm_define_packed)
mm_slab_wide_events(mm_define_wide)
mm_slab_statedump_events(mm_define_statedump)
mm_page_packed_events(mm_define_packed)
mm_page_wide_events(mm_define_wide)
mm_page_statedump_events(mm_define_statedump)

#define mm_list_packed(_provider, _event, _bytes, _hook)	&desc_##_event,
#define mm_list_wide(_provider, _event, _hook)			&desc_##_event,
#define mm_list_statedump(_provider, _event)			&desc_##_event,

static const struct lttng_kernel_event_desc *const slab_events[] = {
	mm_slab_packed_events(mm_list_packed)
	mm_slab_wide_events(mm_list_wide)
	mm_slab_statedump_events(mm_list_statedump)
};

static const struct lttng_kernel_event_desc *const page_events[] = {
	mm_page_packed_events(mm_list_packed)
	mm_page_wide_events(mm_list_wide)
	mm_page_statedump_events(mm_list_statedump)
};

static struct lttng_kernel_probe_desc mm_provider_slab = {
	.provider_name = "slab",
	.event_desc = slab_events,
	.nr_events = ARRAY_SIZE(slab_events),
};

static struct lttng_kernel_probe_desc mm_provider_page = {
	.provider_name = "page",
	.event_desc = page_events,
	.nr_events = ARRAY_SIZE(page_events),
};

/* Every bit of every field lies within the record, and the record has no bit without a field. */
static bool event_fits(const struct lttng_kernel_tracepoint_class *class, size_t bytes)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < class->nr_fields; i++) {
		const struct lttng_kernel_type_common *type = class->fields[i]->type;

		if (type->type == lttng_kernel_type_string)
			continue;
		if (type->type == lttng_kernel_type_enum)
			type = container_of(type, struct lttng_kernel_type_enum, parent)->container_type;
		bits += container_of(type, struct lttng_kernel_type_integer, parent)->size;
	}
	if (bits == bytes * 8)
		return true;
	pr_err("lttng-probe-slab: fields of %u bits in a record of %zu bytes\n", bits, bytes);
	return false;
}

#define mm_fits_packed(_provider, _event, _bytes, _hook)	event_fits(&mm_class_##_event, _bytes) &&
#define mm_fits_wide(_provider, _event, _hook)		\
	event_fits(&mm_class_##_event, sizeof(struct mm_##_event)) &&
#define mm_fits_statedump(_provider, _event)		\
	event_fits(&mm_class_##_event, sizeof(struct mm_##_event)) &&

int mm_slab_events_init(void)
{
	int ret;

	if (!(mm_slab_packed_events(mm_fits_packed)
	      mm_slab_wide_events(mm_fits_wide)
	      mm_slab_statedump_events(mm_fits_statedump)
	      mm_page_packed_events(mm_fits_packed)
	      mm_page_wide_events(mm_fits_wide)
	      mm_page_statedump_events(mm_fits_statedump) true))
		return -EINVAL;
	ret = lttng_kernel_probe_register(&mm_provider_slab);
	if (ret)
		return ret;
	ret = lttng_kernel_probe_register(&mm_provider_page);
	if (ret)
		lttng_kernel_probe_unregister(&mm_provider_slab);
	return ret;
}

void mm_slab_events_exit(void)
{
	lttng_kernel_probe_unregister(&mm_provider_page);
	lttng_kernel_probe_unregister(&mm_provider_slab);
}
