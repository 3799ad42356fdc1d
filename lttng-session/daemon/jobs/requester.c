// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the credentials of a client, and replaces root's rights with the client's rights. */
#include "lttng-session/daemon/jobs/requester.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

int requester_of(int socket, struct requester *requester)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return -1;
	*requester = (struct requester){ .uid = peer.uid, .gid = peer.gid };
	size = sizeof(requester->groups);
	if (!getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, requester->groups, &size))
		requester->group_count = size / sizeof(requester->groups[0]);
	else if (errno != ERANGE)
		return -1;
	return 0;
}

bool requester_equal(const struct requester *a, const struct requester *b)
{
	return a->uid == b->uid && a->gid == b->gid && a->group_count == b->group_count &&
	       !memcmp(a->groups, b->groups, a->group_count * sizeof(a->groups[0]));
}

/* Denies the new user access to this process's memory by ptrace() and core files. */
static int hide_memory(void)
{
	const struct rlimit none = { 0, 0 };

	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || setrlimit(RLIMIT_CORE, &none) ? -1 : 0;
}

int requester_become(const struct requester *requester)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	/* Root keeps its groups, because they give it no further rights. */
	if (!requester->uid)
		return geteuid() ? (errno = EPERM, -1) : hide_memory();
	if (setgroups(requester->group_count, requester->groups) ||
	    setresgid(requester->gid, requester->gid, requester->gid) ||
	    setresuid(requester->uid, requester->uid, requester->uid))
		return -1;
	/* Check that the process cannot regain root's rights, as a set-user-ID program could. */
	if (!setuid(0) || !setgid(0)) {
		errno = EPERM;
		return -1;
	}
	return hide_memory();
}
