// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Analyzes scripts of events in parts: splits each script at every place, and merges the reports of
 * the parts. The merged report must equal the report of one pass. The merge may be refused at as
 * many splits as the script states.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax.h"
#include "analysis/registry/registry.h"
#include "analysis/run/analysis.h"
#include "reader/events/source-base.h"
#include "reader/report/render.h"
#include "tests/tap.h"
#include "tests/unit/analysis/dax-parts-cases.h"
#include "util/text.h"

static const char *const event_of[128] = {
	['P'] = "dax_pmd_fault",
	['p'] = "dax_pmd_fault_done",
	['T'] = "dax_pte_fault",
	['t'] = "dax_pte_fault_done",
	['x'] = "dax_fault_extent",
	['f'] = "dax_pmd_fallback",
	['h'] = "dax_pmd_load_hole_fallback",
	['W'] = "dax_writeback_range",
	['w'] = "dax_writeback_range_done",
	['l'] = "dax_load_hole",
	['Q'] = "dax_pmd_fault_wide",
	['q'] = "dax_pmd_fault_done_wide",
	['F'] = "sched_process_fork",
	['X'] = "sched_process_exec",
	['E'] = "sched_process_exit",
	['D'] = "lttng_statedump_process_state",
};

/* Event classes by letter. Each has one form with the name of the process, and one without. */
static struct mm_event_type types[128][2];
#define FIELDS_MAX 24
static enum mm_kind kinds[128][2][FIELDS_MAX];
static struct mm_requests requests;
static struct mm_source source;
static struct mm_sysinfo *sysinfo;

static bool is_text(const char *field)
{
	return !strcmp(field, "child_comm") || !strcmp(field, "filename") ||
	       !strcmp(field, "comm") || !strcmp(field, "name");
}

static void make_types(void)
{
	mm_requests_init(&requests);
	mm_dax_analysis.request(NULL, 0, &requests);
	for (int what = 0; what < 128; what++) {
		for (int nameless = 0; event_of[what] && nameless < 2; nameless++) {
			struct mm_event_type *type = &types[what][nameless];
			const struct mm_request *request;

			type->name = event_of[what];
			type->request = mm_requests_find(&requests, type->name);
			type->kinds = kinds[what][nameless];
			request = &requests.all[type->request];
			for (; type->field_count < request->field_count; type->field_count++)
				kinds[what][nameless][type->field_count] =
					is_text(request->fields[type->field_count].path)
						? MM_KIND_STRING
					: !request->fields[type->field_count].context
						? MM_KIND_UNSIGNED
					: nameless ? MM_KIND_NONE
						   : MM_KIND_STRING;
		}
	}
}

static uint64_t value(const struct dax_parts_step *step, const char *name)
{
	const struct {
		const char *name;
		uint64_t value;
	} values[] = {
		{ "tid", (uint64_t)step->tid },
		{ "pid", (uint64_t)step->tid / 10 * 10 },
		{ "child_tid", (uint64_t)step->tid },
		{ "child_pid", (uint64_t)step->tid / 10 * 10 },
		{ "old_tid", (uint64_t)step->tid },
		{ "dev_major", 259 },
		{ "ino", step->ino ? step->ino : 7 },
		{ "address", step->address },
		{ "flags", step->flags },
		{ "result", step->result },
		{ "pgoff", step->address / 4096 % 512 },
		{ "vm_flags", DAX_VM_SHARED },
		{ "vm_start", 0x10000000 },
		{ "vm_end", 0x80000000 },
		{ "max_pgoff", step->address == OUT ? 1 : 0x10000 },
		{ "extent_length", 2 << 20 },
		{ "extent_addr", step->address & 0x3000 },
		{ "extent_type", 2 },
		/*
		 * In the event for the end of a range (w), the start index is past the last page.
		 */
		{ "start_index", step->what == 'W' ? (uint64_t)step->tid % 3 : 4 },
		{ "end_index", 3 },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (!strcmp(values[i].name, name))
			return values[i].value;
	return 0;
}

static int play(void *state, const struct dax_parts_step *step, int64_t time_ns)
{
	/* The events of two in ten threads lack the name of the process. */
	const struct mm_event_type *type = &types[(int)step->what][step->tid % 10 > 7];
	const struct mm_requested_field *names = requests.all[type->request].fields;
	union mm_scalar fields[FIELDS_MAX];
	const struct mm_event event = {
		.time_ns = time_ns,
		.clock_ns = (uint64_t)time_ns,
		.fields = fields,
		.type = type,
		.source = &source,
		/* A hash of the time selects the CPU, so some threads migrate during a fault. */
		.cpu = (uint32_t)((uint64_t)time_ns * 0x9e3779b97f4a7c15ull >> 63)
	};
	/* The code below overwrites this buffer after the handler returns, as a reader would. */
	char comm[32];
	int ret;

	if (strchr("FXED", step->what))
		snprintf(comm, sizeof(comm), "%c/%d %x", step->what, step->tid,
			 (unsigned int)step->address);
	else
		snprintf(comm, sizeof(comm), "thread %d", step->tid);
	for (unsigned int i = 0; i < type->field_count; i++) {
		fields[i].u = value(step, names[i].path);
		if (type->kinds[i] == MM_KIND_STRING)
			fields[i].s = comm;
	}
	ret = mm_dax_analysis.event(state, &event, NULL);
	memset(comm, 'x', sizeof(comm));
	memset(fields, 0x55, sizeof(fields));
	return ret;
}

/* Returns the report as JSON, which contains all of it; release with free(). */
static char *report(void *state)
{
	struct mm_report_options *options = mm_options_create(mm_dax_analysis.options);
	struct mm_report *result;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!options)
		tap_bail("out of memory");
	options->top = 100;
	result = mm_analysis_report(&mm_dax_analysis, state, &source, sysinfo, options, NULL);
	free(options);
	if (result && stream)
		mm_render_json(stream, result);
	if (stream)
		fclose(stream);
	mm_report_destroy(result);
	return text;
}

/*
 * Runs the steps in parts. Each part starts at a step in @cuts; the last element of @cuts is
 * @count. Returns NULL if the parts cannot be merged.
 */
static char *run(const struct dax_parts_step *steps, const int64_t *times, unsigned int count,
		 const unsigned int *cuts)
{
	void *whole = mm_dax_analysis.create(), *part = whole;
	char *text = NULL;
	int ret = 0;

	for (unsigned int i = 0; i < count && !ret; i++) {
		if (i == *cuts) {
			if (part != whole) {
				ret = mm_dax_analysis.merge(whole, part);
				mm_dax_analysis.destroy(part);
			}
			part = mm_dax_analysis.create();
			mm_dax_analysis.continues(part);
			cuts++;
		}
		if (!ret)
			ret = play(part, &steps[i], times[i]);
	}
	if (part != whole) {
		if (!ret)
			ret = mm_dax_analysis.merge(whole, part);
		mm_dax_analysis.destroy(part);
	}
	if (!ret)
		text = report(whole);
	mm_dax_analysis.destroy(whole);
	return text;
}

static unsigned int set_times(const struct dax_parts_step *steps, unsigned int most, int64_t *times)
{
	int64_t now = 1700000000000000000;
	unsigned int count;

	for (count = 0; count < most && steps[count].what; count++) {
		now += 1000;
		if (steps[count].time_ns)
			now = 1700000000000000000 + steps[count].time_ns;
		times[count] = now;
	}
	return count;
}

/*
 * Splits the script into two parts at every place, and into three parts at some places. Returns the
 * number of splits into two parts that could not be merged.
 */
static unsigned int cut_everywhere(const char *name, const struct dax_parts_step *steps,
				   unsigned int most)
{
	int64_t times[STEPS_MAX] = { 0 };
	unsigned int count = set_times(steps, most, times), refusals = 0, differ = 0, where = 0;
	unsigned int none[] = { count };
	char *expected = run(steps, times, count, none);

	for (unsigned int cut = 1; cut < count; cut++) {
		const unsigned int cuts[][3] = { { cut, count, 0 }, { cut / 2, cut, count } };

		for (int n = 0; n < (cut % 4 ? 1 : 2); n++) {
			char *text;

			if (times[cut] == times[cut - 1] || (n && cut < 2) ||
			    (n && times[cut / 2] == times[cut / 2 - 1]))
				continue;
			text = run(steps, times, count, cuts[n]);
			refusals += !text && !n;
			if (text && strcmp(text, expected)) {
				differ++;
				where = cut;
			}
			free(text);
		}
	}
	tap(expected && strlen(expected) > 1000 && !differ,
	    "%s: as in one piece (%u differ, at %u)", name, differ, where);
	free(expected);
	return refusals;
}

static uint32_t random_state = 1;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % limit;
}

/* A simulated thread: its open faults and its writeback. act() damages one in @damage steps. */
struct actor {
	struct dax_parts_step open[4];
	int depth;
	bool writeback;
};

static void act(struct actor *actor, struct dax_parts_step *step, int tid, unsigned int damage)
{
	static const uint64_t addresses[] = { A, B, FAR, FAR + 0x200000, FAR + 0x201000 };
	bool wrong = damage && !below(damage);
	const struct dax_parts_step *top;

	*step = (struct dax_parts_step){
		.tid = tid, .address = addresses[below(5)], .ino = 7 + below(2), .time_ns = 0
	};
	if (!below(12)) {
		step->what = "XED"[below(3)];
		return;
	}
	if (!below(8) || (actor->writeback && !below(3))) {
		step->what = actor->writeback != wrong ? 'w' : 'W';
		actor->writeback = step->what == 'W';
		return;
	}
	if (wrong || !actor->depth || (actor->depth < 3 && !below(30))) {
		step->what = wrong ? "PpTtxfhl"[below(8)] : below(2) ? 'P' : 'T';
		step->flags = below(3) ? DAX_FLAG_WRITE : DAX_FLAG_MKWRITE;
		step->result = below(2) ? OK : FELL;
		if (!wrong)
			actor->open[actor->depth++] = *step;
		return;
	}
	top = &actor->open[actor->depth - 1];
	step->address = top->address;
	step->ino = top->ino;
	step->result = below(3) ? OK : below(4) ? FELL : 0;
	if (top->what == 'P' && below(2)) {
		step->what = "xfh"[below(3)];
		return;
	}
	step->what = top->what == 'P' ? 'p' : 't';
	actor->depth--;
}

static void random_scripts(unsigned int damage, unsigned int *refusals, unsigned int *cuts)
{
	struct dax_parts_step steps[STEPS_MAX];
	char name[64];

	for (uint32_t seed = 1; seed <= 5; seed++) {
		struct actor actors[6] = { 0 };
		int64_t now = 1000;

		random_state = seed * 7919 + damage;
		for (int i = 0; i < SCRIPT_STEPS; i++) {
			int who = (int)below(6);

			act(&actors[who], &steps[i], who < 3 ? 11 + who : 25 + who, damage);
			steps[i].time_ns = now += below(4) ? 100 + below(3) * 50 : 0;
		}
		snprintf(name, sizeof(name), "script %u, one of %u steps wrong", seed, damage);
		*refusals += cut_everywhere(name, steps, SCRIPT_STEPS);
		*cuts += SCRIPT_STEPS;
	}
}

/* Tests a thread that always has an open fault: the number of deferred events must have a limit. */
static void endless(void)
{
	static struct dax_parts_step steps[STEPS_MAX];
	unsigned int refusals;

	steps[0] = (struct dax_parts_step){ 'P', 1, A, 0, 0, 0, 0 };
	for (int i = 1; i < 120; i++)
		steps[i] = (struct dax_parts_step){ i % 2 ? 'T' : 'x', 1, FAR, 0, 0, 9, 0 };
	refusals = cut_everywhere("nothing but entries", steps, 120);
	tap(refusals > 40, "nothing but entries: given up (%u)", refusals);
}

static void lost(void)
{
	const struct mm_loss loss = { .events_discarded = 1,
				      .has_requested = true,
				      .has_subject = true,
				      .affects_others = true };
	const struct mm_loss elsewhere = { .events_discarded = 1 };
	void *whole = mm_dax_analysis.create(), *part = mm_dax_analysis.create();

	mm_dax_analysis.continues(part);
	mm_dax_analysis.lost(part, &elsewhere, 0);
	tap(!mm_dax_analysis.merge(whole, part),
	    "a part that lost no requested events can be joined");
	mm_dax_analysis.destroy(part);
	part = mm_dax_analysis.create();
	mm_dax_analysis.continues(part);
	mm_dax_analysis.lost(part, &loss, 0);
	tap(mm_dax_analysis.merge(whole, part) == 1, "a part that lost events cannot be joined");
	mm_dax_analysis.destroy(part);
	part = mm_dax_analysis.create();
	tap(mm_dax_analysis.merge(whole, part) == 1,
	    "a part whose lost events are not known cannot be joined");
	mm_dax_analysis.destroy(part);
	mm_dax_analysis.destroy(whole);
}

int main(void)
{
	unsigned int refusals = 0, cuts = 0;

	make_types();
	mm_source_declare(&source, "dax_pmd_fault");
	mm_source_declare(&source, "dax_fault_extent");
	sysinfo = mm_sysinfo_load(NULL, mm_sysinfo_part_at);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		unsigned int count = cut_everywhere(tests[i].name, tests[i].steps, 16);

		tap(count == tests[i].refusals, "%s: %u cuts refused", tests[i].name, count);
	}
	random_scripts(0, &refusals, &cuts);
	tap(refusals * 10 < cuts, "intact scripts: nearly all can be joined (%u of %u not)",
	    refusals, cuts);
	random_scripts(10, &refusals, &cuts);
	tap(refusals * 2 < cuts, "damaged ones: most (%u of %u not)", refusals, cuts);
	endless();
	lost();
	mm_sysinfo_destroy(sysinfo);
	mm_strings_release(source.event_names, source.event_name_count);
	mm_hash_release(&source.event_name_by_hash);
	return tap_status();
}
