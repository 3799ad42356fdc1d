// SPDX-License-Identifier: LGPL-2.1-only
/* Tests files that shrink while they are mapped, and SIGBUS for other reasons. */
#include "reader/ctf/packet/map.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

static char folder[] = "/tmp/test-ctf-map.XXXXXX";
static char path[128];
static size_t page;

static sigjmp_buf back;
static volatile sig_atomic_t foreign_count;
static void *volatile foreign_address;

static void foreign_handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	foreign_count++;
	foreign_address = info->si_addr;
	if (info->si_code > 0)
		siglongjmp(back, 1);
}

static void write_file(size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *data = malloc(size + 1);

	memset(data, 'x', size);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	free(data);
	close(fd);
}

static size_t count_bytes(const uint8_t *data, size_t begin, size_t end, uint8_t value)
{
	size_t count = 0;

	for (size_t i = begin; i < end; i++)
		count += data[i] == value;
	return count;
}

/* Returns how many KiB of the mapping are in this process's page table. */
static size_t resident_kib(const void *begin)
{
	char line[256], wanted[32];
	bool inside = false;
	size_t kib = 0;
	FILE *in = fopen("/proc/self/smaps", "re");

	snprintf(wanted, sizeof(wanted), "%lx-", (unsigned long)begin);
	while (in && fgets(line, sizeof(line), in)) {
		if (!strncmp(line, wanted, strlen(wanted)))
			inside = true;
		if (inside && sscanf(line, "Rss: %zu", &kib) == 1)
			break;
	}
	if (in)
		fclose(in);
	return kib;
}

/* Tests sizes around the page size: all bytes, and the slack after them, must be readable. */
static void test_sizes(void)
{
	const size_t sizes[] = { 0, 1, page - CTF_MAP_SLACK, page - 1, page, page + 1, 3 * page };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct ctf_map *map;
		const uint8_t *data;

		write_file(sizes[i]);
		map = ctf_map_open(path, &err);
		data = map ? ctf_map_data(map) : NULL;
		tap(map && ctf_map_size(map) == sizes[i] &&
			    count_bytes(data, 0, sizes[i], 'x') == sizes[i] &&
			    count_bytes(data, sizes[i], sizes[i] + CTF_MAP_SLACK, 0) ==
				    CTF_MAP_SLACK &&
			    !ctf_map_truncated(map),
		    "map: file of %zu bytes and its slack", sizes[i]);
		ctf_map_close(map);
	}
}

static void test_truncated(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_map *map, *other;
	const uint8_t *data;

	write_file(4 * page);
	map = ctf_map_open(path, &err);
	other = ctf_map_open("/proc/self/exe", &err);
	if (!map || !other || truncate(path, (off_t)page))
		abort();
	data = ctf_map_data(map);
	tap(count_bytes(data, 0, page, 'x') == page && !ctf_map_truncated(map),
	    "truncated: the remaining part reads as before and is intact");
	tap(count_bytes(data, page, 4 * page + CTF_MAP_SLACK, 0) == 3 * page + CTF_MAP_SLACK,
	    "truncated: the rest reads as zeros");
	tap(ctf_map_truncated(map), "truncated: the mapping is marked");
	tap(!ctf_map_truncated(other), "truncated: another mapping is not");
	ctf_map_close(map);
	ctf_map_close(other);
	write_file(page);
	map = ctf_map_open(path, &err);
	tap(map && !ctf_map_truncated(map), "truncated: the next mapping starts unmarked");
	ctf_map_close(map);
}

/* The previous handler must receive a SIGBUS at @address, which is not in our mappings. */
static void expect_foreign(const char *what, const volatile uint8_t *address)
{
	foreign_count = 0;
	foreign_address = NULL;
	if (!sigsetjmp(back, 1))
		(void)*address;
	tap(foreign_count == 1 && foreign_address == (const void *)address,
	    "foreign: %s reaches the previous handler", what);
}

static void test_foreign(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_map *map;
	uint8_t *foreign, *begin;
	int fd;

	write_file(2 * page);
	map = ctf_map_open(path, &err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	foreign = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE, fd, 0);
	if (!map || foreign == MAP_FAILED || truncate(path, 0))
		abort();
	expect_foreign("a fault in a mapping made elsewhere", foreign + page);
	foreign_count = 0;
	raise(SIGBUS);
	tap(foreign_count == 1 && !ctf_map_truncated(map), "foreign: a sent SIGBUS does so too");
	/*
	 * After a mapping is closed, other code may use its addresses, so map another file there.
	 */
	begin = (uint8_t *)(uintptr_t)ctf_map_data(map);
	ctf_map_close(map);
	if (mmap(begin, page, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0) != begin)
		abort();
	expect_foreign("a fault where a closed mapping was", begin);
	munmap(begin, page);
	munmap(foreign, 2 * page);
	close(fd);
}

static void test_done(void)
{
	const size_t size = (4u << 20) + 5 * page;
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_map *map;
	const uint8_t *data;
	size_t before, after;
	bool is_released = false, is_kept = false, all_read = true;

	write_file(size);
	map = ctf_map_open(path, &err);
	if (!map)
		abort();
	data = ctf_map_data(map);
	tap(count_bytes(data, 0, size, 'x') == size, "done: all can be read");
	before = resident_kib(data);
	/* Release the mapping in small steps, backwards. */
	for (size_t at = size; at > 1000; at -= 1000)
		ctf_map_done(map, at - 1000, 1000);
	ctf_map_done(map, 0, 1000);
	ctf_map_done(map, size, 1);
	ctf_map_done(map, 5, UINT64_MAX);
	after = resident_kib(data);
	tap(before >= size / 1024 && after == 0, "done: %zu KiB were resident, %zu KiB are", before,
	    after);
	/*
	 * Repeat, because a kernel that is short of memory may take pages from the mapping at any
	 * time.
	 */
	for (int i = 0; i < 20 && !(is_released && is_kept); i++) {
		all_read &= count_bytes(data, 0, size, 'x') == size;
		before = resident_kib(data);
		ctf_map_done(map, 0, 6);
		is_released = resident_kib(data) == before - 1024;
		all_read &= count_bytes(data, 0, size, 'x') == size;
		ctf_map_done(map, 0, (1u << 20) - 1);
		is_kept = resident_kib(data) == before;
	}
	tap(all_read, "done: all can be read again");
	tap(is_released, "done: a piece is released with its last byte");
	tap(is_kept, "done: less than a piece is kept");
	ctf_map_close(map);
}

static void test_refused(void)
{
	struct mm_error err = MM_ERROR_INIT;
	char pipe_path[128];

	snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", folder);
	if (mkfifo(pipe_path, 0600))
		abort();
	tap(!ctf_map_open(pipe_path, &err) && strstr(err.message, "not a regular file"),
	    "refused: a pipe: %s", err.message);
	mm_error_clear(&err);
	tap(!ctf_map_open(folder, &err) && strstr(err.message, "not a regular file"),
	    "refused: a folder: %s", err.message);
	mm_error_clear(&err);
	unlink(path);
	tap(!ctf_map_open(path, &err) && err.code == MM_EXIT_BAD_INPUT, "refused: %s", err.message);
	unlink(pipe_path);
	ctf_map_close(NULL);
}

#define THREADS 4
#define MAPS 100

/* Opens, truncates and closes mappings while other threads do the same. */
static void *open_and_break(void *user)
{
	struct ctf_map *maps[MAPS];
	char name[160];
	bool *ok = user;

	snprintf(name, sizeof(name), "%s.%p", path, user);
	for (int round = 0; round < 3; round++) {
		int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		if (fd < 0 || ftruncate(fd, (off_t)(2 * page)))
			return NULL;
		for (int i = 0; i < MAPS; i++)
			maps[i] = ctf_map_open(name, NULL);
		if (ftruncate(fd, 0))
			return NULL;
		close(fd);
		for (int i = 0; i < MAPS; i++) {
			if (!maps[i] ||
			    count_bytes(ctf_map_data(maps[i]), 0, 2 * page, 0) != 2 * page ||
			    !ctf_map_truncated(maps[i]))
				return NULL;
			ctf_map_close(maps[i]);
		}
	}
	unlink(name);
	*ok = true;
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	bool ok[THREADS] = { false };

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, open_and_break, &ok[i]))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		tap(ok[i], "threads: %d mappings at once, all truncated, thread %d", MAPS, i);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = foreign_handler, .sa_flags = SA_SIGINFO };

	page = (size_t)sysconf(_SC_PAGESIZE);
	if (!mkdtemp(folder) || sigaction(SIGBUS, &action, NULL))
		abort();
	snprintf(path, sizeof(path), "%s/file", folder);
	test_sizes();
	test_truncated();
	test_foreign();
	test_done();
	test_refused();
	test_threads();
	rmdir(folder);
	return tap_status();
}
