// SPDX-License-Identifier: LGPL-2.1-only
/* Sets the errors of a model that cannot be completed. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "reader/ctf/model/finish.h"

int ctf_finish_fail(struct ctf_finish *f, const char *fmt, ...)
{
	char why[256], stream[48] = "", event[160] = "";
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	if (f->stream)
		snprintf(stream, sizeof(stream), "stream class %" PRIu64 ", ", f->stream->id);
	if (f->event)
		snprintf(event, sizeof(event), "event class `%.100s` (%" PRIu64 "), ",
			 f->event->name, f->event->id);
	return mm_error_set(
		f->err, MM_EXIT_BAD_INPUT,
		"trace: %s: %s%s%s%s%.100s%s: %s; the metadata is damaged or its tracer is at fault",
		f->where, stream, event, f->part ? f->part : "metadata",
		f->member ? ", field `" : "", f->member ? f->member : "", f->member ? "`" : "",
		why);
}

int ctf_finish_no_memory(struct ctf_finish *f)
{
	return mm_error_set(f->err, MM_EXIT_ENVIRONMENT,
			    "trace: %s: out of memory; free some memory and try again", f->where);
}
