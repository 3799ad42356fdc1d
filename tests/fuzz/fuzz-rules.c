// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fuzz target: a file of rules. Reports repeat the text of each rule. This text, parsed alone, must
 * have the same meaning as the rule.
 */
#include <stdlib.h>
#include <string.h>

#include "regress/rules.h"
#include "regress/schemas.h"
#include "tests/fuzz/fuzz.h"

static void check_terms(const struct regress_rule *rule, const struct regress_rule *again)
{
	for (size_t t = 0; t < (rule->is_ratio ? 2 : 1); t++) {
		const struct regress_term *x = &rule->terms[t], *y = &again->terms[t];

		if (!x->item || x->item != y->item || x->label_count > MM_LABELS_MAX ||
		    x->label_count != y->label_count)
			abort();
		for (size_t i = 0; i < x->label_count; i++)
			if (strcmp(x->labels[i].key, y->labels[i].key) != 0 ||
			    strcmp(x->labels[i].pattern, y->labels[i].pattern) != 0)
				abort();
	}
}

static void check_rule(const struct regress_rule *rule, const struct mm_catalogue *catalogue)
{
	struct mm_error err = MM_ERROR_INIT;
	struct regress_rules again = { NULL };

	if (!rule->line || !rule->text || rule->op >= REGRESS_OPERATORS)
		abort();
	if (regress_rules_parse(&again, "again", rule->text, catalogue, &err) || again.count != 1)
		abort();
	if (rule->op != again.all[0].op || rule->is_ratio != again.all[0].is_ratio ||
	    rule->if_present != again.all[0].if_present ||
	    regress_number_compare(&rule->limit, &again.all[0].limit))
		abort();
	check_terms(rule, &again.all[0]);
	regress_rules_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mm_catalogue catalogue;
	char *text = strndup((const char *)data, size);
	struct mm_error err = MM_ERROR_INIT;
	struct regress_rules rules = { NULL };
	int ret;

	if (!text || (!catalogue.count && regress_catalogue(&catalogue)))
		abort();
	ret = regress_rules_parse(&rules, "fuzzed", text, &catalogue, &err);
	/* There are rules, or there is an error code with a message. */
	if (!ret != !err.code || (ret && !*err.message) || (!ret && !rules.count))
		abort();
	for (size_t i = 0; !ret && i < rules.count; i++)
		check_rule(&rules.all[i], &catalogue);
	regress_rules_release(&rules);
	free(text);
	return 0;
}
