# SPDX-License-Identifier: LGPL-2.1-only
lttng-mm-srcs += reader/coverage/report/coverage-section.c
