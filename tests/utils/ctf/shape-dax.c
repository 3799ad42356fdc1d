// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The shape `dax`: DAX faults of several threads on several files, as recorded by
 * instrumentation/events/dax.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/utils/ctf/write.h"

#define THREADS 20
#define FILES 50
#define CPUS_MAX 64
#define COMM_BYTES 17

#define FLAG_WRITE 1
#define VM_SHARED 8
#define RESULT_NOPAGE 0x100
#define RESULT_FALLBACK 0x800
#define PMD_BYTES 0x200000u

/*
 * A field and its name in the metadata. The kinds x, d and s are integers (s: signed); the kinds v,
 * f, r, q, t and e are enumerations (see put_enum()).
 */
struct dax_field {
	const char *name;
	char kind;
	unsigned int bits;
};

#define COMMON                                                            \
	{ "tid", 's', 32 }, { "pid", 's', 32 }, { "dev_major", 'd', 16 }, \
		{ "dev_minor", 'd', 32 },                                 \
	{                                                                 \
		"ino", 'x', 64                                            \
	}
#define PMD                                                                              \
	COMMON, { "vm_start", 'x', 64 }, { "vm_end", 'x', 64 }, { "vm_flags", 'v', 64 }, \
		{ "address", 'x', 64 }, { "pgoff", 'x', 64 }, { "max_pgoff", 'x', 64 },  \
		{ "flags", 'f', 32 },                                                    \
	{                                                                                \
		"result", 'r', 32                                                        \
	}
#define PTE                                                                            \
	COMMON, { "vm_flags", 'v', 64 }, { "address", 'x', 64 }, { "pgoff", 'x', 64 }, \
		{ "flags", 'f', 32 },                                                  \
	{                                                                              \
		"result", 'r', 32                                                      \
	}

enum event { PMD_FAULT, PMD_FAULT_DONE, PTE_FAULT, PTE_FAULT_DONE, EXTENT, FALLBACK, EVENT_COUNT };

static const struct {
	const char *name;
	struct dax_field fields[14];
} events[EVENT_COUNT] = {
	[PMD_FAULT] = { "dax_pmd_fault", { PMD } },
	[PMD_FAULT_DONE] = { "dax_pmd_fault_done", { PMD } },
	[PTE_FAULT] = { "dax_pte_fault", { PTE } },
	[PTE_FAULT_DONE] = { "dax_pte_fault_done", { PTE } },
	[EXTENT] = { "dax_fault_extent",
		     { COMMON,
		       { "pos", 'x', 64 },
		       { "len", 'd', 64 },
		       { "flags", 'q', 32 },
		       { "extent_offset", 'x', 64 },
		       { "extent_length", 'x', 64 },
		       { "extent_addr", 'x', 64 },
		       { "extent_type", 't', 16 },
		       { "extent_flags", 'e', 16 } } },
	[FALLBACK] = { "dax_pmd_fallback",
		       { COMMON,
			 { "address", 'x', 64 },
			 { "pgoff", 'x', 64 },
			 { "entry_pgoff", 'x', 64 },
			 { "radix_entry", 'x', 64 } } },
};

/* Names of bits. Other bits are named "bitN". */
static const struct {
	char kind;
	unsigned int bit;
	const char *name;
} names[] = {
	{ 'v', 0, "READ" },	     { 'v', 1, "WRITE" },      { 'v', 2, "EXEC" },
	{ 'v', 3, "SHARED" },	     { 'v', 4, "MAYREAD" },    { 'v', 5, "MAYWRITE" },
	{ 'v', 23, "SYNC" },	     { 'v', 28, "MIXEDMAP" },  { 'v', 29, "HUGEPAGE" },
	{ 'v', 30, "NOHUGEPAGE" },   { 'f', 0, "WRITE" },      { 'f', 1, "MKWRITE" },
	{ 'f', 2, "ALLOW_RETRY" },   { 'f', 4, "KILLABLE" },   { 'f', 6, "USER" },
	{ 'f', 9, "INTERRUPTIBLE" }, { 'r', 0, "OOM" },	       { 'r', 1, "SIGBUS" },
	{ 'r', 2, "MAJOR" },	     { 'r', 8, "NOPAGE" },     { 'r', 9, "LOCKED" },
	{ 'r', 11, "FALLBACK" },     { 'r', 13, "NEEDDSYNC" }, { 'q', 0, "WRITE" },
	{ 'q', 3, "FAULT" },	     { 'q', 8, "DAX" },	       { 'e', 0, "NEW" },
	{ 'e', 1, "DIRTY" },	     { 'e', 2, "SHARED" },
};

static void put_enum(struct mk_buffer *text, const struct dax_field *field)
{
	if (field->kind == 't') {
		mk_buffer_printf(text,
				 "\"HOLE\" = 0, \"DELALLOC\" = 1, \"MAPPED\" = 2, "
				 "\"UNWRITTEN\" = 3, \"INLINE\" = 4, \"OTHER\" = 5 ... 65535");
		return;
	}
	mk_buffer_printf(text, "\"NONE\" = 0");
	for (unsigned int bit = 0; bit < field->bits; bit++) {
		const char *name = NULL;

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (names[i].kind == field->kind && names[i].bit == bit)
				name = names[i].name;
		if (name)
			mk_buffer_printf(text, ", \"%s\" = %llu", name, 1ull << bit);
		else
			mk_buffer_printf(text, ", \"bit%u\" = %llu", bit, 1ull << bit);
	}
}

static void put_field(struct mk_buffer *text, const struct dax_field *field)
{
	bool plain = strchr("sdx", field->kind);

	mk_buffer_printf(text,
			 "\t\t%sinteger { size = %u; align = 8; signed = %d; "
			 "encoding = none; base = %d; }",
			 plain ? "" : "enum : ", field->bits, field->kind == 's',
			 field->kind == 'x' ? 16 : 10);
	if (!plain) {
		mk_buffer_printf(text, " { ");
		put_enum(text, field);
		mk_buffer_printf(text, " }");
	}
	mk_buffer_printf(text, " _%s;\n", field->name);
}

static void metadata(const char *folder)
{
	struct mk_buffer text = { 0 };

	mk_lttng_metadata(&text,
			  "\tevent.context := struct {\n\t\tinteger { size = 8; align = 8; "
			  "signed = 0; encoding = UTF8; base = 10; } _procname[17];\n\t};\n");
	for (int i = 0; i < EVENT_COUNT; i++) {
		mk_buffer_printf(&text,
				 "event {\n\tname = \"%s\";\n\tid = %d;\n\tstream_id = 0;\n"
				 "\tfields := struct {\n",
				 events[i].name, i);
		for (const struct dax_field *field = events[i].fields; field->name; field++)
			put_field(&text, field);
		mk_buffer_printf(&text, "\t};\n};\n\n");
	}
	mk_write_metadata(folder, &text, mk_lttng_uuid, false, 4096);
	mk_buffer_free(&text);
}

/* The current fault of a thread, and its remaining events. */
struct fault_thread {
	uint64_t ino, vm_start, vm_end, vm_flags, address, pgoff, max_pgoff;
	uint32_t tid, pid, flags, result;
	enum event next[8];
	int steps, step;
	char comm[COMM_BYTES];
	bool mapped_by_4k; /* a 4 KiB entry prevented the huge page */
	bool misaligned;
};

static void plan(struct fault_thread *thread, int count, const enum event *next)
{
	memcpy(thread->next, next, (size_t)count * sizeof(*next));
	thread->steps = count;
	thread->step = 0;
}

#define PLAN(thread, ...)                                                        \
	plan(thread, sizeof((enum event[]){ __VA_ARGS__ }) / sizeof(enum event), \
	     (enum event[]){ __VA_ARGS__ })

static void new_fault(struct fault_thread *thread, struct mk_random *random)
{
	uint64_t file = mk_below(random, FILES);
	uint64_t pages = 512 * (4 + file * 3);

	thread->ino = 0x1000 + file;
	thread->vm_start =
		0x7f0000000000u - (thread->tid - 1199ull) * 0x10000000000u + file * 0x100000000u;
	thread->vm_end = thread->vm_start + pages * 4096;
	thread->vm_flags = 0x10000073 | (file % 5 ? VM_SHARED : 0);
	thread->pgoff = mk_below(random, pages);
	thread->max_pgoff = pages;
	thread->address = thread->vm_start + thread->pgoff * 4096;
	thread->flags = 0x254 | (mk_chance(random, 40) ? FLAG_WRITE : 0);
	thread->result = RESULT_NOPAGE;
	thread->mapped_by_4k = false;
	thread->misaligned = false;
	if (mk_chance(random, 60)) {
		PLAN(thread, PTE_FAULT, PTE_FAULT_DONE);
		return;
	}
	if (mk_chance(random, 70)) {
		PLAN(thread, PMD_FAULT, EXTENT, PMD_FAULT_DONE);
		return;
	}
	thread->result = RESULT_FALLBACK;
	if ((thread->flags & FLAG_WRITE) && !(thread->vm_flags & VM_SHARED)) {
		PLAN(thread, PMD_FAULT, FALLBACK, PMD_FAULT_DONE, PTE_FAULT, PTE_FAULT_DONE);
	} else if (mk_chance(random, 50)) {
		thread->mapped_by_4k = true;
		PLAN(thread, PMD_FAULT, FALLBACK, PMD_FAULT_DONE, PTE_FAULT, PTE_FAULT_DONE);
	} else {
		thread->misaligned = true;
		PLAN(thread, PMD_FAULT, EXTENT, FALLBACK, PMD_FAULT_DONE, PTE_FAULT,
		     PTE_FAULT_DONE);
	}
}

static uint8_t *put_common(uint8_t *to, const struct fault_thread *thread)
{
	memcpy(to, thread->comm, COMM_BYTES);
	to += COMM_BYTES;
	to = mk_le(to, thread->tid, 4);
	to = mk_le(to, thread->pid, 4);
	to = mk_le(to, 259, 2);
	to = mk_le(to, thread->ino & 1, 4);
	return mk_le(to, thread->ino, 8);
}

static uint8_t *put_extent(uint8_t *to, const struct fault_thread *thread)
{
	uint64_t pos = thread->pgoff / 512 * PMD_BYTES;

	to = mk_le(to, pos, 8);
	to = mk_le(to, PMD_BYTES, 8);
	to = mk_le(to, 0x108 | (thread->flags & FLAG_WRITE), 4);
	to = mk_le(to, pos, 8);
	to = mk_le(to, PMD_BYTES, 8);
	to = mk_le(to, thread->ino * 0x10000000 + pos + (thread->misaligned ? 0x3000 : 0), 8);
	to = mk_le(to, thread->pgoff % 7 ? 2 : 3, 2);
	return mk_le(to, 0, 2);
}

static void put_event(struct mk_lttng_stream *out, struct fault_thread *thread, uint64_t time)
{
	enum event event = thread->next[thread->step++];
	uint8_t *start = mk_lttng_event(out, event, time, 256);
	uint8_t *to = put_common(start, thread);
	bool pmd = event == PMD_FAULT || event == PMD_FAULT_DONE;
	uint32_t result = 0;

	if (event == PMD_FAULT_DONE)
		result = thread->result;
	else if (event == PTE_FAULT_DONE)
		result = RESULT_NOPAGE;
	if (event == EXTENT) {
		to = put_extent(to, thread);
	} else if (event == FALLBACK) {
		to = mk_le(to, thread->address, 8);
		to = mk_le(to, thread->pgoff, 8);
		to = mk_le(to, thread->mapped_by_4k ? thread->pgoff & ~7u : 0, 8);
		to = mk_le(to, thread->mapped_by_4k ? 0x2000123 : 0, 8);
	} else {
		if (pmd)
			to = mk_le(mk_le(to, thread->vm_start, 8), thread->vm_end, 8);
		to = mk_le(to, thread->vm_flags, 8);
		to = mk_le(to, thread->address, 8);
		to = mk_le(to, thread->pgoff, 8);
		if (pmd)
			to = mk_le(to, thread->max_pgoff, 8);
		to = mk_le(mk_le(to, thread->flags, 4), result, 4);
	}
	mk_lttng_commit(out, (size_t)(to - start));
}

static void start_threads(struct fault_thread *threads)
{
	static const char *const comms[] = { "dax-writer", "database", "a name with 15", "x" };

	memset(threads, 0, THREADS * sizeof(*threads));
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i].tid = 1200 + i;
		threads[i].pid = 1200 + i / 4 * 4;
		strcpy(threads[i].comm, comms[i / 4 % 4]);
	}
}

void mk_shape_dax(const struct mk_shape *shape)
{
	struct mk_random random = { .state = shape->seed };
	struct mk_lttng_stream *out[CPUS_MAX];
	uint64_t cpus = shape->streams ? shape->streams : 4;
	struct fault_thread threads[THREADS];
	uint64_t time = 5000000000;

	if (cpus > CPUS_MAX)
		mk_fail("at most %d streams in the shape dax", CPUS_MAX);
	start_threads(threads);
	for (uint64_t i = 0; i < cpus; i++)
		out[i] = mk_lttng_open(shape->folder, (uint32_t)i);
	for (uint64_t i = 0; i < shape->events; i++) {
		struct fault_thread *thread = &threads[mk_below(&random, THREADS)];
		uint64_t at = mk_below(&random, cpus);

		/* threads rarely migrate */
		if (!mk_chance(&random, 3))
			at = thread->tid % cpus;
		if (thread->step == thread->steps)
			new_fault(thread, &random);
		time += 50 + mk_below(&random, 2000);
		put_event(out[at], thread, time);
	}
	for (uint64_t i = 0; i < cpus; i++)
		mk_lttng_close(out[i]);
	metadata(shape->folder);
}
