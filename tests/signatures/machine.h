/* SPDX-License-Identifier: LGPL-2.1-only */
/* A folder that looks to the program like a machine which runs a kernel with all its modules. */
#ifndef LTTNG_MM_TESTS_SIGNATURES_MACHINE_H
#define LTTNG_MM_TESTS_SIGNATURES_MACHINE_H

#include <stdio.h>

#include "tests/signatures/image.h"

struct simulated_machine {
	char folder[4000];
	FILE *symbols;	 /* /proc/kallsyms */
	FILE *traceable; /* available_filter_functions */
};

/* Starts the machine in @folder, which exists. What is wrong ends the program. */
void machine_start(struct simulated_machine *machine, const char *folder);

/* Adds a kernel, first, or a module. Of a file without types, the machine has none. */
void machine_add(struct simulated_machine *machine, const struct image *image);

/* Completes the machine: from now on, it is what the program runs on. */
void machine_run(struct simulated_machine *machine);

#endif /* LTTNG_MM_TESTS_SIGNATURES_MACHINE_H */
