/* SPDX-License-Identifier: LGPL-2.1-only */
/* lttng-mm record --window: chooses the sizes of sub-buffers by measured rates. */
#ifndef LTTNG_MM_CLI_RECORD_WINDOW_H
#define LTTNG_MM_CLI_RECORD_WINDOW_H

#include <stdint.h>

#include "lttng-session/recorder/recorder.h"

/*
 * Measures the rates of the profiles' events. Chooses sub-buffers that are large enough for the
 * events of @window_ns. Prints the rates and the sub-buffers. Returns 0, or -1 with @err set.
 */
int record_window_choose(struct recorder_options *options, int64_t window_ns, struct mm_error *err);

#endif /* LTTNG_MM_CLI_RECORD_WINDOW_H */
