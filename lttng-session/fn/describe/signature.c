// SPDX-License-Identifier: LGPL-2.1-only
/* Assigns arguments and results to registers and stack slots (psABI for x86-64, section 3.2.3). */
#include "lttng-session/fn/describe/signature.h"

#include <string.h>

#include "lttng-session/fn/describe/members.h"

#define SSE_REGISTERS 8 /* xmm0 to xmm7 */
/*
 * Limits for a structure of up to 16 bytes: levels of nesting, and members. (A union in the
 * structure may have any number of members.)
 */
#define NESTING_MAX 16
#define MEMBERS_MAX 1024

/* psABI classes of an eightbyte. If two members share an eightbyte, the greater class applies. */
enum eightbyte_class { CLASS_NONE, CLASS_SSE, CLASS_INTEGER };

/*
 * The psABI classification of a type. With in_memory, the class is MEMORY, so the value is never in
 * registers.
 */
struct classification {
	const struct fn_btf *btf;
	bool in_memory;
	enum eightbyte_class eightbytes[2];
	unsigned int visited;
};

/* Registers and stack slots used by the arguments so far. */
struct argument_slots {
	unsigned int integer, sse; /* numbers of used registers, by class */
	unsigned int stack;	   /* number of used eightbytes */
	/* a stack argument has an unknown size or alignment, so later stack slots are unknown */
	bool stack_unknown;
	/* an argument has an unknown class, so the places of all later arguments are unknown */
	bool lost;
};

/* Merges @new_class into the class of each eightbyte that the bits overlap. */
static void merge_class(struct classification *class, uint64_t bit, uint64_t bits,
			enum eightbyte_class new_class)
{
	for (uint64_t i = bit / 64; bits && i <= (bit + bits - 1) / 64; i++) {
		if (i > 1) {
			class->in_memory = true;
			return;
		}
		if (new_class > class->eightbytes[i])
			class->eightbytes[i] = new_class;
	}
}

static void classify(struct classification *class, uint32_t type, uint64_t bit, unsigned int depth);

static void classify_members(struct classification *class, const struct btf_type *type,
			     uint64_t bit, unsigned int depth)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];
		uint32_t bits = btf_member_bitfield_size(type, i);
		uint64_t at = bit + btf_member_bit_offset(type, i);

		if (++class->visited > MEMBERS_MAX || class->in_memory) {
			class->in_memory = true;
			return;
		}
		if (bits)
			merge_class(class, at, bits, CLASS_INTEGER);
		else
			classify(class, member->type, at, depth + 1);
	}
}

static void classify_elements(struct classification *class, const struct btf_type *type,
			      uint64_t bit, unsigned int depth)
{
	const struct btf_array *array = btf_array(type);
	int64_t size = fn_btf_size(class->btf, array->type);

	if (size < 0 || array->nelems > 16) {
		class->in_memory = size < 0 || size;
		return;
	}
	for (uint32_t i = 0; size && i < array->nelems && !class->in_memory; i++)
		classify(class, array->type, bit + 8 * (uint64_t)size * i, depth + 1);
}

/*
 * Merges the class of a member of basic type. An unaligned member (of a packed structure) makes the
 * class of the whole structure MEMORY.
 */
static void classify_basic(struct classification *class, uint64_t bytes, uint64_t bit,
			   enum eightbyte_class new_class)
{
	if (!bytes || bytes > 16 || bytes & (bytes - 1) || bit % (8 * bytes))
		class->in_memory = true;
	else
		merge_class(class, bit, 8 * bytes, new_class);
}

static void classify(struct classification *class, uint32_t type, uint64_t bit, unsigned int depth)
{
	const struct btf_type *plain = fn_btf_plain(class->btf, type, NULL);

	if (!plain || depth > NESTING_MAX || bit >= 128) {
		class->in_memory = true;
		return;
	}
	if (btf_is_ptr(plain))
		classify_basic(class, 8, bit, CLASS_INTEGER);
	else if (btf_is_int(plain) && btf_int_bits(plain) != 8 * plain->size)
		merge_class(class, bit + btf_int_offset(plain), btf_int_bits(plain), CLASS_INTEGER);
	else if (btf_is_int(plain) || btf_is_any_enum(plain))
		classify_basic(class, plain->size, bit, CLASS_INTEGER);
	else if (btf_is_float(plain) && plain->size <= 8)
		classify_basic(class, plain->size, bit, CLASS_SSE);
	else if (btf_is_composite(plain))
		classify_members(class, plain, bit, depth);
	else if (btf_is_array(plain))
		classify_elements(class, plain, bit, depth);
	else
		class->in_memory = true;
}

static void refuse(struct fn_argument *argument, enum fn_reason reason)
{
	argument->value = (struct fn_value){ .reason = reason };
}

static void place_on_stack(struct argument_slots *slots, struct fn_argument *argument)
{
	argument->source = FN_REGISTERS + slots->stack++;
	if (slots->stack_unknown)
		refuse(argument, FN_PLACE_UNKNOWN);
	else if (argument->source >= LTTNG_MM_FN_ARGUMENTS)
		refuse(argument, FN_BEYOND);
}

static void place_sse(struct argument_slots *slots)
{
	/* No kernel function has SSE arguments on the stack, so their slots are not tracked. */
	if (++slots->sse > SSE_REGISTERS)
		slots->stack_unknown = true;
}

/* Sets the sources of a structure's two eightbytes, and whether its members can be recorded. */
static void set_structure(const struct fn_btf *btf, const struct classification *class,
			  struct fn_argument *argument)
{
	enum fn_reason reason = fn_members_reason(btf, argument->type);
	unsigned int size = (unsigned int)fn_btf_size(btf, argument->type);

	argument->eightbytes[0] = (unsigned char)argument->source;
	argument->eightbytes[1] =
		(unsigned char)(argument->source + (class->eightbytes[0] == CLASS_INTEGER));
	if (size > 8 && reason) {
		refuse(argument, reason);
	} else if (size > 8) {
		argument->value = (struct fn_value){
			.kind = LTTNG_MM_FN_HEX,
			.bytes = 16,
			.mask_bits = (unsigned char)(8 * size),
			.bits = 128,
			.is_structure = true,
			.by_member = true,
		};
	} else {
		argument->value.by_member = !reason;
	}
}

/*
 * Assigns a structure of up to 16 bytes to registers, if there are enough for all its eightbytes.
 * Otherwise, the whole structure is on the stack, and later arguments may use the registers. BTF
 * does not state a structure's alignment, so a structure of two eightbytes has no known place on
 * the stack.
 */
static void place_structure(const struct fn_btf *btf, struct argument_slots *slots,
			    struct fn_argument *argument)
{
	struct classification class = { .btf = btf };
	unsigned int integer = 0, sse = 0;

	classify(&class, argument->type, 0, 0);
	for (unsigned int i = 0; i < 2; i++) {
		integer += class.eightbytes[i] == CLASS_INTEGER;
		sse += class.eightbytes[i] == CLASS_SSE;
	}
	if (class.in_memory) {
		slots->stack_unknown = true;
		refuse(argument, FN_ON_STACK);
	} else if (!integer && !sse) {
		slots->lost = true;
		refuse(argument, FN_UNKNOWN_TYPE);
	} else if (slots->integer + integer <= FN_REGISTERS && slots->sse + sse <= SSE_REGISTERS) {
		argument->source = slots->integer;
		slots->integer += integer;
		slots->sse += sse;
		if (sse)
			refuse(argument, FN_FLOAT);
		else
			set_structure(btf, &class, argument);
	} else if (!argument->value.reason && integer) {
		place_on_stack(slots, argument);
		if (!argument->value.reason)
			set_structure(btf, &class, argument);
	} else {
		slots->stack_unknown = true;
		refuse(argument, sse ? FN_FLOAT : FN_PAIR_ON_STACK);
	}
}

static void place_scalar(struct argument_slots *slots, struct fn_argument *argument)
{
	if (slots->integer < FN_REGISTERS)
		argument->source = slots->integer++;
	else
		place_on_stack(slots, argument);
}

static void place(const struct fn_btf *btf, struct argument_slots *slots,
		  struct fn_argument *argument)
{
	argument->value = fn_value_named(btf, argument->type, argument->name);
	if (slots->lost) {
		refuse(argument, FN_PLACE_UNKNOWN);
		return;
	}
	switch (argument->value.reason) {
	case FN_AVAILABLE:
		if (argument->value.is_structure)
			place_structure(btf, slots, argument);
		else
			place_scalar(slots, argument);
		break;
	case FN_TWO_REGISTERS:
		place_structure(btf, slots, argument);
		break;
	case FN_WIDE_INTEGER:
		if (slots->integer + 2 <= FN_REGISTERS)
			slots->integer += 2;
		else
			slots->stack_unknown = true;
		break;
	case FN_ON_STACK:
		slots->stack_unknown = true;
		break;
	case FN_FLOAT:
		/* `long double` has the class X87, so it is on the stack. */
		if (fn_btf_size(btf, argument->type) <= 8)
			place_sse(slots);
		else
			slots->stack_unknown = true;
		break;
	case FN_VECTOR:
		place_sse(slots);
		break;
	case FN_EMPTY:
		break;
	default:
		slots->lost = true;
	}
}

/*
 * Sets the place of the result. Returns true if its class is MEMORY: the caller then passes an
 * address for the result as a hidden first argument.
 */
static bool place_result(const struct fn_btf *btf, struct fn_signature *signature)
{
	struct classification class = { .btf = btf };
	struct fn_value *result = &signature->result;

	*result = fn_value_of(btf, signature->result_type);
	if (result->reason == FN_ON_STACK || result->reason == FN_VECTOR)
		return fn_btf_size(btf, signature->result_type) > 16;
	if (result->reason != FN_TWO_REGISTERS && !result->is_structure)
		return false;
	classify(&class, signature->result_type, 0, 0);
	if (!result->reason && class.eightbytes[0] != CLASS_INTEGER)
		result->reason = class.in_memory ? FN_ON_STACK : FN_FLOAT;
	else if (class.in_memory)
		result->reason = FN_ON_STACK;
	return class.in_memory;
}

static bool is_void(const struct fn_btf *btf, uint32_t type)
{
	uint32_t id;

	return fn_btf_plain(btf, type, &id) && !id;
}

int fn_signature_read(const struct fn_btf *btf, uint32_t function, struct fn_signature *signature)
{
	const struct btf_type *type = btf__type_by_id(btf->btf, function), *prototype;
	struct argument_slots slots = { .integer = 0 };
	bool hidden = false;
	uint32_t count;

	*signature = (struct fn_signature){ .btf = btf, .name = fn_btf_name(btf, type) };
	prototype = type && btf_is_func(type) ? btf__type_by_id(btf->btf, type->type) : NULL;
	if (!prototype || !btf_is_func_proto(prototype))
		return -1;
	count = btf_vlen(prototype);
	/* The last parameter of a variadic function has no name and no type in BTF. */
	if (count && !btf_params(prototype)[count - 1].type) {
		signature->is_variadic = true;
		count--;
	}
	if (count > FN_SIGNATURE_MAX)
		return -1;
	if (!is_void(btf, prototype->type)) {
		signature->result_type = prototype->type;
		hidden = place_result(btf, signature);
	}
	signature->count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct fn_argument *argument = &signature->arguments[i];

		argument->name = fn_btf_string(btf, btf_params(prototype)[i].name_off);
		argument->type = btf_params(prototype)[i].type;
		place(btf, &slots, argument);
		if (hidden)
			refuse(argument, FN_HIDDEN_POINTER);
	}
	return 0;
}

static bool is_named(const struct fn_btf *btf, uint32_t type, const struct fn_named_type *name)
{
	const struct btf_type *plain = fn_btf_plain(btf, type, NULL);

	if (!plain)
		return false;
	switch (name->tag) {
	case FN_TAG_STRUCT:
		return (btf_is_struct(plain) || (btf_is_fwd(plain) && !btf_kflag(plain))) &&
		       !strcmp(fn_btf_name(btf, plain), name->name);
	case FN_TAG_UNION:
		return (btf_is_union(plain) || (btf_is_fwd(plain) && btf_kflag(plain))) &&
		       !strcmp(fn_btf_name(btf, plain), name->name);
	case FN_TAG_ENUM:
		return btf_is_any_enum(plain) && !strcmp(fn_btf_name(btf, plain), name->name);
	default:
		return fn_btf_has_typedef(btf, type, name->name) ||
		       (btf_is_int(plain) && !strcmp(fn_btf_name(btf, plain), name->name)) ||
		       (is_void(btf, type) && !strcmp(name->name, "void"));
	}
}

bool fn_signature_takes(const struct fn_signature *signature, const struct fn_named_type *name)
{
	const struct fn_btf *btf = signature->btf;

	for (size_t i = 0; i < signature->count; i++) {
		uint32_t type = signature->arguments[i].type;
		unsigned int pointers = 0;

		for (; pointers < name->pointers; pointers++) {
			const struct btf_type *plain = fn_btf_plain(btf, type, NULL);

			if (!plain || !btf_is_ptr(plain))
				break;
			type = plain->type;
		}
		if (pointers == name->pointers && is_named(btf, type, name))
			return true;
	}
	return false;
}
