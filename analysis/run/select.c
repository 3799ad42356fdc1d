// SPDX-License-Identifier: LGPL-2.1-only
/* Selects threads by the forks, execs and state dumps of a trace. */
#include "analysis/run/select.h"

#include <stdlib.h>

#include "reader/open/open-folders.h"
#include "reader/open/open.h"

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	if (!mm_selection_see(user, (enum mm_thread_event)event->type->request, event))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

/* Reads events of threads. Ignores unreadable files, because the main pass reports them. */
static int read_threads(struct mm_selection *selection, const struct mm_source *source)
{
	const struct mm_handler handler = { .user = selection, .event = on_event };
	struct mm_source_options options = *mm_source_options(source);
	const char *path = mm_source_path(source);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_requests requests;
	struct mm_source *ahead;

	mm_source_options_select_all(&options);
	options.check_packets = true;
	ahead = mm_source_open_folders(path ? path : "", mm_source_folders(source),
				       mm_source_folder_count(source), &options, &err);
	if (ahead) {
		mm_requests_init(&requests);
		mm_threads_request(&requests);
		mm_source_run(ahead, &requests, &handler, &err);
		mm_requests_release(&requests);
	}
	mm_source_destroy(ahead);
	return err.code == MM_EXIT_ENVIRONMENT ? -1 : 0;
}

int mm_select(struct mm_selection **selection, const struct mm_source *source,
	      const struct mm_sysinfo *sysinfo, const struct mm_report_options *options)
{
	bool no_recorder = !options->include_recorder && mm_sysinfo_lists_recorder(sysinfo);
	struct mm_selection *made;

	*selection = NULL;
	/* @by_name excludes no thread, but needs the system information in the selection. */
	if (!no_recorder && !options->by_pid && !options->by_name)
		return 0;
	made = malloc(sizeof(*made));
	if (!made)
		return -1;
	mm_selection_init(made, sysinfo);
	made->no_recorder = no_recorder;
	made->by_pid = options->by_pid;
	made->pid = (int32_t)options->pid;
	made->descendants = options->descendants;
	*selection = made;
	if (!no_recorder && !options->by_pid)
		return 0;
	made->is_whole = mm_source_folder_count(source) > 0;
	return made->is_whole ? read_threads(made, source) : 0;
}

struct descendants {
	int32_t pid;
	struct mm_pids *pids;
};

static int on_fork(void *user, const struct mm_event *event, struct mm_error *err)
{
	const struct descendants *descendants = user;
	const int32_t parent = (int32_t)event->fields[0].i, child = (int32_t)event->fields[1].i;

	/* If the new thread has the process id of its parent, it is not a new process. */
	if (child == parent ||
	    (parent != descendants->pid && !mm_pids_have(descendants->pids, parent)) ||
	    !mm_pids_add(descendants->pids, child))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

int mm_select_descendants(const char *path, const struct mm_source_options *options, int32_t pid,
			  struct mm_pids *pids, struct mm_error *err)
{
	struct descendants descendants = { pid, pids };
	const struct mm_handler handler = { .user = &descendants, .event = on_fork };
	struct mm_source *source = mm_source_open(path, options, err);
	struct mm_requests requests;
	int ret;

	if (!source)
		return -1;
	mm_requests_init(&requests);
	mm_requests_add(&requests, MM_THREADS_FORK);
	mm_requests_add_field(&requests, "parent_pid", MM_FIELD_INTEGER);
	mm_requests_add_field(&requests, "child_pid", MM_FIELD_INTEGER);
	ret = mm_source_run(source, &requests, &handler, err);
	mm_requests_release(&requests);
	mm_source_destroy(source);
	return ret;
}

void mm_selection_destroy(struct mm_selection *selection)
{
	if (!selection)
		return;
	mm_selection_release(selection);
	free(selection);
}
