// SPDX-License-Identifier: LGPL-2.1-only
/* The shape `slab`: allocations and frees on every CPU, about 33 bytes per event. */
#include <stdlib.h>

#include "tests/utils/ctf/write.h"

#define SITES 512
#define OBJECTS 4096

#define HEX64 "\t\tinteger { size = 64; align = 8; signed = 0; encoding = none; base = 16; } _%s;\n"
#define DEC(size, sign)                                            \
	"\t\tinteger { size = " size "; align = 8; signed = " sign \
	"; encoding = none; base = 10; } _%s;\n"

static void metadata(const char *folder)
{
	struct mk_buffer text = { 0 };

	mk_lttng_metadata(&text, "");
	mk_buffer_printf(&text,
			 "event {\n\tname = \"slab_kmalloc\";\n\tid = 0;\n\tstream_id = 0;\n"
			 "\tfields := struct {\n" HEX64 HEX64 DEC("32", "0") DEC("32", "0")
				 DEC("32", "0") DEC("32", "1") "\t};\n};\n\n",
			 "call_site", "ptr", "bytes_req", "bytes_alloc", "gfp_flags", "node");
	mk_buffer_printf(&text,
			 "event {\n\tname = \"slab_kfree\";\n\tid = 1;\n\tstream_id = 0;\n"
			 "\tfields := struct {\n" HEX64 HEX64 DEC("32", "1") DEC("32", "0")
				 DEC("16", "0") "\t};\n};\n\n",
			 "call_site", "ptr", "tid", "bytes_alloc", "cache");
	mk_write_metadata(folder, &text, mk_lttng_uuid, false, 4096);
	mk_buffer_free(&text);
}

static uint64_t site(uint64_t number)
{
	return 0xffffffff81000000u + number * 0x1a7b;
}

/* Writes an allocation of 8 bytes to 8 KiB, mostly a small one. Returns its size in the record. */
static size_t put_kmalloc(uint8_t *at, struct mk_random *random, uint64_t *object)
{
	uint64_t r = mk_random(random);
	unsigned int shift = 3 + (unsigned int)__builtin_ctzll(r | 1u << 10);
	uint32_t room = 1u << shift;
	uint8_t *to = at;

	*object = 0xffff888000000000u + (r >> 20 & 0xffffff) * 64;
	to = mk_le(to, site(r >> 44 & (SITES - 1)), 8);
	to = mk_le(to, *object, 8);
	to = mk_le(to, room - (r >> 54) % (room / 2), 4);
	to = mk_le(to, room, 4);
	to = mk_le(to, r & 1 << 12 ? 0xcc0 : 0xdc0, 4);
	to = mk_le(to, (uint64_t)-1, 4);
	return (size_t)(to - at);
}

static size_t put_kfree(uint8_t *at, struct mk_random *random, uint64_t object)
{
	uint64_t r = mk_random(random);
	uint8_t *to = at;

	to = mk_le(to, site(r & (SITES - 1)), 8);
	to = mk_le(to, object, 8);
	to = mk_le(to, 1000 + (r >> 10 & 63), 4);
	to = mk_le(to, 8u << (r >> 20) % 10, 4);
	to = mk_le(to, (r >> 30) % 200, 2);
	return (size_t)(to - at);
}

static void stream(const struct mk_shape *shape, uint32_t cpu, uint64_t events)
{
	struct mk_random random = { .state = shape->seed * 1000003 + cpu };
	struct mk_lttng_stream *out = mk_lttng_open(shape->folder, cpu);
	uint64_t objects[OBJECTS] = { 0 };
	uint64_t time = 1000000000 + cpu;

	for (uint64_t i = 0; i < events; i++) {
		uint64_t r = mk_random(&random);
		uint64_t *object = &objects[r % OBJECTS];
		uint8_t *at;

		/*
		 * Events are 200 ns apart on average. Some pauses are too long for the compact
		 * header.
		 */
		time += 40 + (r >> 16) % 320;
		if (!(r >> 32 & 0xffff))
			time += 200000000;
		at = mk_lttng_event(out, r >> 13 & 1, time, 64);
		mk_lttng_commit(out, r >> 13 & 1 ? put_kfree(at, &random, *object)
						 : put_kmalloc(at, &random, object));
	}
	mk_lttng_close(out);
}

void mk_shape_slab(const struct mk_shape *shape)
{
	uint64_t streams = shape->streams ? shape->streams : 2;

	for (uint64_t i = 0; i < streams; i++)
		stream(shape, (uint32_t)i, shape->events / streams + (i < shape->events % streams));
	metadata(shape->folder);
}
