/* SPDX-License-Identifier: LGPL-2.1-only */
/* A made-up trace's classes, with what its streams' writer has to know of them. */
#ifndef LTTNG_MM_TESTS_UTILS_CTF_LAYOUT_H
#define LTTNG_MM_TESTS_UTILS_CTF_LAYOUT_H

#include "tests/utils/ctf-type.h"

enum mk_header {
	MK_HEADER_NONE,
	MK_HEADER_COMPACT, /* LTTng's two */
	MK_HEADER_LARGE,
	MK_HEADER_BARECTF,
	MK_HEADER_PLAIN,
	MK_HEADER_COUNT,
};

/* Errors of old tracers that babeltrace2 mends: packets' times that do not enclose their events. */
enum mk_quirk {
	MK_NO_QUIRK,
	MK_EVENT_AFTER_PACKET,	/* lttng-ust before 2.11, lttng-modules before 2.9.13 and 2.10.10 */
	MK_EVENT_BEFORE_PACKET, /* barectf before 2.3.1 */
	MK_NO_END,		/* lttng-crash: the last packet's end is 0 */
	MK_QUIRK_COUNT,
};

struct mk_stream_layout {
	enum mk_header header;
	unsigned int time_bits; /* of the narrowest time in an event header */
	uint64_t choice_max;	/* LTTng: ids above are written the long way */
	uint64_t id_max;	/* 0: events have no id */
	bool whole_file;	/* no packet size: one packet a file */
	bool byte_end;		/* no content size: every event ends at a byte's boundary */
};

struct mk_layout {
	struct mk_trace trace;
	struct mk_stream_layout streams[MK_STREAMS_MAX];
	bool has_stream_id, odd_order;
	enum mk_quirk quirk;
	unsigned int packet_time_bits;		 /* 64 mostly */
	bool wide, untimed, clockless, absolute; /* as mk_random_options has them */
};

void mk_layout_make(struct mk_gen *gen, struct mk_layout *layout);

#endif /* LTTNG_MM_TESTS_UTILS_CTF_LAYOUT_H */
