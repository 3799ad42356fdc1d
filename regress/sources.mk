# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += regress/runs.c
lttng-mm-srcs += regress/schemas.c
lttng-mm-srcs += regress/values.c
