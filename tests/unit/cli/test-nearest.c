// SPDX-License-Identifier: LGPL-2.1-only
/* Tests suggestions of names similar to an unknown name, and the detection of misspelt options. */
#include <string.h>

#include "cli/common/known-options.h"
#include "tests/tap.h"
#include "util/nearest.h"

static const struct {
	const char *a, *b;
	unsigned int distance;
} distances[] = {
	{ "", "", 0 },
	{ "", "abc", 3 },
	{ "abc", "", 3 },
	{ "report", "report", 0 },
	{ "reprt", "report", 1 },
	{ "repport", "report", 1 },
	{ "rebort", "report", 1 },
	{ "repotr", "report", 1 },
	{ "erport", "report", 1 },
	{ "kitten", "sitting", 3 },
	{ "ca", "abc", 3 },
};

static void test_distances(void)
{
	for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
		unsigned int distance = mm_edit_distance(distances[i].a, distances[i].b);

		tap(distance == distances[i].distance &&
			    distance == mm_edit_distance(distances[i].b, distances[i].a),
		    "'%s' and '%s': %u", distances[i].a, distances[i].b, distance);
	}
}

static const char *const commands[] = { "record",  "snapshot", "status", "stop",
					"trigger", "fn",       "report", "print",
					"info",	   "verify",   "serve",	 "doctor" };
static const char *const sites[] = { "getname_flags.part.0", "getname_kernel", "do_filp_open" };

static const char *const profiles[] = { "dax", "fn", "slab" };

static const struct {
	const char *const *names;
	size_t count;
	const char *wanted, *hint;
} hints[] = {
	{ commands, 12, "reprot", "; did you mean 'report'?" },
	{ commands, 12, "sta", "; did you mean 'status'?" },
	{ commands, 12, "rec", "; did you mean 'record'?" },
	{ commands, 12, "frobnicate", "" },
	{ commands, 12, "", "" },
	{ sites, 3, "getname_flags", "; did you mean 'getname_flags.part.0'?" },
	{ sites, 3, "getnam_flags", "" },
	{ profiles, 3, "dacks", "; did you mean 'dax'?" },
	{ profiles, 3, "da", "; did you mean 'dax'?" },
	{ profiles, 3, "dark-side", "" },
	{ profiles, 3, "slub-debug", "" },
	{ NULL, 0, "x", "" },
};

static void test_hints(void)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		struct mm_nearest nearest = { .wanted = hints[i].wanted };
		char text[MM_NEAREST_TEXT], small[8];

		for (size_t j = 0; j < hints[i].count; j++)
			mm_nearest_offer(&nearest, hints[i].names[j]);
		mm_nearest_hint(&nearest, text, sizeof(text));
		tap(!strcmp(text, hints[i].hint), "'%s'%s", hints[i].wanted, text);
		tap(strlen(mm_nearest_hint(&nearest, small, sizeof(small))) < sizeof(small),
		    "... cut off");
	}
}

static void test_list(void)
{
	struct mm_nearest nearest = { .wanted = "stats" };
	char text[MM_NEAREST_TEXT];

	mm_nearest_offer(&nearest, "status");
	mm_nearest_offer(&nearest, "status");
	tap(!strcmp(mm_nearest_list(&nearest, text, sizeof(text)), "status"),
	    "a name that is offered twice is listed once: %s", text);
	for (size_t i = 0; i < 12; i++)
		mm_nearest_offer(&nearest, commands[i]);
	tap(nearest.count == MM_NEAREST_MAX &&
		    !strncmp(mm_nearest_list(&nearest, text, sizeof(text)), "status, stop, ", 14),
	    "the most similar first: %s", text);
}

static const struct argp_option child_options[] = {
	{ "begin", 'b', "TIME", 0, "", 0 },
	{ 0 },
};
static const struct argp child = { .options = child_options };
static const struct argp_child children[] = { { &child, 0, NULL, 0 }, { 0 } };
static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Group:", 1 },
	{ "json", 'j', NULL, 0, "", 0 },
	{ "topmost", 'm', NULL, 0, "", 0 },
	{ "top", 'n', "N", 0, "", 0 },
	{ "first", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "color", 'c', "WHEN", OPTION_ARG_OPTIONAL, "", 0 },
	{ "secret", 's', NULL, OPTION_HIDDEN, "", 0 },
	{ 0 },
};
static const struct argp parser = { .options = options, .children = children };

#define WORDS 5

static const struct {
	const char *words[WORDS];
	const char *error; /* NULL: all options are known */
	const char *first; /* the first argument */
} lines[] = {
	{ { "x", "--json", "--top", "3", NULL }, NULL, NULL },
	{ { "x", "--help", "--usage", NULL }, NULL, NULL },
	{ { "x", "--js", "--begin=3", "-", NULL }, NULL, "-" },
	{ { "x", "--secret", NULL }, NULL, NULL },
	/* Arguments of options are skipped. */
	{ { "x", "--top", "--nonsense", "y", NULL }, NULL, "y" },
	{ { "x", "--first", "y", "z", NULL }, NULL, "z" },
	{ { "x", "-jn", "--nonsense", "y", NULL }, NULL, "y" },
	{ { "x", "--", "--nonsense", NULL }, NULL, "--nonsense" },
	{ { "x", "--color", "y", "z", NULL }, NULL, "y" },
	{ { "x", "-cj", "-nc", "y", NULL }, NULL, "y" },
	/* A whole name takes precedence over an abbreviation. */
	{ { "x", "--top", "3", "y", NULL }, NULL, "y" },
	{ { "x", "-n3", "--tpo", NULL },
	  "there is no option '--tpo'; did you mean '--top'?",
	  NULL },
	{ { "x", "--color", "--jsno", NULL },
	  "there is no option '--jsno'; did you mean '--json'?",
	  NULL },
	{ { "x", "y", "--beign=3", NULL },
	  "there is no option '--beign'; did you mean '--begin'?",
	  "y" },
	{ { "x", "-calways", "--jsno", NULL },
	  "there is no option '--jsno'; did you mean '--json'?",
	  NULL },
	{ { "x", "--hlep", NULL }, "there is no option '--hlep'; did you mean '--help'?", NULL },
	{ { "x", "--secrte", "y", NULL }, "there is no option '--secrte'", "y" },
	{ { "x", "--b\033", NULL }, "there is no option '--b\\x1b'", NULL },
};

static void test_options(void)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct known_words words;
		char *argv[WORDS];
		int argc = 0, ret;

		for (; lines[i].words[argc]; argc++)
			argv[argc] = (char *)lines[i].words[argc];
		ret = known_options_check(&parser, argc, argv, &err);
		tap(lines[i].error
			    ? ret && !strncmp(err.message, lines[i].error, strlen(lines[i].error))
			    : !ret,
		    "%s %s: %s", lines[i].words[1], lines[i].words[2] ? lines[i].words[2] : "",
		    err.message);
		known_options_scan(&parser, argc, argv, &words);
		tap(lines[i].first ? words.first && !strcmp(words.first, lines[i].first)
				   : !words.first,
		    "... the first argument: %s", words.first ? words.first : "none");
		tap(words.has_unknown == (lines[i].error != NULL), "... %s option is unknown",
		    words.has_unknown ? "an" : "no");
	}
}

int main(void)
{
	test_distances();
	test_hints();
	test_list();
	test_options();
	return tap_status();
}
