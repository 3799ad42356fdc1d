// SPDX-License-Identifier: LGPL-2.1-only
/* Fills in errors. Shortens messages that are too long. */

#include "util/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"

/* Replaces the middle of a part that is too long. */
#define GAP "[...]"
/* Minimum length of a shortened part, so that a path remains recognizable. */
#define PART_MIN 48
/* Minimum length of a shortened last part, which states the remedy. */
#define REMEDY_MIN 256

/* Returns the end of the message part at @from: the next separator or the end of the text. */
static const char *part_end(const char *from)
{
	const char *end = from;

	for (; *end; end++)
		if (*end == '`' || ((*end == ':' || *end == ';') && end[1] == ' '))
			break;
	return end;
}

/*
 * Returns the length of the longest prefix of @part that ends after a `/` or a blank and is longer
 * than half of @length. Returns @length if there is none.
 */
static size_t whole_start(const char *part, size_t length)
{
	for (size_t kept = length; kept > length / 2; kept--)
		if (part[kept - 1] == '/' || part[kept - 1] == ' ')
			return kept;
	return length;
}

static const char *whole_end(const char *from, const char *end)
{
	size_t length = (size_t)(end - from);

	for (const char *at = from; at < from + length / 2; at++)
		if (*at == '/' || *at == ' ')
			return at;
	return from;
}

/* Appends the start of a part, escaped, in at most @size - 1 bytes. */
static char *append_start(char *to, size_t size, const char *part, size_t length)
{
	length = length < size ? length : size - 1;
	length = whole_start(part, length);
	/*
	 * Do not split UTF-8 characters. Escaping may lengthen the text, so check the escaped
	 * length.
	 */
	while (length &&
	       ((part[length] & 0xc0) == 0x80 || mm_escape_message(to, size, part, length) >= size))
		length--;
	return to + mm_escape_message(to, size, part, length);
}

/* Appends the end of a part, escaped, in at most @size - 1 bytes. */
static char *append_end(char *to, size_t size, const char *part, size_t length)
{
	const char *end = part + length;
	const char *from = length < size ? part : end - size + 1;

	from = whole_end(from, end);
	while (from < end && ((*from & 0xc0) == 0x80 ||
			      mm_escape_message(to, size, from, (size_t)(end - from)) >= size))
		from++;
	return to + mm_escape_message(to, size, from, (size_t)(end - from));
}

/*
 * Writes @raw, and shortens parts that are longer than @most bytes by replacing their middle with
 * GAP. Returns true if the result fits.
 */
static bool write_parts(char *text, size_t size, const char *raw, size_t most)
{
	char *to = text, *stop = text + size;

	while (*raw) {
		const char *end = part_end(raw);
		size_t length = (size_t)(end - raw);
		size_t whole = mm_escape_message(NULL, 0, raw, length);
		size_t limit = *end || most > REMEDY_MIN ? most : REMEDY_MIN;
		size_t half = (limit - strlen(GAP)) / 2;

		if ((size_t)(stop - to) <= (whole < limit ? whole : limit) + 1)
			return false;
		if (whole <= limit) {
			to += mm_escape_message(to, (size_t)(stop - to), raw, length);
		} else {
			to = append_start(to, half + 1, raw, length);
			to = stpcpy(to, GAP);
			to = append_end(to, half + 1, raw, length);
		}
		if (*end)
			*to++ = *end++;
		raw = end;
	}
	*to = '\0';
	return true;
}

/*
 * Finds the largest length of parts at which the message fits, by bisection. Returns false if the
 * message does not fit at any length.
 */
static bool shorten(char *text, size_t size, const char *raw)
{
	size_t low = PART_MIN, high = size;

	if (!write_parts(text, size, raw, low))
		return false;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (write_parts(text, size, raw, middle))
			low = middle;
		else
			high = middle;
	}
	return write_parts(text, size, raw, low);
}

int mm_error_vset(struct mm_error *err, int code, const char *fmt, va_list args)
{
	const size_t size = sizeof(err->message), half = size / 2;
	char *raw, *to;

	if (!err || err->code != MM_EXIT_OK)
		return -1;
	err->code = code;
	if (vasprintf(&raw, fmt, args) < 0) {
		strcpy(err->message, "out of memory");
		return -1;
	}
	/*
	 * Untrusted names may contain many separators, so a message may have many parts. If the
	 * message does not fit even with parts of PART_MIN bytes, remove its middle.
	 */
	if (mm_escape_message(err->message, size, raw, strlen(raw)) >= size &&
	    !shorten(err->message, size, raw)) {
		to = append_start(err->message, half, raw, strlen(raw));
		to = stpcpy(to, GAP);
		append_end(to, size - (size_t)(to - err->message), raw, strlen(raw));
	}
	free(raw);
	return -1;
}

int mm_error_set(struct mm_error *err, int code, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = mm_error_vset(err, code, fmt, args);
	va_end(args);
	return ret;
}

void mm_error_clear(struct mm_error *err)
{
	err->code = MM_EXIT_OK;
	err->message[0] = '\0';
}
