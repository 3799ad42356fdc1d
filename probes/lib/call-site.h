/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call-site numbers: kernel code addresses as 32-bit numbers. In the kernel's text, the number is
 * the offset from _stext. Each module has a range of higher numbers. 0 is anything else, such as
 * generated code and the kernel's init text. All probes share one numbering, and the provider
 * "callsite" dumps it.
 */
#ifndef LTTNG_MM_PROBES_LIB_CALL_SITE_H
#define LTTNG_MM_PROBES_LIB_CALL_SITE_H

#include <linux/compiler.h>
#include <linux/types.h>

extern unsigned long lttng_mm_text_start, lttng_mm_text_size;
u32 lttng_mm_call_site_of_module(unsigned long address);

/*
 * Returns the call-site number of a code address. Context: preemption off. Takes no lock. The loop
 * is logarithmic in the number of modules.
 */
static __always_inline u32 lttng_mm_call_site(unsigned long address)
{
	unsigned long offset = address - lttng_mm_text_start;

	return likely(offset < lttng_mm_text_size) ? (u32)offset
						   : lttng_mm_call_site_of_module(address);
}

/* The following declarations are private to the library. */

/* Text of the kernel, or of a module that is or was loaded. */
struct lttng_mm_code_range {
	const char *name;
	u32 start; /* call-site number of the first byte */
	u32 size;
	bool alive;
};
/* Reads range INDEX. Context: preemption off. Returns false after the last range. */
bool lttng_mm_code_range(unsigned int index, struct lttng_mm_code_range *range);

int lttng_mm_call_sites_init(void);
void lttng_mm_call_sites_exit(void);

int lttng_mm_callsite_events_init(void);
void lttng_mm_callsite_events_exit(void);

#endif /* LTTNG_MM_PROBES_LIB_CALL_SITE_H */
