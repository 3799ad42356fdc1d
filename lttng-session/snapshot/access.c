// SPDX-License-Identifier: LGPL-2.1-only
/* Sets the group and the modes of a snapshot. */
#include "lttng-session/snapshot/access.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"

static const struct {
	const char *name;
	mode_t file, folder;
} kinds[] = {
	[SNAPSHOT_ACCESS_PRIVATE] = { "private", 0600, 0700 },
	[SNAPSHOT_ACCESS_GROUP] = { "group", 0640, 0750 },
	[SNAPSHOT_ACCESS_PUBLIC] = { "public", 0644, 0755 },
};

bool access_parse(const char *text, enum snapshot_access *access)
{
	for (size_t i = SNAPSHOT_ACCESS_PRIVATE; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(text, kinds[i].name)) {
			*access = (enum snapshot_access)i;
			return true;
		}
	return false;
}

bool access_can_give(void)
{
	gid_t group = access_group();

	return group != (gid_t)-1 && (!geteuid() || group_member(group));
}

int access_check(enum snapshot_access access, struct mm_error *err)
{
	if (access != SNAPSHOT_ACCESS_GROUP || access_can_give())
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		access_group() == (gid_t)-1
			? "snapshot: --access=group: this machine has no group " ACCESS_GROUP
			: "snapshot: --access=group: only root and members of the group " ACCESS_GROUP
			  " can give files to this group");
}

struct access_ctx {
	enum snapshot_access access;
	gid_t group; /* (gid_t)-1: keep the current group */
	int error;   /* the first error number */
};

/*
 * Sets the group before the mode. Otherwise, the previous group would briefly get the access of the
 * new group.
 */
static void set_one(int fd, struct access_ctx *ctx)
{
	struct stat st;
	mode_t mode;

	if (fstat(fd, &st)) {
		if (!ctx->error)
			ctx->error = errno;
		return;
	}
	mode = S_ISDIR(st.st_mode) ? kinds[ctx->access].folder : kinds[ctx->access].file;
	if (((ctx->group != (gid_t)-1 && st.st_gid != ctx->group &&
	      fchown(fd, (uid_t)-1, ctx->group)) ||
	     fchmod(fd, mode)) &&
	    !ctx->error)
		ctx->error = errno;
}

static int set_entry(int parent, const char *name, void *user)
{
	struct access_ctx *ctx = user;
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	/* A symbolic link has no mode, so ignore ELOOP. */
	if (fd < 0 && errno != ELOOP && !ctx->error)
		ctx->error = errno;
	if (fd >= 0) {
		set_one(fd, ctx);
		close(fd);
	}
	return 0;
}

int access_set(int fd, enum snapshot_access access)
{
	struct access_ctx ctx = { .access = access, .group = (gid_t)-1 };

	if (access == SNAPSHOT_ACCESS_DEFAULT)
		ctx.access = access_can_give() ? SNAPSHOT_ACCESS_GROUP : SNAPSHOT_ACCESS_PRIVATE;
	if (ctx.access == SNAPSHOT_ACCESS_GROUP ||
	    (ctx.access == SNAPSHOT_ACCESS_PUBLIC && access_can_give()))
		ctx.group = access_group();
	if (ctx.access == SNAPSHOT_ACCESS_GROUP && ctx.group == (gid_t)-1) {
		errno = EPERM;
		return -1;
	}
	if (folder_each(fd, FOLDER_DEPTH_MAX, set_entry, &ctx) && !ctx.error)
		ctx.error = errno;
	set_one(fd, &ctx);
	errno = ctx.error;
	return ctx.error ? -1 : 0;
}
