// SPDX-License-Identifier: LGPL-2.1-only
/* Splits the description of a listed function into SPEC and options. */
#include <string.h>

#include "lttng-session/fn/list-entry.h"
#include "tests/tap.h"

static const struct {
	const char *text, *spec, *inside;
	int64_t slower_ns;
	unsigned int max_rate;
	bool caller, errors, raw;
	bool reveals; /* reveals addresses without --raw */
} valid[] = {
	{ "vfs_open", "vfs_open", NULL, 0, FN_MAX_RATE, false, false, false, false },
	{ "ext4:f(a->b, list[1]) : int --caller", "ext4:f(a->b, list[1]) : int", NULL, 0,
	  FN_MAX_RATE, true, false, false, false },
	{ "f --caller --inside=g --slower=1500000ns --errors --max-rate=0 --raw", "f", "g", 1500000,
	  0, true, true, true, false },
	{ "f() --max-rate=77 --raw", "f()", NULL, 0, 77, false, false, true, false },
	{ "f(a:string)", "f(a:string)", NULL, 0, FN_MAX_RATE, false, false, false, false },
	{ "f(((struct b *)a)->c, ((struct b **)a)[1], (void *)a)",
	  "f(((struct b *)a)->c, ((struct b **)a)[1], (void *)a)", NULL, 0, FN_MAX_RATE, false,
	  false, false, false },
	{ "f(((unsigned int *)a)[1])", "f(((unsigned int *)a)[1])", NULL, 0, FN_MAX_RATE, false,
	  false, false, true },
	{ "f(a, ((char *)b):string)", "f(a, ((char *)b):string)", NULL, 0, FN_MAX_RATE, false,
	  false, false, true },
	{ "f(*(enum c *)a)", "f(*(enum c *)a)", NULL, 0, FN_MAX_RATE, false, false, false, true },
	{ "f(a, b->c:bytes[8]) --caller", "f(a, b->c:bytes[8])", NULL, 0, FN_MAX_RATE, true, false,
	  false, true },
};

static const char *const invalid[] = {
	"f --calls",
	"f --",
	"f --raw=1",
	"f --inside=",
	"f --slower=1",
	"f --slower",
	"f --max-rate=x",
	"f --max-rate=-1",
	"f --max-rate=1x",
	"f --raw --foo",
	"f --inside=a --inside=b",
};

int main(void)
{
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct fn_list_entry *listed = fn_list_entry_parse(valid[i].text, &err);
		const struct fn_add_options *options = listed ? &listed->options : NULL;

		tap(listed && !strcmp(listed->spec, valid[i].spec) &&
			    !strcmp(options->inside ? options->inside : "",
				    valid[i].inside ? valid[i].inside : "") &&
			    options->slower_ns == valid[i].slower_ns &&
			    options->max_rate == valid[i].max_rate &&
			    options->caller == valid[i].caller &&
			    options->errors == valid[i].errors && options->raw == valid[i].raw &&
			    !options->as,
		    "%s: %s", valid[i].text, err.message);
		tap(fn_list_entry_reveals(valid[i].text) == (valid[i].raw || valid[i].reveals),
		    "... reveals addresses: %d", valid[i].raw || valid[i].reveals);
		fn_list_entry_destroy(listed);
	}
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;

		tap(!fn_list_entry_parse(invalid[i], &err) && err.code == MM_EXIT_BAD_INPUT &&
			    strstr(err.message, "is not the description of a function"),
		    "%s: %s", invalid[i], err.message);
	}
	return tap_status();
}
