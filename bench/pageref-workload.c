// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Programs whose page references are recorded. They run until bench/pageref-phases.c ends them.
 *
 *   pageref-workload sequential|random|zipf ROUNDS
 *   pageref-workload database-make FILE
 *   pageref-workload database FILE
 *
 * sequential, random and zipf process one page of an array per reference, in ROUNDS rounds. They
 * know their references: at the end of each phase, they print "phase N FIRST PAGES" with the first
 * page number and length of the array, and the number of each touched page. The database is
 * an SQLite database in a mapped file, and a reference is a query. All numbers are pseudo-random
 * with a fixed seed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	PAGE = 4096,
	PAGES = 16384,
	ROWS = 150000,	/* rows of the database, 200 bytes each */
	ROWS_READ = 20, /* rows that a query reads */
};

/* Functions of bench/pageref-phases.c, if it is loaded. */
static void (*tick)(void);
static void (*call_at_end)(void (*function)(int phase));

static unsigned char *array;
static bool touched[PAGES];

static uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* Processes a page by a chain of multiplications and one write. A round is 2,000 instructions. */
static void process(uint64_t *page, long rounds)
{
	uint64_t hash = 1;

	for (long round = 0; round < rounds; round++)
		for (int i = 1; i < (int)(PAGE / sizeof(*page)); i++)
			hash = (hash ^ page[i]) * 0x9e3779b97f4a7c15;
	page[0] = hash;
}

/* Returns the cumulative shares of references by rank: rank R gets 1/(R + 1) of rank 0. */
static const double *make_zipf(void)
{
	static double shares[PAGES];
	double sum = 0;

	for (int i = 0; i < PAGES; i++)
		shares[i] = sum += 1.0 / (i + 1);
	for (int i = 0; i < PAGES; i++)
		shares[i] /= sum;
	return shares;
}

static int zipf_page(const double *shares)
{
	double share = next_random() / 4294967296.0;
	int low = 0, high = PAGES - 1;

	while (low < high) {
		int middle = (low + high) / 2;

		if (shares[middle] < share)
			low = middle + 1;
		else
			high = middle;
	}
	/* Scatters the ranks over the pages: the multiplier is odd, and PAGES is a power of two. */
	return (int)((uint32_t)low * 20021u % PAGES);
}

static void print_phase(int phase)
{
	uintptr_t first = (uintptr_t)array / PAGE;

	printf("phase %d %lu %d\n", phase, (unsigned long)first, PAGES);
	for (int i = 0; i < PAGES; i++) {
		if (touched[i])
			printf("%lu\n", (unsigned long)(first + (uintptr_t)i));
		touched[i] = false;
	}
	fflush(stdout);
}

static int run_array(const char *kind, long rounds)
{
	const double *shares = make_zipf();

	array = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (array == MAP_FAILED) {
		perror("pageref-workload: memory");
		return 1;
	}
	memset(array, 1, (size_t)PAGES * PAGE);
	if (call_at_end)
		call_at_end(print_phase);
	for (long i = 0;; i++) {
		int page = (int)(i % PAGES);

		if (!strcmp(kind, "random"))
			page = (int)(next_random() % PAGES);
		else if (!strcmp(kind, "zipf"))
			page = zipf_page(shares);
		process((uint64_t *)(array + (size_t)page * PAGE), rounds);
		touched[page] = true;
		if (tick)
			tick();
	}
}

/* Functions of libsqlite3, whose headers the guest does not have. */
static struct {
	int (*open)(const char *path, void **database);
	int (*exec)(void *database, const char *sql, void *callback, void *data, char **error);
	int (*prepare)(void *database, const char *sql, int bytes, void **statement, void *tail);
	int (*bind)(void *statement, int index, int value);
	int (*step)(void *statement);
	int (*reset)(void *statement);
	int (*finalize)(void *statement);
	int (*close)(void *database);
} sqlite;

static bool load_sqlite(void)
{
	static const char *const names[] = {
		"sqlite3_open", "sqlite3_exec",	 "sqlite3_prepare_v2", "sqlite3_bind_int",
		"sqlite3_step", "sqlite3_reset", "sqlite3_finalize",   "sqlite3_close",
	};
	void *library = dlopen("libsqlite3.so.0", RTLD_NOW);

	for (size_t i = 0; library && i < sizeof(names) / sizeof(names[0]); i++) {
		void *function = dlsym(library, names[i]);

		if (!function)
			return false;
		memcpy((char *)&sqlite + i * sizeof(function), &function, sizeof(function));
	}
	return library;
}

static bool execute(void *database, const char *sql)
{
	char *error = NULL;

	if (!sqlite.exec(database, sql, NULL, NULL, &error))
		return true;
	fprintf(stderr, "pageref-workload: SQLite: %s\n", error);
	return false;
}

static bool fill_database(void *database)
{
	void *insert;
	bool good = execute(database, "PRAGMA journal_mode=off; PRAGMA synchronous=off;"
				      "CREATE TABLE t(k INTEGER PRIMARY KEY, v BLOB); BEGIN") &&
		    !sqlite.prepare(database, "INSERT INTO t VALUES(?1, zeroblob(200))", -1,
				    &insert, NULL);

	for (int i = 0; good && i < ROWS; i++) {
		sqlite.bind(insert, 1, i);
		good = sqlite.step(insert) == 101; /* SQLITE_DONE */
		sqlite.reset(insert);
	}
	return good && !sqlite.finalize(insert) && execute(database, "COMMIT");
}

static bool run_queries(void *database)
{
	static const char sql[] = "SELECT sum(length(hex(v))) FROM t WHERE k BETWEEN ?1 AND ?2";
	void *query;
	bool good = execute(database, "PRAGMA mmap_size=268435456") &&
		    !sqlite.prepare(database, sql, -1, &query, NULL);

	while (good) {
		/* Half of the queries start in the first tenth of the rows. */
		int first = (int)(next_random() % (next_random() % 2 ? ROWS / 10 : ROWS));

		sqlite.bind(query, 1, first);
		sqlite.bind(query, 2, first + ROWS_READ - 1);
		good = sqlite.step(query) == 100; /* SQLITE_ROW */
		sqlite.reset(query);
		if (tick)
			tick();
	}
	return false;
}

static int run_database(const char *path, bool make)
{
	void *database;
	bool good;

	if (!load_sqlite()) {
		fprintf(stderr, "pageref-workload: %s\n", dlerror());
		return 1;
	}
	good = !sqlite.open(path, &database) &&
	       (make ? fill_database(database) : run_queries(database));
	sqlite.close(database);
	if (!good)
		fprintf(stderr, "pageref-workload: %s: the database cannot be used\n", path);
	return !good;
}

int main(int argc, char **argv)
{
	void *function = dlsym(RTLD_DEFAULT, "pageref_tick");

	memcpy(&tick, &function, sizeof(tick));
	function = dlsym(RTLD_DEFAULT, "pageref_at_end");
	memcpy(&call_at_end, &function, sizeof(call_at_end));
	if (argc == 3 && (!strcmp(argv[1], "sequential") || !strcmp(argv[1], "random") ||
			  !strcmp(argv[1], "zipf")))
		return run_array(argv[1], strtol(argv[2], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "database-make"))
		return run_database(argv[2], true);
	if (argc == 3 && !strcmp(argv[1], "database"))
		return run_database(argv[2], false);
	fprintf(stderr, "usage: pageref-workload sequential|random|zipf ROUNDS | "
			"database-make FILE | database FILE\n");
	return 2;
}
