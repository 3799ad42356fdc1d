# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/inspect/info-report.c
lttng-mm-srcs += analysis/inspect/info-schema.c
lttng-mm-srcs += analysis/inspect/info.c
lttng-mm-srcs += analysis/inspect/verify-batch.c
lttng-mm-srcs += analysis/inspect/verify.c
