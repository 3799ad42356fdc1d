/* SPDX-License-Identifier: LGPL-2.1-only */
/* The classes of a synthetic trace, and the data that the writer of its streams needs. */
#ifndef LTTNG_MM_TESTS_UTILS_CTF_LAYOUT_H
#define LTTNG_MM_TESTS_UTILS_CTF_LAYOUT_H

#include "tests/utils/ctf/type.h"

enum mk_header {
	MK_HEADER_NONE,
	MK_HEADER_COMPACT, /* LTTng's compact and large header */
	MK_HEADER_LARGE,
	MK_HEADER_BARECTF,
	MK_HEADER_PLAIN,
	MK_HEADER_COUNT,
};

/*
 * Faults of old tracers that babeltrace2 works around: packets whose timestamps do not enclose
 * their events.
 */
enum mk_quirk {
	MK_NO_QUIRK,
	MK_EVENT_AFTER_PACKET,	/* lttng-ust before 2.11, lttng-modules before 2.9.13 and 2.10.10 */
	MK_EVENT_BEFORE_PACKET, /* barectf before 2.3.1 */
	MK_NO_END,		/* lttng-crash: the last packet's end is 0 */
	MK_QUIRK_COUNT,
};

struct mk_stream_layout {
	enum mk_header header;
	unsigned int time_bits; /* width of the narrowest timestamp in an event header */
	uint64_t choice_max;	/* LTTng: larger ids use the extended header */
	uint64_t id_max;	/* 0: events have no id */
	bool whole_file;	/* no packet size: one packet per file */
	bool byte_end;		/* no content size: each event ends at a byte boundary */
};

struct mk_layout {
	struct mk_trace trace;
	struct mk_stream_layout streams[MK_STREAMS_MAX];
	bool has_stream_id, odd_order;
	enum mk_quirk quirk;
	unsigned int packet_time_bits;		 /* mostly 64 */
	bool wide, untimed, clockless, absolute; /* as in struct mk_random_options */
};

void mk_layout_make(struct mk_gen *gen, struct mk_layout *layout);

#endif /* LTTNG_MM_TESTS_UTILS_CTF_LAYOUT_H */
