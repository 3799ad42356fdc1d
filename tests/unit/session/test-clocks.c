// SPDX-License-Identifier: LGPL-2.1-only
/* Tests that traces of several sessions get the same clock. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/snapshot/work.h"
#include "tests/tap.h"

#define CLOCK "/* CTF 1.8 */\nenv {\n\tx = 1;\n};\n\nclock {\n\tname = \"monotonic\";\n\toffset = "
#define REST ";\n};\n\nstream {\n\tid = 0;\n};\n"

static const struct {
	const char *name, *first, *second;
	int ret;
} cases[] = {
	{ "equal offsets", CLOCK "1700000000000000005" REST, CLOCK "1700000000000000005" REST, 0 },
	{ "different ones", CLOCK "1700000000000000005" REST, CLOCK "1700000000000004711" REST, 0 },
	{ "another number of digits", CLOCK "1700000000000000005" REST, CLOCK "-5" REST, -1 },
	{ "no clock", CLOCK "1700000000000000005" REST, "/* CTF 1.8 */\nstream {\n};\n", -1 },
	{ "a clock that does not end", CLOCK "1700000000000000005" REST, CLOCK "17", -1 },
	{ "nothing", CLOCK "1700000000000000005" REST, "", -1 },
};

static void write_text(const char *top, const char *folder, const char *text)
{
	char path[128];
	FILE *file;

	tap_shell("mkdir -p %s/%s", top, folder);
	snprintf(path, sizeof(path), "%s/%s/metadata", top, folder);
	file = fopen(path, "w");
	/* Write the start of LTTng's packet header, which is binary. */
	if (!file || fwrite("\xc1\x1f\0\0", 4, 1, file) != 1 || fputs(text, file) < 0 ||
	    fclose(file))
		tap_bail("%s", path);
}

static bool same(const char *top)
{
	char command[256];

	snprintf(command, sizeof(command), "cmp -s %s/kernel/dax/metadata %s/kernel/slab/metadata",
		 top, top);
	return !system(command);
}

int main(void)
{
	char top[] = "/tmp/lttng-mm-clocks-XXXXXX";
	int made;

	if (!mkdtemp(top) || (made = open(top, O_RDONLY | O_DIRECTORY)) < 0)
		tap_bail("%s", top);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		write_text(top, "kernel/dax", cases[i].first);
		write_text(top, "kernel/slab", cases[i].second);
		tap(snapshot_unify_clocks(made) == cases[i].ret, "%s", cases[i].name);
		if (!cases[i].ret)
			tap(same(top), "... and both have one");
	}
	close(made);
	tap_shell("rm -r %s", top);
	return tap_status();
}
