# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/run/record-run.c
