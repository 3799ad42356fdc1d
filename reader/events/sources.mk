# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += reader/events/argument-order.c
lttng-mm-srcs += reader/events/event-text.c
lttng-mm-srcs += reader/events/field-text.c
lttng-mm-srcs += reader/events/labels.c
lttng-mm-srcs += reader/events/request.c
lttng-mm-srcs += reader/events/source.c
