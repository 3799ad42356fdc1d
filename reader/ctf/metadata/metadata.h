/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads a trace's metadata file: TSDL as text or in packets, or CTF 2's JSON. */
#ifndef LTTNG_MM_CTF_METADATA_METADATA_H
#define LTTNG_MM_CTF_METADATA_METADATA_H

#include "reader/ctf/model/model.h"

/*
 * Reads @folder/metadata, which may be TSDL (as text or in packets) or JSON. Returns a finished
 * model, or NULL with @err set. Release the model with ctf_trace_class_destroy(). The error names
 * the file, the line (and column) or packet, the reason and the remedy.
 */
struct ctf_trace_class *ctf_metadata_read(const char *folder, struct mm_error *err);

/* Parses metadata in memory: @size bytes at @data. @file is for messages only. */
struct ctf_trace_class *ctf_metadata_parse(const void *data, size_t size, const char *file,
					   struct mm_error *err);

#endif /* LTTNG_MM_CTF_METADATA_METADATA_H */
