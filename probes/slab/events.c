// SPDX-License-Identifier: GPL-2.0-only
/* Descriptions of the events of the providers "slab" and "page", and their callbacks for LTTng. */

#define LTTNG_MM_PROBE_HOOKS lttng_mm_slab_hooks
#include <probes/slab/events.h>

static struct lttng_kernel_probe_desc lttng_mm_provider_slab;
static struct lttng_kernel_probe_desc lttng_mm_provider_page;

/* clang-format off */
/* Labels of single bits. _last is the last bit of the field. */
#define lttng_mm_gfp_enum(_provider, _bits, _last)                                  \
	lttng_mm_enum(_provider##_gfp_flags_##_bits, lttng_mm_provider_##_provider, \
		      lttng_kernel_static_enum_entry_value("NONE", 0ULL)            \
			      lttng_mm_bits_0_##_last(lttng_mm_gfp_entry))

static_assert(LTTNG_MM_SLAB_GFP_BITS == 23 && LTTNG_MM_SLAB_PAGE_GFP_BITS == 29);
lttng_mm_gfp_enum(slab, 23, 22);
lttng_mm_gfp_enum(slab, 32, 31);
lttng_mm_gfp_enum(page, 29, 28);
lttng_mm_gfp_enum(page, 32, 31);
lttng_mm_enum(slab_size_class, lttng_mm_provider_slab, lttng_mm_size_class_entries);
lttng_mm_enum(slab_path, lttng_mm_provider_slab, lttng_mm_slab_path_entries);
lttng_mm_enum(page_migrate_type, lttng_mm_provider_page, lttng_mm_migrate_type_entries);

/* statedump.c implements the callbacks. */
#define lttng_mm_define_dump(_provider, _event) lttng_mm_define_statedump(, _provider, _event)

lttng_mm_slab_packed_events(lttng_mm_define_packed)
lttng_mm_slab_wide_events(lttng_mm_define_wide)
lttng_mm_slab_statedump_events(lttng_mm_define_dump)
lttng_mm_page_packed_events(lttng_mm_define_packed)
lttng_mm_page_wide_events(lttng_mm_define_wide)
lttng_mm_page_statedump_events(lttng_mm_define_dump)

static const struct lttng_kernel_event_desc *const slab_events[] = {
	lttng_mm_slab_packed_events(lttng_mm_list_packed)
	lttng_mm_slab_wide_events(lttng_mm_list_wide)
	lttng_mm_slab_statedump_events(lttng_mm_list_statedump)
};

static const struct lttng_kernel_event_desc *const page_events[] = {
	lttng_mm_page_packed_events(lttng_mm_list_packed)
	lttng_mm_page_wide_events(lttng_mm_list_wide)
	lttng_mm_page_statedump_events(lttng_mm_list_statedump)
};

static bool events_fit(void)
{
	return lttng_mm_slab_packed_events(lttng_mm_fits_packed)
	       lttng_mm_slab_wide_events(lttng_mm_fits_wide)
	       lttng_mm_slab_statedump_events(lttng_mm_fits_statedump)
	       lttng_mm_page_packed_events(lttng_mm_fits_packed)
	       lttng_mm_page_wide_events(lttng_mm_fits_wide)
	       lttng_mm_page_statedump_events(lttng_mm_fits_statedump) true;
}
/* clang-format on */

static struct lttng_kernel_probe_desc lttng_mm_provider_slab = {
	.provider_name = "slab",
	.event_desc = slab_events,
	.nr_events = ARRAY_SIZE(slab_events),
};

static struct lttng_kernel_probe_desc lttng_mm_provider_page = {
	.provider_name = "page",
	.event_desc = page_events,
	.nr_events = ARRAY_SIZE(page_events),
};

int lttng_mm_slab_events_init(void)
{
	int ret;

	if (!events_fit())
		return -EINVAL;
	ret = lttng_kernel_probe_register(&lttng_mm_provider_slab);
	if (ret)
		return ret;
	ret = lttng_kernel_probe_register(&lttng_mm_provider_page);
	if (ret)
		lttng_kernel_probe_unregister(&lttng_mm_provider_slab);
	return ret;
}

void lttng_mm_slab_events_exit(void)
{
	lttng_kernel_probe_unregister(&lttng_mm_provider_page);
	lttng_kernel_probe_unregister(&lttng_mm_provider_slab);
}
