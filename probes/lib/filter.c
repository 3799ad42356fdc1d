// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs filters after LTTng has linked them. They are programs for a stack machine
 * (lttng/bytecode.h). An event may have several filters. LTTng's own interpreter needs the values
 * of all fields, and executes more instructions than writing the record does.
 *
 * LTTng has verified the programs. Jumps only lead forward, and the stack is large enough.
 */

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <lttng/lttng-bytecode.h>
#include <wrapper/kallsyms.h>
#include <probes/lib/filter.h>

#ifdef LTTNG_MM_RING_BUFFER_INLINE
/*
 * Number of times that LTTng had to interpret a filter. See
 * /sys/module/lttng_mm_lib/parameters/interpreted.
 */
static atomic_long_t interpreted;

static int show_interpreted(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%ld\n", atomic_long_read(&interpreted));
}

static const struct kernel_param_ops interpreted_ops = { .get = show_interpreted };
module_param_cb(interpreted, &interpreted_ops, NULL, 0444);

/*
 * LTTng runs a program through a pointer to one of these functions: its interpreter, or a function
 * that rejects all records.
 */
static void *interprets, *fails;

void lttng_mm_filter_init(void)
{
	interprets = (void *)kallsyms_lookup_funcptr("lttng_bytecode_interpret");
	fails = (void *)kallsyms_lookup_funcptr("lttng_bytecode_interpret_error");
}

struct program {
	const struct bytecode_runtime *runtime;
	const struct lttng_mm_made_class *class;
	const u8 *bytes;
};

/* The instruction that loads a number from its place on LTTng's stack. */
struct load_reference {
	struct load_op load;
	struct field_ref at;
} __packed;

/* Another way to load a number: load the record, index the field, load the value by its type. */
struct load_number {
	struct load_op root;
	struct load_op index;
	struct get_index_u16 at;
	struct load_op load;
} __packed;

static bool is_number(const struct bytecode_get_index_data *field, bytecode_opcode_t load)
{
	if (field->elem.rev_bo || field->elem.user)
		return false;
	switch (load) {
	case BYTECODE_OP_LOAD_FIELD_S64:
	case BYTECODE_OP_LOAD_FIELD_U64:
		return true;
	case BYTECODE_OP_LOAD_FIELD:
		return field->elem.type == OBJECT_TYPE_SIGNED_ENUM ||
		       field->elem.type == OBJECT_TYPE_UNSIGNED_ENUM;
	default:
		return false;
	}
}

/* Reads a number of the record. LTTng's interpreter would find it at byte @offset of its stack. */
static __always_inline bool number_at(const struct program *program, u64 offset, s64 *value)
{
	const u64 number = offset / sizeof(u64);

	if (unlikely(number >= program->class->numbers))
		return false;
	*value = (s64)lttng_mm_place_value(&program->class->place[number], program->bytes);
	return true;
}

/*
 * These functions decode instructions that only load a number. They return the number of decoded
 * bytes, or 0 for any other instruction.
 */
static __always_inline size_t load_reference(const struct program *program, const char *pc,
					     s64 *value)
{
	const struct load_reference *load = (const struct load_reference *)pc;

	return number_at(program, load->at.offset, value) ? sizeof(*load) : 0;
}

static noinline size_t load_number(const struct program *program, const char *pc, s64 *value)
{
	const struct load_number *load = (const struct load_number *)pc;
	const struct bytecode_runtime *runtime = program->runtime;
	const struct bytecode_get_index_data *field;

	if (runtime->code + runtime->len - pc < (ptrdiff_t)sizeof(*load) ||
	    load->index.op != BYTECODE_OP_GET_INDEX_U16)
		return 0;
	field = (const void *)&runtime->data[load->at.index];
	return is_number(field, load->load.op) && number_at(program, field->offset, value)
		       ? sizeof(*load)
		       : 0;
}

static __always_inline size_t load_literal(const char *pc, s64 *value)
{
	memcpy(value, ((const struct load_op *)pc)->data, sizeof(*value));
	return sizeof(struct load_op) + sizeof(struct literal_numeric);
}

static bool is_load(bytecode_opcode_t op)
{
	return op == BYTECODE_OP_LOAD_S64 || op == BYTECODE_OP_LOAD_FIELD_REF_S64 ||
	       op == BYTECODE_OP_GET_PAYLOAD_ROOT;
}

static bool is_binary(bytecode_opcode_t op)
{
	return (op >= BYTECODE_OP_EQ_S64 && op <= BYTECODE_OP_LE_S64) ||
	       (op >= BYTECODE_OP_BIT_RSHIFT && op <= BYTECODE_OP_BIT_XOR);
}

/* Executes a binary operator. Returns false if LTTng's interpreter would fail. */
static __always_inline bool binary(bytecode_opcode_t op, s64 left, s64 right, s64 *result)
{
	switch (op) {
	case BYTECODE_OP_EQ_S64:
		*result = left == right;
		return true;
	case BYTECODE_OP_NE_S64:
		*result = left != right;
		return true;
	case BYTECODE_OP_GT_S64:
		*result = left > right;
		return true;
	case BYTECODE_OP_LT_S64:
		*result = left < right;
		return true;
	case BYTECODE_OP_GE_S64:
		*result = left >= right;
		return true;
	case BYTECODE_OP_LE_S64:
		*result = left <= right;
		return true;
	case BYTECODE_OP_BIT_AND:
		*result = left & right;
		return true;
	case BYTECODE_OP_BIT_OR:
		*result = left | right;
		return true;
	case BYTECODE_OP_BIT_XOR:
		*result = left ^ right;
		return true;
	case BYTECODE_OP_BIT_RSHIFT:
		*result = (s64)((u64)left >> (right & 63));
		return right >= 0 && right < 64;
	default:
		*result = (s64)((u64)left << (right & 63));
		return right >= 0 && right < 64;
	}
}

static u16 jump(const char *pc)
{
	u16 offset;

	memcpy(&offset, pc + offsetof(struct logical_op, skip_offset), sizeof(offset));
	return offset;
}

static enum lttng_mm_filter_result run(const struct program *program)
{
	const char *const code = program->runtime->code, *const end = code + program->runtime->len;
	s64 below[INTERPRETER_STACK_LEN], top = 0;
	unsigned int depth = 0;

	for (const char *pc = code; pc < end;) {
		const bytecode_opcode_t op = *(const bytecode_opcode_t *)pc;

		if (is_load(op)) {
			size_t bytes;

			if (depth == ARRAY_SIZE(below))
				break;
			below[depth++] = top;
			bytes = op == BYTECODE_OP_LOAD_FIELD_REF_S64
					? load_reference(program, pc, &top)
				: op == BYTECODE_OP_LOAD_S64 ? load_literal(pc, &top)
							     : load_number(program, pc, &top);
			if (!bytes)
				break;
			pc += bytes;
			continue;
		}
		if (is_binary(op)) {
			if (!depth)
				break;
			if (!binary(op, below[--depth], top, &top))
				return LTTNG_MM_FILTER_REJECTS;
			pc += sizeof(struct binary_op);
			continue;
		}
		switch (op) {
		case BYTECODE_OP_RETURN:
		case BYTECODE_OP_RETURN_S64:
			return top ? LTTNG_MM_FILTER_ACCEPTS : LTTNG_MM_FILTER_REJECTS;
		case BYTECODE_OP_AND:
		case BYTECODE_OP_OR:
			if (!top == (op == BYTECODE_OP_AND)) {
				top = !!top;
				pc = code + jump(pc);
				continue;
			}
			if (!depth)
				return LTTNG_MM_FILTER_OTHER;
			top = below[--depth];
			pc += sizeof(struct logical_op);
			continue;
		case BYTECODE_OP_UNARY_NOT_S64:
			top = !top;
			break;
		case BYTECODE_OP_UNARY_MINUS_S64:
			top = (s64) - (u64)top;
			break;
		case BYTECODE_OP_UNARY_BIT_NOT:
			top = ~top;
			break;
		case BYTECODE_OP_UNARY_PLUS_S64:
		case BYTECODE_OP_CAST_NOP:
			break;
		default:
			return LTTNG_MM_FILTER_OTHER;
		}
		/* The remaining instructions are unary operators and casts. */
		pc += sizeof(struct unary_op);
	}
	return LTTNG_MM_FILTER_OTHER;
}

static __always_inline enum lttng_mm_filter_result
run_all(const struct lttng_kernel_event_common *event, const struct lttng_mm_made_class *class,
	const u8 *bytes)
{
	const struct lttng_kernel_bytecode_runtime *runtime;

	if (unlikely(!interprets))
		return LTTNG_MM_FILTER_OTHER;
	list_for_each_entry_rcu(runtime, &event->priv->filter_bytecode_runtime_head, node) {
		const struct program program = {
			.runtime = container_of(runtime, struct bytecode_runtime, p),
			.class = class,
			.bytes = bytes,
		};
		void *function = (void *)READ_ONCE(runtime->interpreter_func);
		enum lttng_mm_filter_result result;

		if (function == fails)
			continue;
		if (unlikely(function != interprets))
			return LTTNG_MM_FILTER_OTHER;
		result = run(&program);
		if (result != LTTNG_MM_FILTER_REJECTS)
			return result;
	}
	return LTTNG_MM_FILTER_REJECTS;
}

enum lttng_mm_filter_result lttng_mm_filter(const struct lttng_kernel_event_common *event,
					    const struct lttng_mm_made_class *class,
					    const u8 *bytes)
{
	const enum lttng_mm_filter_result result = run_all(event, class, bytes);

	if (unlikely(result == LTTNG_MM_FILTER_OTHER))
		atomic_long_inc(&interpreted);
	return result;
}
#endif
