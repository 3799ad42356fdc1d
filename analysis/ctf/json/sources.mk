# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/ctf/json/field.c
lttng-mm-srcs += analysis/ctf/json/json.c
lttng-mm-srcs += analysis/ctf/json/locate.c
lttng-mm-srcs += analysis/ctf/json/scope.c
lttng-mm-srcs += analysis/ctf/json/stream.c
lttng-mm-srcs += analysis/ctf/json/trace.c
lttng-mm-srcs += analysis/ctf/json/value.c
