# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += lttng-session/doctor.c
