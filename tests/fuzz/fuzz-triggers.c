// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fuzz target: a condition or, if the input starts with "{", a trigger's file. An accepted trigger
 * must keep its meaning when it is written and read again.
 */
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "tests/fuzz/fuzz.h"
#include "util/json-file.h"

/* No trigger's file is larger. */
#define BYTES_MAX 65536

static json_t *make_json(const char *text, size_t size)
{
	json_error_t where;
	json_t *json = NULL;

	if (size && *text == '{' && !mm_json_parse(text, size, 0, &json, &where))
		return json;
	return json_pack("{s:s,s:s%}", "name", "fuzzed", "on", text, strnlen(text, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *json = size < BYTES_MAX ? make_json((const char *)data, size) : NULL;
	struct mm_error err = MM_ERROR_INIT;
	struct trigger *trigger = trigger_from_json(json, &err), *again;
	json_t *first, *second;

	/* There is either a trigger, or an error code with a message. */
	if (!trigger != (err.code != MM_EXIT_OK) || (!trigger && !*err.message))
		abort();
	json_decref(json);
	if (!trigger)
		return 0;
	first = trigger_to_json(trigger);
	again = trigger_from_json(first, &err);
	second = again ? trigger_to_json(again) : NULL;
	if (!json_equal(first, second))
		abort();
	json_decref(first);
	json_decref(second);
	trigger_destroy(trigger);
	trigger_destroy(again);
	return 0;
}
