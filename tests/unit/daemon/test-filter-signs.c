// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how filters are rewritten for LTTng, which compares all numbers as signed. Contains tables
 * of cases, and random expressions. An evaluator that compares like LTTng computes the value of the
 * rewritten text, which must equal the value of the original expression.
 */
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon/triggers/definition/filter-signs.h"
#include "tests/tap.h"

#define SIZE FILTER_REWRITTEN_MAX
/* Nesting of comparisons. */
#define NESTED 24

/* The fields of the cases: unsigned a and b of 64 bits, unsigned n of 32 bits, and signed i. */
enum { A, B, N, I, FIELDS };
static const char *const names[FIELDS] = { "a", "b", "n", "i" };

static struct filter_type type_of(const struct filter_token *name, void *user)
{
	(void)user;
	switch (*name->text) {
	case 'a':
	case 'b':
		return (struct filter_type){ FILTER_LARGE, 64, true };
	case 'n':
		return (struct filter_type){ FILTER_SMALL, 32, false };
	case 's':
		return (struct filter_type){ FILTER_NO_INTEGER, 0, false };
	default:
		return (struct filter_type){ FILTER_SIGNED, 64, false };
	}
}

/* A filter, and either its rewritten form or a part of the error message. */
static const struct {
	const char *text, *rewritten, *says;
} cases[] = {
	{ "a > 4294967296", "( a > 4294967296 || a < 0 )", NULL },
	{ "a<5", "( a < 5 && a >= 0 )", NULL },
	{ "5 < a", "( 5 < a || a < 0 )", NULL },
	{ "a > 18446744073709547520", "( a > 18446744073709547520 && a < 0 )", NULL },
	{ "a >= 0xfffffffffffff001", "( a >= 0xfffffffffffff001 && a < 0 )", NULL },
	{ "a < 18446744073709551615", "( a < 18446744073709551615 || a >= 0 )", NULL },
	{ "0x8000000000000000 > a", "( 0x8000000000000000 > a || a >= 0 )", NULL },
	{ "a >= 01000000000000000000000", "( a >= 01000000000000000000000 && a < 0 )", NULL },
	{ "a == 0xfffffffffffffff4UL", "a == 0xfffffffffffffff4UL", NULL },
	{ "a != 0", "a != 0", NULL },
	{ "a >= 0", "( a >= 0 || a < 0 )", NULL },
	{ "a < b", "( a < b && ( a >= 0 || b < 0 ) || a >= 0 && b < 0 )", NULL },
	{ "a > n", "( a > n || a < 0 )", NULL },
	{ "a == n", "a == n", NULL },
	{ "a == i", "( a == i && a >= 0 )", NULL },
	{ "i != a", "( i != a || a < 0 )", NULL },
	{ "i < a", "( i < a || a < 0 )", NULL },
	{ "(a & 0xff) > 5", "( a & 0xff ) > 5", NULL },
	{ "a >> 1 > 5", "a >> 1 > 5", NULL },
	{ "n << 31 > 5", "n << 31 > 5", NULL },
	{ "n << 32 > 5", "( n << 32 > 5 || n << 32 < 0 )", NULL },
	{ "~n > 5", "~ n > 5", NULL },
	{ "~(a & 1) > 5", "( ~ ( a & 1 ) > 5 || ~ ( a & 1 ) < 0 )", NULL },
	{ "a | 1 > 5", "( a | 1 > 5 || a | 1 < 0 )", NULL },
	{ "!(a > 5) && i < -3", "! ( ( a > 5 || a < 0 ) ) && i < - 3", NULL },
	{ "a[3] > 5 || $ctx.tid > 5", "( a [ 3 ] > 5 || a [ 3 ] < 0 ) || $ctx.tid > 5", NULL },
	{ "s == \"a > 1\"", "s == \"a > 1\"", NULL },
	{ "a & 1", "a & 1", NULL },
	{ "i >= -9223372036854775808", "i >= - 9223372036854775808", NULL },
	{ "a < 0", NULL, "a is unsigned and never less than 0; for errors, write a >= 0xff" },
	{ "a == -12", NULL, "instead of -12, write 18446744073709551604 (0xfffffffffffffff4)" },
	{ "-4096 < a", NULL, "instead of -4096, write 18446744073709547520" },
	{ "i >= 0xfffffffffffff001", NULL, "i is signed and always less than" },
	{ "i >= 0xfffffffffffff001", NULL, "write -4095" },
	{ "n == 0x8000000000000000", NULL, "n has 32 bits and is always less than" },
	{ "-a > 5", NULL, "leave out the minus sign" },
	{ "a > 1.5", NULL, "only one is an integer" },
	{ "a > s", NULL, "only one is an integer" },
	{ "a > 18446744073709551616", NULL, "has more than 64 bits" },
	{ "a << 64 > 1", NULL, "shifts by less than 64" },
	{ "a >", NULL, "ends too early" },
	{ "(a > 1", NULL, "ends too early" },
	{ "a > 1 )", NULL, "cannot be parsed at ')'" },
	{ "a + 1 > 2", NULL, "cannot be parsed at '+'" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		char text[SIZE] = "";
		int ret = filter_rewrite_signs(cases[i].text, type_of, NULL, text, sizeof(text),
					       &err);

		if (cases[i].rewritten)
			tap(!ret && !strcmp(text, cases[i].rewritten) &&
				    filter_is_rewritten_from(text, cases[i].text),
			    "%s: %s%s", cases[i].text, text, err.message);
		else
			tap(ret && err.code == MM_EXIT_BAD_INPUT &&
				    strstr(err.message, cases[i].says),
			    "%s: %s", cases[i].text, err.message);
	}
}

static void test_limits(void)
{
	struct mm_error err = MM_ERROR_INIT;
	char text[SIZE], small[20], *deep = malloc(SIZE);

	tap(filter_rewrite_signs("a > b", type_of, NULL, small, sizeof(small), &err) &&
		    strstr(err.message, "too long"),
	    "a filter that becomes too long: %s", err.message);
	mm_error_clear(&err);
	/* Rewriting a comparison repeats the inner comparison several times. */
	memset(deep, '(', 2 * NESTED);
	strcpy(deep + 2 * NESTED, "a");
	for (int i = 0; i < NESTED; i++)
		strcat(deep, " < b) | a)");
	tap(filter_rewrite_signs(deep, type_of, NULL, text, sizeof(text), &err) &&
		    strstr(err.message, "too long"),
	    "a filter whose text doubles again and again: %s", err.message);
	mm_error_clear(&err);
	memset(deep, '(', 1000);
	strcpy(deep + 1000, "a");
	tap(filter_rewrite_signs(deep, type_of, NULL, text, sizeof(text), &err) &&
		    strstr(err.message, "nested too deeply"),
	    "parentheses without end: %s", err.message);
	free(deep);
	tap(!filter_is_rewritten_from("a > 5 || b < 0", "a > 5") &&
		    !filter_is_rewritten_from("a > 5 || a < 1", "a > 5") &&
		    !filter_is_rewritten_from("a > 5 \"", "a > 5"),
	    "a text with other names or numbers is not a rewritten filter");
}

/* Evaluates filters like LTTng, with signed 64-bit numbers. */
struct evaluator {
	const char *at;
	const uint64_t *values; /* values of the fields */
};

static int64_t evaluate(struct evaluator *evaluator, unsigned int least);

static bool skip(struct evaluator *evaluator, const char *text)
{
	evaluator->at += strspn(evaluator->at, " ");
	if (strncmp(evaluator->at, text, strlen(text)) != 0)
		return false;
	evaluator->at += strlen(text);
	return true;
}

static int64_t evaluate_unary(struct evaluator *evaluator)
{
	int64_t value;
	char *end;

	if (skip(evaluator, "-"))
		return (int64_t)(0 - (uint64_t)evaluate_unary(evaluator));
	if (skip(evaluator, "!"))
		return !evaluate_unary(evaluator);
	if (skip(evaluator, "~"))
		return ~evaluate_unary(evaluator);
	if (skip(evaluator, "(")) {
		value = evaluate(evaluator, 0);
		if (!skip(evaluator, ")"))
			tap_bail("no parenthesis at %s", evaluator->at);
		return value;
	}
	for (int i = 0; i < FIELDS; i++)
		if (skip(evaluator, names[i]))
			return (int64_t)evaluator->values[i];
	value = (int64_t)strtoull(evaluator->at, &end, 0);
	if (end == evaluator->at)
		tap_bail("no operand at %s", evaluator->at);
	evaluator->at = end;
	return value;
}

static int64_t apply(unsigned int op, int64_t a, int64_t b)
{
	switch (op) {
	case 0:
		return a || b;
	case 1:
		return a && b;
	case 2:
		return a == b;
	case 3:
		return a != b;
	case 4:
		return a <= b;
	case 5:
		return a >= b;
	case 6:
		return (int64_t)((uint64_t)a << b);
	case 7:
		return (int64_t)((uint64_t)a >> b);
	case 8:
		return a < b;
	case 9:
		return a > b;
	case 10:
		return a | b;
	case 11:
		return a ^ b;
	default:
		return a & b;
	}
}

static int64_t evaluate(struct evaluator *evaluator, unsigned int least)
{
	/* Longer operators come first, because shorter ones are their prefixes. */
	static const struct {
		const char *text;
		unsigned int precedence;
	} all[] = {
		{ "||", 0 }, { "&&", 1 }, { "==", 2 }, { "!=", 2 }, { "<=", 3 },
		{ ">=", 3 }, { "<<", 7 }, { ">>", 7 }, { "<", 3 },  { ">", 3 },
		{ "|", 4 },  { "^", 5 },  { "&", 6 },
	};
	int64_t value = evaluate_unary(evaluator);
	unsigned int op;

	do {
		for (op = 0; op < sizeof(all) / sizeof(all[0]); op++) {
			const char *before = evaluator->at;

			if (!skip(evaluator, all[op].text))
				continue;
			if (all[op].precedence >= least)
				break;
			evaluator->at = before;
			return value;
		}
		if (op < sizeof(all) / sizeof(all[0]))
			value = apply(op, value, evaluate(evaluator, all[op].precedence + 1));
	} while (op < sizeof(all) / sizeof(all[0]));
	return value;
}

/* Writes a random expression to @text, and computes its value for each set of fields. */
#define SETS 24
struct random_expr {
	char text[2048];
	__int128 values[SETS];
	bool is_unsigned; /* the type is unsigned, of 64 bits */
};

static uint64_t fields[SETS][FIELDS];

static unsigned int pick(unsigned int count)
{
	return (unsigned int)(random() % count);
}

static uint64_t pick_number(void)
{
	static const uint64_t edges[] = { 0,
					  1,
					  5,
					  0x7fffffff,
					  0xffffffff,
					  UINT64_C(1) << 32,
					  INT64_MAX,
					  UINT64_C(1) << 63,
					  (UINT64_C(1) << 63) + 1,
					  UINT64_C(0xfffffffffffff001),
					  UINT64_MAX - 1,
					  UINT64_MAX };
	const unsigned int count = sizeof(edges) / sizeof(edges[0]), number = pick(count + 3);

	return number < count ? edges[number] : (uint64_t)random() << pick(34);
}

static void make_operand(struct random_expr *expr)
{
	const unsigned int field = pick(FIELDS + 3);
	const uint64_t number = pick_number();

	if (field >= FIELDS) {
		snprintf(expr->text, sizeof(expr->text), pick(2) ? "%" PRIu64 : "0x%" PRIx64,
			 number);
		for (int i = 0; i < SETS; i++)
			expr->values[i] = number;
		expr->is_unsigned = number > INT64_MAX;
		return;
	}
	strcpy(expr->text, names[field]);
	expr->is_unsigned = field == A || field == B;
	for (int i = 0; i < SETS; i++)
		expr->values[i] = field == I ? (__int128)(int64_t)fields[i][field]
					     : (__int128)fields[i][field];
}

/* Converts 64 bits to the number that they represent in a signed or an unsigned type. */
static __int128 typed(uint64_t bits, bool is_unsigned)
{
	return is_unsigned ? (__int128)bits : (__int128)(int64_t)bits;
}

static void make_value(struct random_expr *expr, unsigned int depth)
{
	static const char *const texts[] = { "&", "|", "^" };
	struct random_expr *right;
	char text[sizeof(expr->text)];
	const unsigned int kind = depth ? pick(6) : 0;

	if (kind < 3) {
		make_operand(expr);
		return;
	}
	make_value(expr, depth - 1);
	strcpy(text, expr->text);
	if (kind == 3) {
		snprintf(expr->text, sizeof(expr->text), "~(%.2000s)", text);
		for (int i = 0; i < SETS; i++)
			expr->values[i] = typed(~(uint64_t)expr->values[i], expr->is_unsigned);
		return;
	}
	if (kind == 4) {
		snprintf(expr->text, sizeof(expr->text), "-%.2000s", text);
		expr->is_unsigned = false;
		for (int i = 0; i < SETS; i++)
			expr->values[i] = typed(0 - (uint64_t)expr->values[i], false);
		return;
	}
	right = calloc(1, sizeof(*right));
	make_value(right, depth - 1);
	snprintf(expr->text, sizeof(expr->text), "(%.900s %s (%.900s))", text, texts[pick(3)],
		 right->text);
	expr->is_unsigned |= right->is_unsigned;
	for (int i = 0; i < SETS; i++) {
		const uint64_t a = (uint64_t)expr->values[i], b = (uint64_t)right->values[i];
		const char op = expr->text[strlen(text) + 2];

		expr->values[i] = typed(op == '&'   ? a & b
					: op == '|' ? a | b
						    : a ^ b,
					expr->is_unsigned);
	}
	free(right);
}

static void make_truth(struct random_expr *expr, unsigned int depth)
{
	static const char *const texts[] = { "<", ">", "<=", ">=", "==", "!=", "&&", "||" };
	struct random_expr *right = calloc(1, sizeof(*right));
	char text[sizeof(expr->text)];
	unsigned int op = pick(6);

	if (depth && pick(2)) {
		op = 6 + pick(2);
		make_truth(expr, depth - 1);
		make_truth(right, depth - 1);
	} else {
		make_value(expr, 2);
		make_value(right, 2);
	}
	strcpy(text, expr->text);
	snprintf(expr->text, sizeof(expr->text), "%s(%.900s) %s (%.900s)%s", pick(4) ? "(" : "!(",
		 text, texts[op], right->text, ")");
	for (int i = 0; i < SETS; i++) {
		const __int128 a = expr->values[i], b = right->values[i];
		const bool is[] = { a<b, a> b, a <= b, a >= b, a == b, a != b, a && b, a || b };

		expr->values[i] = is[op] != (*expr->text == '!');
	}
	expr->is_unsigned = false;
	free(right);
}

static void test_random(void)
{
	struct random_expr *expr = calloc(1, sizeof(*expr));
	unsigned int accepted = 0, wrong = 0;
	char text[SIZE] = "";

	srandom(28);
	for (int round = 0; round < 20000; round++) {
		struct mm_error err = MM_ERROR_INIT;

		for (int i = 0; i < SETS; i++)
			for (int field = 0; field < FIELDS; field++)
				fields[i][field] =
					field == N ? (uint32_t)pick_number() : pick_number();
		make_truth(expr, 2);
		if (filter_rewrite_signs(expr->text, type_of, NULL, text, sizeof(text), &err))
			continue;
		accepted++;
		for (int i = 0; i < SETS; i++) {
			struct evaluator evaluator = { text, fields[i] };

			if (!evaluate(&evaluator, 0) == !expr->values[i] && !*evaluator.at)
				continue;
			if (wrong++ < TAP_SHOWN)
				printf("# %s\n# became %s\n# a=%" PRIu64 " b=%" PRIu64 " n=%" PRIu64
				       " i=%" PRId64 "\n",
				       expr->text, text, fields[i][A], fields[i][B], fields[i][N],
				       (int64_t)fields[i][I]);
		}
	}
	tap(!wrong && accepted > 5000,
	    "%u of 20000 random filters are rewritten, which match what their text says in all but %u cases",
	    accepted, wrong);
	free(expr);
}

int main(void)
{
	test_cases();
	test_limits();
	test_random();
	return tap_status();
}
