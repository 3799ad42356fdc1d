# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/daemon/server/connections.c
lttng-mm-srcs += lttng-session/daemon/server/server.c
lttng-mm-srcs += lttng-session/daemon/server/status.c
