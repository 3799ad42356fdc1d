# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/profile/channels.c
lttng-mm-srcs += lttng-session/profile/event-names.c
lttng-mm-srcs += lttng-session/profile/files.c
lttng-mm-srcs += lttng-session/profile/functions.c
lttng-mm-srcs += lttng-session/profile/profile.c
lttng-mm-srcs += lttng-session/profile/trigger-text.c
lttng-mm-srcs += lttng-session/profile/triggers.c
