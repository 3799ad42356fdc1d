// SPDX-License-Identifier: LGPL-2.1-only
/* Finds arguments and results by the calling convention, and rejects unavailable ones. */
#include <string.h>

#include "lttng-session/fn/describe/declare.h"
#include "tests/tap.h"
#include "tests/unit/fn-btf.h"

static void add_functions(void)
{
	fn_add_function("no_arguments", 0, -1);
	fn_add_function("widths", fn_ids.s64, fn_ids.s8, "a", fn_ids.u16, "b", fn_ids.s32, "c",
			fn_ids.u64, "d", fn_ids.boolean, "e", fn_ids.color, "f", fn_ids.s8, "g",
			fn_ids.folio_ptr, "h", -1);
	fn_add_function("small_structures", fn_ids.small, fn_ids.small, "a", fn_ids.three, "b",
			fn_ids.folio, "c", -1);
	fn_add_function("pair", fn_ids.pair, fn_ids.s32, "a", fn_ids.pair, "b", fn_ids.s32, "c",
			-1);
	fn_add_function("pair_on_stack", 0, fn_ids.s32, "a", fn_ids.s32, "b", fn_ids.s32, "c",
			fn_ids.s32, "d", fn_ids.s32, "e", fn_ids.pair, "f", fn_ids.s32, "g",
			fn_ids.s32, "h", -1);
	fn_add_function("big", fn_ids.big, fn_ids.s32, "a", -1);
	fn_add_function("big_argument", 0, fn_ids.s32, "a", fn_ids.big, "b", fn_ids.s32, "c",
			fn_ids.s32, "d", fn_ids.s32, "e", fn_ids.s32, "f", fn_ids.s32, "g",
			fn_ids.s32, "h", -1);
	fn_add_function("packed", fn_ids.packed, fn_ids.packed, "a", fn_ids.s32, "b", -1);
	fn_add_function("packed_argument", 0, fn_ids.packed, "a", fn_ids.s32, "b", -1);
	fn_add_function("floats", fn_ids.float8, fn_ids.float8, "a", fn_ids.s32, "b", fn_ids.real,
			"c", fn_ids.mixed, "d", fn_ids.s32, "e", fn_ids.float16, "f", fn_ids.vector,
			"g", fn_ids.s32, "h", -1);
	fn_add_function("real_result", fn_ids.real, fn_ids.s32, "a", -1);
	fn_add_function("long_double", 0, fn_ids.s32, "a", fn_ids.float16, "b", fn_ids.s32, "c",
			fn_ids.s32, "d", fn_ids.s32, "e", fn_ids.s32, "f", fn_ids.s32, "g",
			fn_ids.s32, "h", -1);
	fn_add_function("wide", fn_ids.s128, fn_ids.s128, "a", fn_ids.s32, "b", fn_ids.s32, "c",
			fn_ids.s32, "d", fn_ids.s128, "e", fn_ids.s32, "f", fn_ids.s32, "g", -1);
	fn_add_function("empty", fn_ids.empty, fn_ids.empty, "a", fn_ids.s32, "b", -1);
	fn_add_function("no_members", 0, fn_ids.s32, "a", fn_ids.padded, "b", fn_ids.s32, "c", -1);
	fn_add_function("on_stack", 0, fn_ids.s32, "a", fn_ids.s32, "b", fn_ids.s32, "c",
			fn_ids.s32, "d", fn_ids.s32, "e", fn_ids.s32, "f", fn_ids.small, "g",
			fn_ids.u8, "h", -1);
	fn_add_function("too_many", 0, fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32,
			"", fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32, "",
			fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32,
			"", fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32, "", fn_ids.s32, "", -1);
	fn_add_function("printk", fn_ids.s32, fn_ids.const_char_ptr, "fmt", 0, "", -1);
	fn_add_function("four", 0, fn_ids.four, "a", fn_ids.s32, "b", -1);
	fn_add_function("either", fn_ids.either, fn_ids.either, "a", -1);
	fn_add_function("fault", fn_ids.fault_t, fn_ids.gfp_t, "gfp", fn_ids.wide, "wide",
			fn_ids.callback, "call", fn_ids.const_folio_ptr, "folio", -1);
}

/*
 * The text form of a function: one word for each argument and, after a slash, one for the result. A
 * word consists of source, kind (u, s, x, p) and bits, or of - and the reason why the value is
 * unavailable.
 */
static const struct {
	const char *function, *expected;
} cases[] = {
	{ "no_arguments", "/ void" },
	{ "widths", "0s8 1u16 2s32 3u64 4u8 5s32 6s8 7p64 / s64" },
	{ "small_structures", "0x64 1x32m24 2x64 / x64" },
	{ "pair", "0s32 1x128 3s32 / -2" },
	/*
	 * The last structure does not fit in the last register, so the next argument gets that
	 * register.
	 */
	{ "pair_on_stack", "0s32 1s32 2s32 3s32 4s32 -pair 5s32 -place / void" },
	{ "big", "-hidden / -stack" },
	{ "big_argument", "0s32 -stack 1s32 2s32 3s32 4s32 5s32 -place / void" },
	{ "packed", "-hidden -hidden / -stack" },
	{ "packed_argument", "-stack 0s32 / void" },
	{ "floats", "-float 0s32 -float -float 2s32 -float -vector 3s32 / -float" },
	{ "real_result", "0s32 / -float" },
	{ "long_double", "0s32 -float 1s32 2s32 3s32 4s32 5s32 -place / void" },
	/* The second structure needs two registers, but only one is left. */
	{ "wide", "-wide 2s32 3s32 4s32 -wide 5s32 -place / -wide" },
	{ "empty", "-empty 0s32 / -empty" },
	{ "no_members", "0s32 -type -place / void" },
	{ "on_stack", "0s32 1s32 2s32 3s32 4s32 5s32 6x64 7u8 / void" },
	{ "too_many",
	  "0s32 1s32 2s32 3s32 4s32 5s32 6s32 7s32 8s32 9s32 10s32 11s32 12s32 13s32 14s32 15s32 -beyond / void" },
	{ "printk", "0p64 ... / s32" },
	{ "four", "0x128 2s32 / void" },
	{ "either", "0x64 / x64" },
	{ "fault", "0u32 1u64 2p64 3p64 / u32" },
};

static const char *const reasons[FN_REASONS] = {
	[FN_TWO_REGISTERS] = "2",     [FN_WIDE_INTEGER] = "wide", [FN_ON_STACK] = "stack",
	[FN_PLACE_UNKNOWN] = "place", [FN_FLOAT] = "float",	  [FN_VECTOR] = "vector",
	[FN_EMPTY] = "empty",	      [FN_ODD_SIZE] = "odd",	  [FN_HIDDEN_POINTER] = "hidden",
	[FN_PAIR_ON_STACK] = "pair",  [FN_BEYOND] = "beyond",	  [FN_NO_ROOM] = "room",
	[FN_UNKNOWN_TYPE] = "type",
};

static size_t write_value(char *text, size_t size, const struct fn_value *value)
{
	int length;

	if (value->reason)
		return (size_t)snprintf(text, size, "-%s", reasons[value->reason]);
	length = snprintf(text, size, "%c%u", "usxp"[value->kind], value -> bits);
	if (value->mask_bits != value->bits)
		length += snprintf(text + length, size - (size_t)length, "m%u", value->mask_bits);
	return (size_t)length;
}

static void write_signature(const struct fn_signature *signature, char *text, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < signature->count; i++) {
		const struct fn_argument *argument = &signature->arguments[i];

		if (!argument->value.reason)
			at += (size_t)snprintf(text + at, size - at, "%u", argument->source);
		at += write_value(text + at, size - at, &argument->value);
		at += (size_t)snprintf(text + at, size - at, " ");
	}
	at += (size_t)snprintf(text + at, size - at, "%s/ ", signature->is_variadic ? "... " : "");
	if (signature->result_type)
		write_value(text + at, size - at, &signature->result);
	else
		snprintf(text + at, size - at, "void");
}

static void test_case(const struct fn_btf *btf, size_t i)
{
	struct fn_signature signature;
	char text[512];

	if (fn_signature_read(btf, fn_btf_function(btf, cases[i].function), &signature))
		tap_bail("%s", cases[i].function);
	write_signature(&signature, text, sizeof(text));
	tap(!strcmp(text, cases[i].expected), "%s: %s", cases[i].function, text);
}

static void test_taking(const struct fn_btf *btf)
{
	static const struct {
		const char *function, *type;
		bool takes;
	} takings[] = {
		{ "widths", "struct folio *", true },
		{ "fault", "struct folio *", true },
		{ "fault", "const struct folio*", true },
		{ "fault", "struct folio **", false },
		{ "printk", "struct folio *", false },
		{ "small_structures", "struct folio *", false },
		{ "printk", "char *", true },
		{ "printk", "union folio *", false },
		{ "widths", "folio *", false },
	};
	struct fn_signature signature;
	struct fn_named_type type;

	for (size_t i = 0; i < sizeof(takings) / sizeof(takings[0]); i++) {
		if (fn_named_type_parse(takings[i].type, "--taking", &type, NULL) ||
		    fn_signature_read(btf, fn_btf_function(btf, takings[i].function), &signature))
			tap_bail("%s", takings[i].type);
		tap(fn_signature_takes(&signature, &type) == takings[i].takes, "%s: %s",
		    takings[i].function, takings[i].type);
	}
	tap(fn_named_type_parse("struct folio", "--taking", &type, NULL) &&
		    fn_named_type_parse("struct *", "--taking", &type, NULL) &&
		    fn_named_type_parse("struct folio * x", "--taking", &type, NULL),
	    "a type that is not a pointer is refused");
}

static void test_declarations(const struct fn_btf *btf)
{
	static const char *const declarations[][2] = {
		{ "no_arguments", "void no_arguments(void)" },
		{ "printk", "int printk(const char *fmt, ...)" },
		{ "fault",
		  "vm_fault_t fault(gfp_t gfp, enum wide wide, int (*call)(long unsigned int), const struct folio *folio)" },
	};
	struct fn_signature signature;
	char text[512];

	for (size_t i = 0; i < sizeof(declarations) / sizeof(declarations[0]); i++) {
		fn_signature_read(btf, fn_btf_function(btf, declarations[i][0]), &signature);
		fn_declare_function(&signature, text, sizeof(text));
		tap(!strcmp(text, declarations[i][1]), "%s", text);
	}
}

int main(void)
{
	struct fn_types *types;
	const struct fn_btf *btf;

	fn_make_types();
	add_functions();
	types = fn_types_adopt(fn_btf_made);
	if (!types)
		tap_bail("out of memory");
	btf = fn_types_kernel(types);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(btf, i);
	tap(!fn_btf_function(btf, "none") && !fn_btf_function(btf, "folio"),
	    "a type that is not a function is not found");
	test_taking(btf);
	test_declarations(btf);
	fn_types_close(types);
	return tap_status();
}
