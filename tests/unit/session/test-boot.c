// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the parser of the recorder's parameters on the kernel command line. */
#include "lttng-session/recorder/boot.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static const struct {
	const char *name, *line;
	bool enabled;
	const char *profile;
	uint64_t subbufs;
	const char *refused; /* part of the message; NULL: no message */
} cases[] = {
	{ "nothing", "", false, "", 0, NULL },
	{ "others' parameters", "quiet root=/dev/vda ro", false, "", 0, NULL },
	{ "all of ours", "quiet lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=16 ro\n",
	  true, "slab", 16, NULL },
	{ "another profile", "lttng_mm.profile=dax lttng_mm.enable=1", true, "dax", 0, NULL },
	{ "enabled alone", "lttng_mm.enable=1", true, "slab", 0, NULL },
	{ "dashes, as the kernel takes them", "lttng-mm.enable=1 lttng-mm.subbufs=4", true, "slab",
	  4, NULL },
	{ "the last counts",
	  "lttng_mm.enable=0 lttng_mm.enable=1 lttng_mm.subbufs=4 lttng_mm.subbufs=8", true, "slab",
	  8, NULL },
	{ "disabled in the end", "lttng_mm.enable=1 lttng_mm.enable=0", false, "", 0, NULL },
	{ "disabled, and odd otherwise", "lttng_mm.profile=x lttng_mm.subbufs=x lttng_mm.y", false,
	  "", 0, NULL },
	{ "tabs and newlines between", "a\tlttng_mm.enable=1\n\nlttng_mm.subbufs=2\v", true, "slab",
	  2, NULL },
	{ "quotes", "a=\"b lttng_mm.enable=1\" \"lttng_mm.subbufs=4\" lttng_mm.profile=\"dax\"",
	  false, "", 0, NULL },
	{ "a quoted parameter", "\"lttng_mm.enable=1\" lttng_mm.profile=\"dax\"", true, "dax", 0,
	  NULL },
	{ "an unterminated quote", "lttng_mm.enable=1 \"lttng_mm.subbufs=4 ro", true, "slab", 0,
	  "subbufs: '4 ro'" },
	{ "arguments of init", "quiet -- lttng_mm.enable=1", false, "", 0, NULL },
	{ "the clock, which does not concern the recorder",
	  "lttng_mm.enable=1 lttng_mm.clock=instructions", true, "slab", 0, NULL },
	{ "a longer name", "xlttng_mm.enable=1 lttng_mmx.enable=1", false, "", 0, NULL },
	{ "enable without a value", "lttng_mm.enable", false, "", 0, "enable: '' is neither" },
	{ "enable=yes", "lttng_mm.enable=yes", false, "", 0, "enable: 'yes' is neither" },
	{ "an unknown profile", "lttng_mm.enable=1 lttng_mm.profile=x", false, "", 0,
	  "profile: 'x' is not a profile" },
	{ "a profile that is empty", "lttng_mm.enable=1 lttng_mm.profile=", false, "", 0,
	  "profile: '' is not a profile" },
	{ "an unknown parameter", "lttng_mm.enable=1 lttng_mm.profil=slab", false, "", 0,
	  "profil: 'slab'" },
	{ "no parameter at all", "lttng_mm.enable=1 lttng_mm.=3", false, "", 0, "lttng_mm.: '3'" },
	{ "one sub-buffer", "lttng_mm.enable=1 lttng_mm.subbufs=1", false, "", 0,
	  "'1' is not a power of two" },
	{ "three sub-buffers", "lttng_mm.enable=1 lttng_mm.subbufs=3", false, "", 0,
	  "'3' is not a power" },
	{ "a negative number of sub-buffers", "lttng_mm.enable=1 lttng_mm.subbufs=-8", false, "", 0,
	  "'-8' is no" },
	{ "sub-buffers with a unit", "lttng_mm.enable=1 lttng_mm.subbufs=8k", false, "", 0,
	  "'8k' is no" },
	{ "too many sub-buffers", "lttng_mm.enable=1 lttng_mm.subbufs=18446744073709551618", false,
	  "", 0, "is not a power of two" },
	{ "more than 2^20", "lttng_mm.enable=1 lttng_mm.subbufs=2097152", false, "", 0,
	  "is not a power" },
	{ "an escape sequence", "lttng_mm.enable=1 lttng_mm.profile=\x1b[31m", false, "", 0,
	  "'\\x1b[31m' is not a profile" },
	{ "the first of several", "lttng_mm.enable=1 lttng_mm.subbufs=3 lttng_mm.profile=x", false,
	  "", 0, "subbufs: '3'" },
};

static bool as_expected(size_t i)
{
	struct mm_error err = MM_ERROR_INIT;
	struct boot_request request;
	int ret = boot_parse(cases[i].line, &request, &err);

	if (cases[i].refused)
		return ret && err.code == MM_EXIT_BAD_INPUT &&
		       strstr(err.message, cases[i].refused);
	return !ret && !err.code && request.enabled == cases[i].enabled &&
	       (!request.enabled || (!strcmp(request.profile, cases[i].profile) &&
				     request.subbuf_count == cases[i].subbufs));
}

/* A parameter may have any length. Later parameters must still be parsed. */
static bool long_word(const char *begin)
{
	size_t length = 100000, at = strlen(begin);
	char *line = malloc(length + 64);
	struct boot_request request;
	bool ok;

	if (!line)
		return false;
	strcpy(line, begin);
	memset(line + at, 'x', length - at);
	strcpy(line + length, " lttng_mm.enable=1");
	ok = !boot_parse(line, &request, NULL) && request.enabled;
	free(line);
	return ok;
}

static void check_clock(void)
{
	tap(boot_counts_instructions("quiet lttng_mm.clock=instructions ro\n"),
	    "a clock that counts instructions");
	tap(!boot_counts_instructions("quiet ro xlttng_mm.clock=instructions") &&
		    !boot_counts_instructions("lttng_mm.clock=instructionsx") &&
		    !boot_counts_instructions("-- lttng_mm.clock=instructions") &&
		    !boot_counts_instructions("lttng_mm.clock=instructions lttng_mm.clock=time"),
	    "a clock that does not");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap(as_expected(i), "boot: %s", cases[i].name);
	tap(long_word("console="), "boot: after a very long parameter of another program");
	tap(!long_word("lttng_mm.profile="), "boot: after a parameter of ours, which is refused");
	check_clock();
	return tap_status();
}
