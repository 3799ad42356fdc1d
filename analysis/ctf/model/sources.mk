# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += analysis/ctf/model/field.c
lttng-mm-srcs += analysis/ctf/model/finish.c
lttng-mm-srcs += analysis/ctf/model/model.c
lttng-mm-srcs += analysis/ctf/model/ranges.c
lttng-mm-srcs += analysis/ctf/model/slots.c
