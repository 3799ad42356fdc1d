/* SPDX-License-Identifier: LGPL-2.1-only */
/* The result of handling a message of libbabeltrace2. */
#ifndef LTTNG_MM_BT2_STATUS_H
#define LTTNG_MM_BT2_STATUS_H

enum mm_bt2_status {
	MM_BT2_FAILED = -1, /* the error is set */
	MM_BT2_OK,
	MM_BT2_DONE, /* all later messages are after the source's end_ns */
};

#endif /* LTTNG_MM_BT2_STATUS_H */
