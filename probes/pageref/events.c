// SPDX-License-Identifier: GPL-2.0-only
/* Descriptions of the events of the provider "pageref", and their callbacks for LTTng. */

#define LTTNG_MM_PROBE_HOOKS pageref_hooks
#include <probes/pageref/pageref.h>

static struct lttng_kernel_probe_desc lttng_mm_provider_pageref;

/* clang-format off */
static_assert(LTTNG_MM_PAGEREF_KIND_BITS == 3);
lttng_mm_enum(pageref_kind_3, lttng_mm_provider_pageref, lttng_mm_pageref_kind_entries);
lttng_mm_enum(pageref_kind_8, lttng_mm_provider_pageref, lttng_mm_pageref_kind_entries);
lttng_mm_enum(pageref_cause, lttng_mm_provider_pageref, lttng_mm_pageref_cause_entries);
lttng_mm_enum(pageref_reason, lttng_mm_provider_pageref, lttng_mm_pageref_reason_entries);

/* statedump.c implements the callbacks. */
#define lttng_mm_define_dump(_provider, _event) lttng_mm_define_statedump(, _provider, _event)

lttng_mm_pageref_packed_events(lttng_mm_define_long)
lttng_mm_pageref_wide_events(lttng_mm_define_wide)
lttng_mm_pageref_text_events(lttng_mm_define_text)
lttng_mm_pageref_statedump_events(lttng_mm_define_dump)

static const struct lttng_kernel_event_desc *const pageref_events[] = {
	lttng_mm_pageref_packed_events(lttng_mm_list_packed)
	lttng_mm_pageref_wide_events(lttng_mm_list_wide)
	lttng_mm_pageref_text_events(lttng_mm_list_text)
	lttng_mm_pageref_statedump_events(lttng_mm_list_statedump)
};

static bool events_fit(void)
{
	return lttng_mm_pageref_packed_events(lttng_mm_fits_packed)
	       lttng_mm_pageref_wide_events(lttng_mm_fits_wide)
	       lttng_mm_pageref_text_events(lttng_mm_fits_text)
	       lttng_mm_pageref_statedump_events(lttng_mm_fits_statedump) true;
}
/* clang-format on */

static struct lttng_kernel_probe_desc lttng_mm_provider_pageref = {
	.provider_name = "pageref",
	.event_desc = pageref_events,
	.nr_events = ARRAY_SIZE(pageref_events),
};

int pageref_events_init(void)
{
	if (!events_fit())
		return -EINVAL;
	return lttng_kernel_probe_register(&lttng_mm_provider_pageref);
}

void pageref_events_exit(void)
{
	lttng_kernel_probe_unregister(&lttng_mm_provider_pageref);
}
