// SPDX-License-Identifier: LGPL-2.1-only
/* The events of the analysis. */
#include "analysis/why/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/wide.h"
#include "analysis/trace/field-text.h"
#include "util/glob.h"
#include "util/hash.h"

#define CPUS_MAX 65536u
#define PAGE_SHIFT 12

struct running {
	struct mm_row row; /* the CPU, 1 */
	bool is_known;
	uint32_t tid;
	int64_t first_ns; /* of the first switch; 0: there is none */
};

static const char *const switch_fields[] = { "prev_tid", "next_tid", "prev_state", NULL };
static const char *const waking_fields[] = { "tid", NULL };
static const char *const other_fields[] = { "$ctx.tid", NULL };
static const char *const own_fields[] = { "$ctx.tid", "tid", NULL };
static const char *const dax_fields[] = { "$ctx.tid", "tid",	   "ino",	"address",
					  "pid",      "dev_major", "dev_minor", NULL };
static const char *const allocation_fields[] = { "$ctx.tid", "tid", "bytes_req", "order", NULL };

/* In the order of requests: an event meets the first pattern that it matches. */
static const struct group {
	const char *event;
	const char *const *fields;
	enum why_role role;
	bool first; /* also in the first pass */
} groups[] = {
	{ "dax_pmd_fault", dax_fields, WHY_ROLE_DAX_START, true },
	{ "dax_pte_fault", dax_fields, WHY_ROLE_DAX_START, true },
	{ "dax_pmd_fault_done", dax_fields, WHY_ROLE_DAX_END, true },
	{ "dax_pte_fault_done", dax_fields, WHY_ROLE_DAX_END, true },
	{ "dax_pmd_fault_wide", dax_fields, WHY_ROLE_OWN, false },
	{ "dax_pte_fault_wide", dax_fields, WHY_ROLE_OWN, false },
	{ "dax_pmd_fault_done_wide", dax_fields, WHY_ROLE_OWN, false },
	{ "dax_pte_fault_done_wide", dax_fields, WHY_ROLE_OWN, false },
	{ "sched_switch", switch_fields, WHY_ROLE_SWITCH, true },
	{ "sched_waking", waking_fields, WHY_ROLE_WAKING, false },
	{ "sched_wakeup", waking_fields, WHY_ROLE_WAKING, false },
	{ "irq_handler_entry", other_fields, WHY_ROLE_IRQ_START, false },
	{ "irq_softirq_entry", other_fields, WHY_ROLE_IRQ_START, false },
	{ "irq_handler_exit", other_fields, WHY_ROLE_IRQ_END, false },
	{ "irq_softirq_exit", other_fields, WHY_ROLE_IRQ_END, false },
	{ "slab_kmalloc", allocation_fields, WHY_ROLE_ALLOCATION, false },
	{ "slab_kmalloc_wide", allocation_fields, WHY_ROLE_ALLOCATION, false },
	{ "slab_cache_alloc", allocation_fields, WHY_ROLE_ALLOCATION, false },
	{ "slab_cache_alloc_wide", allocation_fields, WHY_ROLE_ALLOCATION, false },
	{ "slab_alloc_bulk", allocation_fields, WHY_ROLE_ALLOCATION, false },
	{ "page_alloc", allocation_fields, WHY_ROLE_ALLOCATION, false },
	{ "page_alloc_bulk", allocation_fields, WHY_ROLE_ALLOCATION, false },
	{ "dax_*", own_fields, WHY_ROLE_OWN, false },
	{ "slab_*", own_fields, WHY_ROLE_OWN, false },
	{ "page_*", own_fields, WHY_ROLE_OWN, false },
	{ "*", other_fields, WHY_ROLE_OTHER, false },
};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

int why_events_init(struct why_events *events)
{
	*events = (struct why_events){ .start = NULL };
	fn_classes_init(&events->functions);
	return mm_rows_init(&events->running, sizeof(struct running), CPUS_MAX, 8);
}

void why_events_release(struct why_events *events)
{
	fn_classes_release(&events->functions);
	mm_rows_release(&events->running);
	for (size_t i = 0; i < events->count; i++) {
		free(events->all[i]->name);
		free(events->all[i]);
	}
	free(events->all);
	for (size_t i = 0; i < WHY_WIDES; i++) {
		free(events->wides[i].event);
		free(events->wides[i].text);
	}
	free(events->start);
	free(events->end);
}

int why_events_pair(struct why_events *events, const char *pair)
{
	const char *comma = strchr(pair, ',');

	if (!comma || comma == pair || !comma[1] || strchr(comma + 1, ','))
		return -1;
	events->start = strndup(pair, (size_t)(comma - pair));
	events->end = strdup(comma + 1);
	return events->start && events->end ? 0 : -1;
}

static void set_role(struct why_events *events, int request, enum why_role role)
{
	if (request >= 0 && (size_t)request < sizeof(events->roles) / sizeof(events->roles[0]))
		events->roles[request] = role;
}

static void add_group(struct why_events *events, const struct group *group,
		      struct mm_requests *requests)
{
	set_role(events, mm_requests_add(requests, group->event), group->role);
	for (const char *const *field = group->fields; *field; field++)
		mm_requests_add_field(requests, *field, MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
}

/* An event of --pair: as its group requests it, whatever the pass. */
static void add_named(struct why_events *events, const char *name, struct mm_requests *requests)
{
	struct group group;
	size_t i = 0;

	if (mm_requests_find(requests, name) >= 0)
		return;
	while (!mm_glob_match(groups[i].event, name))
		i++;
	group = groups[i];
	group.event = name;
	add_group(events, &group, requests);
}

void why_events_request(struct why_events *events, unsigned int pass, struct mm_requests *requests)
{
	for (int i = 0; i < FN_REQUEST_SWITCH; i++)
		events->roles[i] = i <= FN_REQUEST_CALL	       ? WHY_ROLE_FN
				   : i == FN_REQUEST_CALL_SITE ? WHY_ROLE_CALL_SITE
							       : WHY_ROLE_THREAD;
	fn_classes_request(requests);
	for (size_t i = 0; i < GROUPS; i++)
		if (!strchr(groups[i].event, '*') &&
		    (pass || groups[i].first ||
		     (events->needs_files && groups[i].fields == dax_fields)) &&
		    (pass || groups[i].role != WHY_ROLE_SWITCH || events->start))
			add_group(events, &groups[i], requests);
	if (events->start) {
		add_named(events, events->start, requests);
		add_named(events, events->end, requests);
	}
	for (size_t i = 0; i < GROUPS && pass; i++)
		if (strchr(groups[i].event, '*'))
			add_group(events, &groups[i], requests);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);

	return length > end && !strcmp(name + length - end, suffix);
}

int why_events_bind(struct why_events *events, struct mm_event_type *type)
{
	enum why_role role = events->roles[type->request];
	struct why_class **grown, *class;
	int ret;

	/* What happened is no state. */
	if (type->is_state && role != WHY_ROLE_THREAD && role != WHY_ROLE_CALL_SITE)
		return 1;
	if (role == WHY_ROLE_FN) {
		ret = fn_classes_bind(&events->functions, type);
		if (ret)
			return ret;
	}
	grown = mm_array_grow(events->all, events->count, &events->room, sizeof(class));
	if (!grown)
		return -1;
	events->all = grown;
	class = calloc(1, sizeof(*class));
	if (!class)
		return -1;
	events->all[events->count++] = class;
	class->name = strdup(type->name);
	if (!class->name)
		return -1;
	class->role = role;
	class->fn = role == WHY_ROLE_FN ? type->bound : NULL;
	class->dax = strncmp(type->name, "dax_pmd", 7) ? WHY_DAX_PTE : WHY_DAX_PMD;
	class->starts = events->start && !strcmp(type->name, events->start);
	class->ends = events->start && !strcmp(type->name, events->end);
	class->is_wide = !strncmp(type->name, "dax_", 4) && has_suffix(type->name, "_wide");
	class->lacks_result = role == WHY_ROLE_DAX_START ||
			      !strcmp(type->name, "dax_pmd_fault_wide") ||
			      !strcmp(type->name, "dax_pte_fault_wide");
	events->has_singles |= class->fn && class->fn->form == FN_REQUEST_CALL;
	class->is_packed = !strncmp(type->name, "dax_", 4) && !class->is_wide &&
			   type->kinds[WHY_TID] == MM_KIND_UNSIGNED;
	class->is_soft = !strncmp(type->name, "irq_soft", 8);
	type->bound = class;
	return 0;
}

int why_events_switched(struct why_events *events, const struct mm_event *event)
{
	struct running *running = mm_rows_get(&events->running, event->cpu, 1);

	if (!running)
		return -1;
	if (!running->first_ns)
		running->first_ns = event->time_ns;
	running->is_known = running->row.b && event->type->kinds[WHY_NEXT_TID] != MM_KIND_NONE;
	running->tid = (uint32_t)event->fields[WHY_NEXT_TID].u;
	return 0;
}

void why_events_lost(struct why_events *events, uint32_t cpu)
{
	for (uint32_t i = 1; i < events->running.count; i++) {
		struct running *running = mm_rows_at(&events->running, i);

		if (cpu == MM_CPU_UNKNOWN || running->row.a == cpu)
			running->is_known = false;
	}
}

bool why_events_has_switch(const struct why_events *events, uint32_t cpu, int64_t time_ns)
{
	const struct running *running = mm_rows_lookup(&events->running, cpu, 1);

	return running && running->first_ns && running->first_ns <= time_ns;
}

bool why_events_running(const struct why_events *events, uint32_t cpu, uint32_t *tid)
{
	const struct running *running = mm_rows_lookup(&events->running, cpu, 1);

	if (!running || !running->is_known)
		return false;
	*tid = running->tid;
	return true;
}

bool why_events_thread(const struct why_events *events, const struct why_class *class,
		       const struct mm_event *event, uint32_t *tid)
{
	const enum mm_kind *kinds = event->type->kinds;
	const union mm_scalar *f = event->fields;

	switch (class->role) {
	case WHY_ROLE_FN:
		*tid = (uint32_t)f[FN_TID].u;
		return true;
	case WHY_ROLE_SWITCH:
		*tid = (uint32_t)f[WHY_PREV_TID].u;
		return kinds[WHY_PREV_TID] != MM_KIND_NONE;
	case WHY_ROLE_DAX_START:
	case WHY_ROLE_DAX_END:
	case WHY_ROLE_ALLOCATION:
	case WHY_ROLE_OWN:
		if (kinds[WHY_TID] != MM_KIND_NONE) {
			*tid = (uint32_t)f[WHY_TID].u;
			return true;
		}
		break;
	case WHY_ROLE_WAKING:
	case WHY_ROLE_THREAD:
	case WHY_ROLE_CALL_SITE:
		return why_events_running(events, event->cpu, tid);
	default:
		break;
	}
	if (kinds[WHY_CONTEXT_TID] != MM_KIND_NONE) {
		*tid = (uint32_t)f[WHY_CONTEXT_TID].u;
		return true;
	}
	return why_events_running(events, event->cpu, tid);
}

static void put_members(const struct mm_event *event, struct why_text *text)
{
	struct mm_field_text out = { .dst = text->text, .size = sizeof(text->text) };
	const struct why_class *class = event->type->bound;
	const char *name, *before = "";
	struct mm_value value;

	mm_field_append(&out, "%s(", event->type->name);
	for (size_t i = 0; !mm_event_field_at(event, i, &name, &value); i++) {
		char member[512];

		if (!strcmp(name, "tid") || !strcmp(name, "pid") ||
		    (class->lacks_result && !strcmp(name, "result")))
			continue;
		if (!strcmp(name, "call_site") && value.kind == MM_KIND_UNSIGNED) {
			text->call_site = (uint32_t)value.u;
			text->has_call_site = true;
			continue;
		}
		if (class->is_packed && value.kind == MM_KIND_UNSIGNED &&
		    value.u == dax_packed_ones(name))
			strcpy(member, "?");
		else
			mm_event_field_text(event, &value, member, sizeof(member));
		mm_field_append(&out, "%s%s=%s", before, name, member);
		before = ", ";
	}
	mm_field_append(&out, ")");
}

static struct why_wide *wide_of(struct why_events *events, uint32_t cpu)
{
	struct why_wide *wide = &events->wides[cpu % WHY_WIDES];

	return wide->event && wide->cpu == cpu ? wide : NULL;
}

static void forget(struct why_wide *wide)
{
	free(wide->event);
	free(wide->text);
	wide->event = wide->text = NULL;
}

void why_events_text(struct why_events *events, const struct mm_event *event, struct why_text *text)
{
	const struct why_class *class = event->type->bound;
	struct why_wide *wide = wide_of(events, event->cpu);
	size_t length = strlen(event->type->name);

	text->has_call_site = false;
	put_members(event, text);
	if (!wide || class->is_wide)
		return;
	if (!strncmp(wide->event, event->type->name, length) &&
	    !strcmp(wide->event + length, "_wide"))
		snprintf(text->text, sizeof(text->text), "%s%s", event->type->name,
			 wide->text + strlen(wide->event));
}

int why_events_wide(struct why_events *events, const struct mm_event *event)
{
	struct why_wide *wide = &events->wides[event->cpu % WHY_WIDES];
	const struct why_class *class = event->type->bound;
	struct why_text text;

	if (!class->is_wide) {
		/* It concerns the event that follows on its CPU, and no others. */
		if (!strncmp(event->type->name, "dax_", 4) && wide_of(events, event->cpu))
			forget(wide);
		return 0;
	}
	forget(wide);
	text.has_call_site = false;
	put_members(event, &text);
	wide->cpu = event->cpu;
	wide->event = strdup(event->type->name);
	wide->text = strdup(text.text);
	if (wide->event && wide->text)
		return 0;
	forget(wide);
	return -1;
}

bool why_events_bytes(const struct mm_event *event, uint64_t *bytes)
{
	const enum mm_kind *kinds = event->type->kinds;

	*bytes = 0;
	if (kinds[WHY_BYTES] != MM_KIND_NONE)
		*bytes = event->fields[WHY_BYTES].u;
	else if (kinds[WHY_ORDER] != MM_KIND_NONE && event->fields[WHY_ORDER].u < 32)
		*bytes = UINT64_C(1) << (PAGE_SHIFT + event->fields[WHY_ORDER].u);
	else
		return false;
	return true;
}
