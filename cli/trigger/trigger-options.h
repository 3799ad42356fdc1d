/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of `lttng-mm trigger`. */
#ifndef LTTNG_MM_CLI_TRIGGER_TRIGGER_OPTIONS_H
#define LTTNG_MM_CLI_TRIGGER_TRIGGER_OPTIONS_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>

enum trigger_action { TRIGGER_ADD, TRIGGER_LIST, TRIGGER_REMOVE, TRIGGER_TEST };

struct trigger_options {
	bool has_action;
	enum trigger_action action;
	const char *name;   /* NULL for TRIGGER_LIST */
	json_t *definition; /* for TRIGGER_ADD: the input of trigger_from_json() */
	bool json, dry_run;
	const char *adds; /* name of a given option that only TRIGGER_ADD accepts; NULL: none */
};

extern const struct argp trigger_parser;

#endif /* LTTNG_MM_CLI_TRIGGER_TRIGGER_OPTIONS_H */
