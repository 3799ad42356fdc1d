// SPDX-License-Identifier: LGPL-2.1-only
// Reads fields at any bit position, in the layouts of CTF 1.8 and CTF 2.

#include "reader/ctf/packet/read.h"

#include <string.h>

#include "reader/ctf/packet/map.h"

/* Limit on the elements of size 0 in a dynamic array. */
#define EMPTY_MAX 4096

static inline enum ctf_status fail(struct ctf_cursor *cursor, enum ctf_status status,
				   const char *problem)
{
	cursor->problem = problem;
	return status;
}

static inline enum ctf_status align_to(struct ctf_cursor *cursor, uint64_t align)
{
	uint64_t at = (cursor->at + align - 1) & ~(align - 1);

	if (at > cursor->end)
		return fail(cursor, CTF_END, "alignment past the end of the content");
	cursor->at = at;
	return CTF_OK;
}

enum ctf_status ctf_align(struct ctf_cursor *cursor, const struct ctf_field *field)
{
	return align_to(cursor, field->align);
}

static inline uint64_t low_bits(unsigned int count)
{
	return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static inline uint64_t load_le(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	return value;
}

/* Reads little-endian bits. Bit 0 of a byte comes first, and is the lowest bit of the value. */
static inline uint64_t bits_le(const uint8_t *bytes, unsigned int shift, unsigned int size)
{
	uint64_t value = load_le(bytes) >> shift;

	if (shift + size > 64)
		value |= (uint64_t)bytes[8] << (64 - shift);
	return value & low_bits(size);
}

/* Reads big-endian bits. Bit 7 of a byte comes first, and is the highest bit of the value. */
static inline uint64_t bits_be(const uint8_t *bytes, unsigned int shift, unsigned int size)
{
	uint64_t value = __builtin_bswap64(load_le(bytes)) << shift;

	if (shift + size > 64)
		value |= bytes[8] >> (8 - shift);
	return value >> (64 - size);
}

static uint64_t reverse_bits(uint64_t value, unsigned int size)
{
	uint64_t reversed = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		reversed |= (value >> i & 1) << (size - 1 - i);
	return reversed;
}

static inline enum ctf_status read_bits(struct ctf_cursor *cursor, const struct ctf_field *field,
					uint64_t *value)
{
	unsigned int size = field->size, shift;
	const uint8_t *bytes;
	enum ctf_status status = align_to(cursor, field->align);

	if (status)
		return status;
	if (size > cursor->end - cursor->at)
		return fail(cursor, CTF_END, "number past the end of the content");
	bytes = cursor->data + (cursor->at >> 3);
	shift = cursor->at & 7;
	*value = ctf_once(field->big_endian ? bits_be(bytes, shift, size)
					    : bits_le(bytes, shift, size));
	if (field->reversed_bits)
		*value = reverse_bits(*value, size);
	cursor->at += size;
	return CTF_OK;
}

static inline int64_t extend_sign(uint64_t value, unsigned int size)
{
	unsigned int unused = (64 - size) & 63;

	return (int64_t)(value << unused) >> unused;
}

static double half_to_double(uint16_t bits)
{
	unsigned int exponent = bits >> 10 & 0x1f;
	unsigned int fraction = bits & 0x3ff;
	double value;

	if (exponent == 0x1f)
		value = fraction ? __builtin_nan("") : __builtin_inf();
	else if (exponent)
		value = __builtin_ldexp(1024 + fraction, (int)exponent - 25);
	else
		value = __builtin_ldexp(fraction, -24);
	return bits & 0x8000 ? -value : value;
}

static double bits_to_double(uint64_t bits, unsigned int size)
{
	uint32_t word = bits;
	double real;
	float single;

	if (size == 64) {
		memcpy(&real, &bits, sizeof(real));
		return real;
	}
	if (size == 16)
		return half_to_double(bits);
	memcpy(&single, &word, sizeof(single));
	return single;
}

/*
 * Reads LEB128. A byte has 7 bits of the value, lowest bits first. Bit 7 of a byte is set if more
 * bytes follow. The tenth byte has only one bit of the value, the last one. In a signed number,
 * this bit fills all 7 bits of the byte.
 */
static enum ctf_status read_leb128(struct ctf_cursor *cursor, bool with_sign, uint64_t *value)
{
	enum ctf_status status = align_to(cursor, 8);
	const uint8_t *bytes;
	uint64_t room, byte, result = 0;
	unsigned int i;

	if (status)
		return status;
	bytes = cursor->data + (cursor->at >> 3);
	room = (cursor->end - cursor->at) >> 3;
	for (i = 0;; i++) {
		if (i == 10)
			return fail(cursor, CTF_BAD,
				    "variable-length integer of more than 64 bits");
		if (i == room)
			return fail(cursor, CTF_END,
				    "variable-length integer past the end of the content");
		byte = ctf_once(bytes[i]);
		result |= (byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			break;
	}
	if (i == 9 && byte > 1 && !(with_sign && byte == 0x7f))
		return fail(cursor, CTF_BAD, "variable-length integer of more than 64 bits");
	if (i == 9 && with_sign && byte == 1)
		return fail(cursor, CTF_BAD, "variable-length integer of more than 64 bits");
	if (with_sign && i < 9)
		result = extend_sign(result, 7 * (i + 1));
	cursor->at += UINT64_C(8) * (i + 1);
	*value = result;
	return CTF_OK;
}

static inline unsigned int unit_size(const struct ctf_field *field)
{
	switch (field->encoding) {
	case CTF_UTF16LE:
	case CTF_UTF16BE:
		return 2;
	case CTF_UTF32LE:
	case CTF_UTF32BE:
		return 4;
	default:
		return 1;
	}
}

/*
 * Returns the number of bytes before the first null code unit in @bytes, which has @length bytes.
 * Sets *@found if there is a null code unit.
 */
static uint64_t find_null(const uint8_t *bytes, uint64_t length, unsigned int unit, bool *found)
{
	static const uint8_t null[4];
	uint64_t i;

	*found = true;
	if (unit == 1) {
		const uint8_t *end = length ? memchr(bytes, 0, length) : NULL;

		if (end)
			return end - bytes;
	} else {
		for (i = 0; length - i >= unit; i += unit)
			if (!memcmp(bytes + i, null, unit))
				return i;
	}
	*found = false;
	return length;
}

static enum ctf_status read_string(struct ctf_cursor *cursor, const struct ctf_field *field,
				   struct ctf_scalar *scalar)
{
	enum ctf_status status = align_to(cursor, field->align);
	unsigned int unit = unit_size(field);
	bool found;

	if (status)
		return status;
	scalar->bytes = cursor->data + (cursor->at >> 3);
	scalar->length = find_null(scalar->bytes, (cursor->end - cursor->at) >> 3, unit, &found);
	if (!found)
		return fail(cursor, CTF_END, "string without an end");
	cursor->at += 8 * (scalar->length + unit);
	return CTF_OK;
}

enum ctf_status ctf_count_idle(struct ctf_cursor *cursor, uint64_t count)
{
	uint64_t most = cursor->idle_max ? cursor->idle_max : CTF_IDLE_MAX;

	cursor->idle += count;
	if (cursor->idle > most &&
	    (cursor->idle - most) / CTF_IDLE_PER_BIT > cursor->at - cursor->start)
		return fail(cursor, CTF_BAD, "too many fields that take no space");
	return CTF_OK;
}

static inline enum ctf_status count_idle(struct ctf_cursor *cursor)
{
	if (__builtin_expect(cursor->idle < CTF_IDLE_DECODED, 1)) {
		cursor->idle++;
		return CTF_OK;
	}
	return ctf_count_idle(cursor, 1);
}

static enum ctf_status read_bytes(struct ctf_cursor *cursor, const struct ctf_field *field,
				  uint64_t length, struct ctf_scalar *scalar)
{
	bool is_string = field->kind == CTF_STATIC_STRING || field->kind == CTF_DYNAMIC_STRING;
	enum ctf_status status = align_to(cursor, field->align);
	bool found;

	if (!status && !length)
		status = count_idle(cursor);
	if (status)
		return status;
	if (length > (cursor->end - cursor->at) >> 3)
		return fail(cursor, CTF_END,
			    is_string ? "string past the end of the content"
				      : "BLOB past the end of the content");
	scalar->bytes = cursor->data + (cursor->at >> 3);
	scalar->length = length;
	if (is_string)
		scalar->length = find_null(scalar->bytes, length, unit_size(field), &found);
	cursor->at += 8 * length;
	return CTF_OK;
}

enum ctf_status ctf_read_scalar(struct ctf_cursor *cursor, const struct ctf_field *field,
				struct ctf_scalar *scalar)
{
	enum ctf_status status;

	switch (field->kind) {
	case CTF_UNSIGNED:
	case CTF_BOOL:
	case CTF_BITMAP:
		status = read_bits(cursor, field, &scalar->u);
		break;
	case CTF_SIGNED:
		status = read_bits(cursor, field, &scalar->u);
		if (!status)
			scalar->i = extend_sign(scalar->u, field->size);
		break;
	case CTF_FLOAT:
		status = read_bits(cursor, field, &scalar->u);
		if (!status)
			scalar->r = bits_to_double(scalar->u, field->size);
		return status;
	case CTF_LEB_UNSIGNED:
	case CTF_LEB_SIGNED:
		status = align_to(cursor, field->align);
		if (!status)
			status = read_leb128(cursor, field->kind == CTF_LEB_SIGNED, &scalar->u);
		break;
	case CTF_STRING:
		return read_string(cursor, field, scalar);
	case CTF_STATIC_STRING:
	case CTF_STATIC_BLOB:
		return read_bytes(cursor, field, field->length, scalar);
	case CTF_DYNAMIC_STRING:
	case CTF_DYNAMIC_BLOB:
		return read_bytes(cursor, field, cursor->slots[field->ref_slot], scalar);
	default:
		return fail(cursor, CTF_BAD, "compound field where a scalar was expected");
	}
	if (field->keep_slot >= 0 && !status)
		cursor->slots[field->keep_slot] = scalar->u;
	return status;
}

enum ctf_status ctf_read_length(struct ctf_cursor *cursor, const struct ctf_field *array,
				uint64_t *length)
{
	enum ctf_status status = align_to(cursor, array->align);
	const struct ctf_field *element = array->element;

	*length = array->kind == CTF_STATIC_ARRAY ? array->length : cursor->slots[array->ref_slot];
	if (!status)
		status = count_idle(cursor);
	if (status)
		return status;
	if (element->min_bits && *length > (cursor->end - cursor->at) / element->min_bits)
		return fail(cursor, CTF_END, "array past the end of the content");
	if (element->fixed && !element->fixed_bits && array->kind == CTF_DYNAMIC_ARRAY &&
	    *length > EMPTY_MAX)
		return fail(cursor, CTF_BAD, "array of too many elements that take no space");
	return CTF_OK;
}

static bool in_ranges(uint64_t value, bool with_sign, const struct ctf_range *ranges, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (with_sign ? (int64_t)value >= ranges[i].lower.i &&
					(int64_t)value <= ranges[i].upper.i
			      : value >= ranges[i].lower.u && value <= ranges[i].upper.u)
			return true;
	}
	return false;
}

/* Finds the option of a variant with sorted choices; NULL: none. */
static const struct ctf_member *search_choice(const struct ctf_field *variant, uint64_t value)
{
	size_t low = 0, high = variant->choice_count;

	if (variant->ref_signed)
		value ^= UINT64_C(1) << 63;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (variant->choices[middle].upper < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < variant->choice_count && variant->choices[low].lower <= value
		       ? &variant->members[variant->choices[low].member]
		       : NULL;
}

enum ctf_status ctf_read_choice(struct ctf_cursor *cursor, const struct ctf_field *variant,
				const struct ctf_member **member)
{
	uint64_t value = cursor->slots[variant->ref_slot];
	enum ctf_status status = count_idle(cursor);
	size_t i;

	if (status)
		return status;
	if (variant->choices) {
		*member = search_choice(variant, value);
		if (*member)
			return CTF_OK;
	}
	for (i = 0; i < variant->member_count && !variant->choices; i++) {
		*member = &variant->members[i];
		if (in_ranges(value, variant->ref_signed, (*member)->ranges,
			      (*member)->range_count))
			return CTF_OK;
	}
	return fail(cursor, CTF_BAD, "selector that chooses none of a variant's options");
}

enum ctf_status ctf_read_presence(struct ctf_cursor *cursor, const struct ctf_field *option,
				  bool *present)
{
	uint64_t value = cursor->slots[option->ref_slot];

	*present = option->range_count ? in_ranges(value, option->ref_signed, option->ranges,
						   option->range_count)
				       : value != 0;
	return count_idle(cursor);
}

static enum ctf_status skip_bits(struct ctf_cursor *cursor, uint64_t bits)
{
	if (bits > cursor->end - cursor->at)
		return fail(cursor, CTF_END, "field past the end of the content");
	cursor->at += bits;
	return CTF_OK;
}

enum ctf_status ctf_skip_elements(struct ctf_cursor *cursor, const struct ctf_field *element,
				  uint64_t length)
{
	uint64_t align = element->align;
	uint64_t stride = (element->fixed_bits + align - 1) & ~(align - 1);
	enum ctf_status status;
	uint64_t bits;

	if (!length)
		return CTF_OK;
	status = align_to(cursor, element->align);
	if (status)
		return status;
	if (__builtin_mul_overflow(stride, length - 1, &bits) ||
	    __builtin_add_overflow(bits, element->fixed_bits, &bits))
		bits = UINT64_MAX;
	return skip_bits(cursor, bits);
}

/* Can a reader of packet headers ignore @field? */
static inline bool is_irrelevant(const struct ctf_cursor *cursor, const struct ctf_field *field)
{
	return cursor->roles_only && !field->has_roles;
}

static enum ctf_status skip_array(struct ctf_cursor *cursor, const struct ctf_field *field,
				  ctf_found found, void *user)
{
	enum ctf_status status;
	uint64_t length, i;

	status = ctf_read_length(cursor, field, &length);
	if (status)
		return status;
	if (field->element->fixed && !field->element->keeps &&
	    (!found || is_irrelevant(cursor, field->element)))
		return ctf_skip_elements(cursor, field->element, length);
	for (i = 0; i < length && !status; i++)
		status = ctf_skip(cursor, field->element, found, user);
	return status;
}

static enum ctf_status skip_struct(struct ctf_cursor *cursor, const struct ctf_field *field,
				   ctf_found found, void *user)
{
	enum ctf_status status = align_to(cursor, field->align);
	size_t i;

	for (i = 0; i < field->member_count && !status; i++)
		status = ctf_skip(cursor, field->members[i].field, found, user);
	return status;
}

enum ctf_status ctf_skip(struct ctf_cursor *cursor, const struct ctf_field *field, ctf_found found,
			 void *user)
{
	const struct ctf_member *member;
	struct ctf_scalar scalar;
	enum ctf_status status;
	bool present;

	if (!field)
		return CTF_OK;
	if (found && cursor->fields_left && !--cursor->fields_left)
		return fail(cursor, CTF_BAD, "too many fields");
	if (field->fixed && !field->keeps && (!found || is_irrelevant(cursor, field))) {
		status = align_to(cursor, field->align);
		return status ? status : skip_bits(cursor, field->fixed_bits);
	}
	switch (field->kind) {
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
		return skip_array(cursor, field, found, user);
	case CTF_STRUCT:
		return skip_struct(cursor, field, found, user);
	case CTF_VARIANT:
		status = ctf_read_choice(cursor, field, &member);
		return status ? status : ctf_skip(cursor, member->field, found, user);
	case CTF_OPTION:
		status = ctf_read_presence(cursor, field, &present);
		if (status || !present)
			return status;
		return ctf_skip(cursor, field->element, found, user);
	default:
		status = ctf_read_scalar(cursor, field, &scalar);
		if (!status && found && (field->roles || !cursor->roles_only))
			found(user, field, &scalar);
		return status;
	}
}

#define REPLACEMENT 0xfffd

static uint32_t load_unit(const uint8_t *bytes, unsigned int unit, bool big_endian)
{
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < unit; i++)
		value |= (uint32_t)bytes[i] << 8 * (big_endian ? unit - 1 - i : i);
	return value;
}

/* Decodes the code point at @bytes, which has @length bytes left. Stores its size in *@used. */
static uint32_t next_code_point(const struct ctf_field *field, const uint8_t *bytes,
				uint64_t length, uint64_t *used)
{
	bool big_endian = field->encoding == CTF_UTF16BE || field->encoding == CTF_UTF32BE;
	unsigned int unit = unit_size(field);
	uint32_t first, second;

	*used = length < unit ? length : unit;
	if (length < unit)
		return REPLACEMENT;
	first = load_unit(bytes, unit, big_endian);
	if (first > 0x10ffff || (first >= 0xdc00 && first < 0xe000))
		return REPLACEMENT;
	if (first < 0xd800 || first >= 0xdc00)
		return first;
	if (unit == 4 || length < 4)
		return REPLACEMENT;
	second = load_unit(bytes + 2, unit, big_endian);
	if (second < 0xdc00 || second >= 0xe000)
		return REPLACEMENT;
	*used = 4;
	return 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
}

static unsigned int encode_utf8(uint32_t code, char *dst)
{
	unsigned int i, count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t mark[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (i = count - 1; i; i--) {
		dst[i] = 0x80 | (code & 0x3f);
		code >>= 6;
	}
	dst[0] = mark[count] | code;
	return count;
}

static size_t copy_utf8(char *dst, size_t size, const struct ctf_scalar *scalar)
{
	size_t count = scalar->length;

	if (!size)
		return count;
	memcpy(dst, scalar->bytes, count < size ? count : size - 1);
	dst[count < size ? count : size - 1] = '\0';
	return count;
}

size_t ctf_string_to_utf8(char *dst, size_t size, const struct ctf_field *field,
			  const struct ctf_scalar *scalar)
{
	uint64_t at = 0, used;
	size_t length = 0, end = 0;
	unsigned int count;
	char code[4];

	if (field->encoding == CTF_UTF8)
		return copy_utf8(dst, size, scalar);
	for (; at < scalar->length; at += used) {
		count = encode_utf8(
			next_code_point(field, scalar->bytes + at, scalar->length - at, &used),
			code);
		/* Truncate the result between code points. */
		if (end == length && length + count < size) {
			memcpy(dst + end, code, count);
			end += count;
		}
		length += count;
	}
	if (size)
		dst[end] = '\0';
	return length;
}
