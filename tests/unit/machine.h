/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Simulates a machine with files below LTTNG_MM_ROOT: the parts of /proc, /sys and /run that the
 * cases of a test need.
 */
#ifndef LTTNG_MM_TESTS_UNIT_MACHINE_H
#define LTTNG_MM_TESTS_UNIT_MACHINE_H

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "tests/tap.h"

static char machine_root[] = "/tmp/lttng-mm-test-XXXXXX";

/* Returns the path of @name, valid until the next call. */
static inline const char *machine_path(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", machine_root, name);
	return path;
}

static inline void machine_make_folder(const char *name)
{
	if (mkdir(machine_path(name), 0755))
		tap_bail("%s cannot be made", machine_path(name));
}

/* Creates the root folder and these folders, parents first; NULL ends the list. */
static inline void machine_create(const char *const folders[])
{
	if (!mkdtemp(machine_root))
		tap_bail("no folder %s", machine_root);
	setenv("LTTNG_MM_ROOT", machine_root, 1);
	for (; *folders; folders++)
		machine_make_folder(*folders);
}

static inline void machine_write_bytes(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(machine_path(name), "w");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		tap_bail("%s cannot be written", machine_path(name));
}

/* Replaces the file @name. @text NULL: only removes it. */
static inline void machine_write(const char *name, const char *text)
{
	unlink(machine_path(name));
	if (text)
		machine_write_bytes(name, text, strlen(text));
}

static inline bool machine_remove(void)
{
	return !folder_remove(AT_FDCWD, machine_root);
}

#endif /* LTTNG_MM_TESTS_UNIT_MACHINE_H */
