// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm print: prints the events of a trace, one per line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "analysis/run/select.h"
#include "cli/common/command.h"
#include "cli/print-options.h"
#include "reader/coverage/certify/certify.h"
#include "reader/coverage/missing.h"
#include "reader/inspect/verify.h"
#include "reader/open/open.h"
#include "reader/print/range-names.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/escape.h"
#include "util/glob.h"
#include "util/nearest.h"
#include "util/path.h"
#include "util/plural.h"

/* Approximate size of one write(). */
#define PIECE ((size_t)256 * 1024)
/*
 * Size of the buffer for a name in --events, with the terminating null byte. Longer names are not
 * checked.
 */
#define EVENT_NAME_MAX 256

struct event_printer {
	const struct print_options *options;
	const struct mm_source *source;
	size_t missing_at;		    /* index of the missing stream that was reported last */
	struct mm_babeltrace *babeltrace;   /* only for PRINT_BABELTRACE, else NULL */
	struct mm_event_line *line;	    /* only for PRINT_FTRACE, else NULL */
	struct mm_selection *selection;	    /* threads to print; NULL: all */
	struct mm_names *names;		    /* names in place of numbers; NULL: print the numbers */
	struct mm_range_names *range_names; /* see @names */
	struct mm_text out;
	bool live; /* print events as they arrive, without buffering */
	bool damaged;
	bool any;  /* an event was printed */
	bool lost; /* live session only: events were lost */
};

/* Writes the buffered text. Returns 0, or -1 with @err set. */
static int flush(struct event_printer *printer, struct mm_error *err)
{
	const char *at = printer->out.data;
	size_t left = printer->out.length;

	printer->out.length = 0;
	while (left) {
		ssize_t written = write(STDOUT_FILENO, at, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return command_output_failed(err);
		at += written;
		left -= (size_t)written;
	}
	return 0;
}

/*
 * If the text of events of this type names ranges or files, sets type->bound to the text format.
 * Otherwise, sets type->bound to NULL.
 */
static int bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	const struct event_printer *printer = user;
	const struct mm_event_text *text =
		printer->range_names ? mm_event_text_find(type->name) : NULL;

	(void)err;
	type->bound = text && (text->range || text->file) ? (void *)(uintptr_t)text : NULL;
	return 0;
}

static int print_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct event_printer *printer = user;

	/*
	 * In a live session, events arrive one by one. Learn the names in this event before
	 * printing it.
	 */
	if (printer->names && event->type->request != MM_NAMES_OTHERS &&
	    mm_names_see(printer->names, event, printer->live))
		goto no_memory;
	/* An event that is not printed has no text. */
	if (event->text_length) {
		printer->any = true;
		if (printer->babeltrace
			    ? mm_babeltrace_line(printer->babeltrace, event, &printer->out)
			    : mm_event_line_put(printer->line, event, &printer->out))
			goto no_memory;
	}
	if (event->type->bound &&
	    mm_range_names_see(printer->range_names, event->type->bound, event,
			       event->text_length ? &printer->out : NULL))
		goto no_memory;
	return printer->out.length >= PIECE || printer->live ? flush(printer, err) : 0;
no_memory:
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "print: out of memory");
}

static int render(void *user, const struct mm_event *event, struct mm_text *text)
{
	struct event_printer *printer = user;

	if (printer->babeltrace)
		return mm_babeltrace_render(printer->babeltrace, event, text);
	return mm_event_line_render(printer->line, event, text);
}

/*
 * Returns "cannot be read: ..." if the missing stream's file is unreadable, else NULL. The losses
 * are reported in the order of the list of missing streams, so the search starts at the stream that
 * was reported last.
 */
static const char *find_denied(struct event_printer *printer, const struct mm_loss *loss)
{
	const struct mm_source *source = printer->source;
	const struct mm_missing_list *list = mm_source_missing(source);

	for (size_t n = 0; list && n < list->count; n++) {
		const size_t at = (printer->missing_at + n) % list->count;
		const struct mm_missing *missing = &list->all[at];

		if (missing->loss >= mm_source_loss_count(source) ||
		    mm_source_loss_at(source, missing->loss) != loss)
			continue;
		printer->missing_at = at;
		return missing->what ? strstr(missing->what, "cannot be read: ") : NULL;
	}
	return NULL;
}

/* Says why the stream has no events: its file is unreadable or missing. */
static void print_missing(struct event_printer *printer, const struct mm_loss *loss)
{
	const char *denied = find_denied(printer, loss);

	if (denied)
		fprintf(stderr, ": %s; read the trace as a user who may read this file\n", denied);
	else if (loss->maybe)
		fputs(": may be missing: its CPU appears in other channels, the state dump or the system information\n",
		      stderr);
	else
		fputs(": missing: this stream has no data\n", stderr);
}

static void print_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct event_printer *printer = user;
	char *path;

	/* print_damaged() has already reported this loss. */
	if (loss->backward)
		return;
	printer->lost = true;
	/* For a pause of the recording, babeltrace2 prints no message, so print none. */
	if (printer->babeltrace && !loss->paused)
		mm_babeltrace_lost(printer->babeltrace, begin_ns);
	/* If standard output fails, the next event reports the error. */
	flush(printer, NULL);
	fprintf(stderr, "lttng-mm: trace: ");
	path = mm_path_as_given(loss->stream, printer->options->trace);
	mm_escape_message_print(stderr, path ? path : loss->stream);
	free(path);
	if (loss->missing) {
		print_missing(printer, loss);
		return;
	}
	if (loss->paused) {
		fprintf(stderr, ": recording %s paused here for %.9f s\n",
			loss->uncertain ? "may have been" : "was",
			(double)((uint64_t)loss->lost_until_ns - (uint64_t)begin_ns) / 1e9);
		return;
	}
	if (loss->at_unknown_place) {
		fprintf(stderr,
			": events may have been lost here (this stream lacks packets at its start or its end; ");
		if (loss->packets_lost)
			fprintf(stderr, "%llu packet%s missing so far)\n",
				(unsigned long long)loss->packets_lost,
				mm_plural_s(loss->packets_lost));
		else
			fputs("their number is not known)\n", stderr);
		return;
	}
	fprintf(stderr, ": events %s lost here (%llu event%s, %llu packet%s so far)%s\n",
		loss->uncertain ? "may have been" : "were",
		(unsigned long long)loss->events_discarded, mm_plural_s(loss->events_discarded),
		(unsigned long long)loss->packets_lost, mm_plural_s(loss->packets_lost),
		loss->uncertain ? "; the packet has no discarded-event count" : "");
}

static void print_damaged(void *user, const char *message, bool truncated)
{
	struct event_printer *printer = user;

	printer->damaged |= !truncated;
	flush(printer, NULL);
	fputs("lttng-mm: ", stderr);
	mm_escape_message_print(stderr, message);
	fputc('\n', stderr);
}

static void print_noted(void *user, const char *message)
{
	(void)user;
	fputs("lttng-mm: note: ", stderr);
	mm_escape_message_print(stderr, message);
	fputc('\n', stderr);
}

/* Prints a note if the wall clock and the metadata's clock differ. */
static void print_clock_note(const struct event_printer *printer, const struct mm_source *source)
{
	char text[MM_CLOCK_SHIFT_TEXT];

	const struct mm_source_options *options = &printer->options->source;

	if ((printer->options->clock == MM_LINE_CLOCK_WALL || options->begin_ns != INT64_MIN ||
	     options->end_ns != INT64_MAX) &&
	    mm_clock_shift_text(mm_source_clock_shift_ns(source), text, sizeof(text)))
		fprintf(stderr, "lttng-mm: note: %s\n", text);
}

static int run(struct event_printer *printer, struct mm_source *source, struct mm_error *err)
{
	const struct mm_handler handler = {
		.user = printer,
		.event = print_event,
		.bind = bind,
		.lost = print_lost,
		.render = render,
		.damaged = print_damaged,
		.noted = print_noted,
	};
	struct mm_requests requests;
	int ret;

	printer->source = source;
	print_clock_note(printer, source);
	mm_requests_init(&requests);
	if (printer->line)
		mm_names_request(&requests);
	else
		mm_requests_add(&requests, "*");
	ret = mm_source_run(source, &requests, &handler, err);
	mm_requests_release(&requests);
	if (ret) {
		/* The events before the error are valid, so print them. */
		flush(printer, err);
		return -1;
	}
	return flush(printer, err);
}

static void create_line(struct event_printer *printer, struct mm_source *source,
			const struct mm_sysinfo *sysinfo, struct mm_error *err)
{
	const struct print_options *options = printer->options;

	if (!options->numeric) {
		printer->names = mm_names_create(sysinfo);
		printer->range_names = mm_range_names_create();
		if (!printer->names || !printer->range_names ||
		    mm_names_read(printer->names, source, err) ||
		    (mm_source_folder_count(source) &&
		     mm_range_names_read(printer->range_names, mm_event_text_find, source, err)))
			return;
	}
	if (options->by_pid) {
		struct mm_report_options selected = { .include_recorder = true,
						      .by_pid = true,
						      .pid = options->pid };

		if (mm_select(&printer->selection, source, sysinfo, &selected))
			return;
	}
	printer->line = mm_event_line_create(printer->names, options->clock, options->events,
					     mm_event_text_find);
	if (!printer->line)
		return;
	mm_event_line_select(printer->line, printer->selection);
	if (options->files)
		mm_event_line_select_files(printer->line, options->files, sysinfo);
}

/* Returns the first name in the list @globs that no event has, or NULL. Skips patterns. */
static const char *find_absent(const struct mm_source *source, const char *globs,
			       char name[EVENT_NAME_MAX])
{
	for (const char *at = globs; *at; at += strcspn(at, ","), at += *at == ',') {
		size_t length = strcspn(at, ",");

		if (length >= EVENT_NAME_MAX || memchr(at, '*', length) ||
		    memchr(at, '?', length) || memchr(at, '[', length) || memchr(at, '\\', length))
			continue;
		memcpy(name, at, length);
		name[length] = '\0';
		if (!mm_source_declares(source, name))
			return name;
	}
	return NULL;
}

/*
 * Does the trace have an event with the prefix of @name, such as `dax_`? Sets *@length to the
 * length of the prefix, or to 0 if @name is a list or its prefix contains a pattern.
 */
static bool has_family(const struct mm_source *source, const char *name, size_t *length)
{
	*length = strcspn(name, "_*?[\\,");
	if (name[*length] != '_' || strchr(name, ','))
		*length = 0;
	else
		++*length;
	for (size_t i = 0; i < mm_source_event_name_count(source); i++)
		if (!strncmp(mm_source_event_name_at(source, i), name, *length))
			return true;
	return false;
}

static int refuse_event(const struct mm_source *source, const struct mm_nearest *nearest,
			struct mm_error *err)
{
	const char *name = nearest->wanted;
	char text[MM_NEAREST_MAX * EVENT_NAME_MAX];
	size_t length;

	/* No event has the prefix of the name, and no event has a similar name. */
	if (!has_family(source, name, &length) && !*mm_nearest_hint(nearest, text, sizeof(text)))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"print: --events: the trace has no event '%s' and no other %.*s* event; `lttng-mm info --all --events TRACE` lists its events",
			name, (int)length, name);
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "print: --events: the trace has no event '%s'; similar names: %s", name,
			    mm_nearest_list(nearest, text, sizeof(text)));
}

/* Refuses names that the trace does not declare. Refuses a list that matches no event. */
static int check_events(const struct mm_source *source, const char *globs, struct mm_error *err)
{
	char name[EVENT_NAME_MAX];
	struct mm_nearest nearest = { .wanted = globs };
	const char *absent;
	bool found = false;

	if (!globs || !mm_source_event_name_count(source))
		return 0;
	absent = find_absent(source, globs, name);
	if (absent)
		nearest.wanted = absent;
	for (size_t i = 0; i < mm_source_event_name_count(source); i++) {
		found |= mm_glob_match(globs, mm_source_event_name_at(source, i));
		mm_nearest_offer(&nearest, mm_source_event_name_at(source, i));
	}
	if (found && !absent)
		return 0;
	return refuse_event(source, &nearest, err);
}

/* Reports that no event belongs to the requested process or file, and gives a hint. */
static void note_nothing(const struct event_printer *printer, const struct mm_sysinfo *sysinfo)
{
	char thread[MM_THREAD_HINT] = "";

	if (printer->options->files) {
		fputs(printer->options->by_pid
			      ? "lttng-mm: note: no event of this process names a file that matches --file="
			      : "lttng-mm: note: no event names a file that matches --file=",
		      stderr);
		mm_escape_message_print(stderr, printer->options->files);
		fputc('\n', stderr);
		return;
	}
	if (printer->selection)
		mm_thread_hint(&printer->selection->threads, sysinfo,
			       (int32_t)printer->options->pid, thread);
	fprintf(stderr, "lttng-mm: note: no event is known to belong to process %u",
		printer->options->pid);
	mm_escape_message_print(
		stderr, *thread ? thread : " (--pid takes the id of a process, not of a thread)");
	fputc('\n', stderr);
}

static void check_complete(const struct event_printer *printer, struct mm_error *err)
{
	const char *trace = printer->options->trace;

	if (printer->live && printer->lost)
		mm_error_set(err, MM_EXIT_INCOMPLETE, "trace: %s: events were lost", trace);
	else
		certificate_require_whole(trace, &printer->options->source, err);
}

int cmd_print(int argc, char **argv)
{
	struct print_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct event_printer printer = { .options = &options };
	struct mm_sysinfo *sysinfo;
	struct mm_source *source;

	print_options_parse(&options, argc, argv);
	command_lock_trace(options.trace);
	options.source.in_order = true;
	printer.live = strstr(options.trace, "://");
	source = mm_source_open(options.trace, &options.source, &err);
	if (!source || mm_missing_find(source, &err) ||
	    (!printer.live && check_events(source, options.events, &err)) ||
	    (!printer.live && certificate_print(source, &err))) {
		mm_source_destroy(source);
		goto end;
	}
	sysinfo = mm_sysinfo_load(source, mm_sysinfo_part_at);
	for (size_t i = 0; sysinfo && mm_sysinfo_note(sysinfo, i); i++)
		fprintf(stderr, "lttng-mm: note: %s\n", mm_sysinfo_note(sysinfo, i));
	if (sysinfo && options.format == PRINT_BABELTRACE)
		printer.babeltrace = mm_babeltrace_create(&options.babeltrace);
	else if (sysinfo)
		create_line(&printer, source, sysinfo, &err);
	if (printer.babeltrace || printer.line) {
		if (!run(&printer, source, &err) && (options.by_pid || options.files) &&
		    !printer.any)
			note_nothing(&printer, sysinfo);
	} else
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "print: out of memory");
	mm_source_destroy(source);
	mm_babeltrace_destroy(printer.babeltrace);
	mm_event_line_destroy(printer.line);
	mm_names_destroy(printer.names);
	mm_range_names_destroy(printer.range_names);
	mm_selection_destroy(printer.selection);
	mm_sysinfo_destroy(sysinfo);
	free(printer.out.data);
	if (options.require_complete && !err.code && !printer.damaged)
		check_complete(&printer, &err);
	if (options.require_complete && options.source.reader == MM_READER_BABELTRACE2)
		ctf_verify_unread(options.trace, options.source.jobs, &err);
end:
	return command_end(&err, printer.damaged ? MM_EXIT_BAD_INPUT : MM_EXIT_OK);
}
