// SPDX-License-Identifier: LGPL-2.1-only
/* Rewrites comparisons of unsigned 64-bit numbers with a recursive-descent parser. */
#include "lttng-session/daemon/triggers/definition/filter-signs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum nesting of parentheses and unary operators. */
#define NESTING_MAX 200
#define BITS 64u

/* A subexpression: its rewritten text and its type. */
struct filter_expr {
	char *text;
	struct filter_type type;
	bool is_constant;
	uint64_t value; /* the value, if @is_constant, in two's complement */
};

struct filter_parser {
	const char *at;
	struct filter_token token;
	unsigned int nesting;
	filter_type_of *type_of;
	void *user;
	struct mm_error *err;
};

enum precedence {
	NO_OPERATOR,
	LOGICAL_OR,
	LOGICAL_AND,
	EQUALITY,
	RELATION,
	BITWISE_OR,
	BITWISE_XOR,
	BITWISE_AND,
	SHIFT,
};

/*
 * Returns the operator's precedence in LTTng. Unlike in C, bitwise operators bind more tightly than
 * comparisons.
 */
static enum precedence precedence_of(const struct filter_token *token)
{
	static const struct {
		const char *op;
		enum precedence precedence;
	} all[] = {
		{ "||", LOGICAL_OR }, { "&&", LOGICAL_AND }, { "==", EQUALITY },
		{ "!=", EQUALITY },   { "<", RELATION },     { ">", RELATION },
		{ "<=", RELATION },   { ">=", RELATION },    { "|", BITWISE_OR },
		{ "^", BITWISE_XOR }, { "&", BITWISE_AND },  { "<<", SHIFT },
		{ ">>", SHIFT },
	};

	for (size_t i = 0; token->kind == FILTER_OPERATOR && i < sizeof(all) / sizeof(all[0]); i++)
		if (filter_token_is(token, all[i].op))
			return all[i].precedence;
	return NO_OPERATOR;
}

static int refuse(struct filter_parser *parser, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct filter_parser *parser, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	mm_error_vset(parser->err, MM_EXIT_BAD_INPUT, fmt, args);
	va_end(args);
	return -1;
}

static int refuse_length(struct filter_parser *parser)
{
	return refuse(
		parser,
		"the filter is too long: LTTng compares numbers as signed ones, so each comparison of an unsigned 64-bit field becomes a longer one");
}

static int out_of_memory(struct filter_parser *parser)
{
	return mm_error_set(parser->err, MM_EXIT_ENVIRONMENT, "out of memory");
}

static void advance(struct filter_parser *parser)
{
	parser->token = filter_next(&parser->at);
}

static int refuse_token(struct filter_parser *parser)
{
	if (parser->token.kind == FILTER_END)
		return refuse(parser, "the filter ends too early");
	return refuse(parser, "the filter cannot be parsed at '%.*s'", (int)parser->token.length,
		      parser->token.text);
}

static struct filter_type small(unsigned int bits, bool is_wide)
{
	return (struct filter_type){ FILTER_SMALL, bits, is_wide };
}

static struct filter_type large(void)
{
	return (struct filter_type){ FILTER_LARGE, BITS, true };
}

static struct filter_type is_signed(void)
{
	return (struct filter_type){ FILTER_SIGNED, BITS, false };
}

static unsigned int bits_of(uint64_t value)
{
	return value ? BITS - (unsigned int)__builtin_clzll(value) : 0;
}

static void set_constant(struct filter_expr *expr, uint64_t value, bool is_negative, bool is_wide)
{
	expr->is_constant = true;
	expr->value = value;
	expr->type = is_negative	 ? is_signed()
		     : value > INT64_MAX ? large()
					 : small(bits_of(value), is_wide);
}

/*
 * Replaces the text of @expr. The text may become too long, because each nested comparison doubles
 * it. Returns 0, or -1 with the error set.
 */
__attribute__((format(printf, 3, 4))) static int
write_text(struct filter_parser *parser, struct filter_expr *expr, const char *fmt, ...)
{
	va_list args;
	char *text;
	int ret;

	va_start(args, fmt);
	ret = vasprintf(&text, fmt, args);
	va_end(args);
	if (ret < 0)
		return out_of_memory(parser);
	free(expr->text);
	expr->text = text;
	return ret > FILTER_REWRITTEN_MAX ? refuse_length(parser) : 0;
}

static int read_number(struct filter_parser *parser, struct filter_expr *expr)
{
	uint64_t value;
	bool is_wide;
	char *end;

	if (write_text(parser, expr, "%.*s", (int)parser->token.length, parser->token.text))
		return -1;
	errno = 0;
	value = strtoull(expr->text, &end, 0);
	is_wide = strpbrk(end, "uU");
	end += strspn(end, "uUlL");
	if (*end)
		expr->type.sign = FILTER_NO_INTEGER;
	else if (errno)
		return refuse(parser, "%s has more than 64 bits", expr->text);
	else
		set_constant(expr, value, false, is_wide);
	advance(parser);
	return 0;
}

/* Reads a field, an array element or a context. Contexts have at most 32 bits. */
static int read_name(struct filter_parser *parser, struct filter_expr *expr)
{
	const struct filter_token name = parser->token;
	struct filter_token index;

	expr->type = name.kind == FILTER_NAME ? parser->type_of(&name, parser->user) : is_signed();
	advance(parser);
	if (!filter_token_is(&parser->token, "["))
		return write_text(parser, expr, "%.*s", (int)name.length, name.text);
	advance(parser);
	index = parser->token;
	advance(parser);
	if (index.kind != FILTER_NUMBER || !filter_token_is(&parser->token, "]"))
		return refuse_token(parser);
	advance(parser);
	return write_text(parser, expr, "%.*s [ %.*s ]", (int)name.length, name.text,
			  (int)index.length, index.text);
}

static int read_binary(struct filter_parser *parser, enum precedence least,
		       struct filter_expr *expr);

static int read_primary(struct filter_parser *parser, struct filter_expr *expr)
{
	switch (parser->token.kind) {
	case FILTER_NUMBER:
		return read_number(parser, expr);
	case FILTER_NAME:
	case FILTER_CONTEXT:
		return read_name(parser, expr);
	case FILTER_STRING:
		if (write_text(parser, expr, "%.*s", (int)parser->token.length, parser->token.text))
			return -1;
		expr->type.sign = FILTER_NO_INTEGER;
		advance(parser);
		return 0;
	default:
		break;
	}
	if (!filter_token_is(&parser->token, "("))
		return refuse_token(parser);
	advance(parser);
	if (read_binary(parser, LOGICAL_OR, expr))
		return -1;
	if (!filter_token_is(&parser->token, ")"))
		return refuse_token(parser);
	advance(parser);
	return write_text(parser, expr, "( %s )", expr->text);
}

static int negate(struct filter_parser *parser, struct filter_expr *expr)
{
	/* -2^63 is valid, although the number after the sign exceeds INT64_MAX. */
	const uint64_t least = UINT64_C(1) << 63;
	bool negative = expr->type.sign == FILTER_SIGNED;

	if (negative && expr->is_constant && expr->value == least)
		return refuse(parser, "-%s does not fit into 64 bits with its sign", expr->text);
	if (expr->type.sign == FILTER_LARGE && !(expr->is_constant && expr->value == least))
		return refuse(parser,
			      "-%s has more than 64 bits: %s is unsigned; leave out the minus sign",
			      expr->text, expr->text);
	if (expr->is_constant)
		set_constant(expr, -expr->value, !negative && expr->value, false);
	else
		expr->type = is_signed();
	return 0;
}

static void complement(struct filter_expr *expr)
{
	const bool is_wide = expr->type.is_wide;
	const uint64_t value = ~expr->value;

	if (expr->type.sign == FILTER_NO_INTEGER)
		return;
	expr->type = is_wide ? large() : is_signed();
	if (expr->is_constant)
		set_constant(expr, value, !is_wide && value > INT64_MAX, is_wide);
}

static int read_unary(struct filter_parser *parser, struct filter_expr *expr)
{
	const char op = *parser->token.text;
	int ret;

	if (++parser->nesting > NESTING_MAX)
		return refuse(parser, "the filter is nested too deeply");
	if (parser->token.length != 1 || !op || !strchr("!-+~", op)) {
		ret = read_primary(parser, expr);
		parser->nesting--;
		return ret;
	}
	advance(parser);
	ret = read_unary(parser, expr);
	parser->nesting--;
	if (ret || (op == '-' && negate(parser, expr)))
		return -1;
	if (op == '!') {
		expr->type = small(1, false);
		expr->is_constant = false;
	} else if (op == '~') {
		complement(expr);
	}
	return write_text(parser, expr, "%c %s", op, expr->text);
}

static bool is_large(const struct filter_expr *expr)
{
	return expr->type.sign == FILTER_LARGE;
}

static bool is_equality(const char *op)
{
	return *op == '=' || *op == '!';
}

static const char *print_constant(const struct filter_expr *expr, char text[32])
{
	snprintf(text, 32, expr->type.sign == FILTER_SIGNED ? "%" PRId64 : "%" PRIu64, expr->value);
	return text;
}

static int write_operation(struct filter_parser *parser, struct filter_expr *left, const char *op,
			   const struct filter_expr *right)
{
	return write_text(parser, left, "%s %s %s", left->text, op, right->text);
}

/*
 * Writes "( left op right join operand sign )", such as "( a > 5 || a < 0 )". @sign compares the
 * operand with 0.
 */
static int write_comparison(struct filter_parser *parser, struct filter_expr *left, const char *op,
			    const struct filter_expr *right, const char *join,
			    const struct filter_expr *operand, const char *sign)
{
	return write_text(parser, left, "( %s %s %s %s %s %s )", left->text, op, right->text, join,
			  operand->text, sign);
}

/*
 * Rewrites a comparison of two operands that may both exceed INT64_MAX. If their sign bits differ,
 * the operand with the sign bit is larger. If the bits are equal, the signed comparison is right.
 */
static int compare_large(struct filter_parser *parser, struct filter_expr *left, const char *op,
			 const struct filter_expr *right)
{
	const char *a = left->text, *b = right->text;
	const bool less = *op == '<';

	return write_text(parser, left,
			  "( %s %s %s && ( %s %s 0 || %s %s 0 ) || %s %s 0 && %s %s 0 )", a, op, b,
			  a, less ? ">=" : "<", b, less ? "<" : ">=", a, less ? ">=" : "<", b,
			  less ? "<" : ">=");
}

/* Refuses the comparison of the unsigned @large with the negative constant @other. */
static int refuse_sign(struct filter_parser *parser, const struct filter_expr *large,
		       const struct filter_expr *other)
{
	char value[32];

	return refuse(parser,
		      "%s is unsigned and never negative; instead of %s, write %" PRIu64
		      " (0x%" PRIx64 "), which has the same 64 bits",
		      large->text, print_constant(other, value), other->value, other->value);
}

/* Refuses a comparison with @constant, which is greater than all values of @other. */
static int refuse_large(struct filter_parser *parser, const struct filter_expr *constant,
			const struct filter_expr *other)
{
	if (other->type.sign == FILTER_SIGNED)
		return refuse(parser,
			      "%s is signed and always less than %s; write %" PRId64
			      ", which has the same 64 bits",
			      other->text, constant->text, (int64_t)constant->value);
	return refuse(parser, "%s has %u bits and is always less than %s", other->text,
		      other->type.bits, constant->text);
}

/* Returns the operator to use after swapping the operands: a < b is b > a. */
static const char *mirror(const char *op)
{
	return !strcmp(op, "<")	   ? ">"
	       : !strcmp(op, ">")  ? "<"
	       : !strcmp(op, "<=") ? ">="
	       : !strcmp(op, ">=") ? "<="
				   : op;
}

/* Rewrites a comparison in which only one operand can exceed INT64_MAX. */
static int compare_with_small(struct filter_parser *parser, struct filter_expr *left,
			      const char *op, const struct filter_expr *right)
{
	const struct filter_expr *large = is_large(left) ? left : right;
	const struct filter_expr *other = is_large(left) ? right : left;
	const char *from_large = is_large(left) ? op : mirror(op);
	const bool can_be_negative = other->type.sign == FILTER_SIGNED;

	if (large->is_constant)
		return refuse_large(parser, large, other);
	if (other->is_constant && can_be_negative)
		return refuse_sign(parser, large, other);
	if (other->is_constant && !other->value && !strcmp(from_large, "<"))
		return refuse(
			parser,
			"%s is unsigned and never less than 0; for errors, write %s >= 0xfffffffffffff001 (-4095)",
			large->text, large->text);
	if (is_equality(op) && !can_be_negative)
		return write_operation(parser, left, op, right);
	if (*from_large == '>' || *from_large == '!')
		return write_comparison(parser, left, op, right, "||", large, "< 0");
	return write_comparison(parser, left, op, right, "&&", large, ">= 0");
}

/* Rewrites a comparison of an operand with a constant above INT64_MAX. */
static int compare_with_constant(struct filter_parser *parser, struct filter_expr *left,
				 const char *op, const struct filter_expr *right)
{
	const struct filter_expr *other = left->is_constant ? right : left;
	const char *from_other = left->is_constant ? mirror(op) : op;

	if (*from_other == '>')
		return write_comparison(parser, left, op, right, "&&", other, "< 0");
	return write_comparison(parser, left, op, right, "||", other, ">= 0");
}

static int compare(struct filter_parser *parser, struct filter_expr *left, const char *op,
		   const struct filter_expr *right)
{
	const bool both = is_large(left) && is_large(right);
	int ret;

	if ((is_large(left) && right->type.sign == FILTER_NO_INTEGER) ||
	    (is_large(right) && left->type.sign == FILTER_NO_INTEGER))
		return refuse(parser, "%s and %s cannot be compared: only one is an integer",
			      left->text, right->text);
	if (is_large(left) != is_large(right))
		ret = compare_with_small(parser, left, op, right);
	else if (!both || is_equality(op))
		ret = write_operation(parser, left, op, right);
	else if (left->is_constant != right->is_constant)
		ret = compare_with_constant(parser, left, op, right);
	else
		ret = compare_large(parser, left, op, right);
	left->type = small(1, false);
	left->is_constant = false;
	return ret;
}

static struct filter_type combine_types(const struct filter_expr *left, char op,
					const struct filter_expr *right)
{
	const struct filter_type a = left->type, b = right->type;
	const bool is_wide = a.is_wide || b.is_wide;
	const bool both = a.sign == FILTER_SMALL && b.sign == FILTER_SMALL;

	if (a.sign == FILTER_NO_INTEGER || b.sign == FILTER_NO_INTEGER)
		return (struct filter_type){ .sign = FILTER_NO_INTEGER };
	if (op == '&' && both)
		return small(a.bits < b.bits ? a.bits : b.bits, is_wide);
	if (op == '&' && (a.sign == FILTER_SMALL || b.sign == FILTER_SMALL))
		return small(a.sign == FILTER_SMALL ? a.bits : b.bits, is_wide);
	if (both)
		return small(a.bits > b.bits ? a.bits : b.bits, is_wide);
	return is_wide ? large() : is_signed();
}

/* Returns the type of a shift's result. LTTng shifts operands as unsigned 64-bit numbers. */
static struct filter_type shift_type(const struct filter_expr *left, char op,
				     const struct filter_expr *right)
{
	const struct filter_type type = left->type;
	const unsigned int by = (unsigned int)right->value;

	if (type.sign == FILTER_NO_INTEGER || right->type.sign == FILTER_NO_INTEGER)
		return (struct filter_type){ .sign = FILTER_NO_INTEGER };
	if (op == '>' && right->is_constant && by)
		return small(type.bits > by ? type.bits - by : 0, type.is_wide);
	if (op == '>' || type.sign != FILTER_SMALL)
		return type;
	return right->is_constant && type.bits + by < BITS ? small(type.bits + by, type.is_wide)
							   : large();
}

static uint64_t compute(uint64_t left, const char *op, uint64_t right)
{
	switch (*op) {
	case '&':
		return left & right;
	case '|':
		return left | right;
	case '^':
		return left ^ right;
	case '<':
		return left << right;
	default:
		return left >> right;
	}
}

static int combine_bits(struct filter_parser *parser, struct filter_expr *left, const char *op,
			const struct filter_expr *right)
{
	const bool is_shift = op[1] == *op;
	const struct filter_type type =
		is_shift ? shift_type(left, *op, right) : combine_types(left, *op, right);

	if (is_shift && right->is_constant && right->value >= BITS)
		return refuse(parser, "%s %s %s: only shifts by less than 64 are possible",
			      left->text, op, right->text);
	if (write_operation(parser, left, op, right))
		return -1;
	left->is_constant &= right->is_constant;
	left->type = type;
	if (left->is_constant) {
		uint64_t value = compute(left->value, op, right->value);

		set_constant(left, value, type.sign == FILTER_SIGNED && value > INT64_MAX,
			     type.is_wide);
	}
	return 0;
}

static int read_binary(struct filter_parser *parser, enum precedence least,
		       struct filter_expr *expr)
{
	enum precedence precedence;

	if (read_unary(parser, expr))
		return -1;
	while ((precedence = precedence_of(&parser->token)) >= least && precedence) {
		struct filter_expr right = { .text = NULL };
		char op[3] = "";
		int ret;

		memcpy(op, parser->token.text, parser->token.length);
		advance(parser);
		ret = read_binary(parser, precedence + 1, &right);
		if (!ret && precedence >= BITWISE_OR)
			ret = combine_bits(parser, expr, op, &right);
		else if (!ret && precedence >= EQUALITY)
			ret = compare(parser, expr, op, &right);
		else if (!ret) {
			ret = write_operation(parser, expr, op, &right);
			expr->type = small(1, false);
			expr->is_constant = false;
		}
		free(right.text);
		if (ret)
			return -1;
	}
	return 0;
}

int filter_rewrite_signs(const char *text, filter_type_of *type_of, void *user, char *rewritten,
			 size_t size, struct mm_error *err)
{
	struct filter_parser parser = { .at = text, .type_of = type_of, .user = user, .err = err };
	struct filter_expr expr = { .text = NULL };
	int ret;

	advance(&parser);
	ret = read_binary(&parser, LOGICAL_OR, &expr);
	if (!ret && parser.token.kind != FILTER_END)
		ret = refuse_token(&parser);
	if (!ret && (size_t)snprintf(rewritten, size, "%s", expr.text) >= size)
		ret = refuse_length(&parser);
	free(expr.text);
	return ret;
}

static bool has_token(const char *text, const struct filter_token *token)
{
	struct filter_token other;

	do {
		other = filter_next(&text);
		if (other.kind == token->kind && other.length == token->length &&
		    !strncmp(other.text, token->text, token->length))
			return true;
	} while (other.kind != FILTER_END);
	return false;
}

bool filter_is_rewritten_from(const char *rewritten, const char *resolved)
{
	static const char added[] = "( ) && || < >= 0";
	struct filter_token token;

	do {
		token = filter_next(&rewritten);
		if (!has_token(added, &token) && !has_token(resolved, &token))
			return false;
	} while (token.kind != FILTER_END);
	return true;
}
