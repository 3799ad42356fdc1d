# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/run/analysis.c
lttng-mm-srcs += analysis/run/cut.c
lttng-mm-srcs += analysis/run/missing-find.c
lttng-mm-srcs += analysis/run/open.c
lttng-mm-srcs += analysis/run/parts.c
lttng-mm-srcs += analysis/run/rules.c
lttng-mm-srcs += analysis/run/window.c
