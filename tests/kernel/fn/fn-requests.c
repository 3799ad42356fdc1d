// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the device of lttng-probe-fn with requests that lttng-mm itself never sends.
 *
 *   fn-requests mutate SEED COUNT   sends requests that are known to be dangerous; then repeatedly
 *                                   corrupts a valid request for three functions, differently each
 *                                   time, and sends it, until COUNT requests are refused; removes
 *                                   added functions at once; prints how many requests were refused
 *                                   and how many were accepted
 *   fn-requests add                 sends the valid request and keeps its functions
 *
 * Exits with 1 on any other result.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "instrumentation/wire/fn.h"

enum { FUNCTIONS = 3, FIELDS = 9, ENUMERATIONS = 1, LABELS = 3, STRING_BYTES = 512 };

struct add_request {
	struct lttng_mm_fn_function functions[FUNCTIONS];
	struct lttng_mm_fn_field fields[FIELDS];
	struct lttng_mm_fn_labels enumerations[ENUMERATIONS];
	struct lttng_mm_fn_label labels[LABELS];
	char strings[STRING_BYTES];
};

_Static_assert(sizeof(struct add_request) ==
		       FUNCTIONS * sizeof(struct lttng_mm_fn_function) +
			       FIELDS * sizeof(struct lttng_mm_fn_field) +
			       ENUMERATIONS * sizeof(struct lttng_mm_fn_labels) +
			       LABELS * sizeof(struct lttng_mm_fn_label) + STRING_BYTES,
	       "no padding");

static unsigned int string_end;

static unsigned int add_string(struct add_request *request, const char *text)
{
	unsigned int at = string_end;

	strcpy(request->strings + at, text);
	string_end += strlen(text) + 1;
	return at;
}

static struct lttng_mm_fn_field number(struct add_request *request, const char *name,
				       unsigned int source, unsigned int bytes, unsigned int kind)
{
	struct lttng_mm_fn_field field = {
		.name = add_string(request, name),
		.labels = LTTNG_MM_FN_NONE,
		.kind = kind,
		.source = source,
		.bytes = bytes,
		.mask_bits = 8 * bytes,
		.bits = 8 * bytes,
	};

	return field;
}

/*
 * Makes a request for handle_mm_fault(), vfs_read() and do_sys_openat2(). Their values are numbers,
 * one of them with labels, a value that is loaded through pointers, and a string.
 */
static void make(struct add_request *request)
{
	static const char *const symbols[FUNCTIONS] = { "handle_mm_fault", "vfs_read",
							"do_sys_openat2" };
	struct lttng_mm_fn_field *field = request->fields;

	memset(request, 0, sizeof(*request));
	string_end = 0;
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		request->functions[i] = (struct lttng_mm_fn_function){
			.name = add_string(request, symbols[i]),
			.module = LTTNG_MM_FN_NONE,
			.spec = add_string(request, "made by a test"),
			.first = 3 * i,
			.count = 2,
			.result = 3 * i + 2,
			.inside = LTTNG_MM_FN_NONE,
		};
		request->functions[i].symbol = request->functions[i].name;
		request->fields[3 * i + 2] =
			number(request, "ret", LTTNG_MM_FN_RESULT, 8, LTTNG_MM_FN_SIGNED);
	}
	field[0] = number(request, "address", 1, 8, LTTNG_MM_FN_HEX);
	field[1] = number(request, "flags", 2, 4, LTTNG_MM_FN_UNSIGNED);
	field[1].labels = 0;
	field[3] = number(request, "file", 0, 8, LTTNG_MM_FN_POINTER);
	field[4] = number(request, "word", 0, 8, LTTNG_MM_FN_UNSIGNED);
	field[4].steps = 2;
	field[4].offset[0] = 16;
	field[4].offset[1] = -8;
	field[6] = number(request, "dfd", 0, 4, LTTNG_MM_FN_SIGNED);
	field[7] = (struct lttng_mm_fn_field){
		.name = add_string(request, "name"),
		.labels = LTTNG_MM_FN_NONE,
		.kind = LTTNG_MM_FN_USER_STRING,
		.source = 1,
		.max = 64,
	};
	request->enumerations[0] = (struct lttng_mm_fn_labels){ .count = LABELS };
	request->labels[0] =
		(struct lttng_mm_fn_label){ .value = 1, .name = add_string(request, "WRITE") };
	request->labels[1] =
		(struct lttng_mm_fn_label){ .value = 2, .name = add_string(request, "MKWRITE") };
	request->labels[2] =
		(struct lttng_mm_fn_label){ .value = 4,
					    .name = add_string(request, "ALLOW_RETRY") };
}

/* Describes @request for the ioctl. */
static struct lttng_mm_fn_add adding(const struct add_request *request)
{
	return (struct lttng_mm_fn_add){
		.at = (uintptr_t)request,
		.functions = FUNCTIONS,
		.fields = FIELDS,
		.enumerations = ENUMERATIONS,
		.labels = LABELS,
		.string_bytes = STRING_BYTES,
	};
}

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Overwrites one to four bytes or words, mostly with values near a limit. */
static void damage(struct add_request *request, struct lttng_mm_fn_add *add)
{
	static const uint32_t values[] = { 0,	       1,	   0x7f,       0xff,	   0x100,
					   0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 64 };
	unsigned int count = 1 + next_random() % 4;

	for (unsigned int i = 0; i < count; i++) {
		/* Usually spares the strings. */
		size_t size = next_random() % 8 ? offsetof(struct add_request, strings)
						: sizeof(*request);
		size_t at = next_random() % (size - sizeof(uint32_t));
		uint32_t value = values[next_random() % (sizeof(values) / sizeof(values[0]))];

		if (!(next_random() % 16))
			((uint32_t *)&add->functions)[next_random() % 5] = value;
		else if (next_random() % 2)
			memcpy((char *)request + at, &value, sizeof(value));
		else
			((char *)request)[at] = (char)next_random();
	}
}

static int remove_all(int device, const struct add_request *request)
{
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		struct lttng_mm_fn_remove gone = { .name = "" };
		unsigned int name = request->functions[i].name;

		if (name >= STRING_BYTES)
			continue;
		snprintf(gone.name, sizeof(gone.name), "%.*s", (int)(STRING_BYTES - name),
			 request->strings + name);
		if (ioctl(device, LTTNG_MM_FN_REMOVE, &gone) && errno != ENOENT)
			return -1;
	}
	return 0;
}

static int mutate(int device, unsigned long count)
{
	unsigned long refused = 0, added = 0;
	struct add_request request;

	for (unsigned long i = 0; refused < count; i++) {
		struct lttng_mm_fn_add add = adding(&request);

		make(&request);
		if (i)
			damage(&request, &add);
		if (!ioctl(device, LTTNG_MM_FN_ADD, &add)) {
			added++;
			if (remove_all(device, &request)) {
				perror("remove");
				return 1;
			}
		} else if (errno == EINVAL || errno == E2BIG || errno == EFAULT) {
			refused++;
		} else {
			perror("add");
			return 1;
		}
	}
	printf("%lu refused, %lu added\n", refused, added);
	return 0;
}

/* Sends dangerous requests that a review found. Returns a description of the failure, or NULL. */
static const char *check_known(int device)
{
	struct lttng_mm_fn_remove nameless = { .name = "" };
	struct add_request request;
	struct lttng_mm_fn_add add = adding(&request);

	/* A field that is both an argument and the result. */
	make(&request);
	request.functions[0].result = request.functions[0].first;
	request.fields[0].source = LTTNG_MM_FN_RESULT;
	request.fields[0].name = 0x7fffffff;
	if (!ioctl(device, LTTNG_MM_FN_ADD, &add) || errno != EINVAL)
		return "a result that is an argument is not refused";
	/* A label whose value does not fit in its field. */
	make(&request);
	request.labels[2].value = 1LL << 40;
	if (!ioctl(device, LTTNG_MM_FN_ADD, &add) || errno != EINVAL)
		return "a label that its field cannot have is not refused";
	/* Two functions with the same name. */
	make(&request);
	request.functions[2].name = request.functions[1].name;
	if (!ioctl(device, LTTNG_MM_FN_ADD, &add) || errno != EINVAL ||
	    add.error != LTTNG_MM_FN_TWO_OF_A_NAME || add.function != 2) {
		fprintf(stderr, "error %u, function %u\n", add.error, add.function);
		return "two functions of one name are not refused as such";
	}
	/* An array of bytes that is longer than a record, and an empty one. */
	for (unsigned int i = 0; i < 2; i++) {
		make(&request);
		request.fields[7].kind = LTTNG_MM_FN_BYTES;
		request.fields[7].max = i ? 0 : LTTNG_MM_FN_TEXT_MAX + 1;
		if (!ioctl(device, LTTNG_MM_FN_ADD, &add) || errno != EINVAL)
			return "bytes without room are not refused";
	}
	/* A function without events has no name: it only limits other functions (--inside). */
	make(&request);
	request.functions[0].inside = request.functions[2].symbol;
	if (ioctl(device, LTTNG_MM_FN_ADD, &add))
		return "a valid request is refused";
	if (!ioctl(device, LTTNG_MM_FN_REMOVE, &nameless) || errno != ENOENT)
		return "the removal of a function without a name is not refused";
	return remove_all(device, &request) ? "functions cannot be removed" : NULL;
}

static int add_valid(int device)
{
	struct add_request request;
	struct lttng_mm_fn_add add = adding(&request);

	make(&request);
	if (!ioctl(device, LTTNG_MM_FN_ADD, &add))
		return 0;
	fprintf(stderr, "add: %s; error %u, function %u, field %u\n", strerror(errno), add.error,
		add.function, add.field);
	return 1;
}

int main(int argc, char **argv)
{
	int device;

	bool add = argc == 2 && !strcmp(argv[1], "add");
	const char *wrong;

	if (!add && (argc != 4 || strcmp(argv[1], "mutate"))) {
		fprintf(stderr, "usage: fn-requests add | mutate SEED COUNT\n");
		return 2;
	}
	device = open("/dev/" LTTNG_MM_FN_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0) {
		perror("/dev/" LTTNG_MM_FN_DEVICE);
		return 1;
	}
	if (add)
		return add_valid(device);
	state = strtoull(argv[2], NULL, 0) * 0x9e3779b97f4a7c15ULL + 1;
	wrong = check_known(device);
	if (wrong) {
		fprintf(stderr, "%s: %s\n", wrong, strerror(errno));
		return 1;
	}
	return mutate(device, strtoul(argv[3], NULL, 0));
}
