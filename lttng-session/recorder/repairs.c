// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and replaces /run/lttng-mm/repairs.json. */
#include "lttng-session/recorder/repairs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/system/folder.h"

#define NEW REPAIRS_FILE ".new"
#define BYTES_MAX 65536

json_t *repairs_read(void)
{
	int folder = plan_folder_open(false), fd = -1;
	json_t *json = NULL;
	struct stat st;

	if (folder >= 0) {
		fd = openat(folder, REPAIRS_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		close(folder);
	}
	/* Other users cannot write to the folder, so the file can be trusted. */
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= BYTES_MAX)
		json = json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
	if (fd >= 0)
		close(fd);
	if (json_is_array(json))
		return json;
	json_decref(json);
	return json_array();
}

static int write_new(int folder, const json_t *json)
{
	FILE *out;
	int error;

	unlinkat(folder, NEW, 0);
	out = folder_make_file(folder, NEW);
	if (!out)
		return -1;
	error = fchmod(fileno(out), 0644) ||
				json_dumpf(json, out, JSON_INDENT(1) | JSON_ENSURE_ASCII) ||
				putc('\n', out) == EOF
			? errno
			: 0;
	if (fclose(out) && !error)
		error = errno;
	errno = error;
	return error || renameat(folder, NEW, folder, REPAIRS_FILE) ? -1 : 0;
}

int repairs_add(json_t *repairs, json_t *repair)
{
	int folder, ret;

	if (json_array_append_new(repairs, repair)) {
		errno = ENOMEM;
		return -1;
	}
	while (json_array_size(repairs) > REPAIRS_MAX)
		json_array_remove(repairs, 0);
	folder = plan_folder_open(true);
	if (folder < 0)
		return -1;
	ret = write_new(folder, repairs);
	close(folder);
	return ret;
}
