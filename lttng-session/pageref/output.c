// SPDX-License-Identifier: LGPL-2.1-only
/* The folder of a recording of page references. */
#include "lttng-session/pageref/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/snapshot/access.h"
#include "lttng-session/snapshot/checksums.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/system/folder.h"

static int find_any(int parent, const char *name, void *user)
{
	(void)parent;
	(void)name;
	(void)user;
	return 1;
}

int pageref_output_open(struct pageref_output *output, const char *path, struct mm_error *err)
{
	int opened;

	*output = (struct pageref_output){ .folder = -1, .is_new = access(path, F_OK) != 0 };
	opened = output_open(path, output->path, sizeof(output->path), err);
	if (opened < 0)
		return -1;
	output->folder = folder_open(opened, ".");
	close(opened);
	if (output->folder >= 0 && !folder_each(output->folder, 1, find_any, NULL))
		return 0;
	mm_error_set(err, output->folder < 0 ? MM_EXIT_ENVIRONMENT : MM_EXIT_BAD_INPUT,
		     "page-ref: --output: %s: %s", output->path,
		     output->folder < 0 ? strerror(errno)
					: "is not empty; name a folder that does not exist");
	pageref_output_close(output);
	return -1;
}

void pageref_output_close(struct pageref_output *output)
{
	if (output->folder >= 0)
		close(output->folder);
	output->folder = -1;
}

void pageref_output_remove(struct pageref_output *output)
{
	if (output->folder < 0)
		return;
	folder_clear(output->folder, NULL);
	pageref_output_close(output);
	if (output->is_new)
		rmdir(output->path);
}

static int add_size(int parent, const char *name, void *user)
{
	uint64_t *bytes = user;
	struct stat st;

	if (!fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
		*bytes += (uint64_t)st.st_size;
	return 0;
}

uint64_t pageref_output_bytes(const struct pageref_output *output)
{
	uint64_t bytes = 0;

	folder_each(output->folder, FOLDER_DEPTH_MAX, add_size, &bytes);
	return bytes;
}

void pageref_output_finish(struct pageref_output *output, const struct sysinfo_modules *before,
			   const char *session, const char *cgroup, struct snapshot_notes *notes)
{
	struct mm_error why = MM_ERROR_INIT;
	struct sysinfo_gaps gaps;
	bool complete;

	if (snapshot_sum_recorded(output->folder, &complete, &why))
		snapshot_note(notes, true, "page-ref: %s: checksums are missing: %s", output->path,
			      why.message);
	else if (!complete)
		snapshot_note(
			notes, true,
			"page-ref: %s: some files of the trace cannot be read, and have no checksums",
			output->path);
	sysinfo_write(output->folder, before, session, cgroup, false, &gaps);
	for (size_t i = 0; i < gaps.count; i++)
		snapshot_note(notes, true, "page-ref: %s: sysinfo/%s is missing: %s", output->path,
			      gaps.all[i].file, gaps.all[i].err.message);
	if (gaps.kaslr == SYSINFO_KASLR_REVEALED)
		snapshot_note(notes, false, "%s", SYSINFO_KASLR_NOTE);
	if (output->is_new && access_set(output->folder, SNAPSHOT_ACCESS_DEFAULT))
		snapshot_note(notes, true, "page-ref: %s: its access modes cannot be set: %s",
			      output->path, strerror(errno));
}
