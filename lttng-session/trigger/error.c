// SPDX-License-Identifier: LGPL-2.1-only
/* Errors that name what they are about. */
#include <stdarg.h>

#include "lttng-session/trigger/trigger.h"

int trigger_error(const struct trigger *trigger, struct mm_error *err, int code, const char *fmt,
		  ...)
{
	struct mm_error why = MM_ERROR_INIT;
	va_list args;

	va_start(args, fmt);
	mm_error_vset(&why, code, fmt, args);
	va_end(args);
	return trigger->subject
		       ? mm_error_set(err, code, "%s: %s", trigger->subject, why.message)
		       : mm_error_set(err, code, "trigger: %s: %s", trigger->name, why.message);
}
