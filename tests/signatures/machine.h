/* SPDX-License-Identifier: LGPL-2.1-only */
/* A folder in which the program sees a machine: a running kernel with all its modules. */
#ifndef LTTNG_MM_TESTS_SIGNATURES_MACHINE_H
#define LTTNG_MM_TESTS_SIGNATURES_MACHINE_H

#include <stdio.h>

#include "tests/signatures/image.h"

struct simulated_machine {
	char folder[4000];
	FILE *symbols;	 /* /proc/kallsyms */
	FILE *traceable; /* available_filter_functions */
};

/* Starts to write the machine in the existing folder @folder. Exits on failure. */
void machine_start(struct simulated_machine *machine, const char *folder);

/* Adds @image: the kernel first, then each module. An image without .BTF adds no types. */
void machine_add(struct simulated_machine *machine, const struct image *image);

/* Completes the machine. From now on, the program's code sees this machine. */
void machine_run(struct simulated_machine *machine);

#endif /* LTTNG_MM_TESTS_SIGNATURES_MACHINE_H */
