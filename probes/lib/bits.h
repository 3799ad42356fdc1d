/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads fields of a record: numbers of any width at any bit of little-endian bytes. Reads whole
 * words, but never past the end of the record.
 */
#ifndef LTTNG_MM_PROBES_LIB_BITS_H
#define LTTNG_MM_PROBES_LIB_BITS_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

static inline u64 lttng_mm_load_le64(const u8 *bytes)
{
	__le64 word;

	memcpy(&word, bytes, sizeof(word));
	return le64_to_cpu(word);
}

/*
 * Returns eight little-endian bytes from byte AT. Bytes at LEN and beyond are not read, and count
 * as 0.
 */
static inline u64 lttng_mm_load_word(const u8 *bytes, size_t at, size_t len)
{
	u64 word = 0;

	if (likely(at + sizeof(word) <= len))
		return lttng_mm_load_le64(bytes + at);
	if (len >= sizeof(word))
		return lttng_mm_load_le64(bytes + len - sizeof(word)) >>
		       8 * (at + sizeof(word) - len);
	while (len > at)
		word = word << 8 | bytes[--len];
	return word;
}

/*
 * Returns BITS bits (1 to 64) from bit AT of LEN little-endian bytes, which must contain all of
 * them. Extends the sign of a signed number.
 */
static inline u64 lttng_mm_read_bits(const u8 *bytes, size_t len, unsigned int at,
				     unsigned int bits, bool is_signed)
{
	unsigned int shift = at % 8;
	u64 value = lttng_mm_load_word(bytes, at / 8, len) >> shift;

	/* A field of more than 57 bits may extend into a ninth byte. */
	if (unlikely(shift + bits > 64))
		value |= (u64)bytes[at / 8 + sizeof(value)] << (64 - shift);
	value <<= 64 - bits;
	return is_signed ? (u64)((s64)value >> (64 - bits)) : value >> (64 - bits);
}

#endif /* LTTNG_MM_PROBES_LIB_BITS_H */
