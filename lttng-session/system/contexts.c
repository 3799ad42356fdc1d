// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds out whether a session has the context callstack-kernel. liblttng-ctl does not list
 * contexts. Therefore, this file makes the session daemon save the session's configuration to a
 * private folder. The saved configuration lists the contexts.
 */
#include <fcntl.h>
#include <lttng/lttng.h>
#include <lttng/save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/system/session-daemon.h"
#include "lttng-session/system/folder.h"

struct context_search {
	const char *text;
	bool found;
};

static int search_file(int parent, const char *name, void *user)
{
	struct context_search *search = user;
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;

	while (file && !search->found && getline(&line, &size, file) > 0)
		search->found = strstr(line, search->text);
	free(line);
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return 0;
}

static int save(const char *session, const char *folder)
{
	struct lttng_save_session_attr *attr = lttng_save_session_attr_create();
	int ret = attr ? 0 : -1;

	if (!ret)
		ret = lttng_save_session_attr_set_session_name(attr, session);
	if (!ret)
		ret = lttng_save_session_attr_set_output_url(attr, folder);
	if (!ret)
		ret = lttng_save_session(attr);
	lttng_save_session_attr_destroy(attr);
	return ret;
}

int session_has_callstack(const char *session)
{
	char folder[] = "/tmp/lttng-mm-XXXXXX";
	struct context_search search = { .text = ">CALLSTACK_KERNEL<" };
	int fd, ret = -1;

	if (!mkdtemp(folder))
		return -1;
	if (!save(session, folder)) {
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && !folder_each(fd, FOLDER_DEPTH_MAX, search_file, &search))
			ret = search.found;
		if (fd >= 0)
			close(fd);
	}
	folder_remove(AT_FDCWD, folder);
	return ret;
}
