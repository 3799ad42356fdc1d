// SPDX-License-Identifier: LGPL-2.1-only
/* Masks kernel addresses in texts. */
#include "lttng-session/daemon/triggers/watch/mask.h"

#include <string.h>

#define MASK "***"
/*
 * Minimum number of digits of an address. Eight hexadecimal digits are the low 32 bits of a kernel
 * address. They reveal the whole address, because its high bits are known.
 */
#define DIGITS_MIN 8
/* Maximum number of digits of a quantity. A longer decimal number may be an address. */
#define QUANTITY_MAX 12
/* Minimum length of a hex dump: bytes (two digits each) or words (four digits each). */
#define BYTES_MIN 4
#define WORDS_MIN 3

struct masked_text {
	const char *text;
	size_t length;
};

static bool is_decimal(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t count_digits(const struct masked_text *input, size_t at)
{
	size_t count = 0;

	while (at + count < input->length && is_hex(input->text[at + count]))
		count++;
	return count;
}

static bool has(const struct masked_text *input, size_t at, const char *word)
{
	const size_t length = strlen(word);

	return at + length <= input->length && !memcmp(input->text + at, word, length);
}

/* Are the @count digits at @at a decimal quantity with a unit of bytes, as in 12345678kB? */
static bool is_quantity(const struct masked_text *input, size_t at, size_t count)
{
	static const char *const units[] = { "kB", "KB", "KiB", "MB", "MiB", "GB", "GiB" };
	bool has_unit = false;

	/* A number after 0x is hexadecimal. */
	if (count > QUANTITY_MAX || (at && strchr("xX", input->text[at - 1])))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_decimal(input->text[at + i]))
			return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		has_unit |= has(input, at + count, units[i]);
	return has_unit;
}

/*
 * Returns the length of the hex dump at @at whose numbers have @width digits, or 0 if there is
 * none. All separators of a dump are equal, unlike those in the date 2026-11-28 12:34:56.
 */
static size_t measure_dump(const struct masked_text *input, size_t at, size_t width)
{
	size_t end = at + width, count = 1;

	if (width != 2 && width != 4)
		return 0;
	while (end + 1 < input->length && input->text[end] &&
	       strchr(" :-.,|\t", input->text[end]) &&
	       input->text[end] == input->text[at + width] &&
	       count_digits(input, end + 1) == width) {
		end += 1 + width;
		count++;
	}
	return count >= (width == 2 ? BYTES_MIN : WORDS_MIN) ? end - at : 0;
}

/* Returns how many bytes to mask: the number at @at, or the dump that it starts; 0: none. */
static size_t measure(const struct masked_text *input, size_t at, size_t count, bool truncated)
{
	if (count >= DIGITS_MIN && !is_quantity(input, at, count))
		return count;
	if (truncated && at + count == input->length)
		return count;
	return measure_dump(input, at, count);
}

/* Does a dump of instructions start here? Instructions contain addresses. */
static bool is_code(const struct masked_text *input, size_t at)
{
	return has(input, at, "Code: ") && at + 6 < input->length &&
	       (is_hex(input->text[at + 6]) || strchr("<(", input->text[at + 6]));
}

size_t mask_addresses(char *text, size_t length, bool truncated)
{
	const struct masked_text input = { text, length };
	size_t at = 0, to = 0;

	/* A mask is never longer than the text that it replaces, so @to does not overtake @at. */
	while (at < length) {
		size_t count = count_digits(&input, at), masked = 0;
		bool code = is_code(&input, at);

		if (code) {
			memmove(text + to, text + at, 6);
			to += 6;
			at += 6;
			masked = length - at;
		} else if (count) {
			masked = measure(&input, at, count, truncated);
		}
		if (masked) {
			const size_t size = masked < strlen(MASK) ? masked : strlen(MASK);

			memcpy(text + to, MASK, size);
			to += size;
			at += masked;
			continue;
		}
		/*
		 * Copy the whole number, so that its last digits are not examined as another
		 * number.
		 */
		count = count ? count : 1;
		memmove(text + to, text + at, count);
		to += count;
		at += count;
	}
	return to;
}
