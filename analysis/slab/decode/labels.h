/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers of events as text, by the labels that the trace's metadata have. */
#ifndef LTTNG_MM_SLAB_DECODE_LABELS_H
#define LTTNG_MM_SLAB_DECODE_LABELS_H

#include "analysis/trace/source.h"

/* All the labels of GFP flags at once. */
#define SLAB_FLAGS_BYTES 320

/* The text of payload field @name; empty: there is no such field. */
void slab_label(const struct mm_event *event, const char *name, char *text, size_t size);

#endif /* LTTNG_MM_SLAB_DECODE_LABELS_H */
