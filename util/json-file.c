// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads JSON files. Checks the size of the text before parsing it, because the parsed tree is far
 * larger.
 */
#include "util/json-file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/escape.h"

bool mm_json_is_large(const char *text, size_t length)
{
	bool in_string = false;
	size_t values = 1;

	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (c == '"')
			in_string = !in_string;
		else if (in_string)
			i += c == '\\';
		else
			values += c == ',' || c == ':' || c == '[' || c == '{';
	}
	return values > MM_JSON_VALUES_MAX;
}

/*
 * Reads a regular file into *@text. On failure, *@text is NULL and @why contains the reason, or is
 * empty if the file is not regular. Returns 0, or -1 when out of memory.
 */
static int read_all(int fd, char **text, size_t *length, char *why, size_t size)
{
	ssize_t got = 1;
	struct stat st;

	*text = NULL;
	*length = 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (st.st_size > (off_t)MM_JSON_BYTES_MAX) {
		snprintf(why, size, "larger than %u MiB", MM_JSON_BYTES_MAX >> 20);
		return 0;
	}
	*text = malloc((size_t)st.st_size + 1);
	if (!*text)
		return -1;
	while (got > 0 && *length < (size_t)st.st_size) {
		got = read(fd, *text + *length, (size_t)st.st_size - *length);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			*length += (size_t)got;
	}
	if (got >= 0)
		return 0;
	snprintf(why, size, "cannot be read: %s", strerror(errno));
	free(*text);
	*text = NULL;
	return 0;
}

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int watchers;
static json_malloc_t plain_malloc;
static json_free_t plain_free;
/*
 * Makes a thread-local variable exist from the start of each thread. By default, the C library
 * allocates a shared library's thread-local variables at the first access, and aborts the process
 * if the allocation fails.
 */
#define FROM_THE_START _Thread_local __attribute__((tls_model("initial-exec")))
static FROM_THE_START unsigned long failures;
/* Target of the longjmp() out of the parser. NULL: jansson handles failures itself. */
static FROM_THE_START jmp_buf *out_of_parser;

static void *watched_malloc(size_t size)
{
	void *memory = plain_malloc(size);

	failures += !memory;
	if (!memory && out_of_parser)
		longjmp(*out_of_parser, 1);
	return memory;
}

unsigned long mm_json_watch(void)
{
	pthread_mutex_lock(&watch_lock);
	if (!watchers++) {
		json_get_alloc_funcs(&plain_malloc, &plain_free);
		json_set_alloc_funcs(watched_malloc, plain_free);
	}
	pthread_mutex_unlock(&watch_lock);
	return failures;
}

bool mm_json_unwatch(unsigned long before)
{
	pthread_mutex_lock(&watch_lock);
	if (!--watchers)
		json_set_alloc_funcs(plain_malloc, plain_free);
	pthread_mutex_unlock(&watch_lock);
	return failures != before;
}

void mm_json_missed(void)
{
	failures++;
}

json_t *mm_json_text(const char *text)
{
	char *utf8 = mm_escape_to_utf8(text, strlen(text));
	json_t *string = utf8 ? json_string(utf8) : json_null();

	if (!utf8)
		mm_json_missed();
	free(utf8);
	return string;
}

/*
 * If an allocation fails, jansson's parser may accept half a token, report a syntax error, or fail
 * an assertion. watched_malloc() therefore leaves the parser by longjmp(), although this leaks the
 * parser's memory.
 */
int mm_json_parse(const char *text, size_t length, size_t flags, json_t **json, json_error_t *error)
{
	unsigned long before = mm_json_watch();
	jmp_buf here;

	*json = NULL;
	if (!setjmp(here)) {
		out_of_parser = &here;
		*json = json_loadb(text, length, flags, error);
	}
	out_of_parser = NULL;
	return mm_json_unwatch(before) ? -1 : 0;
}

int mm_json_load_text(const char *path, json_t **json, char **text, size_t *length, char *why,
		      size_t size)
{
	/* The path may be a FIFO, so do not wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int error_number = errno, ret;
	json_error_t error = { 0 };

	*json = NULL;
	*text = NULL;
	*why = '\0';
	if (fd < 0) {
		if (error_number != ENOENT && error_number != ENOTDIR)
			snprintf(why, size, "cannot be read: %s", strerror(error_number));
		return error_number == ENOMEM ? -1 : 0;
	}
	ret = read_all(fd, text, length, why, size);
	if (*text && mm_json_is_large(*text, *length)) {
		snprintf(why, size, "more than %u values", MM_JSON_VALUES_MAX);
	} else if (*text) {
		ret = mm_json_parse(*text, *length, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, json,
				    &error);
		if (!*json)
			snprintf(why, size, "damaged: line %d: %s", error.line, error.text);
	}
	close(fd);
	if (!*json) {
		free(*text);
		*text = NULL;
	}
	return ret;
}

int mm_json_load(const char *path, json_t **json, char *why, size_t size)
{
	size_t length;
	char *text;
	int ret = mm_json_load_text(path, json, &text, &length, why, size);

	free(text);
	return ret;
}
