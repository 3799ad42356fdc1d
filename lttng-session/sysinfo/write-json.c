// SPDX-License-Identifier: LGPL-2.1-only
/* Writes a JSON file of the system information. */
#include "lttng-session/sysinfo/write-json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lttng-session/system/folder.h"

int sysinfo_write_json(int folder, const char *name, json_t *json, struct mm_error *err)
{
	FILE *file = json ? folder_make_file(folder, name) : NULL;
	int ret = -1, error;

	errno = json ? errno : ENOMEM;
	if (file)
		ret = json_dumpf(json, file, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	error = errno;
	if (file && fclose(file) && !ret) {
		error = errno;
		ret = -1;
	}
	json_decref(json);
	if (ret)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: sysinfo/%s: %s", name,
				    strerror(error));
	return 0;
}
