/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packing values into a record's words, bits low to high, without padding.
 *
 * Every width is a constant, so that the compiler knows each value's place: what is left are
 * shifts, and one store for each word.
 */
#ifndef LTTNG_MM_PROBES_LIB_PACK_H
#define LTTNG_MM_PROBES_LIB_PACK_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/byteorder.h>

struct lttng_mm_pack {
	__le64 *word;	 /* the record's first */
	u64 bits;	 /* of the word that is not full yet */
	unsigned int at; /* bits packed so far */
	bool over;	 /* a value did not fit */
};

#define LTTNG_MM_PACK_INTO(_rec) \
	((struct lttng_mm_pack){ .word = (_rec)->word, .bits = 0, .at = 0, .over = false })

/* The next BITS bits; VALUE has no others. */
static __always_inline void lttng_mm_pack(struct lttng_mm_pack *pack, u64 value, unsigned int bits)
{
	unsigned int shift = pack->at % 64;

	pack->bits |= value << shift;
	if (shift + bits >= 64) {
		pack->word[pack->at / 64] = cpu_to_le64(pack->bits);
		pack->bits = shift + bits > 64 ? value >> (64 - shift) : 0;
	}
	pack->at += bits;
}

/*
 * The same of any value: one that does not fit is all ones, and noted. All ones itself does not
 * fit, so that it has no other meaning.
 */
static __always_inline void lttng_mm_pack_or_ones(struct lttng_mm_pack *pack, u64 value,
						  unsigned int bits)
{
	const u64 ones = (1ULL << bits) - 1;

	if (unlikely(value >= ones)) {
		value = ones;
		pack->over = true;
	}
	lttng_mm_pack(pack, value, bits);
}

/* The last word. Returns whether every value fitted. */
static __always_inline bool lttng_mm_pack_end(struct lttng_mm_pack *pack)
{
	if (pack->at % 64)
		pack->word[pack->at / 64] = cpu_to_le64(pack->bits);
	return !pack->over;
}

#endif /* LTTNG_MM_PROBES_LIB_PACK_H */
