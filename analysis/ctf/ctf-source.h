/* SPDX-License-Identifier: LGPL-2.1-only */
/* The source that reads CTF files itself: the fast one. */
#ifndef LTTNG_MM_CTF_CTF_SOURCE_H
#define LTTNG_MM_CTF_CTF_SOURCE_H

#include "analysis/core/source.h"

/*
 * NULL and @err set when memory is short. The opener fills in the folders.
 *
 * Memory beyond the mapped files: chunks of decoded events, some 32 MiB at most however large the trace is
 * (a little more with thousands of streams), plus the metadata's model.
 */
struct mm_source *mm_ctf_source_create(struct mm_error *err);

#endif /* LTTNG_MM_CTF_CTF_SOURCE_H */
