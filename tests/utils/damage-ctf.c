// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes damaged copies of a small CTF trace: damage-ctf TRACE FOLDER N writes the N-th copy to
 * FOLDER and prints its damage. After the last copy, it exits with 1. Every token of the metadata
 * and every byte of packet headers and indexes is truncated, flipped or enlarged in one copy. In
 * other copies, files are missing or of another kind.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/utils/ctf/write.h"

#define FILES_MAX 64
#define PACKETS_MAX 64
#define HEAD_BYTES 96 /* a little more than the header and context of a packet */
#define INDEX_HEAD_BYTES 16
#define INDEX_ENTRY_BYTES 72
#define METADATA_PACKET_HEAD_BYTES 37

struct damaged_file {
	char name[300]; /* below the trace: "metadata", "index/channel.idx", ... */
	struct mk_buffer data;
};

struct damaged_trace {
	struct damaged_file files[FILES_MAX];
	size_t count;
	uint64_t left; /* number of damages to skip before the selected one */
	bool found;
	char what[400];
};

static void load(struct damaged_trace *trace, const char *folder, const char *below)
{
	char path[4096];
	struct dirent **entries;
	int count;

	snprintf(path, sizeof(path), "%s/%s", folder, below);
	count = scandir(path, &entries, NULL, alphasort);
	if (count < 0)
		mk_fail("%s: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		struct damaged_file *file = &trace->files[trace->count];
		char *name = entries[i]->d_name, bytes[4096];
		struct stat st;
		size_t length;
		FILE *in;

		snprintf(path, sizeof(path), "%s/%s%s", folder, below, name);
		if (*name == '.' || stat(path, &st))
			goto next;
		if (S_ISDIR(st.st_mode)) {
			snprintf(path, sizeof(path), "%s/", name);
			load(trace, folder, path);
			goto next;
		}
		if (++trace->count == FILES_MAX)
			mk_fail("%s: too many files", folder);
		snprintf(file->name, sizeof(file->name), "%.40s%.255s", below, name);
		in = fopen(path, "r");
		if (!in)
			mk_fail("%s: %s", path, strerror(errno));
		while ((length = fread(bytes, 1, sizeof(bytes), in)))
			mk_buffer_add(&file->data, bytes, length);
		fclose(in);
next:
		free(entries[i]);
	}
	free(entries);
}

/* Is this the selected damage? If so, stores its description; the caller applies the damage. */
static bool __attribute__((format(printf, 3, 4)))
take(struct damaged_trace *trace, const struct damaged_file *file, const char *format, ...)
{
	va_list args;
	int length;

	if (trace->found || trace->left--)
		return false;
	trace->found = true;
	length = snprintf(trace->what, sizeof(trace->what), "%.200s: ", file->name);
	va_start(args, format);
	vsnprintf(trace->what + length, sizeof(trace->what) - (size_t)length, format, args);
	va_end(args);
	return true;
}

/* Replaces @old bytes by @length bytes of @text. */
static void replace(struct mk_buffer *data, size_t at, size_t old, const char *text, size_t length)
{
	struct mk_buffer made = { 0 };

	mk_buffer_add(&made, data->data, at);
	mk_buffer_add(&made, text, length);
	mk_buffer_add(&made, data->data + at + old, data->length - at - old);
	mk_buffer_free(data);
	*data = made;
}

static void fill(struct mk_buffer *data, size_t at, size_t length, uint8_t first, uint8_t rest)
{
	for (size_t i = 0; i < length && at + i < data->length; i++)
		data->data[at + i] = i ? rest : first;
}

static void damage_bytes(struct damaged_trace *trace, struct damaged_file *file, size_t from,
			 size_t length)
{
	struct mk_buffer *data = &file->data;

	for (size_t at = from; at < from + length && at < data->length; at++) {
		if (take(trace, file, "byte %zu flipped", at))
			data->data[at] ^= 0xff;
		if (take(trace, file, "byte %zu: lowest bit flipped", at))
			data->data[at] ^= 1;
		if ((at - from) % 4)
			continue;
		if (take(trace, file, "4 bytes from %zu set to ones", at))
			fill(data, at, 4, 0xff, 0xff);
		if (take(trace, file, "8 bytes from %zu set to ones", at))
			fill(data, at, 8, 0xff, 0xff);
		if (take(trace, file, "8 bytes from %zu zeroed", at))
			fill(data, at, 8, 0, 0);
		if (take(trace, file, "8 bytes from %zu: the largest signed number, big endian",
			 at))
			fill(data, at, 8, 0x7f, 0xff);
	}
}

static void cut(struct damaged_trace *trace, struct damaged_file *file, size_t length)
{
	if (length < file->data.length && take(trace, file, "truncated to %zu bytes", length))
		file->data.length = length;
}

static void damage_number(struct damaged_trace *trace, struct damaged_file *file, size_t at,
			  size_t length)
{
	static const char *const numbers[] = { "0",
					       "1",
					       "3",
					       "64",
					       "65",
					       "4294967296",
					       "18446744073709551615",
					       "9223372036854775807",
					       "99999999999999999999",
					       "-1",
					       "1.5",
					       "0x" };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (take(trace, file, "number at %zu is %s", at, numbers[i]))
			replace(&file->data, at, length, numbers[i], strlen(numbers[i]));
}

/* Returns the length of the token at @at: a word, a number, or another character. */
static size_t token(const struct mk_buffer *data, size_t at)
{
	const char *word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t length = 0;

	while (at + length < data->length && data->data[at + length] &&
	       strchr(word, data->data[at + length]))
		length++;
	return length ? length : 1;
}

static void damage_text(struct damaged_trace *trace, struct damaged_file *file, size_t from)
{
	struct mk_buffer *data = &file->data;
	size_t length;

	for (size_t at = from; at < data->length && !trace->found; at += length) {
		length = token(data, at);
		if (strchr(" \t\n", data->data[at]) || !data->data[at])
			continue;
		if (data->data[at] >= '0' && data->data[at] <= '9')
			damage_number(trace, file, at, length);
		if (take(trace, file, "truncated to %zu bytes", at)) {
			data->length = at;
		} else if (take(trace, file, "%zu bytes at %zu removed", length, at)) {
			replace(data, at, length, "", 0);
		} else if (take(trace, file, "%zu bytes at %zu duplicated", length, at)) {
			char *copy = strndup((char *)data->data + at, length);

			replace(data, at, 0, copy, length);
			free(copy);
		} else if (length == 1 && take(trace, file, "character at %zu is a brace", at)) {
			data->data[at] = data->data[at] == '{' ? '}' : '{';
		} else if (length > 1 && take(trace, file, "word at %zu is another", at)) {
			replace(data, at, length, "variant", 7);
		} else if (take(trace, file, "byte at %zu is null", at)) {
			data->data[at] = 0;
		}
	}
}

/* Tries nesting and sizes that a reader must limit. */
static void bombs(struct damaged_trace *trace, struct damaged_file *file)
{
	static const struct {
		const char *head, *again, *tail;
		unsigned int times;
	} texts[] = {
		{ "event { fields := ", "struct { ", "", 100000 },
		{ "typealias ", "struct { int x[", "", 100000 },
		{ "/* CTF 1.8 */ event { fields := struct { integer { size = 8; } x", "[2]",
		  "; }; };", 5000 },
		{ "/* CTF 1.8 */ event { fields := struct { integer { size = 8; } x",
		  "[4294967295]", "; }; };", 6 },
		{ "\x1e", "[", "", 200000 },
		{ "\x1e{\"type\":\"preamble\",\"version\":2}\n\x1e{\"type\":\"field-class-alias\",\"name\":\"x\","
		  "\"field-class\":",
		  "{\"type\":\"static-length-array\",\"length\":18446744073709551615,"
		  "\"element-field-class\":",
		  "", 20000 },
		{ "", "/* ", "", 100000 },
		{ "", "a.", "", 100000 },
	};
	struct mk_buffer *data = &file->data;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (int before = 0; before < 2; before++) {
			struct mk_buffer text = { 0 };

			if (!take(trace, file, "%s nested text %zu", before ? "begins with" : "is",
				  i))
				continue;
			mk_buffer_add(&text, texts[i].head, strlen(texts[i].head));
			for (unsigned int k = 0; k < texts[i].times; k++)
				mk_buffer_add(&text, texts[i].again, strlen(texts[i].again));
			mk_buffer_add(&text, texts[i].tail, strlen(texts[i].tail));
			if (!before)
				data->length = 0;
			replace(data, 0, 0, (char *)text.data, text.length);
			mk_buffer_free(&text);
		}
	}
}

static void damage_metadata(struct damaged_trace *trace, struct damaged_file *file)
{
	bool packets = file->data.length > 4 && !memchr(file->data.data, '{', 4) &&
		       file->data.data[0] != '/' && file->data.data[0] != 0x1e;

	cut(trace, file, 0);
	cut(trace, file, 1);
	if (packets) {
		damage_bytes(trace, file, 0, METADATA_PACKET_HEAD_BYTES);
		cut(trace, file, METADATA_PACKET_HEAD_BYTES - 1);
		cut(trace, file, METADATA_PACKET_HEAD_BYTES);
	}
	damage_text(trace, file, packets ? METADATA_PACKET_HEAD_BYTES : 0);
	bombs(trace, file);
}

static void damage_index(struct damaged_trace *trace, struct damaged_file *file)
{
	size_t length = file->data.length;

	damage_bytes(trace, file, 0, length);
	for (size_t at = 0; at < length; at += 12)
		cut(trace, file, at);
	if (take(trace, file, "ends with more than an entry"))
		mk_buffer_extend(&file->data, length + 100);
}

/* Finds the offsets of the packets in the stream's index. */
static size_t packets_of(const struct damaged_trace *trace, const struct damaged_file *file,
			 uint64_t *offsets)
{
	size_t count = 0;
	char name[320];

	snprintf(name, sizeof(name), "index/%s.idx", file->name);
	for (size_t i = 0; i < trace->count; i++) {
		const struct mk_buffer *data = &trace->files[i].data;

		if (strcmp(trace->files[i].name, name))
			continue;
		for (size_t at = INDEX_HEAD_BYTES;
		     at + INDEX_ENTRY_BYTES <= data->length && count < PACKETS_MAX;
		     at += INDEX_ENTRY_BYTES) {
			offsets[count] = 0;
			for (size_t k = 0; k < 8; k++)
				offsets[count] = offsets[count] << 8 | data->data[at + k];
			count++;
		}
	}
	if (!count)
		offsets[count++] = 0;
	return count;
}

static void damage_stream(struct damaged_trace *trace, struct damaged_file *file)
{
	uint64_t offsets[PACKETS_MAX + 1];
	size_t count = packets_of(trace, file, offsets), length = file->data.length;

	offsets[count] = length;
	for (size_t i = 0; i < count; i++) {
		size_t size = offsets[i + 1] - offsets[i];

		damage_bytes(trace, file, offsets[i], size < HEAD_BYTES ? size : HEAD_BYTES);
		cut(trace, file, offsets[i] + 1);
		cut(trace, file, offsets[i] + 40);
		cut(trace, file, offsets[i] + size / 2);
		cut(trace, file, offsets[i + 1] - 1);
		if (take(trace, file, "packet %zu removed", i))
			replace(&file->data, offsets[i], size, "", 0);
		if (i && take(trace, file, "packet %zu instead of the first", i)) {
			char *copy = malloc(size);

			memcpy(copy, file->data.data + offsets[i], size);
			replace(&file->data, 0, offsets[1], copy, size);
			free(copy);
		}
	}
	if (take(trace, file, "a byte more"))
		mk_buffer_extend(&file->data, length + 1);
	if (take(trace, file, "zeros after it"))
		mk_buffer_extend(&file->data, length + 5000);
}

/*
 * Damages the file itself instead of its bytes. Returns true if the caller must not write the file.
 */
static bool other_file(struct damaged_trace *trace, const struct damaged_file *file,
		       const char *path)
{
	if (take(trace, file, "missing"))
		return true;
	if (take(trace, file, "a folder"))
		return mkdir(path, 0755) == 0;
	if (take(trace, file, "a FIFO"))
		return mkfifo(path, 0644) == 0;
	if (take(trace, file, "a link to nowhere"))
		return symlink("nowhere", path) == 0;
	if (take(trace, file, "a link to itself"))
		return symlink(strrchr(path, '/') + 1, path) == 0;
	return false;
}

static void write_all(struct damaged_trace *trace, const char *folder)
{
	char path[4096];

	if (mkdir(folder, 0755))
		mk_fail("%s: %s", folder, strerror(errno));
	for (size_t i = 0; i < trace->count; i++) {
		struct damaged_file *file = &trace->files[i];
		FILE *out;

		snprintf(path, sizeof(path), "%s/%s", folder, file->name);
		if (strchr(file->name, '/')) {
			*strrchr(path, '/') = 0;
			mkdir(path, 0755);
			path[strlen(path)] = '/';
		}
		if (other_file(trace, file, path))
			continue;
		out = fopen(path, "w");
		if (!out ||
		    fwrite(file->data.data, 1, file->data.length, out) != file->data.length ||
		    fclose(out))
			mk_fail("%s: %s", path, strerror(errno));
	}
}

int main(int argc, char **argv)
{
	struct damaged_trace *trace = calloc(1, sizeof(*trace));
	int status;

	if (argc != 4 || !trace) {
		fprintf(stderr, "usage: damage-ctf TRACE FOLDER NUMBER\n");
		free(trace);
		return 2;
	}
	trace->left = strtoull(argv[3], NULL, 10);
	load(trace, argv[1], "");
	for (size_t i = 0; i < trace->count && !trace->found; i++) {
		struct damaged_file *file = &trace->files[i];

		if (!strcmp(file->name, "metadata"))
			damage_metadata(trace, file);
		else if (strchr(file->name, '/'))
			damage_index(trace, file);
		else
			damage_stream(trace, file);
	}
	write_all(trace, argv[2]);
	status = !trace->found;
	if (trace->found)
		puts(trace->what);
	for (size_t i = 0; i < trace->count; i++)
		mk_buffer_free(&trace->files[i].data);
	free(trace);
	return status;
}
