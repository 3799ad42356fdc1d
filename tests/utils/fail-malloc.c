// SPDX-License-Identifier: LGPL-2.1-only
/* To be preloaded: allocation number FAIL_AT of the process fails, and no other. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_long taken;
static atomic_long fail_at = -1;

static int fails(void)
{
	const char *text;

	if (atomic_load(&fail_at) < 0) {
		text = getenv("FAIL_AT");
		atomic_store(&fail_at, text ? atol(text) : 0);
	}
	if (atomic_fetch_add(&taken, 1) + 1 != atomic_load(&fail_at))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || fails()) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : __libc_memalign(align, size);
}
