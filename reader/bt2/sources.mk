# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += reader/bt2/events.c
lttng-mm-srcs += reader/bt2/layout.c
lttng-mm-srcs += reader/bt2/packets.c
lttng-mm-srcs += reader/bt2/source.c
lttng-mm-srcs += reader/bt2/streams.c
lttng-mm-srcs += reader/bt2/text.c
