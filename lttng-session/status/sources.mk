# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/status/events.c
lttng-mm-srcs += lttng-session/status/list.c
lttng-mm-srcs += lttng-session/status/measure.c
lttng-mm-srcs += lttng-session/status/rates.c
lttng-mm-srcs += lttng-session/status/window.c
