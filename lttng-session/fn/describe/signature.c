// SPDX-License-Identifier: LGPL-2.1-only
/* Places arguments and results by the calling convention of x86-64. */
#include "lttng-session/fn/describe/signature.h"

#include <string.h>

#include "lttng-session/fn/describe/members.h"

#define VECTOR_REGISTERS 8
/* Structures of up to 16 bytes may be nested, and have many members in unions. */
#define NESTING_MAX 16
#define MEMBERS_MAX 1024

/* The class of each eight bytes of an object. INTEGER prevails where both occur. */
enum word_class { WORD_NONE, WORD_VECTOR, WORD_INTEGER };

struct classes {
	const struct fn_btf *btf;
	bool in_memory; /* always passed in memory */
	enum word_class words[2];
	unsigned int visited;
};

/* Where the next argument is. */
struct placing {
	unsigned int registers, vectors, stack; /* used */
	bool stack_unknown;			/* something of unknown size is before */
	bool lost;				/* nothing is known any more */
};

static void mark(struct classes *classes, uint64_t bit, uint64_t bits, enum word_class class)
{
	for (uint64_t word = bit / 64; bits && word <= (bit + bits - 1) / 64; word++) {
		if (word > 1) {
			classes->in_memory = true;
			return;
		}
		if (class > classes->words[word])
			classes->words[word] = class;
	}
}

static void classify(struct classes *classes, uint32_t type, uint64_t bit, unsigned int depth);

static void classify_members(struct classes *classes, const struct btf_type *type, uint64_t bit,
			     unsigned int depth)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];
		uint32_t bits = btf_member_bitfield_size(type, i);
		uint64_t at = bit + btf_member_bit_offset(type, i);

		if (++classes->visited > MEMBERS_MAX || classes->in_memory) {
			classes->in_memory = true;
			return;
		}
		if (bits)
			mark(classes, at, bits, WORD_INTEGER);
		else
			classify(classes, member->type, at, depth + 1);
	}
}

static void classify_elements(struct classes *classes, const struct btf_type *type, uint64_t bit,
			      unsigned int depth)
{
	const struct btf_array *array = btf_array(type);
	int64_t size = fn_btf_size(classes->btf, array->type);

	if (size < 0 || array->nelems > 16) {
		classes->in_memory = size < 0 || size;
		return;
	}
	for (uint32_t i = 0; size && i < array->nelems && !classes->in_memory; i++)
		classify(classes, array->type, bit + 8 * (uint64_t)size * i, depth + 1);
}

/* Each basic type must be aligned by its size; a packed structure is passed in memory. */
static void classify_basic(struct classes *classes, uint64_t bytes, uint64_t bit,
			   enum word_class class)
{
	if (!bytes || bytes > 16 || bytes & (bytes - 1) || bit % (8 * bytes))
		classes->in_memory = true;
	else
		mark(classes, bit, 8 * bytes, class);
}

static void classify(struct classes *classes, uint32_t type, uint64_t bit, unsigned int depth)
{
	const struct btf_type *plain = fn_btf_plain(classes->btf, type, NULL);

	if (!plain || depth > NESTING_MAX || bit >= 128) {
		classes->in_memory = true;
		return;
	}
	if (btf_is_ptr(plain))
		classify_basic(classes, 8, bit, WORD_INTEGER);
	else if (btf_is_int(plain) && btf_int_bits(plain) != 8 * plain->size)
		mark(classes, bit + btf_int_offset(plain), btf_int_bits(plain), WORD_INTEGER);
	else if (btf_is_int(plain) || btf_is_any_enum(plain))
		classify_basic(classes, plain->size, bit, WORD_INTEGER);
	else if (btf_is_float(plain) && plain->size <= 8)
		classify_basic(classes, plain->size, bit, WORD_VECTOR);
	else if (btf_is_composite(plain))
		classify_members(classes, plain, bit, depth);
	else if (btf_is_array(plain))
		classify_elements(classes, plain, bit, depth);
	else
		classes->in_memory = true;
}

static void refuse(struct fn_argument *argument, enum fn_reason reason)
{
	argument->value = (struct fn_value){ .reason = reason };
}

/* On the stack, in the next eight bytes. */
static void place_on_stack(struct placing *placing, struct fn_argument *argument)
{
	argument->source = FN_REGISTERS + placing->stack++;
	if (placing->stack_unknown)
		refuse(argument, FN_PLACE_UNKNOWN);
	else if (argument->source >= LTTNG_MM_FN_ARGUMENTS)
		refuse(argument, FN_BEYOND);
}

static void place_vector(struct placing *placing)
{
	/* Its size on the stack is known, but no function has so many. */
	if (++placing->vectors > VECTOR_REGISTERS)
		placing->stack_unknown = true;
}

/* Sets the sources of the words of a structure, and whether its members are recorded. */
static void set_structure(const struct fn_btf *btf, const struct classes *classes,
			  struct fn_argument *argument)
{
	enum fn_reason reason = fn_members_reason(btf, argument->type);
	unsigned int size = (unsigned int)fn_btf_size(btf, argument->type);

	argument->words[0] = (unsigned char)argument->source;
	argument->words[1] =
		(unsigned char)(argument->source + (classes->words[0] == WORD_INTEGER));
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
 * A structure of up to 16 bytes takes registers if there are enough for all of it; otherwise all of
 * it is on the stack, aligned in a way that BTF does not say, and arguments after it may take the
 * registers that are left.
 */
static void place_structure(const struct fn_btf *btf, struct placing *placing,
			    struct fn_argument *argument)
{
	struct classes classes = { .btf = btf };
	unsigned int registers = 0, vectors = 0;

	classify(&classes, argument->type, 0, 0);
	for (unsigned int i = 0; i < 2; i++) {
		registers += classes.words[i] == WORD_INTEGER;
		vectors += classes.words[i] == WORD_VECTOR;
	}
	if (classes.in_memory) {
		placing->stack_unknown = true;
		refuse(argument, FN_ON_STACK);
	} else if (!registers && !vectors) {
		placing->lost = true;
		refuse(argument, FN_UNKNOWN_TYPE);
	} else if (placing->registers + registers <= FN_REGISTERS &&
		   placing->vectors + vectors <= VECTOR_REGISTERS) {
		argument->source = placing->registers;
		placing->registers += registers;
		placing->vectors += vectors;
		if (vectors)
			refuse(argument, FN_FLOAT);
		else
			set_structure(btf, &classes, argument);
	} else if (!argument->value.reason && registers) {
		place_on_stack(placing, argument);
		if (!argument->value.reason)
			set_structure(btf, &classes, argument);
	} else {
		placing->stack_unknown = true;
		refuse(argument, vectors ? FN_FLOAT : FN_PAIR_ON_STACK);
	}
}

static void place_scalar(struct placing *placing, struct fn_argument *argument)
{
	if (placing->registers < FN_REGISTERS)
		argument->source = placing->registers++;
	else
		place_on_stack(placing, argument);
}

static void place(const struct fn_btf *btf, struct placing *placing, struct fn_argument *argument)
{
	argument->value = fn_value_named(btf, argument->type, argument->name);
	if (placing->lost) {
		refuse(argument, FN_PLACE_UNKNOWN);
		return;
	}
	switch (argument->value.reason) {
	case FN_AVAILABLE:
		if (argument->value.is_structure)
			place_structure(btf, placing, argument);
		else
			place_scalar(placing, argument);
		break;
	case FN_TWO_REGISTERS:
		place_structure(btf, placing, argument);
		break;
	case FN_WIDE_INTEGER:
		if (placing->registers + 2 <= FN_REGISTERS)
			placing->registers += 2;
		else
			placing->stack_unknown = true;
		break;
	case FN_ON_STACK:
		placing->stack_unknown = true;
		break;
	case FN_FLOAT:
		/* `long double` is passed in memory. */
		if (fn_btf_size(btf, argument->type) <= 8)
			place_vector(placing);
		else
			placing->stack_unknown = true;
		break;
	case FN_VECTOR:
		place_vector(placing);
		break;
	case FN_EMPTY:
		break;
	default:
		placing->lost = true;
	}
}

/* Sets the result. Returns whether the first argument is the address where it is stored. */
static bool place_result(const struct fn_btf *btf, struct fn_signature *signature)
{
	struct classes classes = { .btf = btf };
	struct fn_value *result = &signature->result;

	*result = fn_value_of(btf, signature->result_type);
	if (result->reason == FN_ON_STACK || result->reason == FN_VECTOR)
		return fn_btf_size(btf, signature->result_type) > 16;
	if (result->reason != FN_TWO_REGISTERS && !result->is_structure)
		return false;
	classify(&classes, signature->result_type, 0, 0);
	if (!result->reason && classes.words[0] != WORD_INTEGER)
		result->reason = classes.in_memory ? FN_ON_STACK : FN_FLOAT;
	else if (classes.in_memory)
		result->reason = FN_ON_STACK;
	return classes.in_memory;
}

/* Is it `void`? */
static bool is_void(const struct fn_btf *btf, uint32_t type)
{
	uint32_t id;

	return fn_btf_plain(btf, type, &id) && !id;
}

int fn_signature_read(const struct fn_btf *btf, uint32_t function, struct fn_signature *signature)
{
	const struct btf_type *type = btf__type_by_id(btf->btf, function), *prototype;
	struct placing placing = { .registers = 0 };
	bool hidden = false;
	uint32_t count;

	*signature = (struct fn_signature){ .btf = btf, .name = fn_btf_name(btf, type) };
	prototype = type && btf_is_func(type) ? btf__type_by_id(btf->btf, type->type) : NULL;
	if (!prototype || !btf_is_func_proto(prototype))
		return -1;
	count = btf_vlen(prototype);
	/* The last one has neither name nor type if more may follow. */
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
		place(btf, &placing, argument);
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
