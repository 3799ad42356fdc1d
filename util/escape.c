// SPDX-License-Identifier: LGPL-2.1-only
/* Escapes strings that come from traces, processes and file systems. */

#include "util/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT 0xfffd

struct escape_buffer {
	char *dst;
	size_t size;   /* bytes of @dst, including the terminator */
	size_t length; /* length of the whole result, including pieces that did not fit */
	bool full;
	bool keep_backslash;
};

/* Appends all of @piece or nothing. After the first piece that does not fit, appends nothing. */
static void sink_put(struct escape_buffer *sink, const char *piece, size_t n)
{
	if (!sink->full && sink->length + n < sink->size) {
		memcpy(sink->dst + sink->length, piece, n);
		sink->dst[sink->length + n] = '\0';
	} else {
		sink->full = true;
	}
	sink->length += n;
}

static void sink_init(struct escape_buffer *sink, char *dst, size_t size)
{
	*sink = (struct escape_buffer){ .dst = dst, .size = size };
	if (size)
		dst[0] = '\0';
}

/*
 * Copies the next one to four bytes of @src. The caller checks and writes only the copy: if @src is
 * in a mapped file, another process may change @src between the check and the write.
 */
static inline size_t take_bytes(char bytes[4], const char *src, size_t len)
{
	size_t n = len < 4 ? len : 4;

	if (n == 4)
		memcpy(bytes, src, 4);
	else
		for (size_t i = 0; i < n; i++)
			bytes[i] = src[i];
	__asm__("" : : "r"(bytes) : "memory");
	return n;
}

/*
 * Decodes one code point of strict UTF-8, without overlong forms and surrogates. Returns the number
 * of its bytes, or 0 if the first byte does not start a valid sequence.
 */
static size_t utf8_next(const char *text, size_t len, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t n, i;
	uint32_t c;

	if (s[0] < 0x80) {
		*code = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > len)
		return 0;
	c = s[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return n;
}

/* Can the character control a terminal, be invisible, or reorder text around it? */
static bool is_unsafe(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x0000, 0x001f },   /* C0 */
		{ 0x007f, 0x009f },   /* DEL, C1 */
		{ 0x00ad, 0x00ad },   /* soft hyphen */
		{ 0x061c, 0x061c },   /* Arabic letter mark */
		{ 0x180e, 0x180e },   /* Mongolian vowel separator */
		{ 0x200b, 0x200f },   /* zero width, direction marks */
		{ 0x2028, 0x202e },   /* separators, embeddings, overrides */
		{ 0x2060, 0x206f },   /* word joiner, isolates, deprecated controls */
		{ 0xfeff, 0xfeff },   /* byte order mark */
		{ 0xfff9, 0xfffb },   /* interlinear annotation */
		{ 0xe0000, 0xe007f }, /* tags */
	};
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static void put_terminal(struct escape_buffer *sink, const char *src, size_t n, uint32_t code)
{
	char piece[16];
	int len;

	if (code == '\\' && !sink->keep_backslash)
		len = snprintf(piece, sizeof(piece), "\\\\");
	else if (code == '\t' || code == '\n' || code == '\r')
		len = snprintf(piece, sizeof(piece), "\\%c",
			       code == '\t'   ? 't'
			       : code == '\n' ? 'n'
					      : 'r');
	else if (!is_unsafe(code)) {
		sink_put(sink, src, n);
		return;
	} else if (code < 0x80)
		len = snprintf(piece, sizeof(piece), "\\x%02x", code);
	else
		len = snprintf(piece, sizeof(piece), code > 0xffff ? "\\U%08x" : "\\u%04x", code);
	sink_put(sink, piece, (size_t)len);
}

/*
 * Copies the printable ASCII characters at the start of @src. Stops when @sink is full. Returns the
 * number of copied characters.
 */
static size_t put_plain(struct escape_buffer *sink, const char *src, size_t len)
{
	size_t room, n = 0;
	char *dst;

	if (sink->full || sink->length >= sink->size)
		return 0;
	room = sink->size - 1 - sink->length;
	dst = sink->dst + sink->length;
	if (len > room)
		len = room;
	for (; n < len; n++) {
		unsigned char c = (unsigned char)src[n];

		__asm__("" : "+r"(c));
		if (c < ' ' || c > '~' || c == '\\')
			break;
		dst[n] = (char)c;
	}
	if (n)
		dst[n] = '\0';
	sink->length += n;
	return n;
}

static inline size_t escape(char *dst, size_t size, const char *src, size_t len,
			    bool keep_backslash)
{
	struct escape_buffer sink;
	uint32_t code;
	char piece[8], bytes[4];
	size_t n;

	sink_init(&sink, dst, size);
	sink.keep_backslash = keep_backslash;
	for (; len; src += n, len -= n) {
		/* Fast path: nearly all text is printable ASCII. */
		n = put_plain(&sink, src, len);
		if (n)
			continue;
		n = utf8_next(bytes, take_bytes(bytes, src, len), &code);
		if (n) {
			put_terminal(&sink, bytes, n, code);
			continue;
		}
		n = 1;
		snprintf(piece, sizeof(piece), "\\x%02x", (unsigned char)bytes[0]);
		sink_put(&sink, piece, 4);
	}
	return sink.length;
}

size_t mm_escape_terminal(char *dst, size_t size, const char *src, size_t len)
{
	return escape(dst, size, src, len, false);
}

size_t mm_escape_message(char *dst, size_t size, const char *src, size_t len)
{
	return escape(dst, size, src, len, true);
}

static char *escape_copy(const char *src, bool keep_backslash)
{
	size_t len = strlen(src), size = escape(NULL, 0, src, len, keep_backslash) + 1;
	char *dst = malloc(size);

	if (dst)
		escape(dst, size, src, len, keep_backslash);
	return dst;
}

char *mm_escape_terminal_copy(const char *src)
{
	return escape_copy(src, false);
}

char *mm_escape_message_copy(const char *src)
{
	return escape_copy(src, true);
}

static int print(FILE *out, const char *src, bool keep_backslash)
{
	size_t left = strlen(src);
	char buf[512];

	while (left) {
		/* Do not split a character between chunks. */
		size_t n = left < sizeof(buf) / 8 ? left : sizeof(buf) / 8;

		while (n < left && n > 1 && ((unsigned char)src[n] & 0xc0) == 0x80 &&
		       n > sizeof(buf) / 8 - 4)
			n--;
		escape(buf, sizeof(buf), src, n, keep_backslash);
		if (fputs(buf, out) < 0)
			return -1;
		src += n;
		left -= n;
	}
	return 0;
}

int mm_escape_print(FILE *out, const char *src)
{
	return print(out, src, false);
}

int mm_escape_message_print(FILE *out, const char *src)
{
	return print(out, src, true);
}

char *mm_escape_to_utf8(const char *src, size_t len)
{
	struct escape_buffer sink;
	uint32_t code;
	char *dst;
	size_t n;

	if (len > SIZE_MAX / 3 - 1)
		return NULL;
	dst = malloc(len * 3 + 1);
	if (!dst)
		return NULL;
	sink_init(&sink, dst, len * 3 + 1);
	for (; len; src += n, len -= n) {
		n = utf8_next(src, len, &code);
		if (n) {
			sink_put(&sink, src, n);
		} else {
			n = 1;
			sink_put(&sink, "\xef\xbf\xbd", 3);
		}
	}
	return dst;
}

static void put_json(struct escape_buffer *sink, uint32_t code)
{
	static const char plain[] = "\"\\\b\f\n\r\t";
	static const char letter[] = "\"\\bfnrt";
	const char *hit = code && code < 0x80 ? strchr(plain, (int)code) : NULL;
	char piece[16];
	int len;

	if (hit)
		len = snprintf(piece, sizeof(piece), "\\%c", letter[hit - plain]);
	else if (code >= 0x20 && code < 0x7f)
		len = snprintf(piece, sizeof(piece), "%c", (int)code);
	else if (code <= 0xffff)
		len = snprintf(piece, sizeof(piece), "\\u%04x", code);
	else
		len = snprintf(piece, sizeof(piece), "\\u%04x\\u%04x",
			       0xd800 + ((code - 0x10000) >> 10),
			       0xdc00 + ((code - 0x10000) & 0x3ff));
	sink_put(sink, piece, (size_t)len);
}

size_t mm_escape_json(char *dst, size_t size, const char *src, size_t len)
{
	struct escape_buffer sink;
	uint32_t code;
	size_t n;

	sink_init(&sink, dst, size);
	for (; len; src += n, len -= n) {
		n = utf8_next(src, len, &code);
		if (!n) {
			n = 1;
			code = REPLACEMENT;
		}
		put_json(&sink, code);
	}
	return sink.length;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("/._-+,:@%=", c);
}

void mm_escape_print_word(FILE *out, const char *before, const char *text)
{
	fprintf(out, "%s'", before);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			putc(*text, out);
	putc('\'', out);
}

void mm_escape_print_argument(FILE *out, const char *before, const char *text)
{
	const char *c = text;

	while (*c && is_plain(*c))
		c++;
	if (*text && !*c)
		fprintf(out, "%s%s", before, text);
	else
		mm_escape_print_word(out, before, text);
}
