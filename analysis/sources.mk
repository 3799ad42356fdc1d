# SPDX-License-Identifier: LGPL-2.1-only
# The analyses' parts of lttng-mm, one sorted item per line.
lttng-mm-srcs += analysis/bt2/bt2-source.c
lttng-mm-srcs += analysis/bt2/bt2-text.c
lttng-mm-srcs += analysis/core/context.c
lttng-mm-srcs += analysis/core/error.c
lttng-mm-srcs += analysis/core/escape.c
lttng-mm-srcs += analysis/core/source.c
lttng-mm-srcs += analysis/render/event-line.c
lttng-mm-srcs += cli/cmd-print.c
