/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads CTF 2's metadata, which is JSON. */
#ifndef LTTNG_MM_CTF_JSON_PARSE_H
#define LTTNG_MM_CTF_JSON_PARSE_H

#include "reader/ctf/model/model.h"

/*
 * Fills @trace; the caller must call ctf_trace_class_finish() afterwards. @text need not be
 * terminated; @file is for messages only. Returns 0, or -1 with @err set; the caller destroys
 * @trace in both cases.
 */
int ctf_json_parse(const char *text, size_t length, const char *file, struct ctf_trace_class *trace,
		   struct mm_error *err);

#endif /* LTTNG_MM_CTF_JSON_PARSE_H */
