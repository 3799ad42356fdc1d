# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/bt2/events.c
lttng-mm-srcs += analysis/bt2/layout.c
lttng-mm-srcs += analysis/bt2/source.c
lttng-mm-srcs += analysis/bt2/text.c
