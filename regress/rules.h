/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Rules that the metrics of a run must meet. A file has one rule per line:
 *
 *	# no fallback by misalignment
 *	dax.fallback.cause{cause="extent-misaligned"} == 0
 *	dax.pmd_fallbacks / dax.pmd_faults <= 1%
 *	slab.call_site.live_bytes{call_site="foo+*"} <= 1MiB if present
 *	fn.latency_ns{function="handle_mm_fault",q="0.99"} < 50us "write faults stay short"
 *
 * A line that starts with a blank and a quote is the explanation of the rule above it. In the text
 * of a label, `*` matches any characters, `?` matches one, and a backslash precedes a literal `*`,
 * `?`, `"` or backslash. A label that is not given matches any text.
 */
#ifndef LTTNG_MM_REGRESS_RULES_H
#define LTTNG_MM_REGRESS_RULES_H

#include "regress/number.h"
#include "regress/values.h"
#include "util/error.h"

enum regress_operator {
	REGRESS_EQUAL,
	REGRESS_NOT_EQUAL,
	REGRESS_AT_MOST,
	REGRESS_AT_LEAST,
	REGRESS_BELOW,
	REGRESS_ABOVE,
	REGRESS_OPERATORS,
};

extern const char *const regress_operators[REGRESS_OPERATORS];

struct regress_label {
	char *key, *pattern;
};

/* A metric of a rule, with patterns for its labels. */
struct regress_term {
	const struct mm_catalogue_item *item;
	struct regress_label labels[MM_LABELS_MAX];
	size_t label_count;
};

struct regress_rule {
	unsigned int line;
	char *text;	   /* the rule without its explanation; may be hostile */
	char *explanation; /* NULL: none; may be hostile */
	struct regress_term terms[2];
	bool is_ratio; /* terms[0] / terms[1] */
	enum regress_operator op;
	struct regress_number limit; /* limit in the unit of the metric, or of the ratio */
	bool if_present;
};

struct regress_rules {
	const char *path;
	struct regress_rule *all;
	size_t count, room;
};

/*
 * Reads the rules in the file @path. @catalogue must outlive them. Returns 0, or -1 with @err set
 * to the file, the line and the fault.
 */
int regress_rules_read(struct regress_rules *rules, const char *path,
		       const struct mm_catalogue *catalogue, struct mm_error *err);
/* Like regress_rules_read(), for the text of a file. @path is for messages. */
int regress_rules_parse(struct regress_rules *rules, const char *path, const char *text,
			const struct mm_catalogue *catalogue, struct mm_error *err);
void regress_rules_release(struct regress_rules *rules);

/*
 * Replaces the escapes of unusual characters in the text of a label, as regress_value_print_name()
 * writes them: \n, \t, \r, \xNN, \uNNNN and \UNNNNNNNN. The result is a pattern: a backslash
 * precedes a literal `*`, `?`, `"` or backslash.
 */
void regress_decode_escapes(char *text);
/* Does @text match a pattern of a label? */
bool regress_pattern_matches(const char *pattern, const char *text);
/* Does the term select the value? */
bool regress_term_matches(const struct regress_term *term, const struct regress_value *value);

#endif /* LTTNG_MM_REGRESS_RULES_H */
