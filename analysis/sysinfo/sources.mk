# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/sysinfo/addresses.c
lttng-mm-srcs += analysis/sysinfo/call-sites.c
lttng-mm-srcs += analysis/sysinfo/sysinfo.c
lttng-mm-srcs += analysis/sysinfo/places.c
lttng-mm-srcs += analysis/sysinfo/symbols.c
lttng-mm-srcs += analysis/sysinfo/threads.c
