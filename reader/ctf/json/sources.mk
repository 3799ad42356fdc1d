# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += reader/ctf/json/field.c
lttng-mm-srcs += reader/ctf/json/json.c
lttng-mm-srcs += reader/ctf/json/locate.c
lttng-mm-srcs += reader/ctf/json/scope.c
lttng-mm-srcs += reader/ctf/json/stream.c
lttng-mm-srcs += reader/ctf/json/trace.c
lttng-mm-srcs += reader/ctf/json/value.c
