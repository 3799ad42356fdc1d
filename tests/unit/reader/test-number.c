// SPDX-License-Identifier: LGPL-2.1-only
/* Compares formatted numbers with the output of the C library. */
#include <inttypes.h>
#include <stdlib.h>

#include "reader/print/number.h"
#include "tests/tap.h"

#define RANDOM_NUMBERS 200000

static unsigned int wrong;

static void compare(const char *form, const char *text, const char *end, const char *expected)
{
	size_t length = strlen(expected);

	if ((size_t)(end - text) == length && !memcmp(text, expected, length))
		return;
	if (!wrong++)
		printf("# %s: '%.*s' instead of '%s'\n", form, (int)(end - text), text, expected);
}

static void check(uint64_t value)
{
	char text[MM_NUMBER_ROOM], expected[MM_NUMBER_ROOM];
	unsigned int bits = (unsigned int)(value >> 58) + 1;

	snprintf(expected, sizeof(expected), "%" PRIu64, value);
	compare("unsigned", text, mm_put_unsigned(text, value), expected);
	wrong += mm_count_digits(value) != strlen(expected);
	snprintf(expected, sizeof(expected), "%" PRId64, (int64_t)value);
	compare("signed", text, mm_put_signed(text, (int64_t)value), expected);
	snprintf(expected, sizeof(expected), "%" PRIX64, value);
	compare("upper hexadecimal", text, mm_put_hex(text, value, 'A'), expected);
	snprintf(expected, sizeof(expected), "%" PRIx64, value);
	compare("lower hexadecimal", text, mm_put_hex(text, value, 'a'), expected);
	snprintf(expected, sizeof(expected), "%" PRIo64, value);
	compare("octal", text, mm_put_octal(text, value), expected);
	snprintf(expected, sizeof(expected), "%09" PRIu64, value % 1000000000);
	compare("nine digits", text, mm_put_9_digits(text, (uint32_t)(value % 1000000000)),
		expected);
	snprintf(expected, sizeof(expected), "%020" PRIu64, value);
	compare("padded", text, mm_put_padded(text, value, 20), expected);
	for (unsigned int i = 0; i < bits; i++)
		expected[i] = value >> (bits - 1 - i) & 1 ? '1' : '0';
	expected[bits] = '\0';
	compare("binary", text, mm_put_binary(text, value, bits), expected);
}

int main(void)
{
	uint64_t power = 1;

	check(0);
	for (unsigned int i = 0; i < 64; i++) {
		check(UINT64_MAX >> i);
		check(UINT64_C(1) << i);
	}
	tap(!wrong, "powers of two and the numbers below them");
	for (wrong = 0; power; power = power <= UINT64_MAX / 10 ? power * 10 : 0) {
		check(power);
		check(power - 1);
		check(power + 1);
	}
	tap(!wrong, "powers of ten and their neighbours");
	srandom(1);
	wrong = 0;
	for (unsigned int i = 0; i < RANDOM_NUMBERS; i++)
		check(((uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random()) >>
		      (random() & 63));
	tap(!wrong, "%d numbers of all lengths", RANDOM_NUMBERS);
	return tap_status();
}
