// SPDX-License-Identifier: GPL-2.0-only
/* Descriptions of the events of the provider "dax", and their callbacks for LTTng. */

#define LTTNG_MM_PROBE_HOOKS lttng_mm_dax_hooks
#include <probes/dax/dax.h>

static struct lttng_kernel_probe_desc lttng_mm_provider_dax;

/* clang-format off */
/* Labels of single bits. _last is the last bit of the field. */
#define lttng_mm_flags_enum(_name, _last, _entry)                             \
	lttng_mm_enum(_name, lttng_mm_provider_dax,                           \
		      lttng_kernel_static_enum_entry_value("NONE", 0ULL)      \
			      lttng_mm_bits_0_##_last(_entry))

lttng_mm_flags_enum(dax_vm_flags_43, 42, lttng_mm_vm_flag_entry);
lttng_mm_flags_enum(dax_vm_flags_63, 62, lttng_mm_vm_flag_entry);
lttng_mm_enum(dax_vm_flag_63, lttng_mm_provider_dax,
	      lttng_kernel_static_enum_entry_value("NONE", 0ULL)
		      lttng_kernel_static_enum_entry_value(lttng_mm_vm_flag_name(63), 1ULL));
lttng_mm_flags_enum(dax_fault_flags_13, 12, lttng_mm_fault_flag_entry);
lttng_mm_flags_enum(dax_fault_flags_32, 31, lttng_mm_fault_flag_entry);
lttng_mm_flags_enum(dax_fault_result_20, 19, lttng_mm_fault_result_entry);
lttng_mm_flags_enum(dax_fault_result_32, 31, lttng_mm_fault_result_entry);
lttng_mm_flags_enum(dax_iomap_request_16, 15, lttng_mm_iomap_request_entry);
lttng_mm_flags_enum(dax_iomap_request_32, 31, lttng_mm_iomap_request_entry);
lttng_mm_enum(dax_extent_type_8, lttng_mm_provider_dax,
	      lttng_mm_extent_type_entries((u64)U8_MAX));
lttng_mm_enum(dax_extent_type_16, lttng_mm_provider_dax,
	      lttng_mm_extent_type_entries((u64)U16_MAX));
lttng_mm_flags_enum(dax_extent_flags, 15, lttng_mm_iomap_flag_entry);

lttng_mm_dax_packed_events(lttng_mm_define_long)
lttng_mm_dax_wide_events(lttng_mm_define_wide)

static const struct lttng_kernel_event_desc *const dax_events[] = {
	lttng_mm_dax_packed_events(lttng_mm_list_packed)
	lttng_mm_dax_wide_events(lttng_mm_list_wide)
};

static bool events_fit(void)
{
	return lttng_mm_dax_packed_events(lttng_mm_fits_packed)
	       lttng_mm_dax_wide_events(lttng_mm_fits_wide) true;
}
/* clang-format on */

static struct lttng_kernel_probe_desc lttng_mm_provider_dax = {
	.provider_name = "dax",
	.event_desc = dax_events,
	.nr_events = ARRAY_SIZE(dax_events),
};

int lttng_mm_dax_events_init(void)
{
	if (!events_fit())
		return -EINVAL;
	return lttng_kernel_probe_register(&lttng_mm_provider_dax);
}

void lttng_mm_dax_events_exit(void)
{
	lttng_kernel_probe_unregister(&lttng_mm_provider_dax);
}
