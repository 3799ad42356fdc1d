/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads CTF 1.8's metadata, which are written in TSDL. */
#ifndef LTTNG_MM_TSDL_PARSE_H
#define LTTNG_MM_TSDL_PARSE_H

#include "analysis/ctf/model/model.h"

/*
 * Fills @trace up to, not including, ctf_trace_class_finish(). @text needs no terminator; @file is
 * for messages only. Returns 0, or -1 with @err set; @trace is the caller's to destroy in both
 * cases.
 */
int ctf_tsdl_parse(const char *text, size_t length, const char *file, struct ctf_trace_class *trace,
		   struct mm_error *err);

#endif /* LTTNG_MM_TSDL_PARSE_H */
