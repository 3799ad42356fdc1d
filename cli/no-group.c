// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The small program knows no groups: they may come from shared libraries, and it is linked without
 * any. It leaves what depends on them to the other one (main.c).
 */
#include "lttng-session/snapshot/access.h"

gid_t access_group(void)
{
	return (gid_t)-1;
}
