/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packs values into a record's words, from low to high bits, without padding.
 *
 * All widths are constants, so the compiler knows each value's place. The generated code only
 * shifts, and stores each word once.
 */
#ifndef LTTNG_MM_PROBES_LIB_PACK_H
#define LTTNG_MM_PROBES_LIB_PACK_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/byteorder.h>

struct lttng_mm_pack {
	__le64 *word;	 /* the record's words */
	u64 bits;	 /* the current, incomplete word */
	unsigned int at; /* bits packed so far */
	bool over;
};

#define LTTNG_MM_PACK_INTO(_rec) \
	((struct lttng_mm_pack){ .word = (_rec)->word, .bits = 0, .at = 0, .over = false })

/* Packs the next BITS bits. VALUE must fit. */
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
 * Packs the next BITS bits of any value. If a value does not fit, records all ones and sets @over.
 * A value of all ones counts as too large, so a field of all ones has only one meaning.
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

/* Stores the last word. Returns true if every value fitted. */
static __always_inline bool lttng_mm_pack_end(struct lttng_mm_pack *pack)
{
	if (pack->at % 64)
		pack->word[pack->at / 64] = cpu_to_le64(pack->bits);
	return !pack->over;
}

#endif /* LTTNG_MM_PROBES_LIB_PACK_H */
