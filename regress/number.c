// SPDX-License-Identifier: LGPL-2.1-only
/* Parses and compares exact numbers. */
#include "regress/number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* A numerator below 10^28, times 2^30, is below 2^128. */
#define DIGITS_MAX 28
/* A number with a larger exponent exceeds DIGITS_MAX. */
#define EXPONENT_MAX 10000

static unsigned __int128 power_of_ten(int exponent)
{
	unsigned __int128 power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

/* Parses an exponent such as e-3 at *@at. */
static int parse_exponent(const char **at)
{
	const char *s = *at;
	bool is_negative;
	int exponent = 0;

	if (tolower((unsigned char)*s) != 'e')
		return 0;
	s++;
	is_negative = *s == '-';
	s += *s == '-' || *s == '+';
	if (!isdigit((unsigned char)*s))
		return 0;
	for (; isdigit((unsigned char)*s); s++)
		if (exponent < EXPONENT_MAX)
			exponent = 10 * exponent + (*s - '0');
	*at = s;
	return is_negative ? -exponent : exponent;
}

enum regress_parsed regress_number_parse(struct regress_number *number, const char *text,
					 const char **end)
{
	const unsigned __int128 limit = power_of_ten(DIGITS_MAX);
	bool any = false, is_fraction = false, is_long = false;
	int exponent = 0;

	*number = (struct regress_number){ .is_negative = *text == '-', .denominator = 1 };
	text += *text == '-' || *text == '+';
	for (; isdigit((unsigned char)*text) || (*text == '.' && !is_fraction); text++) {
		if (*text == '.') {
			is_fraction = true;
			continue;
		}
		any = true;
		exponent -= is_fraction;
		is_long |= number->numerator >= limit / 10;
		number->numerator = 10 * number->numerator + (unsigned int)(*text - '0');
		if (is_long)
			number->numerator %= limit;
	}
	if (!any)
		return REGRESS_NO_NUMBER;
	exponent += parse_exponent(&text);
	*end = text;
	if (is_long)
		return REGRESS_MANY_DIGITS;
	if (!number->numerator)
		return REGRESS_PARSED;
	for (; exponent < 0 && number->numerator % 10 == 0; exponent++)
		number->numerator /= 10;
	if (exponent < -DIGITS_MAX || exponent > DIGITS_MAX ||
	    (exponent > 0 && number->numerator >= limit / power_of_ten(exponent)))
		return REGRESS_MANY_DIGITS;
	if (exponent > 0)
		number->numerator *= power_of_ten(exponent);
	else
		number->denominator = power_of_ten(-exponent);
	return REGRESS_PARSED;
}

void regress_number_scale(struct regress_number *number, uint32_t factor, uint32_t divisor)
{
	number->numerator *= factor;
	number->denominator *= divisor;
}

struct regress_number regress_number_infinite(bool is_negative)
{
	return (struct regress_number){ .is_negative = is_negative, .numerator = 1 };
}

struct regress_number regress_number_of(const struct mm_cell *cell)
{
	struct regress_number number = { .denominator = 1 };

	switch (cell->kind) {
	case MM_CELL_REAL:
		number.is_real = true;
		number.real = cell->r;
		break;
	case MM_CELL_SIGNED:
		number.is_negative = cell->i < 0;
		number.numerator = number.is_negative ? -(uint64_t)cell->i : (uint64_t)cell->i;
		break;
	case MM_CELL_BOOLEAN:
		number.numerator = cell->u ? 1 : 0;
		break;
	default:
		number.numerator = cell->u;
	}
	return number;
}

static double real_of(const struct regress_number *number)
{
	const double sign = number->is_negative ? -1 : 1;

	if (number->is_real)
		return number->real;
	if (!number->denominator)
		return sign * INFINITY;
	return sign * (double)((long double)number->numerator / (long double)number->denominator);
}

int regress_number_sign(const struct regress_number *number)
{
	if (number->is_real)
		return (number->real > 0) - (number->real < 0);
	return !number->numerator ? 0 : number->is_negative ? -1 : 1;
}

/*
 * Compares a / b with c / d, which are finite and not negative. Compares the integer parts, then
 * the inverses of the remainders, because products would overflow.
 */
static int compare_fractions(unsigned __int128 a, unsigned __int128 b, unsigned __int128 c,
			     unsigned __int128 d)
{
	for (;;) {
		const unsigned __int128 x = a / b, y = c / d;
		unsigned __int128 inverse;

		if (x != y)
			return x < y ? -1 : 1;
		a %= b;
		c %= d;
		if (!a || !c)
			return (a != 0) - (c != 0);
		/* a / b < c / d is equivalent to d / c < b / a. */
		inverse = a;
		a = d;
		d = inverse;
		inverse = b;
		b = c;
		c = inverse;
	}
}

int regress_number_compare(const struct regress_number *x, const struct regress_number *y)
{
	const int signs[2] = { regress_number_sign(x), regress_number_sign(y) };
	int result;

	if (x->is_real || y->is_real) {
		const double reals[2] = { real_of(x), real_of(y) };

		return (reals[0] > reals[1]) - (reals[0] < reals[1]);
	}
	if (signs[0] != signs[1])
		return signs[0] < signs[1] ? -1 : 1;
	result = !x->denominator || !y->denominator
			 ? !x->denominator - !y->denominator
			 : compare_fractions(x->numerator, x->denominator, y->numerator,
					     y->denominator);
	return signs[0] < 0 ? -result : result;
}

struct regress_number regress_number_divide(const struct regress_number *x,
					    const struct regress_number *y)
{
	struct regress_number ratio = { .denominator = 1 };

	if ((!x->is_real && !x->denominator) || !regress_number_sign(y))
		return regress_number_infinite(false);
	if (!y->is_real && !y->denominator)
		return ratio;
	if (x->is_real || y->is_real) {
		ratio.is_real = true;
		ratio.real = real_of(x) / real_of(y);
	} else {
		ratio.numerator = x->numerator;
		ratio.denominator = y->numerator;
	}
	return ratio;
}
