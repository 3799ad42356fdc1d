// SPDX-License-Identifier: LGPL-2.1-only
/* Fuzz target: a base file. Writing an accepted file and reading it again must not change it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "regress/base.h"
#include "tests/fuzz/fuzz.h"

/* Writes the file again, and returns its contents. */
static char *rewrite(const struct regress_base *base, const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	char path[64], *text = calloc(1, 1 << 20);
	FILE *in;

	snprintf(path, sizeof(path), "%s/base", folder);
	if (!text || regress_base_write(path, &base->side, base->accepted, base->profiles,
					base->command, &err))
		abort();
	in = fopen(path, "re");
	if (!in || !fread(text, 1, (1 << 20) - 1, in))
		abort();
	fclose(in);
	return text;
}

static void check_base(const struct regress_base *base, const struct mm_catalogue *catalogue)
{
	char folder[] = "/tmp/lttng-mm-fuzz-XXXXXX", path[64], *first, *second;
	struct mm_error err = MM_ERROR_INIT;
	struct regress_base again;

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/base", folder);
	first = rewrite(base, folder);
	/* The program must accept the file that it wrote. */
	if (regress_base_read(&again, path, catalogue, &err))
		abort();
	second = rewrite(&again, folder);
	if (strcmp(first, second) != 0)
		abort();
	regress_base_release(&again);
	unlink(path);
	rmdir(folder);
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mm_catalogue catalogue;
	const int fd = memfd_create("fuzzed", MFD_CLOEXEC);
	struct mm_error err = MM_ERROR_INIT;
	struct regress_base base;
	char path[64];
	int ret;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    (!catalogue.count && regress_catalogue(&catalogue)))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = regress_base_read(&base, path, &catalogue, &err);
	close(fd);
	/* There are values, or there is an error code with a message. */
	if (!ret != !err.code || (ret && !*err.message) || (!ret && !base.side.count))
		abort();
	if (!ret)
		check_base(&base, &catalogue);
	regress_base_release(&base);
	return 0;
}
