// SPDX-License-Identifier: LGPL-2.1-only
/* Lists the snapshots of earlier daemons, and cleans up the recorders' folders. */
#include "lttng-session/daemon/supervisor/recall.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/snapshot/recent.h"
#include "lttng-session/snapshot/staging.h"
#include "lttng-session/system/message.h"

#define FOLDERS_MAX 16

static void send_snapshots(int report, const char *folder)
{
	json_t *list = recent_snapshots(folder), *snapshot;
	size_t i;

	json_array_foreach(list, i, snapshot)
	{
		json_t *message = json_pack("{s:O}", "snapshot", snapshot);

		message_send(report, message, -1);
		json_decref(message);
	}
	json_decref(list);
}

/*
 * Removes unfinished snapshots of killed processes. A snapshot that is being written is locked, so
 * it stays.
 */
static void sweep(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	staging_sweep(fd);
	close(fd);
}

static void recall(int report)
{
	struct retention_limits limits[FOLDERS_MAX];
	struct mm_error ignored = MM_ERROR_INIT;
	size_t count = 0, i;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return;
	for (size_t s = 0; s < plan.count && count < FOLDERS_MAX; s++) {
		plan_get_limits(&plan, plan.sessions[s].recorder, &limits[count]);
		for (i = 0; i < count && strcmp(limits[i].output, limits[count].output) != 0; i++)
			;
		count += i == count;
	}
	/* Without recorders, the default folder may still contain snapshots. */
	if (!count)
		plan_get_limits(&plan, "", &limits[count++]);
	plan_release(&plan);
	for (i = 0; i < count; i++) {
		sweep(limits[i].output);
		send_snapshots(report, limits[i].output);
	}
}

void recall_start(int report)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "lttng-mm-recall");
	recall(report);
	_exit(0);
}
