/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parses the sizes of ring buffers: --subbuf-size and --num-subbuf. */
#ifndef LTTNG_MM_CLI_COMMON_BUFFERS_H
#define LTTNG_MM_CLI_COMMON_BUFFERS_H

#include <argp.h>
#include <stdint.h>

/* Both return the value of the option. They exit with a message if @arg is not valid. */
uint64_t buffers_parse_size(const char *arg, const struct argp_state *state);
uint64_t buffers_parse_count(const char *arg, const struct argp_state *state);

#endif /* LTTNG_MM_CLI_COMMON_BUFFERS_H */
