# SPDX-License-Identifier: LGPL-2.1-only
# The analyses' parts of lttng-mm, one sorted item per line.
lttng-mm-srcs += analysis/core/error.c
lttng-mm-srcs += analysis/core/escape.c
