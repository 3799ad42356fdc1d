/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Checks whether runs meet rules.
 *
 * If a run lacks events, its counts are lower bounds, and its other values are not known. A rule
 * passes or fails only if every value within the bounds gives the same answer. Otherwise it is
 * inconclusive.
 */
#ifndef LTTNG_MM_REGRESS_CHECK_H
#define LTTNG_MM_REGRESS_CHECK_H

#include "regress/rules.h"
#include "regress/runs.h"

/* States of a rule. The highest state of all rules is the state of the check. */
enum regress_state {
	REGRESS_PASS,
	REGRESS_ABSENT, /* for `if present`: there is no such metric, or it has no samples */
	REGRESS_INCONCLUSIVE,
	REGRESS_FAIL,
	REGRESS_ERROR, /* the rule selects no metric */
	REGRESS_STATES,
};

extern const char *const regress_state_words[REGRESS_STATES];

/* Result of a rule for a metric of a run. Texts may be hostile, but are safe for a terminal. */
struct regress_finding {
	enum regress_state state;
	const struct regress_run *run;
	char *what;	    /* the metric, or both metrics of a ratio */
	char *found;	    /* the value: "30 faults" */
	char *reason;	    /* why @state is inconclusive or error; NULL: fail */
	const char *advice; /* what to do about an error; NULL: none */
	/* what the report says about the cause of a failure */
	char **causes;
	size_t cause_count;
};

struct regress_outcome {
	const struct regress_rule *rule;
	enum regress_state state;
	size_t checked, passed; /* number of metrics */
	/* all but those that pass */
	struct regress_finding *findings;
	size_t count, room;
};

struct regress_check {
	const struct regress_rules *rules;
	const struct regress_runs *runs;
	struct regress_outcome *outcomes; /* one per rule */
	size_t doubtful;	       /* number of runs in which something is or may be missing */
	enum regress_state state;      /* of all rules and runs */
	size_t counts[REGRESS_STATES]; /* number of rules */
};

/* Sets *@wanted to the reports whose metrics the rules name. Returns false if they name none. */
bool regress_rules_want(const struct regress_rules *rules, bool wanted[REGRESS_SCHEMAS_MAX]);

/* Checks all rules on all runs. Returns 0, or -1 with @err set when out of memory. */
int regress_check(struct regress_check *check, const struct regress_rules *rules,
		  const struct regress_runs *runs, const struct mm_catalogue *catalogue,
		  struct mm_error *err);
void regress_check_release(struct regress_check *check);

/* Returns the exit status. */
int regress_check_status(const struct regress_check *check);

enum regress_format {
	REGRESS_TEXT,
	REGRESS_JSON,
	REGRESS_JUNIT,
	REGRESS_KTAP,
	REGRESS_GITHUB,
	REGRESS_FORMATS,
};

extern const char *const regress_format_words[REGRESS_FORMATS];

/* Prints the result. Returns 0, or -1 if writing failed or when out of memory. */
int regress_check_print(FILE *out, const struct regress_check *check, enum regress_format format);
int regress_check_print_json(FILE *out, const struct regress_check *check);
/*
 * Prints an error that prevents the check, such as a rule that cannot be parsed. @path: the file of
 * the rules. The text format has no line for it, because the message is on standard error.
 */
void regress_check_print_error(FILE *out, const char *path, const char *message,
			       enum regress_format format);
void regress_check_print_json_error(FILE *out, const char *message);

/*
 * Adds sentences about the cause of @value to the list @causes: the row of the report that grew
 * most since @base or, without @base (NULL), the row that contributes most to @value; and details
 * of rows with the same label (such as remedy or call site). Returns 0, or -1 when out of memory.
 */
int regress_causes(const struct mm_report *report, const struct regress_value *value,
		   const struct regress_values *base, char ***causes, size_t *count);
/* Adds the sentences of the report's answer to the list. Returns 0, or -1 when out of memory. */
int regress_answer(const struct mm_report *report, char ***causes, size_t *count);

#endif /* LTTNG_MM_REGRESS_CHECK_H */
