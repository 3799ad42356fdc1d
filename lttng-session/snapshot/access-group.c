// SPDX-License-Identifier: LGPL-2.1-only
/* Looks up ACCESS_GROUP in the group database of this machine (NSS). */
#include <grp.h>

#include "lttng-session/snapshot/access.h"

gid_t access_group(void)
{
	const struct group *group = getgrnam(ACCESS_GROUP);

	return group ? group->gr_gid : (gid_t)-1;
}
