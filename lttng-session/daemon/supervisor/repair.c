// SPDX-License-Identifier: LGPL-2.1-only
/* Decides how to repair a session. */
#include "lttng-session/daemon/supervisor/repair.h"

enum repair_action repair_decide(const struct repair_seen *seen)
{
	if (!seen->answers)
		return REPAIR_WAIT;
	if (!seen->listed)
		return REPAIR_RECREATE;
	if (!seen->running)
		return REPAIR_START;
	if (!seen->enabled || (seen->held && !seen->active))
		return REPAIR_ENABLE;
	return seen->held && seen->cleared ? REPAIR_STATE : REPAIR_NONE;
}

const char *repair_reason(enum repair_action action)
{
	switch (action) {
	case REPAIR_RECREATE:
		return "destroyed by another program";
	case REPAIR_START:
		return "stopped by another program";
	case REPAIR_ENABLE:
		return "channel or events disabled by another program";
	case REPAIR_STATE:
		return "cleared by another program";
	case REPAIR_WAIT:
		return "the session daemon does not answer";
	case REPAIR_NONE:
		break;
	}
	return "";
}
