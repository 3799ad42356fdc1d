// SPDX-License-Identifier: LGPL-2.1-only
/*
 * --graph: writes calls in the format of ftrace's function_graph tracer, with arguments and
 * results:
 *
 *    3)               |  handle_mm_fault(.address=0xffffffff, .write_access=1) {
 *    3)   8.806 us    |  } = VM_FAULT_NOPAGE
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fn/list/call-list.h"
#include "util/escape.h"

#define CPUS 1024u
#define INDENT_MAX 64u

/* The last listed thread of each CPU. */
struct graph_cpus {
	uint32_t keys[CPUS];
	uint32_t tids[CPUS];
	uint32_t threads[CPUS];
	bool known[CPUS];
};

static const char *name_of(const struct fn_list *list, uint32_t thread, uint32_t tid, uint32_t cpu,
			   char *text, size_t size)
{
	const char *comm = tid ? fn_list_comm(list, thread, tid) : NULL;
	char escaped[6 * MM_COMM_BYTES];

	if (!comm) {
		snprintf(text, size, "%s-%" PRIu32, tid ? "<...>" : "<idle>", tid ? tid : cpu);
		return text;
	}
	mm_escape_terminal(escaped, sizeof(escaped), comm, strnlen(comm, MM_COMM_BYTES));
	snprintf(text, size, "%s-%" PRIu32, escaped, tid ? tid : cpu);
	return text;
}

/* Marks a change of the thread on a CPU in the same way as ftrace. */
static void put_switch(struct fn_list *list, const struct fn_list_item *item)
{
	struct graph_cpus *graph = list->sink;
	uint32_t at = item->cpu % CPUS;
	char from[128], to[128];

	if (graph->known[at] && graph->keys[at] != item->key)
		fprintf(list->out,
			" ------------------------------------------\n %" PRIu32
			")   %s   =>   %s\n ------------------------------------------\n\n",
			item->cpu,
			name_of(list, graph->threads[at], graph->tids[at], item->cpu, from,
				sizeof(from)),
			name_of(list, item->thread, item->tid, item->cpu, to, sizeof(to)));
	graph->known[at] = true;
	graph->keys[at] = item->key;
	graph->tids[at] = item->tid;
	graph->threads[at] = item->thread;
}

/* Writes the CPU or the thread, and then the duration in 14 columns. */
static void put_head(struct fn_list *list, const struct fn_list_item *item, bool has_duration)
{
	static const struct {
		uint64_t ns;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		      { 1000000, '#' },	   { 100000, '!' },    { 10000, '+' } };
	double us = (double)item->duration_ns / 1000;
	char number[40], task[128], mark = ' ';

	if (list->by_task)
		fprintf(list->out, " %16s) ",
			name_of(list, item->thread, item->tid, item->cpu, task, sizeof(task)));
	else if (item->cpu == MM_CPU_UNKNOWN)
		fputs("  ?) ", list->out);
	else
		fprintf(list->out, " %2" PRIu32 ") ", item->cpu);
	if (!has_duration) {
		fprintf(list->out, "%14s|  ", "");
		return;
	}
	for (size_t i = sizeof(marks) / sizeof(marks[0]); i--;)
		if (item->duration_ns > marks[i].ns)
			mark = marks[i].mark;
	snprintf(number, sizeof(number),
		 us < 10000 ? "%.3f us"
		 : us < 1e6 ? "%.1f us"
			    : "%.0f us",
		 us);
	fprintf(list->out, "%c %-11s |  ", mark, number);
}

static void put_escaped(FILE *out, const char *text)
{
	mm_escape_print(out, text);
}

static void put_indent(struct fn_list *list, uint32_t depth)
{
	fprintf(list->out, "%*s", 2 * (int)(depth < INDENT_MAX ? depth : INDENT_MAX), "");
}

static void put_call(struct fn_list *list, const struct fn_list_item *item)
{
	char text[FN_TEXT_MAX];

	put_escaped(list->out, list->classes.names[item->entry->function]);
	fputc('(', list->out);
	fn_arguments_text(item->entry, item->values, item->unread, ".", text, sizeof(text));
	put_escaped(list->out, text);
	fputc(')', list->out);
}

static void put_result(struct fn_list *list, const struct fn_list_item *item)
{
	char text[FN_TEXT_MAX];

	if (!item->exit || !item->exit->has_ret)
		return;
	fn_result_text(item->exit, item->ret, item->ret_unread, text, sizeof(text));
	fputs(" = ", list->out);
	put_escaped(list->out, text);
}

static void put_off(struct fn_list *list, const struct fn_list_item *item)
{
	if (item->has_off && item->off_ns)
		fprintf(list->out, "  /* off CPU: %.3f us */", (double)item->off_ns / 1000);
}

/* Explains, at the end of a call, why the call is not complete. */
static void put_remark(struct fn_list *list, const struct fn_list_item *item)
{
	static const char *const remarks[FN_OUTCOMES] = {
		[FN_NOT_ENDED] = "not ended at the end of the trace",
		[FN_BEFORE_TRACE] = "called before the trace starts",
		[FN_NO_ENTRY] = "no entry",
		[FN_NO_EXIT] = "no exit",
		[FN_THREAD_ENDED] = "the thread ended in it",
		[FN_UNDETERMINED] = "events may be missing",
	};
	const struct fn_class *class = item->entry ? item->entry : item->exit;
	const char *remark = "its start is not listed";

	if (item->kind == FN_LIST_LEAF || (item->outcome == FN_OUTCOMES && item->has_start))
		return;
	fputs("  /* ", list->out);
	put_escaped(list->out, list->classes.names[class->function]);
	if (item->outcome == FN_NOT_ENDED && list->pairing.windowed)
		remark = "not ended at the end of the time range";
	else if (item->outcome == FN_BEFORE_TRACE && list->pairing.windowed)
		remark = "called before the time range starts";
	else if (item->outcome != FN_OUTCOMES)
		remark = remarks[item->outcome];
	fprintf(list->out, "(): %s */", remark);
}

static void put_loss(struct fn_list *list, const struct fn_list_item *item)
{
	fputs(" ------------------------------------------\n", list->out);
	if (item->ret != UINT64_MAX && item->ret)
		fprintf(list->out, " %" PRIu64 " events lost", item->ret);
	else
		fputs(" events lost", list->out);
	if (item->cpu != MM_CPU_UNKNOWN)
		fprintf(list->out, " on CPU %" PRIu32, item->cpu);
	fputs("\n ------------------------------------------\n\n", list->out);
}

static int release(void *user, struct fn_list_item *item)
{
	struct fn_list *list = user;
	struct fn_list_thread *thread;

	if (item->kind == FN_LIST_LOSS) {
		put_loss(list, item);
		return 0;
	}
	thread = fn_list_thread(list, item->key);
	if (!thread)
		return -1;
	if (item->kind == FN_LIST_FORK) {
		thread->depth = 0;
		return 0;
	}
	/* If the exit event is missing, it is unknown which thread runs at the end of the call. */
	if (!list->by_task && !item->has_no_event)
		put_switch(list, item);
	put_head(list, item,
		 item->kind == FN_LIST_LEAF ||
			 (item->kind == FN_LIST_END && item->outcome == FN_OUTCOMES));
	if (item->kind == FN_LIST_END && item->has_start && thread->depth)
		thread->depth--;
	put_indent(list, thread->depth);
	if (item->kind == FN_LIST_START) {
		put_call(list, item);
		fputs(" {\n", list->out);
		thread->depth++;
		return 0;
	}
	if (item->kind == FN_LIST_LEAF)
		put_call(list, item);
	else
		fputc('}', list->out);
	put_result(list, item);
	if (item->kind == FN_LIST_LEAF)
		fputc(';', list->out);
	put_off(list, item);
	put_remark(list, item);
	fputc('\n', list->out);
	return 0;
}

static void destroy(void *user)
{
	struct fn_list *list = user;

	if (list)
		free(list->sink);
	fn_list_destroy(list);
}

static void *create(const struct mm_report_options *options, const struct mm_sysinfo *sysinfo,
		    FILE *out)
{
	struct fn_list *list = fn_list_create(MM_OPTIONS_OF(struct fn_option_values, options),
					      sysinfo, out, release);

	if (!list)
		return NULL;
	list->sink = calloc(1, sizeof(struct graph_cpus));
	if (!list->sink) {
		destroy(list);
		return NULL;
	}
	if (list->by_task)
		fputs("# TASK/PID           DURATION          FUNCTION CALLS\n"
		      "# |                  |   |             |   |   |   |\n",
		      out);
	else
		fputs("# CPU  DURATION          FUNCTION CALLS\n"
		      "# |    |   |             |   |   |   |\n",
		      out);
	return list;
}

static int finish(void *user, struct mm_error *err)
{
	return fn_list_finish(user, err);
}

const struct mm_listing fn_graph_listing = {
	.create = create,
	.destroy = destroy,
	.request_ahead = mm_threads_request_history,
	.ahead = fn_list_ahead,
	.select = fn_list_select,
	.left_out = fn_list_left_out,
	.request = fn_list_request,
	.bind = fn_list_bind,
	.event = fn_list_event,
	.lost = fn_list_lost,
	.finish = finish,
};
