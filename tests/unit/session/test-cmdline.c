// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests which values of the kernel command line a snapshot stores. It must not store secret values.
 */
#include "lttng-session/system/cmdline.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/machine.h"

static const struct {
	const char *name, *list; /* list NULL: the defaults */
	const char *line, *kept;
} cases[] = {
	{ "nothing", NULL, "", "" },
	{ "names", NULL, "quiet ro\n", "quiet ro" },
	{ "a secret", NULL, "root=UUID=1-2 luks.key=hunter2 quiet", "root=... luks.key=... quiet" },
	{ "values of the defaults", NULL,
	  "transparent_hugepage=never hugepages=4 slub_debug=FZ,dentry",
	  "transparent_hugepage=never hugepages=4 slub_debug=FZ,dentry" },
	{ "patterns", NULL, "lttng_mm.enable=1 zswap.enabled=1 zswapx=1",
	  "lttng_mm.enable=1 zswap.enabled=1 zswapx=..." },
	{ "dashes are underscores", NULL, "transparent-hugepage=always slub-debug=FZ",
	  "transparent-hugepage=always slub-debug=FZ" },
	{ "a listed name must match completely", NULL, "mem=2G memory=x xmem=y",
	  "mem=2G memory=... xmem=..." },
	{ "quotes around a value", NULL, "pass=\"two words\" mem=\"2 G\"", "pass=... \"mem=2 G\"" },
	{ "quotes around all of it", NULL, "\"pass=two words\" \"a name=x\"",
	  "pass=... \"a name=...\"" },
	{ "an unterminated quote", NULL, "quiet pass=\"a b mem=2G", "quiet pass=..." },
	{ "a value with =", NULL, "pass=mem=2G", "pass=..." },
	{ "no name", NULL, "=secret mem=", "=... mem=" },
	{ "arguments of init", NULL, "ro -- single secret pass=x\n", "ro -- ..." },
	{ "nothing after --, for init", NULL, "ro --\n", "ro" },
	{ "a list of one's own", "# mine\nroot # where\n\n  zz*\t\n", "root=/dev/vda mem=2G zzz=1",
	  "root=/dev/vda mem=... zzz=1" },
	{ "an empty list", "", "root=/dev/vda mem=2G quiet", "root=... mem=... quiet" },
	{ "all", "*\n", "root=/dev/vda pass=x", "root=/dev/vda pass=x" },
};

int main(void)
{
	static const char *const folders[] = { "proc", "etc", "etc/lttng-mm", NULL };
	char long_line[12000], path[256], *kept;

	machine_create(folders);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		machine_write("etc/lttng-mm/kernel-parameters", cases[i].list);
		machine_write("proc/cmdline", cases[i].line);
		kept = cmdline_without_secrets();
		tap(kept && !strcmp(kept, cases[i].kept), "%s", cases[i].name);
		if (kept && strcmp(kept, cases[i].kept))
			printf("# %s\n", kept);
		free(kept);
	}
	/* No part of a long value may be stored. */
	machine_write("etc/lttng-mm/kernel-parameters", NULL);
	strcpy(long_line, "mem=2G p=");
	memset(long_line + 9, 'x', sizeof(long_line) - 9);
	strcpy(long_line + sizeof(long_line) - 20, " nr_cpus=2 y=z");
	machine_write("proc/cmdline", long_line);
	kept = cmdline_without_secrets();
	tap(kept && !strcmp(kept, "mem=2G p=... nr_cpus=2 y=..."), "a long line");
	free(kept);
	/* A list that is a folder cannot be read. */
	snprintf(path, sizeof(path), "%s/etc/lttng-mm/kernel-parameters", machine_root);
	mkdir(path, 0755);
	machine_write("proc/cmdline", "mem=2G");
	kept = cmdline_without_secrets();
	tap(kept && !strcmp(kept, "mem=..."), "a list that cannot be read lists nothing");
	free(kept);
	tap(machine_remove(), "all is removed");
	return tap_status();
}
