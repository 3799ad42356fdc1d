// SPDX-License-Identifier: LGPL-2.1-only
/* Strips trailing slashes of paths, makes them absolute, and shows them as the user wrote them. */
#include "util/path.h"

#include <string.h>

#include "tests/tap.h"

static const struct {
	const char *path, *stripped;
} strips[] = {
	{ "trace", "trace" }, { "trace/", "trace" }, { "/tmp//trace///", "/tmp//trace" },
	{ "./", "." },	      { "/", "/" },	     { "//", "/" },
	{ "", "" },
};

static const struct {
	const char *path, *absolute;
} absolutes[] = {
	{ "/a/b", "/a/b" },	{ "/a//b/", "/a/b" }, { "/a/./b/../c", "/a/c" },
	{ "/a/../../b", "/b" }, { "/", "" },
};

static const struct {
	const char *path, *given, *shown;
} shown[] = {
	{ "/a/trace/kernel/x_0", "/a/trace", "/a/trace/kernel/x_0" },
	{ "/a/trace/kernel/x_0", "/a/../a/trace", "/a/../a/trace/kernel/x_0" },
	{ "/a/traces/x_0", "/a/trace", "/a/traces/x_0" },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(strips) / sizeof(strips[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s", strips[i].path);
		mm_path_strip(path);
		tap(!strcmp(path, strips[i].stripped), "'%s' without slashes at its end: '%s'",
		    strips[i].path, path);
	}
	for (size_t i = 0; i < sizeof(absolutes) / sizeof(absolutes[0]); i++) {
		char *path = mm_path_absolute(absolutes[i].path);

		tap(path && !strcmp(path, absolutes[i].absolute), "'%s' absolute: '%s'",
		    absolutes[i].path, path);
		free(path);
	}
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		char *path = mm_path_as_given(shown[i].path, shown[i].given);

		tap(path && !strcmp(path, shown[i].shown), "'%s' below '%s': '%s'", shown[i].path,
		    shown[i].given, path);
		free(path);
	}
	return tap_status();
}
