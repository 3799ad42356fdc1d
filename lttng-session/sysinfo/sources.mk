# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/sysinfo/files.c
lttng-mm-srcs += lttng-session/sysinfo/recorder.c
lttng-mm-srcs += lttng-session/sysinfo/symbols.c
lttng-mm-srcs += lttng-session/sysinfo/sysinfo.c
lttng-mm-srcs += lttng-session/sysinfo/traces.c
lttng-mm-srcs += lttng-session/sysinfo/write-json.c
