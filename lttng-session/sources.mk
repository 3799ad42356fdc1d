# SPDX-License-Identifier: LGPL-2.1-only
# The recorder's parts of lttng-mm, one sorted item per line.
lttng-mm-srcs += cli/cmd-doctor.c
lttng-mm-srcs += cli/cmd-record.c
lttng-mm-srcs += cli/cmd-snapshot.c
lttng-mm-srcs += cli/cmd-status.c
lttng-mm-srcs += cli/cmd-stop.c
lttng-mm-srcs += lttng-session/context-files.c
lttng-mm-srcs += lttng-session/context-symbols.c
lttng-mm-srcs += lttng-session/context.c
lttng-mm-srcs += lttng-session/daemon.c
lttng-mm-srcs += lttng-session/doctor.c
lttng-mm-srcs += lttng-session/mounts.c
lttng-mm-srcs += lttng-session/process.c
lttng-mm-srcs += lttng-session/profile.c
lttng-mm-srcs += lttng-session/recorder.c
lttng-mm-srcs += lttng-session/session.c
lttng-mm-srcs += lttng-session/snapshot.c
