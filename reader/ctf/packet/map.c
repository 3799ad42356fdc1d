// SPDX-License-Identifier: LGPL-2.1-only
/* Maps files. If a file shrinks while it is read, reads return zeros instead of raising SIGBUS. */
#include "reader/ctf/packet/map.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/checksums.h"
#include "util/clock.h"

/* Memory is released in pieces of this size. */
#define PIECE_BYTES (1u << 20)

/*
 * Holes shorter than this are read like data. With disk blocks of 4 KiB, at most 16 bytes of
 * zeros are then read for each byte of data.
 */
#define HOLE_MIN (UINT64_C(64) << 10)

#define SLOTS_PER_BLOCK 64

/*
 * The address range of a mapping, for the signal handler. @version is odd while the slot changes,
 * and the handler skips such a slot. No reader uses a mapping before its slot is filled or after
 * its slot is cleared.
 */
struct map_slot {
	atomic_uint version;
	atomic_bool truncated;
	atomic_uintptr_t begin, end; /* range of the file's pages; both 0: free */
	struct map_slot *next_free;  /* next free slot; protected by table.lock */
};

/* A block of slots. It is never freed, because the signal handler may be reading it. */
struct slot_block {
	struct slot_block *_Atomic next;
	struct map_slot slots[SLOTS_PER_BLOCK];
};

/* The process has one action for SIGBUS, so the table is global. */
static struct {
	pthread_mutex_t lock; /* locked by open and close, not by the handler */
	bool installed;
	struct sigaction old;
	size_t page;
	struct slot_block *_Atomic blocks;
	struct map_slot *free;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct file_hole {
	uint64_t begin, end;
};

struct ctf_map {
	uint8_t *data;
	uint64_t size;
	size_t reserved;	 /* bytes of address space */
	struct map_slot *slot;	 /* NULL for an empty file */
	atomic_uint *done;	 /* per piece: number of bytes that are no longer needed */
	atomic_bool *here;	 /* per piece: ctf_map_need() has mapped its pages */
	struct file_hole *holes; /* in ascending order, not adjacent */
	size_t hole_count, hole_room;
};

/* Finds the slot of a mapped address. Reads only atomics, so it is safe in a signal handler. */
static struct map_slot *find_slot(uintptr_t address)
{
	for (struct slot_block *block = atomic_load(&table.blocks); block;
	     block = atomic_load(&block->next)) {
		for (size_t i = 0; i < SLOTS_PER_BLOCK; i++) {
			struct map_slot *slot = &block->slots[i];
			unsigned int version = atomic_load(&slot->version);
			bool hit = address >= atomic_load(&slot->begin) &&
				   address < atomic_load(&slot->end);

			if (hit && !(version & 1) && version == atomic_load(&slot->version))
				return slot;
		}
	}
	return NULL;
}

/*
 * Maps zeros at @address. If a single page cannot be mapped, maps zeros over the rest of the file.
 * Safe to call in a signal handler.
 */
static bool cover_page(const struct map_slot *slot, uintptr_t address)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
	uintptr_t page = address & ~((uintptr_t)table.page - 1);

	if (mmap((void *)page, table.page, PROT_READ, flags, -1, 0) != MAP_FAILED)
		return true;
	/*
	 * A mapping of one page splits the file's mapping in two. A mapping up to the end of the
	 * file does not, so it succeeds even at the limit on the number of mappings.
	 */
	return mmap((void *)page, atomic_load(&slot->end) - page, PROT_READ, flags, -1, 0) !=
	       MAP_FAILED;
}

/* Calls the previous handler or default action. Runs in signal context. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	struct sigaction fatal = { .sa_handler = SIG_DFL };

	if (table.old.sa_flags & SA_SIGINFO) {
		table.old.sa_sigaction(number, info, context);
		return;
	}
	if (table.old.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (table.old.sa_handler != SIG_DFL && table.old.sa_handler != SIG_IGN) {
		table.old.sa_handler(number);
		return;
	}
	/*
	 * When the handler returns, the processor repeats the faulting access, and the default
	 * action ends the process. A signal that a process sent does not recur, so raise it again.
	 */
	sigaction(number, &fatal, NULL);
	if (info->si_code <= 0)
		raise(number);
}

static void handle_sigbus(int number, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	uintptr_t address = (uintptr_t)info->si_addr;
	struct map_slot *slot = NULL;

	if (info->si_code > 0 && info->si_code != BUS_MCEERR_AO)
		slot = find_slot(address);
	if (slot) {
		atomic_store(&slot->truncated, true);
		if (!cover_page(slot, address))
			slot = NULL;
	}
	if (!slot)
		pass_on(number, info, context);
	errno = saved_errno;
}

/* Called with table.lock held. */
static int install_handler(void)
{
	struct sigaction action = { .sa_sigaction = handle_sigbus,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

	if (table.installed)
		return 0;
	table.page = (size_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	/* Query the old handler first, because the new handler may need it immediately. */
	if (sigaction(SIGBUS, NULL, &table.old) || sigaction(SIGBUS, &action, NULL))
		return -1;
	table.installed = true;
	return 0;
}

/* Called with table.lock held. */
static struct map_slot *take_slot(void)
{
	struct map_slot *slot;

	if (!table.free) {
		struct slot_block *block = calloc(1, sizeof(*block));

		if (!block)
			return NULL;
		for (size_t i = 0; i < SLOTS_PER_BLOCK; i++) {
			block->slots[i].next_free = table.free;
			table.free = &block->slots[i];
		}
		atomic_store(&block->next, atomic_load(&table.blocks));
		atomic_store(&table.blocks, block);
	}
	slot = table.free;
	table.free = slot->next_free;
	return slot;
}

static void set_slot(struct map_slot *slot, uintptr_t begin, uintptr_t end)
{
	atomic_fetch_add(&slot->version, 1);
	atomic_store(&slot->begin, begin);
	atomic_store(&slot->end, end);
	atomic_store(&slot->truncated, false);
	atomic_fetch_add(&slot->version, 1);
}

static int enter_table(struct ctf_map *map)
{
	int ret = -1;

	pthread_mutex_lock(&table.lock);
	if (!install_handler())
		map->slot = take_slot();
	if (map->slot) {
		uintptr_t begin = (uintptr_t)map->data;
		size_t mask = table.page - 1;

		set_slot(map->slot, begin, begin + (((size_t)map->size + mask) & ~mask));
		ret = 0;
	}
	pthread_mutex_unlock(&table.lock);
	return ret;
}

static void leave_table(struct ctf_map *map)
{
	if (!map->slot)
		return;
	pthread_mutex_lock(&table.lock);
	set_slot(map->slot, 0, 0);
	map->slot->next_free = table.free;
	table.free = map->slot;
	pthread_mutex_unlock(&table.lock);
}

static int add_hole(struct ctf_map *map, uint64_t begin, uint64_t end)
{
	struct file_hole *grown;

	if (end - begin < HOLE_MIN)
		return 0;
	if (map->hole_count == map->hole_room) {
		size_t room = map->hole_room ? 2 * map->hole_room : 16;

		grown = reallocarray(map->holes, room, sizeof(*grown));
		if (!grown)
			return -1;
		map->holes = grown;
		map->hole_room = room;
	}
	map->holes[map->hole_count++] = (struct file_hole){ begin, end };
	return 0;
}

/*
 * Finds the holes of a file that has fewer blocks on disk than its size requires. Some file systems
 * report no holes.
 */
static int find_holes(struct ctf_map *map, int fd, const struct stat *status)
{
	off_t size = status->st_size, at = 0, end;

	if (size < (off_t)HOLE_MIN || status->st_blocks > (size - (off_t)HOLE_MIN) / 512)
		return 0;
	while (at < size) {
		at = lseek(fd, at, SEEK_HOLE);
		if (at < 0 || at >= size)
			return 0;
		end = lseek(fd, at, SEEK_DATA);
		/* ENXIO: the hole extends to the end of the file. */
		if (end < 0 && errno != ENXIO)
			return 0;
		if (end < 0 || end > size)
			end = size;
		if (end <= at)
			return 0;
		if (add_hole(map, (uint64_t)at, (uint64_t)end))
			return -1;
		at = end;
	}
	return 0;
}

/* Reserves address space for the file and the slack. Maps the file at the start of the space. */
static int map_file(struct ctf_map *map, int fd, uint64_t size)
{
	size_t mask = (size_t)sysconf(_SC_PAGESIZE) - 1;
	void *space;

	if (size > SIZE_MAX / 2) {
		errno = EFBIG;
		return -1;
	}
	map->size = size;
	/*
	 * A page of zeros follows the file's last page and ends an unterminated string there.
	 * (Another process that maps the file for writing can fill the last page beyond the end of
	 * the file.)
	 */
	map->reserved = (((size_t)size + mask) & ~mask) + mask + 1;
	map->done = calloc((size_t)size / PIECE_BYTES + 1, sizeof(*map->done));
	map->here = calloc((size_t)size / PIECE_BYTES + 1, sizeof(*map->here));
	if (!map->done || !map->here)
		return -1;
	space = mmap(NULL, map->reserved, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		     -1, 0);
	if (space == MAP_FAILED)
		return -1;
	map->data = space;
	if (!size)
		return 0;
	if (mmap(space, (size_t)size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
		return -1;
	return enter_table(map);
}

struct ctf_map *ctf_map_open(const char *path, struct mm_error *err)
{
	struct ctf_map *map = calloc(1, sizeof(*map));
	struct stat status;
	/* With O_NONBLOCK, opening a pipe does not wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (!map || fd < 0 || fstat(fd, &status))
		goto failed;
	if (!S_ISREG(status.st_mode)) {
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "trace: %s: not a regular file; remove it from the trace's folder",
			     path);
		goto failed;
	}
	if (find_holes(map, fd, &status) || map_file(map, fd, (uint64_t)status.st_size))
		goto failed;
	close(fd);
	return map;
failed:
	mm_error_set(err, errno == ENOMEM ? MM_EXIT_ENVIRONMENT : MM_EXIT_BAD_INPUT,
		     "trace: %s: cannot be read: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	ctf_map_close(map);
	return NULL;
}

void ctf_map_close(struct ctf_map *map)
{
	if (!map)
		return;
	leave_table(map);
	if (map->data)
		munmap(map->data, map->reserved);
	free(map->done);
	free(map->here);
	free(map->holes);
	free(map);
}

const uint8_t *ctf_map_data(const struct ctf_map *map)
{
	return map->data;
}

void ctf_map_copy(const struct ctf_map *map, uint64_t offset, void *to, size_t length)
{
	memcpy(to, map->data + offset, length);
	/* Forces the compiler to use the copy, even if this function is inlined. */
	__asm__("" : : "r"(to) : "memory");
}

uint64_t ctf_map_size(const struct ctf_map *map)
{
	return map->size;
}

bool ctf_map_truncated(const struct ctf_map *map)
{
	/* The barrier keeps this load after the caller's reads of the mapping. */
	atomic_thread_fence(memory_order_acquire);
	return map->slot && atomic_load_explicit(&map->slot->truncated, memory_order_relaxed);
}

bool ctf_map_hole(const struct ctf_map *map, uint64_t offset, uint64_t length, uint64_t *begin,
		  uint64_t *end)
{
	size_t low = 0, high = map->hole_count;

	/* Find the first hole that ends after @offset. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->holes[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == map->hole_count || !length ||
	    (map->holes[low].begin > offset && map->holes[low].begin - offset >= length))
		return false;
	*begin = map->holes[low].begin > offset ? map->holes[low].begin : offset;
	*end = map->holes[low].end;
	return true;
}

/*
 * Mapping many pages at once avoids page faults. On some virtual machines, a page fault takes 50
 * us, and mapping pages at once takes a tenth of the time. Where page faults are cheap, mapping at
 * once is slower. Therefore the first pieces try both ways in turn, and the rest use the faster
 * way.
 */
#define TRIALS 8

static struct {
	atomic_uint count;
	/*
	 * 1 + time of the fastest trial in ns; 0: no trial yet. [0]: page faults; [1]: mapping at
	 * once
	 */
	atomic_ullong fastest[2];
} trials;

static void note_trial(bool at_once, uint64_t ns)
{
	atomic_ullong *fastest = &trials.fastest[at_once];
	unsigned long long known = atomic_load(fastest);

	while ((!known || ns + 1 < known) && !atomic_compare_exchange_weak(fastest, &known, ns + 1))
		;
}

static void touch(const uint8_t *data, uint64_t length)
{
	for (uint64_t at = 0; at < length; at += table.page)
		(void)*(const volatile uint8_t *)(data + at);
}

/* Maps a piece at once. If this fails (before Linux 5.14), each access maps its page. */
static void map_piece(const struct ctf_map *map, uint64_t piece)
{
	const uint64_t begin = piece * PIECE_BYTES;
	uint64_t length = map->size - begin, hole, after, start;
	unsigned int trial;

	if (length > PIECE_BYTES)
		length = PIECE_BYTES;
	/* Do not map holes, because their zeros would take memory. */
	if (ctf_map_hole(map, begin, length, &hole, &after))
		return;
	trial = length == PIECE_BYTES ? atomic_fetch_add(&trials.count, 1) : TRIALS;
	if (trial >= TRIALS) {
		atomic_store(&trials.count, TRIALS);
		if (atomic_load(&trials.fastest[1]) < atomic_load(&trials.fastest[0]))
			madvise(map->data + begin, (size_t)length, MADV_POPULATE_READ);
		return;
	}
	start = (uint64_t)mm_clock_ns(CLOCK_MONOTONIC);
	if (trial & 1)
		madvise(map->data + begin, (size_t)length, MADV_POPULATE_READ);
	else
		touch(map->data + begin, length);
	note_trial(trial & 1, (uint64_t)mm_clock_ns(CLOCK_MONOTONIC) - start);
}

void ctf_map_need(const struct ctf_map *map, uint64_t offset, uint64_t length)
{
	uint64_t end;

	if (offset >= map->size || !length)
		return;
	end = length > map->size - offset ? map->size : offset + length;
	for (uint64_t piece = offset / PIECE_BYTES; piece * PIECE_BYTES < end; piece++)
		if (!atomic_load_explicit(&map->here[piece], memory_order_relaxed) &&
		    !atomic_exchange_explicit(&map->here[piece], true, memory_order_relaxed))
			map_piece(map, piece);
}

void ctf_map_forget(const struct ctf_map *map, uint64_t offset, uint64_t length)
{
	uint64_t mask = table.page - 1, begin = (offset + mask) & ~mask;
	uint64_t end = (offset + length) & ~mask;

	if (begin >= end || end > map->size)
		return;
	for (uint64_t piece = begin / PIECE_BYTES; piece * PIECE_BYTES < end; piece++)
		atomic_store_explicit(&map->here[piece], false, memory_order_relaxed);
	madvise(map->data + begin, (size_t)(end - begin), MADV_DONTNEED);
}

/*
 * Releases a piece. Also releases the previous piece again: since that piece was released, a page
 * fault near its end may have mapped a large folio of it.
 */
static void give_back(const struct ctf_map *map, uint64_t piece)
{
	uint64_t begin = piece ? (piece - 1) * PIECE_BYTES : 0;
	uint64_t end = (piece + 1) * PIECE_BYTES, length;

	length = (end < map->size ? end : map->size) - begin;
	atomic_store_explicit(&map->here[piece], false, memory_order_relaxed);
	if (piece)
		atomic_store_explicit(&map->here[piece - 1], false, memory_order_relaxed);
	madvise(map->data + begin, (size_t)length, MADV_DONTNEED);
}

/*
 * Counts the finished bytes of each piece, and releases a piece when all its bytes are finished.
 * Calls may come in any order and from any thread. If bytes are reported twice, their piece is
 * released early, which only costs page faults.
 */
void ctf_map_done(const struct ctf_map *map, uint64_t offset, uint64_t length)
{
	uint64_t end;

	if (offset >= map->size)
		return;
	end = length > map->size - offset ? map->size : offset + length;
	while (offset < end) {
		uint64_t piece = offset / PIECE_BYTES, begin = piece * PIECE_BYTES;
		uint64_t whole = map->size - begin < PIECE_BYTES ? map->size - begin : PIECE_BYTES;
		uint64_t stop = end < begin + whole ? end : begin + whole;
		unsigned int part = (unsigned int)(stop - offset);

		if (atomic_fetch_add_explicit(&map->done[piece], part, memory_order_relaxed) +
			    part >=
		    whole) {
			atomic_store_explicit(&map->done[piece], 0, memory_order_relaxed);
			give_back(map, piece);
		}
		offset = stop;
	}
}

uint32_t ctf_map_checksum(const struct ctf_map *map, uint64_t offset, uint64_t bytes)
{
	uint64_t at = offset, end = offset + bytes;
	const uint8_t *data = ctf_map_data(map);
	const bool is_large = end - at > CTF_MAP_PART;
	uint32_t crc = 0;

	while (at < end) {
		uint64_t stop = end - at > CTF_MAP_AHEAD ? at + CTF_MAP_AHEAD : end, hole, after;

		if (ctf_map_hole(map, at, stop - at, &hole, &after)) {
			if (hole == at) {
				after = after < end ? after : end;
				crc = mm_crc32c_zeros(crc, after - at);
				at = after;
				continue;
			}
			stop = hole;
		}
		ctf_map_need(map, at, stop - at);
		crc = mm_crc32c(crc, data + at, (size_t)(stop - at));
		if (is_large)
			ctf_map_forget(map, at, stop - at);
		at = stop;
	}
	return crc;
}
