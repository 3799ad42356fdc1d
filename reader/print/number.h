/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fast conversion of numbers to digits. */
#ifndef LTTNG_MM_PRINT_NUMBER_H
#define LTTNG_MM_PRINT_NUMBER_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/*
 * All functions write to @out and return the end of the text, which is not terminated. Some
 * functions also write beyond this end, so @out must have MM_NUMBER_ROOM bytes.
 */
#define MM_NUMBER_ROOM 72

static inline unsigned int mm_count_digits(uint64_t value)
{
	static const uint64_t powers[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	/* 1233 / 4096 approximates log10(2). This is exact enough for 64 bits. */
	unsigned int below = (unsigned int)(64 - __builtin_clzll(value | 1)) * 1233 >> 12;

	return below + 1 - (value < powers[below]);
}

/*
 * Returns the eight decimal digits of @value (below 100,000,000) as bytes. The first digit is in
 * the lowest byte.
 */
static inline uint64_t mm_decimal_bytes(uint32_t value)
{
	/*
	 * Splits @value into two halves of four digits, then into pairs, then into digits. 10486 /
	 * 2^20 approximates 1 / 100, and 103 / 2^10 approximates 1 / 10.
	 */
	uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
	uint64_t hundreds = halves * 10486 >> 20 & 0x0000007f0000007f;
	uint64_t pairs = hundreds + ((halves - hundreds * 100) << 16);
	uint64_t tens = pairs * 103 >> 10 & 0x000f000f000f000f;

	return tens + ((pairs - tens * 10) << 8);
}

static inline char *mm_put_8_digits(char *out, uint32_t value)
{
	uint64_t bytes = htole64(mm_decimal_bytes(value) | 0x3030303030303030);

	memcpy(out, &bytes, sizeof(bytes));
	return out + 8;
}

/* Writes the last @digits digits of @value, with leading zeros. */
static inline char *mm_put_padded(char *out, uint64_t value, unsigned int digits)
{
	for (unsigned int i = digits; i; i--, value /= 10)
		out[i - 1] = (char)('0' + value % 10);
	return out + digits;
}

/* Writes a value below 1,000,000,000 with nine digits. */
static inline char *mm_put_9_digits(char *out, uint32_t value)
{
	uint32_t first = value / 100000000;

	*out = (char)('0' + first);
	return mm_put_8_digits(out + 1, value - first * 100000000);
}

/*
 * Writes a value below 100,000,000. To be fast, has no branch that depends on the number of digits.
 */
static inline char *mm_put_small(char *out, uint32_t value)
{
	uint64_t bytes = mm_decimal_bytes(value);
	unsigned int zeros = (unsigned int)__builtin_ctzll(bytes | UINT64_C(1) << 56) & ~7u;

	bytes = htole64((bytes | 0x3030303030303030) >> zeros);
	memcpy(out, &bytes, sizeof(bytes));
	return out + 8 - zeros / 8;
}

/* Writes a value below 10,000. */
static inline char *mm_put_tiny(char *out, uint32_t value)
{
	uint32_t hundreds = value * 5243 >> 19;
	uint32_t pairs = hundreds + ((value - hundreds * 100) << 16);
	uint32_t tens = pairs * 103 >> 10 & 0x000f000f;
	uint32_t bytes = tens + ((pairs - tens * 10) << 8);
	unsigned int zeros = (unsigned int)__builtin_ctz(bytes | UINT32_C(1) << 24) & ~7u;

	bytes = htole32((bytes | 0x30303030) >> zeros);
	memcpy(out, &bytes, sizeof(bytes));
	return out + 4 - zeros / 8;
}

static inline char *mm_put_unsigned(char *out, uint64_t value)
{
	uint64_t rest;

	if (value < 10000)
		return mm_put_tiny(out, (uint32_t)value);
	if (value < 100000000)
		return mm_put_small(out, (uint32_t)value);
	rest = value / 100000000;
	if (rest < 100000000) {
		out = mm_put_small(out, (uint32_t)rest);
	} else {
		out = mm_put_small(out, (uint32_t)(rest / 100000000));
		out = mm_put_8_digits(out, (uint32_t)(rest % 100000000));
	}
	return mm_put_8_digits(out, (uint32_t)(value % 100000000));
}

static inline char *mm_put_signed(char *out, int64_t value)
{
	if (value >= 0)
		return mm_put_unsigned(out, (uint64_t)value);
	*out = '-';
	return mm_put_unsigned(out + 1, -(uint64_t)value);
}

/*
 * Returns the eight hexadecimal digits of @value as bytes. The first digit is in the lowest byte.
 */
static inline uint64_t mm_hex_bytes(uint32_t value, unsigned int letter)
{
	uint64_t x = __builtin_bswap32(value), tens;

	/*
	 * Spread the value: first to one byte per 16 bits, then to one nibble per byte, upper
	 * nibble first.
	 */
	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x >> 4 | x << 8) & 0x0f0f0f0f0f0f0f0f;
	tens = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return htole64(x + 0x3030303030303030 + tens * (letter - '0' - 10));
}

/* Writes a hexadecimal number without a prefix; @letter is 'a' or 'A'. */
static inline char *mm_put_hex(char *out, uint64_t value, unsigned int letter)
{
	unsigned int digits = (67 - (unsigned int)__builtin_clzll(value | 1)) / 4;
	uint64_t bytes;

	value <<= 64 - digits * 4;
	bytes = mm_hex_bytes((uint32_t)(value >> 32), letter);
	memcpy(out, &bytes, sizeof(bytes));
	bytes = mm_hex_bytes((uint32_t)value, letter);
	memcpy(out + 8, &bytes, sizeof(bytes));
	return out + digits;
}

static inline char *mm_put_octal(char *out, uint64_t value)
{
	unsigned int digits = (66 - (unsigned int)__builtin_clzll(value | 1)) / 3;

	for (unsigned int i = digits; i; i--, value >>= 3)
		out[i - 1] = (char)('0' + (value & 7));
	return out + digits;
}

static inline char *mm_put_binary(char *out, uint64_t value, unsigned int digits)
{
	for (unsigned int i = digits; i; i--, value >>= 1)
		out[i - 1] = (char)('0' + (value & 1));
	return out + digits;
}

#endif /* LTTNG_MM_PRINT_NUMBER_H */
