// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A library for LD_PRELOAD that makes one allocation of the process fail: number FAIL_AT.
 * FAIL_AFTER is the end of a file name; if set, counting starts at the first open() of such a file.
 * With FAIL_SIZE, only allocations of at least that many bytes count.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_long taken;
static atomic_long fail_at = -1;
static atomic_long fail_size;
static atomic_bool counts;

int open(const char *path, int flags, ...)
{
	const char *after = getenv("FAIL_AFTER");
	int (*real)(const char *path, int flags, ...);
	size_t length = strlen(path);
	unsigned int mode;
	va_list args;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, unsigned int) : 0;
	va_end(args);
	*(void **)&real = dlsym(RTLD_NEXT, "open");
	if (after && *after && length >= strlen(after) &&
	    !strcmp(path + length - strlen(after), after))
		atomic_store(&counts, true);
	return real(path, flags, mode);
}

static int fails(size_t size)
{
	const char *text;

	if (atomic_load(&fail_at) < 0) {
		text = getenv("FAIL_AT");
		atomic_store(&fail_at, text ? atol(text) : 0);
		text = getenv("FAIL_AFTER");
		if (!text || !*text)
			atomic_store(&counts, true);
		text = getenv("FAIL_SIZE");
		atomic_store(&fail_size, text ? atol(text) : 0);
	}
	if (!atomic_load(&counts) || size < (size_t)atomic_load(&fail_size))
		return 0;
	if (atomic_fetch_add(&taken, 1) + 1 != atomic_load(&fail_at))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails(size) ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || fails(bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t align, size_t size)
{
	return fails(size) ? NULL : __libc_memalign(align, size);
}
