/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists the kernel's loaded modules, and reads build IDs of the kernel and of modules. */
#ifndef LTTNG_MM_SESSION_MODULES_H
#define LTTNG_MM_SESSION_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/* Size of a build ID as text. A SHA-1 has 40 digits, but the ELF note may contain more. */
#define BUILD_ID_MAX 129

struct loaded_module {
	char name[64];
	uint64_t size, base; /* size in bytes; address, or 0 if the kernel hides addresses */
	bool live;	     /* the module is neither being loaded nor being unloaded */
	char build_id[BUILD_ID_MAX]; /* hexadecimal digits; empty if unknown */
};

/* Calls @visit for each module, in the order of /proc/modules. */
void modules_each(void (*visit)(const struct loaded_module *module, void *user), void *user);

/*
 * Finds a loaded module by name. Hyphens equal underscores, as for modprobe(8). Returns false if
 * the module is not loaded.
 */
bool modules_find(const char *name, struct loaded_module *module);

/* Reads the build ID of the running kernel; empty if unknown. */
void modules_kernel_build_id(char id[BUILD_ID_MAX]);

#endif /* LTTNG_MM_SESSION_MODULES_H */
