// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm verify: checks that a trace is intact and complete. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "analysis/run/rules.h"
#include "cli/common/command.h"
#include "cli/common/source-options.h"
#include "reader/coverage/certify/certify.h"
#include "reader/events/source.h"
#include "reader/inspect/verify.h"
#include "util/escape.h"
#include "util/plural.h"

#define FINDINGS_DEFAULT 100

struct verify_options {
	const char *trace;
	unsigned int jobs;
	uint64_t findings; /* maximum number shown; 0: all */
	bool json, require_complete;
};

enum { OPTION_JOBS = 256, OPTION_FINDINGS, OPTION_REQUIRE_COMPLETE };

static const struct argp_option argp_options[] = {
	{ "json", 'j', NULL, 0, "print findings and counts as JSON", 0 },
	{ "findings", OPTION_FINDINGS, "N", 0,
	  "maximum number of findings to show (default 100, 0: all); all are counted", 0 },
	{ "jobs", OPTION_JOBS, "N", 0,
	  "number of threads (default: one per core); does not affect the result", 0 },
	{ "require-complete", OPTION_REQUIRE_COMPLETE, NULL, 0, COMMAND_REQUIRE_COMPLETE, 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct verify_options *options = state->input;

	switch (key) {
	case 'j':
		options->json = true;
		return 0;
	case OPTION_FINDINGS:
		options->findings = command_parse_number(arg, "--findings", 0, UINT32_MAX, state);
		return 0;
	case OPTION_REQUIRE_COMPLETE:
		options->require_complete = true;
		return 0;
	case OPTION_JOBS:
		options->jobs = source_options_jobs(arg, state);
		return 0;
	default:
		return command_parse_trace(key, arg, state, &options->trace);
	}
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "TRACE",
	.doc = "Decodes every field of every event and checks the consistency of the trace: timestamps, "
	       "sequence numbers, sizes, ids, counters, indexes, and the subsystems' rules for single events."
	       "\vExit status: 0 intact and complete, 2 damaged (or bad usage), 3 intact, but something was "
	       "lost.\n\n"
	       "Examples:\n"
	       "  $ lttng-mm verify /tmp/snapshot-1\n"
	       "  $ lttng-mm verify --json /tmp/snapshot-1 | jq '.findings[] | select(.kind == \"damaged\")'\n",
};

static const char *const kind_names[CTF_VERIFY_KINDS] = {
	[CTF_VERIFY_LOST] = "lost",
	[CTF_VERIFY_DAMAGED] = "damaged",
};

struct verify_printer {
	const struct verify_options *options;
	uint64_t shown;
	json_t *findings; /* NULL: text */
	/* One element for each set of rules. */
	struct mm_requests requests[MM_SUBSYSTEMS_MAX];
	bool concerned[MM_SUBSYSTEMS_MAX]; /* the trace has events that the rules check */
	struct mm_rules_counts rules[MM_SUBSYSTEMS_MAX], all_rules;
};

static json_t *string_value(const char *s)
{
	char *utf8 = mm_escape_to_utf8(s, strlen(s));
	json_t *value = utf8 ? json_string(utf8) : NULL;

	free(utf8);
	return value;
}

/*
 * Example: damaged: /tmp/t/channel_0: packet 3, byte 12288: wrong magic number; not read up to ...
 */
static void show(void *user, const struct ctf_verify_finding *finding)
{
	struct verify_printer *printer = user;

	if (printer->options->findings && printer->shown >= printer->options->findings)
		return;
	printer->shown++;
	if (printer->findings) {
		json_array_append_new(printer->findings,
				      json_pack("{s:s, s:o, s:I, s:I, s:o}", "kind",
						kind_names[finding->kind], "file",
						string_value(finding->file), "packet",
						(json_int_t)finding->packet, "offset",
						(json_int_t)finding->offset, "what",
						string_value(finding->what)));
		return;
	}
	printf("%s: ", kind_names[finding->kind]);
	mm_escape_message_print(stdout, finding->file);
	printf(": packet %" PRIu64 ", byte %" PRIu64 ": ", finding->packet, finding->offset);
	mm_escape_message_print(stdout, finding->what);
	putchar('\n');
}

/* Example: note: system information: /tmp/t/sysinfo: of another boot; it is not used */
static void show_note(void *user, const char *note)
{
	struct verify_printer *printer = user;

	if (printer->findings)
		json_array_append_new(printer->findings, json_pack("{s:s, s:o}", "kind", "note",
								   "what", string_value(note)));
	else
		printf("note: %s\n", note);
}

/*
 * Example: damaged: slab_kmalloc at 1700000000.000005500, CPU 1: 65 bytes requested, 64 allocated;
 * tid=20 ...
 */
static void show_event(void *user, const struct mm_rules_finding *finding)
{
	struct verify_printer *printer = user;
	const char *kind = finding->damaged ? kind_names[CTF_VERIFY_DAMAGED] : "note";
	int64_t s = finding->time_ns / 1000000000, ns = finding->time_ns % 1000000000;

	printer->shown++;
	if (printer->findings) {
		json_array_append_new(
			printer->findings,
			json_pack("{s:s, s:s, s:I, s:o, s:s}", "kind", kind, "event",
				  finding->event, "time_ns", (json_int_t)finding->time_ns, "cpu",
				  finding->cpu == MM_CPU_UNKNOWN ? json_null()
								 : json_integer(finding->cpu),
				  "what", finding->what));
		return;
	}
	printf("%s: %s at %s%" PRId64 ".%09" PRId64, kind, finding->event,
	       finding->time_ns < 0 ? "-" : "", s < 0 ? -s : s, ns < 0 ? -ns : ns);
	if (finding->cpu != MM_CPU_UNKNOWN)
		printf(", CPU %" PRIu32, finding->cpu);
	printf(": %s\n", finding->what);
}

static void see_declared(void *user, const char *event, const char *field)
{
	struct verify_printer *printer = user;

	for (size_t i = 0; mm_rules_at(i); i++)
		printer->concerned[i] |= mm_rules_concern(&printer->requests[i], event, field);
}

/* Collects the requests of all sets of rules. If memory runs out, check_rules() reports it. */
static void request_rules(struct verify_printer *printer)
{
	for (size_t i = 0; mm_rules_at(i); i++) {
		mm_requests_init(&printer->requests[i]);
		mm_rules_at(i)->request(NULL, 0, &printer->requests[i]);
	}
}

static void release_rules(struct verify_printer *printer)
{
	for (size_t i = 0; mm_rules_at(i); i++)
		mm_requests_release(&printer->requests[i]);
}

/* Reads the trace again for each set of rules that checks events of the trace. */
static int check_rules(struct verify_printer *printer, struct mm_error *err)
{
	const struct verify_options *options = printer->options;

	for (size_t i = 0; mm_rules_at(i); i++) {
		uint64_t limit =
			options->findings ? options->findings - printer->shown : UINT64_MAX;
		struct mm_rules_counts *counts = &printer->rules[i];

		if (!printer->concerned[i])
			continue;
		if (mm_rules_run(mm_rules_at(i), options->trace, options->jobs, limit, show_event,
				 printer, counts, err))
			return -1;
		printer->all_rules.damaged += counts->damaged;
		printer->all_rules.notes += counts->notes;
	}
	return 0;
}

static void add_count(json_t *counts, const char *key, uint64_t count)
{
	json_object_set_new(counts, key, json_integer((json_int_t)count));
}

static json_t *pack_counts(const struct ctf_verify_counts *counts,
			   const struct verify_printer *printer)
{
	json_t *all = json_object();
	char key[64];

	add_count(all, "traces", counts->traces);
	add_count(all, "streams", counts->streams);
	add_count(all, "files", counts->files);
	add_count(all, "packets", counts->packets);
	add_count(all, "events", counts->events);
	add_count(all, "bytes", counts->bytes);
	add_count(all, "damaged",
		  counts->findings[CTF_VERIFY_DAMAGED] + printer->all_rules.damaged);
	add_count(all, "notes", printer->all_rules.notes);
	for (size_t i = 0; mm_rules_at(i); i++) {
		snprintf(key, sizeof(key), "%s_events", mm_rules_at(i)->name);
		add_count(all, key, printer->rules[i].events);
	}
	add_count(all, "lost", counts->findings[CTF_VERIFY_LOST]);
	add_count(all, "events_discarded", counts->events_discarded);
	add_count(all, "packets_lost", counts->packets_lost);
	add_count(all, "packets_without_count", counts->packets_without_count);
	add_count(all, "packets_truncated", counts->packets_truncated);
	add_count(all, "streams_missing", counts->streams_missing);
	add_count(all, "packets_missing", counts->packets_missing);
	add_count(all, "pauses", counts->pauses);
	add_count(all, "gaps", counts->gaps);
	add_count(all, "unverifiable", counts->unverifiable);
	return all;
}

static int print_json(const struct ctf_verify_counts *counts, const struct verify_printer *printer)
{
	json_t *root = json_pack("{s:i, s:o, s:o}", "format", 1, "findings", printer->findings,
				 "counts", pack_counts(counts, printer));
	int ret = root ? json_dumpf(root, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) : -1;

	putchar('\n');
	json_decref(root);
	return ret;
}

static void print_text(const struct ctf_verify_counts *counts, const struct verify_printer *printer)
{
	uint64_t damaged = counts->findings[CTF_VERIFY_DAMAGED] + printer->all_rules.damaged;
	uint64_t lost = counts->findings[CTF_VERIFY_LOST];
	uint64_t all = damaged + lost + printer->all_rules.notes;

	if (all > printer->shown)
		printf("... and %" PRIu64 " more%s\n", all - printer->shown,
		       printer->options->findings ? "; --findings=0 shows them all" : "");
	printf("%s: %" PRIu64 " event%s in %" PRIu64 " packet%s, %" PRIu64 " stream%s, %" PRIu64
	       " file%s, %" PRIu64 " trace%s, %" PRIu64 " byte%s\n",
	       damaged	      ? "Damaged"
	       : lost	      ? "No errors, incomplete"
	       : counts->gaps ? "No errors, recording may have been paused"
			      : "No errors, complete",
	       counts->events, mm_plural_s(counts->events), counts->packets,
	       mm_plural_s(counts->packets), counts->streams, mm_plural_s(counts->streams),
	       counts->files, mm_plural_s(counts->files), counts->traces,
	       mm_plural_s(counts->traces), counts->bytes, mm_plural_s(counts->bytes));
	printf("Findings: %" PRIu64 " damaged, %" PRIu64 " lost (%" PRIu64
	       " event%s discarded, %" PRIu64 " packet%s lost, %" PRIu64 " packet%s truncated",
	       damaged, lost, counts->events_discarded, mm_plural_s(counts->events_discarded),
	       counts->packets_lost, mm_plural_s(counts->packets_lost), counts->packets_truncated,
	       mm_plural_s(counts->packets_truncated));
	if (counts->packets_without_count)
		printf(", %" PRIu64 " without a discarded-event count",
		       counts->packets_without_count);
	puts(")");
	if (counts->pauses || counts->gaps)
		printf("Pauses: %" PRIu64 " certain, %" PRIu64
		       " possible; `lttng-mm info` lists them\n",
		       counts->pauses, counts->gaps);
	if (counts->streams_missing || counts->packets_missing)
		printf("Streams: %" PRIu64 " missing, %" PRIu64 " packet%s missing from others\n",
		       counts->streams_missing, counts->packets_missing,
		       mm_plural_s(counts->packets_missing));
	else if (counts->unverifiable)
		printf("Streams: not verifiable: %s\n", counts->unverifiable_why);
	else
		puts("Streams: none is missing");
	for (size_t i = 0; mm_rules_at(i); i++)
		if (printer->concerned[i])
			printf("%s: %" PRIu64 " checked against their rules, %" PRIu64
			       " damaged, %" PRIu64 " note%s\n",
			       mm_rules_at(i)->subject, printer->rules[i].events,
			       printer->rules[i].damaged, printer->rules[i].notes,
			       mm_plural_s(printer->rules[i].notes));
}

int cmd_verify(int argc, char **argv)
{
	struct verify_options options = { .findings = FINDINGS_DEFAULT };
	struct verify_printer printer = { .options = &options };
	const struct ctf_verify_handler handler = {
		.user = &printer, .finding = show, .note = show_note, .declared = see_declared
	};
	struct mm_source_options defaults;
	struct ctf_verify_counts counts;
	struct mm_error err = MM_ERROR_INIT;

	mm_source_options_init(&defaults);
	options.jobs = defaults.jobs;
	command_parse(&parser, argc, argv, &options);
	command_lock_trace(options.trace);
	if (options.json)
		printer.findings = json_array();
	request_rules(&printer);
	if (ctf_verify(options.trace, options.jobs, &handler, &counts, &err) ||
	    check_rules(&printer, &err)) {
		json_decref(printer.findings);
		release_rules(&printer);
		fflush(stdout);
		return command_end(&err, MM_EXIT_FAILED);
	}
	release_rules(&printer);
	if (!options.json) {
		print_text(&counts, &printer);
	} else if (print_json(&counts, &printer)) {
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
		return command_end(&err, MM_EXIT_FAILED);
	}
	if (counts.findings[CTF_VERIFY_DAMAGED] || printer.all_rules.damaged)
		return MM_EXIT_BAD_INPUT;
	if (options.require_complete) {
		fflush(stdout);
		certificate_require(options.trace, &err);
	}
	return command_end(&err,
			   counts.findings[CTF_VERIFY_LOST] ? MM_EXIT_INCOMPLETE : MM_EXIT_OK);
}
