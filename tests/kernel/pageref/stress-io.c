// SPDX-License-Identifier: LGPL-2.1-only
/* Workers whose pages the kernel, or another process, accesses. */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pageref-stress.h"

enum { BUFFER_PAGES = 32 };

/* An io_uring with one request at a time. */
struct io_ring {
	int fd;
	unsigned int *tail, *mask, *array; /* submissions */
	unsigned int *done, *results_mask; /* head of the completions */
	struct io_uring_sqe *requests;
	struct io_uring_cqe *results;
};

static bool open_ring(struct io_ring *ring)
{
	struct io_uring_params params = { 0 };
	char *at;
	size_t bytes;

	ring->fd = (int)syscall(SYS_io_uring_setup, 4, &params);
	if (ring->fd < 0 || !(params.features & IORING_FEAT_SINGLE_MMAP))
		return false;
	bytes = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	if (bytes < params.sq_off.array + params.sq_entries * sizeof(unsigned int))
		bytes = params.sq_off.array + params.sq_entries * sizeof(unsigned int);
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd,
		  IORING_OFF_SQ_RING);
	ring->requests =
		mmap(NULL, params.sq_entries * sizeof(*ring->requests), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	if (at == MAP_FAILED || ring->requests == MAP_FAILED)
		return false;
	ring->tail = (unsigned int *)(at + params.sq_off.tail);
	ring->mask = (unsigned int *)(at + params.sq_off.ring_mask);
	ring->array = (unsigned int *)(at + params.sq_off.array);
	ring->done = (unsigned int *)(at + params.cq_off.head);
	ring->results_mask = (unsigned int *)(at + params.cq_off.ring_mask);
	ring->results = (struct io_uring_cqe *)(at + params.cq_off.cqes);
	return true;
}

/* Reads or writes the file with the registered buffer, and returns the result. */
static int transfer(struct io_ring *ring, int operation, int file, void *buffer, unsigned int bytes)
{
	unsigned int slot = *ring->tail & *ring->mask, result;

	ring->requests[slot] = (struct io_uring_sqe){
		.opcode = (uint8_t)operation,
		.fd = file,
		.addr = (uintptr_t)buffer,
		.len = bytes,
	};
	ring->array[slot] = slot;
	__atomic_store_n(ring->tail, *ring->tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -1;
	result = *ring->done & *ring->results_mask;
	slot = (unsigned int)ring->results[result].res;
	__atomic_store_n(ring->done, *ring->done + 1, __ATOMIC_RELEASE);
	return (int)slot;
}

/* The kernel keeps a reference to the pages of a registered buffer, marked or not. */
long use_io_uring(void)
{
	unsigned char *buffer = map(BUFFER_PAGES);
	struct iovec registered = { buffer, BUFFER_PAGES * PAGE };
	int file = open_file("stress-ring");
	struct io_ring ring;
	long rounds = 0;

	if (file < 0 || !open_ring(&ring))
		return -1;
	fill(buffer, 0, BUFFER_PAGES, 0);
	if (syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &registered, 1))
		return -1;
	for (; !stop; rounds++) {
		const unsigned int bytes = BUFFER_PAGES * PAGE;

		fill(buffer, 0, BUFFER_PAGES, (int)rounds);
		expect(transfer(&ring, IORING_OP_WRITE_FIXED, file, buffer, bytes) == (int)bytes,
		       "io_uring write");
		memset(buffer, 0, bytes);
		expect(transfer(&ring, IORING_OP_READ_FIXED, file, buffer, bytes) == (int)bytes,
		       "io_uring read");
		check(buffer, 0, BUFFER_PAGES, (int)rounds, "fixed buffer");
	}
	return rounds;
}

/* Writes and reads the memory of a child, which then checks it. */
long access_other_process(void)
{
	unsigned char *at = map(PAGES), *copy = map(PAGES);
	struct iovec local = { copy, PAGES * PAGE }, remote = { at, PAGES * PAGE };
	long rounds = 0;

	for (; !stop; rounds++) {
		int pipes[2];
		pid_t child;
		char byte;

		if (pipe(pipes))
			return -1;
		fill(at, 0, PAGES, 5);
		child = fork();
		if (!child) {
			if (read(pipes[0], &byte, 1) != 1)
				_exit(2);
			for (int i = 0; i < PAGES; i++)
				if (at[i * PAGE] != (unsigned char)(i + rounds))
					_exit(1);
			_exit(0);
		}
		for (int i = 0; i < 3; i++) {
			fill(copy, 0, PAGES, (int)rounds);
			expect(process_vm_writev(child, &local, 1, &remote, 1, 0) == PAGES * PAGE,
			       "process_vm_writev()");
			memset(copy, 0, PAGES * PAGE);
			expect(process_vm_readv(child, &local, 1, &remote, 1, 0) == PAGES * PAGE,
			       "process_vm_readv()");
			check(copy, 0, PAGES, (int)rounds, "memory of the child");
		}
		expect(write(pipes[1], "", 1) == 1, "write() to a pipe");
		check_child(child);
		check(at, 0, PAGES, 5, "memory of the parent");
		close(pipes[0]);
		close(pipes[1]);
	}
	return rounds;
}

int run_child(int seed)
{
	unsigned char *at = map(PAGES);

	for (int i = 0; i < 3; i++) {
		fill(at, 0, PAGES, seed + i);
		check(at, 0, PAGES, seed + i, "memory of a new program");
	}
	return 0;
}

/* Several programs at a time start and end. */
long execute_programs(void)
{
	enum { CHILDREN = 4 };
	long rounds = 0;

	for (; !stop; rounds++) {
		pid_t children[CHILDREN];
		char seed[24];
		char *arguments[] = { "pageref-stress", "child", seed, NULL };

		snprintf(seed, sizeof(seed), "%ld", rounds);
		for (int i = 0; i < CHILDREN; i++)
			if (posix_spawn(&children[i], "/proc/self/exe", NULL, NULL, arguments,
					environ))
				return -1;
		for (int i = 0; i < CHILDREN; i++)
			check_child(children[i]);
	}
	return rounds;
}
