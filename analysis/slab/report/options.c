// SPDX-License-Identifier: LGPL-2.1-only
/* The options of the slab report. */
#include "analysis/slab/report/options.h"

#include <string.h>

static const char *const by[] = { "call-site", "cache", "cpu", "node", "process", "order", NULL };

static const struct mm_option table[] = {
	MM_OPTION_TOP,
	{ .name = "by",
	  .argument = "WHAT",
	  .help = "only the lists by call-site, cache, cpu, node, process or order",
	  MM_CHOICE_IN(struct slab_options, by),
	  .choices = by },
	{ .name = "leaks",
	  .help = "leak candidates: memory that was allocated and not freed",
	  MM_FLAG_IN(struct slab_options, leaks) },
	{ .name = "since",
	  .argument = "TIME",
	  .help = "only leak candidates allocated at TIME or later; TIME as for --begin",
	  MM_TIME_IN(struct slab_options, since),
	  .needs = "leaks",
	  .selects = true },
	MM_OPTION_INCLUDE_RECORDER("include the recorder's own allocations in all figures"),
	{ .name = "cache",
	  .argument = "NAME",
	  .help = "only this slab cache, kmalloc size class or page order (order-9)",
	  MM_TEXT_IN(struct slab_options, cache),
	  .selects = true },
	{ .name = "call-site",
	  .argument = "NAME",
	  .help = "only this call site: function, function+offset or call-site number",
	  MM_TEXT_IN(struct slab_options, call_site),
	  .selects = true },
	MM_OPTION_PID("only allocations and frees by this process", "--table processes"),
	{ .name = NULL },
};

static const struct slab_options defaults = { .report = MM_REPORT_DEFAULTS,
					      .since.time.ns = INT64_MIN };
const struct mm_options slab_report_options = MM_OPTIONS(table, defaults);

int slab_check_options(const struct mm_report_options *options, struct mm_error *err)
{
	const struct slab_options *given = MM_OPTIONS_OF(struct slab_options, options);

	if (options->compare && (given->by || given->leaks))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report slab: --compare prints its own lists; omit --by and --leaks");
	if (!given->leaks || !given->by || !strcmp(given->by, by[0]))
		return 0;
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "report slab: --by=%s: --leaks lists by %s only; remove one of the two",
			    given->by, by[0]);
}

const char *slab_needs_again(const struct mm_report_options *options)
{
	const struct slab_options *given = MM_OPTIONS_OF(struct slab_options, options);

	return options->by_pid	  ? "--pid"
	       : given->cache	  ? "--cache"
	       : given->call_site ? "--call-site"
				  : NULL;
}
