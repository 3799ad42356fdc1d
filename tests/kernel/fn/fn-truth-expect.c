// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints the fields that babeltrace2 must show for the events of fn-truth.ko, one event per line:
 *
 *   fn-truth-expect EVENT COUNT TID [PHYSICAL PFN]
 *
 * EVENT is small_entry, small_exit, small_call and so on. COUNT is the number written to the
 * module's parameter `run'; PHYSICAL and PFN are the numbers in its kernel message. The durations
 * and the pointers that only the kernel knows are missing; the test removes them from the trace's
 * text.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int tid;
static uint64_t physical, pfn;

/*
 * Selects the common fields at the start and the end of fn_NAME_entry, fn_NAME_exit or
 * fn_NAME_call.
 */
enum form { ENTRY, EXIT, CALL };

static void begin(void)
{
	printf("{ tid = %u", tid);
}

static void small(uint32_t n, enum form form)
{
	if (form != EXIT)
		printf(", a = %u, b = %d, c = %u, d = %d, e = %u, f = %d", (uint8_t)n, (int8_t)-n,
		       (uint16_t)(3 * n), (int16_t)(-5 * (int32_t)n), n & 1,
		       n % 3 == 2 ? 5 : (int)(n % 3));
	if (form != ENTRY)
		printf(", ret = %u", (uint8_t)n ^ 0x55);
}

#define NONE "( \"NONE\" : container = 0x0 )"

static void wide(uint32_t n, enum form form)
{
	if (form != EXIT)
		printf(", a = %u, b = %d, c = %" PRIu64 ", d = %" PRId64, n, -(int32_t)n,
		       n * UINT64_C(0x123456789), -(int64_t)n * 1000);
	printf(", unread = " NONE);
	if (form != ENTRY)
		printf(", ret = %" PRId64, INT64_C(-1003) * n);
}

static void many(uint32_t n, enum form form)
{
	if (form != EXIT)
		printf(", a = %u, b = %" PRIu64 ", c = %d, d = %u, e = %u, f = %" PRId64
		       ", g = %" PRIu64 ", h = %d, unread = " NONE,
		       (uint8_t)n, n * UINT64_C(5), -(int)(n % 128), n, (uint16_t)n, -(int64_t)n,
		       n * UINT64_C(7), n % 8000);
	if (form != ENTRY)
		printf(", ret = %d", (int16_t)(-2 * (int)(n % 8000)));
}

static void none(uint32_t n, enum form form)
{
	(void)n;
	(void)form;
}

static void pointers(uint32_t n, enum form form)
{
	const uint64_t error = ~(uint64_t)(n % 4095);

	if (form != EXIT)
		printf(", null = 0x0, error = 0x%" PRIX64 ", direct = 0x%" PRIX64
		       ", page = 0x%" PRIX64,
		       error, (UINT64_C(1) << 56) + physical + n % 64, (UINT64_C(2) << 56) + pfn);
	if (form != ENTRY)
		printf(", ret = 0x%" PRIX64, error);
}

/* The strings follow all other fields, including the result. */
static void text(uint32_t n, enum form form)
{
	char longer[100], number[32];

	snprintf(number, sizeof(number), "number-%u", n);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	if (form != EXIT)
		printf(", unread = ( \"missing\" : container = 0x2 )");
	if (form != ENTRY)
		printf(", ret = %d", number[7] & 1);
	if (form != EXIT)
		printf(", text = \"%s\", missing = \"\", longer = \"%s\"", number, longer);
}

static void print_bytes(const char *name, const uint8_t *bytes, size_t count)
{
	printf(", %s = [", name);
	for (size_t i = 0; i < count; i++)
		printf("%s [%zu] = 0x%X", i ? "," : "", i, bytes[i]);
	printf(" ]");
}

/* An array whose bytes cannot all be read is recorded as zeros, and marked as unread. */
static void bytes(uint32_t n, enum form form)
{
	uint8_t data[40], maybe[16] = { 0 };

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(n + 7 * i);
	for (size_t i = 0; i < sizeof(maybe) && n % 3 == 0; i++)
		maybe[i] = (uint8_t)(n ^ i);
	if (form != EXIT)
		printf(", n = %u, unread = %s", n,
		       n % 3 ? "( \"maybe\" : container = 0x2 )" : NONE);
	if (form != ENTRY)
		printf(", ret = %u", (uint16_t)(3 * n));
	if (form == EXIT)
		return;
	print_bytes("data", data, sizeof(data));
	print_bytes("maybe", maybe, sizeof(maybe));
}

static void pair(uint32_t n, enum form form)
{
	if (form != EXIT)
		printf(", pair = 0x%" PRIX64 ", after = %u, unread = " NONE,
		       (uint64_t)(uint32_t)~n << 32 | n, (uint8_t)(n + 1));
	if (form != ENTRY)
		printf(", ret = %u", (uint16_t)(n + (uint8_t)(n + 1)));
}

/* Prints the fields of a call whose arguments are structures with the module's types. */
static void members(uint32_t n, enum form form)
{
	if (form != EXIT)
		printf(", pair_first = %u, pair_second = %u, after = %u", n, ~n, (uint8_t)(n + 1));
	if (form != ENTRY)
		printf(", ret = %u", (uint16_t)(n + (uint8_t)(n + 1)));
}

/*
 * Prints the fields of structures that are passed in two registers. One structure has a union,
 * which contains an address in every fifth call. The fields of the union are then recorded as
 * zeros, and marked as unread.
 */
static void passed(uint32_t n, enum form form)
{
	const bool hidden = n % 5 == 0;

	if (form != EXIT)
		printf(", n = %u, wide_number = %" PRIu64
		       ", wide_low = %d, wide_high = %u, wide_flag = %u, named_hash = %u, named_len = %u"
		       ", named_name = 0x%X, last_first = %u, last_second = %u, unread = %s",
		       n, n * UINT64_C(0x100000001), -(int32_t)n, (uint16_t)(3 * n), n & 1,
		       hidden ? 0 : ~n, hidden ? 0 : 3 * n, n, n, ~n,
		       hidden ? "( <unknown> : container = 0x60 )" : NONE);
	if (form != ENTRY)
		printf(", ret = %u", n + (uint16_t)(3 * n) + n);
}

static void variadic(uint32_t n, enum form form)
{
	if (form != EXIT)
		printf(", count = %u", n);
	if (form != ENTRY)
		printf(", ret = %u", n + 1);
}

static void print_line(void (*print)(uint32_t n, enum form form), uint32_t n, enum form form)
{
	begin();
	print(n, form);
	puts(" }");
}

/* Prints the fields of nested calls down to depth @of. The innermost call ends first. */
static void deep(uint32_t of, enum form form)
{
	for (uint32_t i = 0; i <= of; i++) {
		const uint32_t depth = form == ENTRY ? i : of - i;

		begin();
		if (form != EXIT)
			printf(", depth = %u, of = %u", depth, of);
		if (form != ENTRY)
			printf(", ret = %u", of - depth + 1);
		puts(" }");
	}
}

static const struct {
	const char *name;
	void (*print)(uint32_t n, enum form form);
} functions[] = {
	{ "small", small },	  { "wide", wide },	  { "many", many },	{ "none", none },
	{ "pointers", pointers }, { "text", text },	  { "bytes", bytes },	{ "pair", pair },
	{ "variadic", variadic }, { "members", members }, { "passed", passed },
};

int main(int argc, char **argv)
{
	const char *suffix = argc > 3 ? strchr(argv[1], '_') : NULL;
	enum form form;
	size_t length;

	if (!suffix) {
		fprintf(stderr, "usage: fn-truth-expect EVENT COUNT TID [PHYSICAL PFN]\n");
		return 2;
	}
	length = (size_t)(suffix - argv[1]);
	form = !strcmp(suffix, "_entry") ? ENTRY : !strcmp(suffix, "_exit") ? EXIT : CALL;
	tid = (unsigned int)atoi(argv[3]);
	physical = argc > 4 ? strtoull(argv[4], NULL, 0) : 0;
	pfn = argc > 5 ? strtoull(argv[5], NULL, 0) : 0;
	for (uint32_t n = 0; n < (uint32_t)atoi(argv[2]); n++) {
		if (!strncmp(argv[1], "deep_", 5))
			deep(n % 8, form);
		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
			if (strlen(functions[i].name) == length &&
			    !strncmp(functions[i].name, argv[1], length))
				print_line(functions[i].print, n, form);
	}
	return 0;
}
