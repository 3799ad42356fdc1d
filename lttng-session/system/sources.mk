# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/system/cmdline.c
lttng-mm-srcs += lttng-session/system/contexts.c
lttng-mm-srcs += lttng-session/system/daemon.c
lttng-mm-srcs += lttng-session/system/folder.c
lttng-mm-srcs += lttng-session/system/modules.c
lttng-mm-srcs += lttng-session/system/mounts.c
lttng-mm-srcs += lttng-session/system/process.c
