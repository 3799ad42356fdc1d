/* SPDX-License-Identifier: LGPL-2.1-only */
/* BTF with the types and functions of an imaginary kernel. */
#ifndef LTTNG_MM_TESTS_UNIT_FN_BTF_H
#define LTTNG_MM_TESTS_UNIT_FN_BTF_H

#include <bpf/btf.h>
#include <stdarg.h>
#include <string.h>

#include "tests/tap.h"

/* Type ids in the BTF. */
static struct {
	int s8, u8, s16, u16, s32, u32, s64, u64, ch, boolean, s128, float4, float8, float16;
	int void_ptr, inode_ptr, char_ptr, const_char_ptr, folio_ptr, const_folio_ptr, path_ptr,
		callback;
	int color, flag, wide, fault_t, gfp_t;
	int small, three, pair, sockptr, key, qstr, halves, mixed, real, big, packed, empty,
		wide_int, padded, either, four, vector;
	int folio, path, area_ptr, size, pgoff;
} fn_ids;

static struct btf *fn_btf_made;

static inline int fn_made(int id)
{
	if (id < 0)
		tap_bail("BTF: %s", strerror(-id));
	return id;
}

/*
 * Adds a structure. Each member has four arguments: NAME, type, bit offset, and the bits of a bit
 * field or 0. NULL ends the list.
 */
static inline int fn_add_struct(bool is_union, const char *name, unsigned int bytes, ...)
{
	int id = fn_made(is_union ? btf__add_union(fn_btf_made, name, bytes)
				  : btf__add_struct(fn_btf_made, name, bytes));
	const char *member;
	va_list args;

	va_start(args, bytes);
	while ((member = va_arg(args, const char *))) {
		int type = va_arg(args, int);
		unsigned int bit = va_arg(args, unsigned int);
		unsigned int bits = va_arg(args, unsigned int);

		fn_made(btf__add_field(fn_btf_made, member, type, bit, bits));
	}
	va_end(args);
	return id;
}

/*
 * Adds a function. Each argument has a type and a NAME; -1 ends the list. Type 0 without a name
 * makes the function variadic.
 */
static inline void fn_add_function(const char *name, int result, ...)
{
	int prototype = fn_made(btf__add_func_proto(fn_btf_made, result)), type;
	va_list args;

	va_start(args, result);
	while ((type = va_arg(args, int)) >= 0)
		fn_made(btf__add_func_param(fn_btf_made, va_arg(args, const char *), type));
	va_end(args);
	fn_made(btf__add_func(fn_btf_made, name, BTF_FUNC_GLOBAL, prototype));
}

/* Adds an enumeration. Each label has a VALUE and a NAME; a NULL name ends the list. */
static inline int fn_add_enum(const char *name, unsigned int bytes, ...)
{
	int id = fn_made(btf__add_enum(fn_btf_made, name, bytes));
	va_list args;

	va_start(args, bytes);
	for (;;) {
		long long value = va_arg(args, long long);
		const char *label = va_arg(args, const char *);

		if (!label)
			break;
		fn_made(btf__add_enum_value(fn_btf_made, label, value));
	}
	va_end(args);
	return id;
}

static inline void fn_add_numbers(void)
{
	struct btf *btf = fn_btf_made;

	fn_ids.s8 = fn_made(btf__add_int(btf, "signed char", 1, BTF_INT_SIGNED));
	fn_ids.u8 = fn_made(btf__add_int(btf, "unsigned char", 1, 0));
	fn_ids.s16 = fn_made(btf__add_int(btf, "short int", 2, BTF_INT_SIGNED));
	fn_ids.u16 = fn_made(btf__add_int(btf, "short unsigned int", 2, 0));
	fn_ids.s32 = fn_made(btf__add_int(btf, "int", 4, BTF_INT_SIGNED));
	fn_ids.u32 = fn_made(btf__add_int(btf, "unsigned int", 4, 0));
	fn_ids.s64 = fn_made(btf__add_int(btf, "long int", 8, BTF_INT_SIGNED));
	fn_ids.u64 = fn_made(btf__add_int(btf, "long unsigned int", 8, 0));
	fn_ids.ch = fn_made(btf__add_int(btf, "char", 1, BTF_INT_SIGNED));
	fn_ids.boolean = fn_made(btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL));
	fn_ids.s128 = fn_made(btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED));
	fn_ids.float4 = fn_made(btf__add_float(btf, "float", 4));
	fn_ids.float8 = fn_made(btf__add_float(btf, "double", 8));
	fn_ids.float16 = fn_made(btf__add_float(btf, "long double", 16));
	fn_ids.vector = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.u32, 4));
}

#define E(value, name) (long long)(value), name
static inline void fn_add_enums(void)
{
	struct btf *btf = fn_btf_made;
	int gfp;

	fn_ids.color = fn_add_enum("color", 4, E(2, "BLUE"), E(-1, "NONE"), E(0, "RED"),
				   E(1, "GREEN"), E(0, "CRIMSON"), E(3, "GRAY"), E(0, NULL));
	fn_ids.flag = fn_add_enum("fault_flag", 4, E(1, "WRITE"), E(4, "RETRY"), E(8, "USER"),
				  E(0x80, "REMOTE"), E(0xf, "MASK"), E(0, NULL));
	fn_add_enum("vm_fault_reason", 4, E(1, "VM_FAULT_OOM"), E(2, "VM_FAULT_SIGBUS"),
		    E(0x100, "VM_FAULT_NOPAGE"), E(0x800, "VM_FAULT_FALLBACK"), E(0, NULL));
	fn_add_enum("state", 4, E(0, "A"), E(1, "B"), E(2, "C"), E(3, "D"), E(4, "E"), E(0, NULL));
	fn_add_enum("twice", 4, E(1, "A"), E(2, "A"), E(3, "B"), E(0, NULL));
	fn_ids.wide = fn_made(btf__add_enum64(btf, "wide", 8, false));
	fn_made(btf__add_enum64_value(btf, "SMALL", 5));
	fn_made(btf__add_enum64_value(btf, "LARGE", UINT64_C(1) << 40));
	fn_made(btf__add_enum64_value(btf, "TOO_LARGE", UINT64_C(1) << 63));
	gfp = fn_add_enum(NULL, 4, E(0, "___GFP_DMA_BIT"), E(3, "___GFP_UNUSED_BIT"),
			  E(6, "___GFP_IO_BIT"), E(7, "___GFP_LAST_BIT"), E(0, NULL));
	(void)gfp;
	fn_ids.fault_t = fn_made(btf__add_typedef(btf, "vm_fault_t", fn_ids.u32));
	fn_ids.gfp_t = fn_made(btf__add_typedef(btf, "gfp_t", fn_ids.u32));
}

/* Adds structures that are passed by value. */
static inline void fn_add_values(void)
{
	struct btf *btf = fn_btf_made;
	int array;

	fn_ids.small =
		fn_add_struct(false, "small", 8, "a", fn_ids.s32, 0u, 0u, "b", fn_ids.u16, 32u, 0u,
			      "low", fn_ids.u16, 48u, 3u, "high", fn_ids.s16, 51u, 5u, NULL);
	array = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.u8, 3));
	fn_ids.three = fn_add_struct(false, "three", 3, "bytes", array, 0u, 0u, NULL);
	fn_ids.pair = fn_add_struct(false, "pair", 16, "a", fn_ids.u64, 0u, 0u, "b", fn_ids.u64,
				    64u, 0u, NULL);
	fn_ids.mixed = fn_add_struct(false, "mixed", 16, "real", fn_ids.float8, 0u, 0u, "b",
				     fn_ids.u64, 64u, 0u, NULL);
	fn_ids.real = fn_add_struct(false, "real", 8, "x", fn_ids.float4, 0u, 0u, "y",
				    fn_ids.float4, 32u, 0u, NULL);
	fn_ids.big = fn_add_struct(false, "big", 24, "pair", fn_ids.pair, 0u, 0u, "c", fn_ids.u64,
				   128u, 0u, NULL);
	fn_ids.packed = fn_add_struct(false, "packed", 5, "c", fn_ids.u8, 0u, 0u, "i", fn_ids.u32,
				      8u, 0u, NULL);
	fn_ids.empty = fn_add_struct(false, "empty", 0, NULL);
	fn_ids.wide_int = fn_add_struct(false, "wide_int", 16, "x", fn_ids.s128, 0u, 0u, NULL);
	fn_ids.either = fn_add_struct(true, "either", 8, "i", fn_ids.u64, 0u, 0u, "real",
				      fn_ids.float8, 0u, 0u, NULL);
	array = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.s32, 4));
	fn_ids.four = fn_add_struct(false, "four", 16, "a", array, 0u, 0u, NULL);
	/* An integer type of five bits, as old compilers described bit fields. */
	array = fn_made(btf__add_int(btf, "old_bits", 4, 0));
	((uint32_t *)(btf__type_by_id(btf, (unsigned int)array) + 1))[0] = 3 << 16 | 5;
	fn_add_struct(false, "old", 4, "x", array, 8u, 0u, NULL);
	fn_ids.padded = fn_add_struct(false, "padded", 4, NULL);
}

/*
 * struct sockptr { union { struct inode *kernel; struct inode *user; }; bool is_kernel : 1; }
 * struct key { u64 key[2]; }
 * struct qstr { union { struct { u32 hash, len; }; u64 hash_len; }; char *name; }
 * union halves { u32 half[4]; struct { u64 number; char *text; }; }
 */
static inline void fn_add_pairs(void)
{
	struct btf *btf = fn_btf_made;
	int two = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.u64, 2));
	int four = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.u32, 4));
	int either = fn_add_struct(true, NULL, 8, "kernel", fn_ids.inode_ptr, 0u, 0u, "user",
				   fn_ids.inode_ptr, 0u, 0u, NULL);
	int parts = fn_add_struct(false, NULL, 8, "hash", fn_ids.u32, 0u, 0u, "len", fn_ids.u32,
				  32u, 0u, NULL);
	int hashes = fn_add_struct(true, NULL, 8, "", parts, 0u, 0u, "hash_len", fn_ids.u64, 0u, 0u,
				   NULL);
	int both = fn_add_struct(false, NULL, 16, "number", fn_ids.u64, 0u, 0u, "text",
				 fn_ids.char_ptr, 64u, 0u, NULL);

	fn_ids.sockptr = fn_add_struct(false, "sockptr", 16, "", either, 0u, 0u, "is_kernel",
				       fn_ids.boolean, 64u, 1u, NULL);
	fn_ids.key = fn_add_struct(false, "key", 16, "key", two, 0u, 0u, NULL);
	fn_ids.qstr = fn_add_struct(false, "qstr", 16, "", hashes, 0u, 0u, "name", fn_ids.char_ptr,
				    64u, 0u, NULL);
	fn_ids.halves =
		fn_add_struct(true, "halves", 16, "half", four, 0u, 0u, "", both, 0u, 0u, NULL);
}

/*
 * struct inode { u64 ino; union { u32 links; u16 half[2]; }; u32 a : 3; int b : 5; u64 : 0;
 *		  char name[16]; struct inode *next; u8 bytes[4]; struct three three; }
 */
static inline void fn_add_objects(void)
{
	struct btf *btf = fn_btf_made;
	int name = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.ch, 16));
	int half = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.u16, 2));
	int bytes = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.u8, 4));
	int links = fn_add_struct(true, NULL, 4, "links", fn_ids.u32, 0u, 0u, "half", half, 0u, 0u,
				  NULL);
	int inode_ptr = fn_made(btf__add_ptr(btf, 0)), inode, text, constant, table;

	inode = fn_add_struct(false, "inode", 64, "ino", fn_ids.u64, 0u, 0u, "", links, 64u, 0u,
			      "a", fn_ids.u32, 96u, 3u, "b", fn_ids.s32, 99u, 5u, "color",
			      fn_ids.color, 104u, 4u, "name", name, 128u, 0u, "next", inode_ptr,
			      256u, 0u, "bytes", bytes, 320u, 0u, "three", fn_ids.three, 352u, 0u,
			      "small", fn_ids.small, 384u, 0u, "real", fn_ids.float8, 448u, 0u,
			      NULL);
	/* The pointer was created first, and points to the structure from now on. */
	((struct btf_type *)btf__type_by_id(btf, (unsigned int)inode_ptr))->type =
		(unsigned int)inode;
	fn_ids.inode_ptr = inode_ptr;
	constant = fn_made(btf__add_const(btf, fn_ids.ch));
	text = fn_made(btf__add_ptr(btf, constant));
	fn_ids.const_char_ptr = text;
	fn_ids.char_ptr = fn_made(btf__add_ptr(btf, fn_ids.ch));
	fn_ids.void_ptr = fn_made(btf__add_ptr(btf, 0));
	table = fn_made(btf__add_array(btf, fn_ids.s32, inode_ptr, 2));
	fn_ids.path = fn_add_struct(false, "path", 48, "inode", inode_ptr, 0u, 0u, "text", text,
				    64u, 0u, "data", fn_ids.void_ptr, 128u, 0u, "address",
				    fn_ids.u64, 192u, 0u, "table", table, 256u, 0u, NULL);
	fn_ids.path_ptr = fn_made(btf__add_ptr(btf, fn_ids.path));
	bytes = fn_made(btf__add_array(btf, fn_ids.s32, fn_ids.u64, 2));
	fn_ids.area_ptr = fn_made(btf__add_ptr(
		btf, fn_add_struct(false, "area", 40, "vm_start", fn_ids.u64, 0u, 0u, "vm_end",
				   fn_ids.u64, 64u, 0u, "restart", fn_ids.u64, 128u, 0u, "ips",
				   bytes, 192u, 0u, NULL)));
	fn_ids.size = fn_made(btf__add_typedef(btf, "size_t", fn_ids.u64));
	fn_ids.pgoff = fn_made(btf__add_typedef(btf, "pgoff_t", fn_ids.u64));
	fn_ids.folio = fn_add_struct(false, "folio", 8, "flags", fn_ids.u64, 0u, 0u, NULL);
	fn_ids.folio_ptr = fn_made(btf__add_ptr(btf, fn_ids.folio));
	constant = fn_made(btf__add_const(btf, fn_ids.folio));
	fn_ids.const_folio_ptr = fn_made(btf__add_ptr(btf, constant));
	constant = fn_made(btf__add_func_proto(btf, fn_ids.s32));
	fn_made(btf__add_func_param(btf, "", fn_ids.u64));
	fn_ids.callback = fn_made(btf__add_ptr(btf, constant));
}

static inline void fn_make_types(void)
{
	fn_btf_made = btf__new_empty();
	if (!fn_btf_made)
		tap_bail("no BTF");
	btf__set_pointer_size(fn_btf_made, 8);
	fn_add_numbers();
	fn_add_enums();
	fn_add_values();
	fn_add_objects();
	fn_add_pairs();
}

#endif /* LTTNG_MM_TESTS_UNIT_FN_BTF_H */
