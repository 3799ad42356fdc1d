// SPDX-License-Identifier: GPL-2.0-only
/*
 * LTTng probe for record-test.ko's tracepoint, made with LTTng's macros (provider "recordmacros").
 */

#include <lttng/tracer.h>
#include <probes/lib/module.h>
#include "record-test.h"

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#define TRACE_INCLUDE_PATH instrumentation

#include "instrumentation/recordmacros.h"

LTTNG_MM_MODULE("The values of record-test through LTTng's macros, for tests");
