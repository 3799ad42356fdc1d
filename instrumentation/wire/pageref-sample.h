/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Samples of pages. A page is in the sample if the hash of its number is below a threshold. The
 * probe and the programs that read its events include this file. It therefore includes no header.
 *
 * The hash depends only on the page number (address / 4096). After a fork, parent and child have
 * their shared pages at the same addresses, so a page is in the samples of both processes or of
 * none. A huge page has the hash of its first page of 4 KiB.
 */
#ifndef LTTNG_MM_WIRE_PAGEREF_SAMPLE_H
#define LTTNG_MM_WIRE_PAGEREF_SAMPLE_H

/* The threshold with which all pages are in the sample. */
#define LTTNG_MM_PAGEREF_SAMPLE_BITS 24
#define LTTNG_MM_PAGEREF_SAMPLE_ALL (1u << LTTNG_MM_PAGEREF_SAMPLE_BITS)

/*
 * Mixes the bits of a number: each bit of the result depends on all bits of the number. Source:
 * variant 4 of Stafford, "Better bit mixing", 2011.
 */
static inline unsigned long long lttng_mm_sample_mix(unsigned long long number)
{
	number = (number ^ number >> 31) * 0x7fb5d329728ea185ull;
	number = (number ^ number >> 27) * 0x81dadef4bc2dd44dull;
	return number ^ number >> 33;
}

/* Is the page with this number in the sample? */
static inline _Bool lttng_mm_sample_has(unsigned int threshold, unsigned long long page)
{
	return threshold >= LTTNG_MM_PAGEREF_SAMPLE_ALL ||
	       lttng_mm_sample_mix(page) >> (64 - LTTNG_MM_PAGEREF_SAMPLE_BITS) < threshold;
}

/*
 * May a range of pages in an event be a huge page? Such a range has 512 pages, and starts at a
 * multiple of 512. Either all of it is in the sample, or nothing. If the probe recorded a sample, a
 * range of small pages practically never has this form, because not all of 512 adjacent pages are
 * in the sample. If it recorded all pages, the range may also consist of small pages.
 */
static inline _Bool lttng_mm_sample_may_be_huge(unsigned long long first, unsigned long long count)
{
	return count == 512 && !(first % 512);
}

#endif /* LTTNG_MM_WIRE_PAGEREF_SAMPLE_H */
