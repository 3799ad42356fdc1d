// SPDX-License-Identifier: LGPL-2.1-only
/* Requests events, binds their classes, and finds their threads. */
#include "analysis/why/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/events/field-text.h"
#include "util/hash.h"

#define CPUS_MAX 65536u
#define PAGE_SHIFT 12

struct cpu_thread {
	struct mm_row row; /* (CPU, 1) */
	bool is_known;
	uint32_t tid;
	int64_t first_ns; /* time of the first switch; 0: none yet */
};

static const char *const switch_fields[] = { "prev_tid", "next_tid", "prev_state", NULL };
static const char *const waking_fields[] = { "tid", NULL };
static const char *const other_fields[] = { "$ctx.tid", NULL };
static const char *const own_fields[] = { "$ctx.tid", "tid", NULL };
static const char *const operation_fields[] = { "$ctx.tid", "tid", "pid", NULL };
static const char *const allocation_fields[] = { "$ctx.tid", "tid", "bytes_req", "order", NULL };

struct event_request {
	const char *event;
	const char *const *fields;
	enum why_role role;
	bool first; /* request the events in the first pass, too */
};

static const struct event_request kernel_groups[] = {
	{ "sched_switch", switch_fields, WHY_ROLE_SWITCH, true },
	{ "sched_waking", waking_fields, WHY_ROLE_WAKING, false },
	{ "sched_wakeup", waking_fields, WHY_ROLE_WAKING, false },
	{ "irq_handler_entry", other_fields, WHY_ROLE_IRQ_START, false },
	{ "irq_softirq_entry", other_fields, WHY_ROLE_IRQ_START, false },
	{ "irq_handler_exit", other_fields, WHY_ROLE_IRQ_END, false },
	{ "irq_softirq_exit", other_fields, WHY_ROLE_IRQ_END, false },
};
#define KERNEL_GROUPS (sizeof(kernel_groups) / sizeof(kernel_groups[0]))

/* Returns the index of the field. If the operation does not have the field yet, adds it. */
static unsigned int field_at(struct why_operation *operation, const char *field)
{
	unsigned int at = 0;

	while (operation->fields[at] && strcmp(operation->fields[at], field) != 0)
		at++;
	operation->fields[at] = field;
	return at;
}

static int add_operation(struct why_events *events, size_t of_number,
			 const struct mm_operation *declared)
{
	const struct mm_subsystem *of = mm_subsystems[of_number];
	const struct mm_event_roles *roles = of->roles;
	struct why_operation *operation = &events->operations[events->operation_count];

	if (events->operation_count == MM_OPERATIONS_MAX)
		return -1;
	*operation = (struct why_operation){ .operation = declared,
					     .of = of,
					     .of_number = of_number,
					     .number = events->operation_count++,
					     .selected = true };
	for (unsigned int i = 0; operation_fields[i]; i++)
		operation->fields[i] = operation_fields[i];
	for (unsigned int i = 0; roles->same && i < MM_OPERATION_SAME_MAX && roles->same[i]; i++)
		operation->same_at[operation->same_count++] = field_at(operation, roles->same[i]);
	for (unsigned int i = 0; roles->file && i < MM_FILE_FIELDS; i++)
		operation->file_at[i] = field_at(operation, roles->file[i]);
	return 0;
}

static int add_operations(struct why_events *events, size_t of_number)
{
	const struct mm_event_roles *roles = mm_subsystems[of_number]->roles;

	for (size_t i = 0; roles && roles->operations && roles->operations[i].name; i++)
		if (add_operation(events, of_number, &roles->operations[i]))
			return -1;
	return 0;
}

int why_events_init(struct why_events *events)
{
	*events = (struct why_events){ .start = NULL };
	fn_classes_init(&events->functions);
	for (size_t i = 0; mm_subsystems[i]; i++)
		if (add_operations(events, i))
			return -1;
	return mm_rows_init(&events->running, sizeof(struct cpu_thread), CPUS_MAX, 8);
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
	for (size_t i = 0; i < WHY_WIDE_SLOTS; i++) {
		free(events->wides[i].event);
		free(events->wides[i].text);
	}
	free(events->start);
	free(events->end);
}

void why_events_select(struct why_events *events, const bool only[MM_SUBSYSTEMS_MAX], bool on_files)
{
	bool any = false;

	for (size_t i = 0; i < MM_SUBSYSTEMS_MAX; i++)
		any |= only[i];
	for (unsigned int i = 0; i < events->operation_count; i++) {
		struct why_operation *operation = &events->operations[i];

		operation->selected = only[operation->of_number] || (on_files && !any);
		if (on_files && !operation->of->roles->file)
			operation->selected = false;
	}
}

bool why_events_name_operations(const struct why_events *events, enum why_name_form form,
				char *text, size_t size)
{
	static const char *const joins[] = { " or ", " and ", " and no " };
	const struct mm_subsystem *last = NULL;
	size_t length = 0;

	*text = '\0';
	for (unsigned int i = 0; i < events->operation_count && length < size; i++) {
		const struct mm_subsystem *of = events->operations[i].of;

		if (!events->operations[i].selected || of == last)
			continue;
		length += (size_t)snprintf(text + length, size - length, "%s%s%s",
					   last ? joins[form] : "", of->roles->operations_noun,
					   form == WHY_NAME_ONE ? "" : "s");
		if (form == WHY_NAME_EVENTS && length < size)
			length += (size_t)snprintf(text + length, size - length, " (%s*)",
						   of->roles->prefixes[0]);
		last = of;
	}
	return last;
}

const char *why_events_profile(const struct why_events *events)
{
	for (unsigned int i = 0; i < events->operation_count; i++)
		if (events->operations[i].selected && events->operations[i].of->profile)
			return events->operations[i].of->profile;
	return "";
}

bool why_events_declared(const struct why_events *events, const struct mm_source *source)
{
	for (unsigned int i = 0; i < events->operation_count; i++) {
		const char *const *prefix = events->operations[i].of->roles->prefixes;

		for (; events->operations[i].selected && *prefix; prefix++)
			if (mm_source_declares_prefix(source, *prefix))
				return true;
	}
	return false;
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

static void add_fields(struct mm_requests *requests, const char *const *fields)
{
	for (; fields && *fields; fields++)
		mm_requests_add_field(requests, *fields, MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
}

static void add_group(struct why_events *events, const struct event_request *group,
		      struct mm_requests *requests)
{
	set_role(events, mm_requests_add(requests, group->event), group->role);
	add_fields(requests, group->fields);
}

static struct event_request operation_group(const struct why_operation *operation, bool starts)
{
	return (struct event_request){
		.event = starts ? operation->operation->start : operation->operation->end,
		.fields = operation->fields,
		.role = starts ? WHY_ROLE_OPERATION_START : WHY_ROLE_OPERATION_END,
		.first = true
	};
}

/* Requests the wide variants of the start and the end event, with the same fields. */
static void add_wides(struct why_events *events, const struct why_operation *operation,
		      struct mm_requests *requests)
{
	const char *const names[] = { operation->operation->start, operation->operation->end };
	char name[128];
	const struct event_request wide = { name, operation->fields, WHY_ROLE_OWN, false };

	for (size_t i = 0; i < 2 && operation->of->roles->packed_ones; i++) {
		snprintf(name, sizeof(name), "%s_wide", names[i]);
		add_group(events, &wide, requests);
	}
}

/* Returns the roles of the subsystem that declares the event, or NULL. */
static const struct mm_event_roles *roles_of(const char *event)
{
	for (size_t i = 0; mm_subsystems[i]; i++) {
		const struct mm_event_roles *roles = mm_subsystems[i]->roles;

		for (size_t p = 0; roles && roles->prefixes[p]; p++)
			if (!strncmp(event, roles->prefixes[p], strlen(roles->prefixes[p])))
				return roles;
	}
	return NULL;
}

/* Is @event in the list @events, which may be NULL? */
static bool is_listed(const char *const *events, const char *event)
{
	for (; events && *events; events++)
		if (!strcmp(*events, event))
			return true;
	return false;
}

static struct event_request group_of(const struct why_events *events, const char *name)
{
	const struct mm_event_roles *roles = roles_of(name);
	struct event_request group = { .event = name,
				       .fields = other_fields,
				       .role = WHY_ROLE_OTHER };

	for (unsigned int i = 0; i < 2 * events->operation_count; i++) {
		const struct event_request operation =
			operation_group(&events->operations[i / 2], i % 2 == 0);

		if (!strcmp(operation.event, name))
			return operation;
	}
	for (size_t i = 0; i < KERNEL_GROUPS; i++)
		if (!strcmp(kernel_groups[i].event, name))
			return kernel_groups[i];
	if (roles) {
		group.fields = own_fields;
		group.role = is_listed(roles->touches, name) ? WHY_ROLE_TOUCH : WHY_ROLE_OWN;
		if (is_listed(roles->allocations, name)) {
			group.fields = allocation_fields;
			group.role = WHY_ROLE_ALLOCATION;
		}
	}
	return group;
}

/* Requests an event by its name, in any pass. */
static void add_named(struct why_events *events, const char *name, struct mm_requests *requests)
{
	const struct event_request group = group_of(events, name);

	if (mm_requests_find(requests, name) < 0)
		add_group(events, &group, requests);
}

/*
 * Requests all other events for the second pass. Adds the patterns of subsystems before "*",
 * because the first matching pattern wins.
 */
static void add_patterns(struct why_events *events, struct mm_requests *requests)
{
	const struct event_request any = { "*", other_fields, WHY_ROLE_OTHER, false };
	char pattern[64];

	for (size_t i = 0; mm_subsystems[i]; i++) {
		const struct mm_event_roles *roles = mm_subsystems[i]->roles;

		for (size_t p = 0; roles && roles->prefixes[p]; p++) {
			const struct event_request own = { pattern, own_fields, WHY_ROLE_OWN,
							   false };

			snprintf(pattern, sizeof(pattern), "%s*", roles->prefixes[p]);
			add_group(events, &own, requests);
		}
	}
	add_group(events, &any, requests);
}

static void add_sample(struct why_events *events, const struct mm_event_roles *roles,
		       struct mm_requests *requests)
{
	const char *const fields[] = { "$ctx.tid", "tid", roles->sample_field, NULL };
	const struct event_request group = { roles->sample_event, fields, WHY_ROLE_SAMPLE, false };

	add_group(events, &group, requests);
}

/* Requests the allocations and touches, which the report counts per interval. */
static void add_counted(struct why_events *events, struct mm_requests *requests)
{
	for (size_t i = 0; mm_subsystems[i]; i++) {
		const struct mm_event_roles *roles = mm_subsystems[i]->roles;

		for (size_t a = 0; roles && roles->allocations && roles->allocations[a]; a++)
			add_named(events, roles->allocations[a], requests);
		for (size_t t = 0; roles && roles->touches && roles->touches[t]; t++)
			add_named(events, roles->touches[t], requests);
		if (roles && roles->sample_event)
			add_sample(events, roles, requests);
	}
}

void why_events_request(struct why_events *events, unsigned int pass, struct mm_requests *requests)
{
	for (int i = 0; i < FN_REQUEST_SWITCH; i++)
		events->roles[i] = i <= FN_REQUEST_CALL	       ? WHY_ROLE_FN
				   : i == FN_REQUEST_CALL_SITE ? WHY_ROLE_CALL_SITE
							       : WHY_ROLE_THREAD;
	fn_classes_request(requests);
	for (unsigned int i = 0; i < events->operation_count; i++) {
		add_named(events, events->operations[i].operation->start, requests);
		add_named(events, events->operations[i].operation->end, requests);
		if (pass || events->needs_files)
			add_wides(events, &events->operations[i], requests);
	}
	for (size_t i = 0; i < KERNEL_GROUPS; i++)
		if ((pass || kernel_groups[i].first) &&
		    (pass || kernel_groups[i].role != WHY_ROLE_SWITCH || events->start))
			add_group(events, &kernel_groups[i], requests);
	if (pass)
		add_counted(events, requests);
	if (events->start) {
		add_named(events, events->start, requests);
		add_named(events, events->end, requests);
	}
	if (pass)
		add_patterns(events, requests);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);

	return length > end && !strcmp(name + length - end, suffix);
}

static bool is_wide_variant(const char *event, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(event, name, length) && !strcmp(event + length, "_wide");
}

static void bind_roles(const struct why_events *events, const struct mm_event_type *type,
		       struct why_class *class)
{
	const struct mm_event_roles *roles = roles_of(type->name);
	bool packs = roles && roles->packed_ones;

	for (unsigned int i = 0; i < events->operation_count; i++) {
		const struct mm_operation *operation = events->operations[i].operation;
		bool starts = !strcmp(type->name, operation->start);
		bool wide = packs && is_wide_variant(type->name, operation->start);

		if (starts || !strcmp(type->name, operation->end))
			class->operation = &events->operations[i];
		if (wide || (packs && is_wide_variant(type->name, operation->end)))
			class->wide_of = &events->operations[i];
		/* The outcome of an operation is unknown at its start. */
		if (starts || wide)
			class->lacks = operation->outcome;
	}
	if (!packs)
		return;
	class->packs = roles;
	class->is_wide = has_suffix(type->name, "_wide");
	class->is_packed = !class->is_wide && type->kinds[WHY_TID] == MM_KIND_UNSIGNED;
}

int why_events_bind(struct why_events *events, struct mm_event_type *type)
{
	enum why_role role = events->roles[type->request];
	struct why_class **grown, *class;
	int ret;

	/* State-dump events describe state, not activity. Ignore them here. */
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
	class->starts = events->start && !strcmp(type->name, events->start);
	class->ends = events->start && !strcmp(type->name, events->end);
	events->has_singles |= class->fn && class->fn->form == FN_REQUEST_CALL;
	bind_roles(events, type, class);
	class->is_soft = !strncmp(type->name, "irq_soft", 8);
	type->bound = class;
	return 0;
}

int why_events_switched(struct why_events *events, const struct mm_event *event)
{
	struct cpu_thread *running = mm_rows_get(&events->running, event->cpu, 1);

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
		struct cpu_thread *running = mm_rows_at(&events->running, i);

		if (cpu == MM_CPU_UNKNOWN || running->row.a == cpu)
			running->is_known = false;
	}
}

bool why_events_has_switch(const struct why_events *events, uint32_t cpu, int64_t time_ns)
{
	const struct cpu_thread *running = mm_rows_lookup(&events->running, cpu, 1);

	return running && running->first_ns && running->first_ns <= time_ns;
}

bool why_events_running(const struct why_events *events, uint32_t cpu, uint32_t *tid)
{
	const struct cpu_thread *running = mm_rows_lookup(&events->running, cpu, 1);

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
	case WHY_ROLE_OPERATION_START:
	case WHY_ROLE_OPERATION_END:
	case WHY_ROLE_ALLOCATION:
	case WHY_ROLE_TOUCH:
	case WHY_ROLE_SAMPLE:
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
		    (class->lacks && !strcmp(name, class->lacks)))
			continue;
		if (!strcmp(name, "call_site") && value.kind == MM_KIND_UNSIGNED) {
			text->call_site = (uint32_t)value.u;
			text->has_call_site = true;
			continue;
		}
		if (class->is_packed && value.kind == MM_KIND_UNSIGNED &&
		    value.u == class->packs->packed_ones(name))
			strcpy(member, "?");
		else
			mm_event_field_text(event, &value, member, sizeof(member));
		mm_field_append(&out, "%s%s=%s", before, name, member);
		before = ", ";
	}
	mm_field_append(&out, ")");
}

static struct why_wide_text *wide_of(struct why_events *events, uint32_t cpu)
{
	struct why_wide_text *wide = &events->wides[cpu % WHY_WIDE_SLOTS];

	return wide->event && wide->cpu == cpu ? wide : NULL;
}

static void forget(struct why_wide_text *wide)
{
	free(wide->event);
	free(wide->text);
	wide->event = wide->text = NULL;
}

void why_events_text(struct why_events *events, const struct mm_event *event, struct why_text *text)
{
	const struct why_class *class = event->type->bound;
	struct why_wide_text *wide = wide_of(events, event->cpu);
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
	struct why_wide_text *wide = &events->wides[event->cpu % WHY_WIDE_SLOTS];
	const struct why_class *class = event->type->bound;
	struct why_text text;

	if (!class->is_wide) {
		/*
		 * A wide variant belongs only to the next packed event on its CPU, so forget it
		 * after that event.
		 */
		if (class->packs && wide_of(events, event->cpu))
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

double why_events_sample(const struct mm_event *event)
{
	const uint64_t all = roles_of(event->type->name)->sample_all;

	if (event->type->kinds[WHY_SAMPLE] == MM_KIND_NONE || !event->fields[WHY_SAMPLE].u ||
	    event->fields[WHY_SAMPLE].u > all)
		return 1;
	return (double)event->fields[WHY_SAMPLE].u / (double)all;
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
