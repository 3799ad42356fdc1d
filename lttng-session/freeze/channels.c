// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the sessions' channels among the descriptors of the session daemon, and passes copies of
 * these descriptors to the module. A copied descriptor keeps the channel and its contents, even if
 * the session daemon is killed.
 */
#include <dirent.h>
#include <errno.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lttng-session/freeze/buffers.h"
#include "lttng-session/freeze/freeze.h"

static bool is_channel(int fds, const char *name)
{
	static const char target[] = "anon_inode:[lttng_channel]";
	char link[sizeof(target)];

	return readlinkat(fds, name, link, sizeof(link)) == (ssize_t)strlen(target) &&
	       !memcmp(link, target, strlen(target));
}

static struct freeze_session *find_session(const struct freeze *freeze, const char *name)
{
	for (unsigned int i = 0; i < freeze->session_count; i++)
		if (!strcmp(freeze->sessions[i].name, name))
			return &freeze->sessions[i];
	return NULL;
}

static int failed(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_OK,
			    "the channels of the session daemon cannot be found: %s",
			    strerror(errno));
}

/*
 * Sets @err to report that the session daemon has ended. Its PID file exists, because a killed
 * session daemon does not remove it.
 */
static int has_ended(struct mm_error *err)
{
	return mm_error_set(
		err, MM_EXIT_OK,
		"the session daemon (lttng-sessiond) has ended, and so have its recorders; `lttng-mm record` starts both again");
}

/* Adds the channel of the descriptor @fd. The module has filled in @is, which describes it. */
static int add_to(struct freeze *freeze, struct freeze_session *session,
		  struct lttng_mm_freeze_channel *is, int fd, struct mm_error *err)
{
	struct freeze_channel *channel = &freeze->channels[freeze->channel_count];

	/*
	 * The kernel does not require unique session names, so two session daemons may use the same
	 * name.
	 */
	if (session->found && memcmp(session->uuid, is->uuid, sizeof(is->uuid)) != 0)
		return mm_error_set(err, MM_EXIT_OK, "%s: there are two sessions of this name",
				    session->name);
	memcpy(session->uuid, is->uuid, sizeof(is->uuid));
	session->found = true;
	if (is->metadata)
		return 0;
	if (!is->freezable)
		return mm_error_set(
			err, MM_EXIT_OK,
			"%s: one of its channels is not in overwrite mode with mmap output",
			session->name);
	if (freeze->channel_count == LTTNG_MM_FREEZE_CHANNELS)
		return mm_error_set(err, MM_EXIT_OK, "there are more than %d channels",
				    LTTNG_MM_FREEZE_CHANNELS);
	is->fd = fd;
	if (ioctl(freeze->device, LTTNG_MM_FREEZE_ADD, is) || !is->added)
		return failed(err);
	channel->is = *is;
	channel->session = (unsigned int)(session - freeze->sessions);
	session->channel = is->index;
	session->channels++;
	freeze->channel_count++;
	return 0;
}

/* Adds the channel @is if it belongs to one of the sessions. */
static int add_channel(void *user, struct lttng_mm_freeze_channel *is, int fd, struct mm_error *err)
{
	struct freeze *freeze = user;
	struct freeze_session *session = find_session(freeze, is->session);

	return session ? add_to(freeze, session, is, fd, err) : 0;
}

static int visit_channel(int device, int process, int number, freeze_visit_channel *visit,
			 void *user, struct mm_error *err)
{
	struct lttng_mm_freeze_channel is = { 0 };
	int fd = (int)syscall(SYS_pidfd_getfd, process, number, 0), ret = 0;

	/* EBADF: the session daemon has closed the descriptor meanwhile. */
	if (fd < 0)
		return errno == EBADF ? 0 : failed(err);
	is.fd = fd;
	if (!ioctl(device, LTTNG_MM_FREEZE_ADD, &is))
		ret = visit(user, &is, fd, err);
	else if (errno != ENOTTY)
		ret = failed(err);
	close(fd);
	return ret;
}

/* Returns the PID of the session daemon, or 0 if it is unknown. */
static int daemon_pid(void)
{
	FILE *file = fopen("/run/lttng/lttng-sessiond.pid", "re");
	int pid = 0;

	if (file) {
		if (fscanf(file, "%d", &pid) != 1)
			pid = 0;
		fclose(file);
	}
	return pid;
}

int freeze_each_channel(int device, freeze_visit_channel *visit, void *user, struct mm_error *err)
{
	const int pid = daemon_pid(), process = (int)syscall(SYS_pidfd_open, pid, 0);
	struct dirent *entry;
	char path[64];
	int ret = 0;
	DIR *fds;

	if (process < 0)
		return pid <= 0 || errno == ESRCH ? has_ended(err) : failed(err);
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	if (!fds)
		ret = errno == ENOENT ? has_ended(err) : failed(err);
	while (fds && !ret && (entry = readdir(fds)))
		if (is_channel(dirfd(fds), entry->d_name))
			ret = visit_channel(device, process, atoi(entry->d_name), visit, user, err);
	if (fds)
		closedir(fds);
	close(process);
	return ret;
}

/*
 * Refuses a session with user-space events, because only the session daemon can take its snapshot.
 */
int freeze_check(const char *session, struct mm_error *err)
{
	struct lttng_domain *domains = NULL;
	int count = lttng_list_domains(session, &domains), ret = 0;

	if (count < 0)
		ret = mm_error_set(err, MM_EXIT_OK, "%s: %s", session, lttng_strerror(count));
	for (int i = 0; i < count && !ret; i++)
		if (domains[i].type != LTTNG_DOMAIN_KERNEL)
			ret = mm_error_set(
				err, MM_EXIT_OK,
				"%s: the session also records user-space events, and only kernel buffers can be frozen",
				session);
	free(domains);
	return ret;
}

int freeze_find_channels(struct freeze *freeze, struct mm_error *err)
{
	for (unsigned int i = 0; i < freeze->session_count; i++)
		if (!freeze->sessions[i].channel_names[0] &&
		    freeze_check(freeze->sessions[i].name, err))
			return -1;
	if (freeze_each_channel(freeze->device, add_channel, freeze, err))
		return -1;
	for (unsigned int i = 0; i < freeze->session_count; i++)
		if (!freeze->sessions[i].channels)
			return mm_error_set(
				err, MM_EXIT_OK,
				"%s: the session daemon has no channel for this session",
				freeze->sessions[i].name);
	return 0;
}
