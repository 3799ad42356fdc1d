# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += reader/ctf/model/field.c
lttng-mm-srcs += reader/ctf/model/finish-error.c
lttng-mm-srcs += reader/ctf/model/finish.c
lttng-mm-srcs += reader/ctf/model/model.c
lttng-mm-srcs += reader/ctf/model/ranges.c
lttng-mm-srcs += reader/ctf/model/slots.c
