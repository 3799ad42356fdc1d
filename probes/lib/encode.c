// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encodes a kernel pointer as a region and an offset in it (instrumentation/wire/pointer.h).
 *
 * An address outside all regions, such as a module's data, becomes a keyed hash. The module chooses
 * a random key when it is loaded.
 */

#include <linux/err.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <wrapper/kallsyms.h>
#include <probes/lib/call-site.h>
#include <probes/lib/encode.h>

static unsigned long image_start, image_size;
static siphash_key_t key __read_mostly;

static u64 in_region(enum lttng_mm_pointer_region region, u64 value)
{
	return (u64)region << LTTNG_MM_POINTER_SHIFT | value;
}

u64 lttng_mm_encode_other(u64 pointer)
{
	const u64 mask = (1ULL << LTTNG_MM_POINTER_SHIFT) - 1;
	u32 site;

	if (pointer <= mask || pointer >= (u64)-MAX_ERRNO)
		return pointer;
	if (lttng_mm_in_vmalloc(pointer))
		return in_region(LTTNG_MM_POINTER_VMALLOC, pointer - lttng_mm_vmalloc_start());
	if (lttng_mm_in_pages(pointer)) {
		u64 offset = pointer - lttng_mm_pages_start();

		return in_region(LTTNG_MM_POINTER_PAGE,
				 offset / sizeof(struct page) |
					 offset % sizeof(struct page) << LTTNG_MM_POINTER_PFN_BITS);
	}
	site = lttng_mm_call_site(pointer);
	if (site)
		return in_region(LTTNG_MM_POINTER_CODE, site);
	if (pointer - image_start < image_size)
		return in_region(LTTNG_MM_POINTER_IMAGE, pointer - image_start);
	return in_region(LTTNG_MM_POINTER_OTHER, siphash_1u64(pointer, &key) & mask);
}
EXPORT_SYMBOL_GPL(lttng_mm_encode_other);

bool lttng_mm_is_kernel_address(u64 number)
{
	if (likely((s64)number >= 0) || number >= (u64)-MAX_ERRNO)
		return false;
	return lttng_mm_is_direct((const void *)(unsigned long)number) ||
	       lttng_mm_in_vmalloc(number) || lttng_mm_in_pages(number) ||
	       number - image_start < image_size || lttng_mm_in_modules(number);
}
EXPORT_SYMBOL_GPL(lttng_mm_is_kernel_address);

int lttng_mm_encode_init(void)
{
	unsigned long end = wrapper_kallsyms_lookup_name("_end");

	image_start = wrapper_kallsyms_lookup_name("_text");
	if (!image_start || end <= image_start) {
		pr_err("lttng-mm-lib: not loaded: kallsyms has no valid _text and _end\n");
		return -ENOENT;
	}
	image_size = end - image_start;
	get_random_bytes(&key, sizeof(key));
	return 0;
}
