# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/serve/folder-copy.c
lttng-mm-srcs += lttng-session/serve/jobs.c
lttng-mm-srcs += lttng-session/serve/message.c
lttng-mm-srcs += lttng-session/serve/request.c
lttng-mm-srcs += lttng-session/serve/requester.c
lttng-mm-srcs += lttng-session/serve/server.c
lttng-mm-srcs += lttng-session/serve/worker.c
