# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/pageref/control.c
lttng-mm-srcs += lttng-session/pageref/output.c
lttng-mm-srcs += lttng-session/pageref/record.c
lttng-mm-srcs += lttng-session/pageref/targets.c
