// SPDX-License-Identifier: LGPL-2.1-only
/* Parses the description of an added function. write_spec() in function.c writes it. */
#include "lttng-session/fn/list-entry.h"

#include <stdlib.h>
#include <string.h>

#include "util/duration.h"

/* Start of an option in the description. No SPEC contains this text. */
#define SIGN " --"

static int refuse(const char *text, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "fn: '%s' is not the description of a function",
			    text);
}

/* Returns the text after `NAME=`, or NULL. */
static const char *value_of(const char *option, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(option, name, length) && option[length] == '=' ? option + length + 1 : NULL;
}

static int read_option(struct fn_list_entry *listed, const char *option)
{
	const char *value;

	if (!strcmp(option, "caller")) {
		listed->options.caller = true;
	} else if (!strcmp(option, "errors")) {
		listed->options.errors = true;
	} else if (!strcmp(option, "raw")) {
		listed->options.raw = true;
	} else if ((value = value_of(option, "slower"))) {
		return mm_duration_parse(value, option, &listed->options.slower_ns, NULL);
	} else if ((value = value_of(option, "max-rate"))) {
		return mm_number_read(value, "max-rate", 0, 1000000000, &listed->options.max_rate,
				      NULL);
	} else if ((value = value_of(option, "inside")) && *value && !listed->inside) {
		listed->inside = strdup(value);
		listed->options.inside = listed->inside;
		return listed->inside ? 0 : -1;
	} else {
		return -1;
	}
	return 0;
}

struct fn_list_entry *fn_list_entry_parse(const char *text, struct mm_error *err)
{
	struct fn_list_entry *listed = calloc(1, sizeof(*listed));
	char *option, *next;

	if (listed)
		listed->spec = strdup(text);
	if (!listed || !listed->spec) {
		fn_list_entry_destroy(listed);
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
		return NULL;
	}
	listed->options.max_rate = FN_MAX_RATE;
	for (option = strstr(listed->spec, SIGN); option; option = next) {
		*option = '\0';
		option += strlen(SIGN);
		next = strstr(option, SIGN);
		if (next)
			*next = '\0';
		if (!read_option(listed, option))
			continue;
		refuse(text, err);
		fn_list_entry_destroy(listed);
		return NULL;
	}
	return listed;
}

void fn_list_entry_destroy(struct fn_list_entry *listed)
{
	if (!listed)
		return;
	free(listed->spec);
	free(listed->inside);
	free(listed);
}

bool fn_list_entry_reveals(const char *text)
{
	struct fn_list_entry *listed = fn_list_entry_parse(text, NULL);
	struct fn_spec *spec = listed ? fn_spec_parse(listed->spec, NULL) : NULL;
	bool reveals = !spec || listed->options.raw || fn_spec_reveals(spec);

	fn_spec_destroy(spec);
	fn_list_entry_destroy(listed);
	return reveals;
}
