# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/report/json.c
lttng-mm-srcs += analysis/report/metrics.c
lttng-mm-srcs += analysis/report/text.c
