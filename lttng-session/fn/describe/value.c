// SPDX-License-Identifier: LGPL-2.1-only
/* Decides how values of a BTF type are recorded as numbers. */
#include "lttng-session/fn/describe/value.h"

#include <string.h>

const char *fn_reason_text(enum fn_reason reason)
{
	static const char *const texts[FN_REASONS] = {
		[FN_AVAILABLE] = "it is available",
		[FN_TWO_REGISTERS] = "it is a structure of 9 to 16 bytes",
		[FN_PAIR_ON_STACK] =
			"it is a structure of 9 to 16 bytes on the stack, where its place is not known",
		[FN_WIDE_INTEGER] = "it is an integer of more than 64 bits",
		[FN_ON_STACK] = "it is a structure of more than 16 bytes, or a packed one",
		[FN_PLACE_UNKNOWN] = "its place is not known",
		[FN_FLOAT] = "it is a floating-point number",
		[FN_VECTOR] = "it is a vector",
		[FN_EMPTY] = "it is an empty structure",
		[FN_ODD_SIZE] = "it is a structure of 3, 5, 6 or 7 bytes in memory",
		[FN_HIDDEN_POINTER] = "the function returns a structure by a hidden pointer",
		[FN_BEYOND] = "it is beyond the first 16 argument slots of eight bytes",
		[FN_NO_ROOM] = "the record is full",
		[FN_UNKNOWN_TYPE] = "its type is not known",
	};

	return texts[reason];
}

unsigned char fn_field_bits(unsigned int bits)
{
	return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

static struct fn_value unavailable(enum fn_reason reason)
{
	return (struct fn_value){ .reason = reason };
}

static struct fn_value number(unsigned char kind, unsigned int bytes)
{
	return (struct fn_value){
		.kind = kind,
		.bytes = (unsigned char)(fn_field_bits(8 * bytes) / 8),
		.mask_bits = (unsigned char)(8 * bytes),
		.bits = fn_field_bits(8 * bytes),
	};
}

/*
 * Returns the BTF id of the enumeration that names the bits of a vm_fault_t or gfp_t, or 0 for
 * other types.
 */
static uint32_t find_labels(const struct fn_btf *btf, uint32_t type)
{
	if (fn_btf_has_typedef(btf, type, "vm_fault_t"))
		return btf->fault_reasons;
	return fn_btf_has_typedef(btf, type, "gfp_t") ? btf->gfp_bits : 0;
}

static struct fn_value integer(const struct fn_btf *btf, uint32_t type,
			       const struct btf_type *plain)
{
	struct fn_value value;

	if (plain->size > 8)
		return unavailable(FN_WIDE_INTEGER);
	if (!plain->size || plain->size & (plain->size - 1))
		return unavailable(FN_UNKNOWN_TYPE);
	value = number(btf_int_encoding(plain) & BTF_INT_SIGNED ? LTTNG_MM_FN_SIGNED
								: LTTNG_MM_FN_UNSIGNED,
		       plain->size);
	value.is_bool = btf_int_encoding(plain) & BTF_INT_BOOL;
	if (value.is_bool)
		value.kind = LTTNG_MM_FN_UNSIGNED;
	value.labels = find_labels(btf, type);
	return value;
}

static struct fn_value structure(const struct btf_type *plain)
{
	struct fn_value value;

	if (!plain->size)
		return unavailable(FN_EMPTY);
	if (plain->size > 16)
		return unavailable(FN_ON_STACK);
	if (plain->size > 8)
		return unavailable(FN_TWO_REGISTERS);
	value = number(LTTNG_MM_FN_HEX, plain->size);
	value.is_structure = true;
	return value;
}

struct fn_value fn_value_of(const struct fn_btf *btf, uint32_t type)
{
	uint32_t id;
	const struct btf_type *plain = fn_btf_plain(btf, type, &id);
	struct fn_value value;

	if (!plain || !id)
		return unavailable(FN_UNKNOWN_TYPE);
	if (btf_is_int(plain))
		return integer(btf, type, plain);
	if (btf_is_ptr(plain))
		return number(LTTNG_MM_FN_POINTER, 8);
	if (btf_is_composite(plain))
		return structure(plain);
	if (btf_is_float(plain))
		return unavailable(FN_FLOAT);
	if (btf_is_array(plain))
		return unavailable(FN_VECTOR);
	if (!btf_is_any_enum(plain) || !plain->size || plain->size > 8 ||
	    plain->size & (plain->size - 1))
		return unavailable(FN_UNKNOWN_TYPE);
	value = number(btf_kflag(plain) ? LTTNG_MM_FN_SIGNED : LTTNG_MM_FN_UNSIGNED, plain->size);
	value.labels = id;
	return value;
}

/* Does @name end with the word @word, as `fault_address` ends with `address`? */
static bool ends_with(const char *name, const char *word)
{
	size_t length = strlen(name), of_word = strlen(word);

	return length >= of_word && !strcmp(name + length - of_word, word) &&
	       (length == of_word || name[length - of_word - 1] == '_');
}

/* Would a kernel developer write this number in hexadecimal? */
static bool is_hexadecimal(const struct fn_btf *btf, uint32_t type, const char *name)
{
	static const char *const typedefs[] = { "phys_addr_t", "dma_addr_t", "uintptr_t",
						"pgoff_t",     "pteval_t",   "pmdval_t",
						"pudval_t",    "p4dval_t",   "pgdval_t",
						"pgprotval_t" };
	static const char *const words[] = { "address", "addr",	 "vaddr", "uaddr", "paddr",
					     "kaddr",	"haddr", "hva",	  "gpa",   "ip",
					     "rip",	"pc",	 "pfn",	  "pgoff" };
	static const char *const limits[] = {
		"start",     "end",	"vm_start",    "vm_end",   "arg_start",	 "arg_end",
		"env_start", "env_end", "start_code",  "end_code", "start_data", "end_data",
		"start_brk", "brk",	"start_stack", "mmap_base"
	};

	for (size_t i = 0; i < sizeof(typedefs) / sizeof(typedefs[0]); i++)
		if (fn_btf_has_typedef(btf, type, typedefs[i]))
			return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ends_with(name, words[i]))
			return true;
	/* A `start` or `end` with a typedef, such as loff_t or sector_t, is not an address. */
	if (fn_btf_has_typedef(btf, type, NULL))
		return false;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!strcmp(name, limits[i]))
			return true;
	return false;
}

struct fn_value fn_value_named(const struct fn_btf *btf, uint32_t type, const char *name)
{
	struct fn_value value = fn_value_of(btf, type);

	if (!value.reason && value.kind == LTTNG_MM_FN_UNSIGNED && value.mask_bits == 64 &&
	    !value.labels && is_hexadecimal(btf, type, name))
		value.kind = LTTNG_MM_FN_HEX;
	return value;
}
