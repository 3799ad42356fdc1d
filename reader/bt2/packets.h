/* SPDX-License-Identifier: LGPL-2.1-only */
/* Handles the messages of packets, discarded events and discarded packets. */
#ifndef LTTNG_MM_BT2_PACKETS_H
#define LTTNG_MM_BT2_PACKETS_H

#include "reader/bt2/events-private.h"

/* Handle one message: store the packet's CPU and times, or report the loss. */
enum mm_bt2_status mm_bt2_take_packet_beginning(struct mm_bt2_events *events,
						const bt_message *message, struct mm_error *err);
enum mm_bt2_status mm_bt2_take_packet_end(struct mm_bt2_events *events, const bt_message *message,
					  struct mm_error *err);
enum mm_bt2_status mm_bt2_take_discarded_events(struct mm_bt2_events *events,
						const bt_message *message, struct mm_error *err);
enum mm_bt2_status mm_bt2_take_discarded_packets(struct mm_bt2_events *events,
						 const bt_message *message, struct mm_error *err);

#endif /* LTTNG_MM_BT2_PACKETS_H */
