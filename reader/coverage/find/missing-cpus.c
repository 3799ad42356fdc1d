// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares the CPUs of a recording's channels. If a channel has no stream for a CPU, the CPU is
 * missing from the channel.
 */
#include "reader/coverage/find/missing-cpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/coverage/find/state-cpus.h"
#include "reader/ctf/packet/packet-read.h"
#include "util/uuid.h"

/* Beyond this number of entries, one entry stands for a whole channel. */
#define LISTED_MAX 1024

/* A higher number of CPUs in the system information is ignored as wrong. */
#define ONLINE_MAX 65536u

enum evidence_kind { BY_STREAM, BY_DUMP, BY_SYSINFO };

/*
 * A CPU of the recorded machine, and what shows that this CPU exists: a stream or other evidence.
 */
struct cpu_evidence {
	size_t group; /* index of the first trace of this kernel or application */
	size_t trace;
	const struct ctf_stream_class *class;
	uint32_t cpu;
	enum evidence_kind kind;
};

/*
 * Derives the name of a CPU's stream file, NAME_N, from a file of another CPU. The other file must
 * belong to @class (NULL: any class). Returns an allocated string, or NULL when out of memory.
 */
static char *guess_file(const struct ctf_trace *trace, const struct ctf_stream_class *class,
			uint32_t cpu)
{
	char *file;

	for (size_t i = 0; i < trace->stream_count && cpu != MM_CPU_UNKNOWN; i++) {
		const struct ctf_stream *stream = &trace->streams[i];
		const char *name = stream->files[0].name, *end = strrchr(name, '_');
		char number[16];

		snprintf(number, sizeof(number), "%" PRIu32, stream->cpu);
		if ((class && stream->class != class) || !end || strcmp(end + 1, number))
			continue;
		return asprintf(&file, "%s/%.*s_%" PRIu32, trace->folder, (int)(end - name), name,
				cpu) < 0
			       ? NULL
			       : file;
	}
	if (cpu == MM_CPU_UNKNOWN)
		return asprintf(&file, "%s/(channel %" PRIu64 ", several CPUs)", trace->folder,
				class->id) < 0
			       ? NULL
			       : file;
	if (!class)
		return asprintf(&file, "%s/(CPU %" PRIu32 ")", trace->folder, cpu) < 0 ? NULL
										       : file;
	return asprintf(&file, "%s/(channel %" PRIu64 ", CPU %" PRIu32 ")", trace->folder,
			class->id, cpu) < 0
		       ? NULL
		       : file;
}

static bool has_cpu(const struct ctf_trace *trace, uint32_t cpu)
{
	for (size_t i = 0; i < trace->stream_count; i++)
		if (trace->streams[i].cpu == cpu)
			return true;
	return false;
}

/* Adds the CPUs that have a stream in trace @from but not in trace @to. */
static int compare_one_way(const struct missing_cpus *cpus, size_t to, size_t from)
{
	const struct ctf_trace *trace = cpus->traces[to], *other = cpus->traces[from];

	for (size_t i = 0; i < other->stream_count; i++) {
		const struct mm_missing missing = {
			.what = "this session has no stream of this CPU",
			.source = "the other session has a stream of this CPU",
			.cpu = other->streams[i].cpu,
			.complete_stream = true,
			.folder = cpus->folders[to],
			.in_state = mm_trace_is_state(trace->folder),
		};
		char *file;

		if (missing.cpu == MM_CPU_UNKNOWN || has_cpu(trace, missing.cpu))
			continue;
		file = guess_file(trace, NULL, missing.cpu);
		if (!file)
			return -1;
		cpus->add(cpus->user, file, &missing);
		free(file);
	}
	return 0;
}

int missing_cpus_compare(const struct missing_cpus *cpus, size_t ring, size_t other)
{
	return compare_one_way(cpus, ring, other) || compare_one_way(cpus, other, ring) ? -1 : 0;
}

static const char *env_of(const struct ctf_trace *trace, const char *name)
{
	const struct ctf_env *env = ctf_env_find(trace->class, name);

	return env && env->kind == CTF_ENV_STRING ? env->s : "";
}

static bool is_kernel(const struct ctf_trace *trace)
{
	return !strcmp(env_of(trace, "tracer_name"), "lttng-modules");
}

/*
 * Does the trace have a buffer for each CPU? Channels of user space may have one buffer for all
 * CPUs. Kernel channels always have one for each CPU, even without a stream in the trace.
 */
static bool is_per_cpu(const struct ctf_trace *trace)
{
	if (!ctf_class_is_lttng(trace->class))
		return false;
	for (size_t i = 0; i < trace->stream_count; i++)
		if (trace->streams[i].cpu == MM_CPU_UNKNOWN)
			return false;
	return trace->stream_count || is_kernel(trace);
}

/* Gets the boot id of a kernel's trace: the UUID of its clock. */
static bool boot_of(const struct ctf_trace *trace, uint8_t boot[16])
{
	const struct ctf_trace_class *class = trace->class;

	for (size_t i = 0; i < class->clock_count; i++) {
		if (class->clocks[i]->has_uuid) {
			memcpy(boot, class->clocks[i]->uuid, 16);
			return true;
		}
		if (mm_uuid_parse(class->clocks[i]->uid, boot))
			return true;
	}
	return false;
}

/* A trace that is compared with the other traces of its group. */
struct cpu_group_member {
	bool per_cpu;
	bool has_boot; /* a kernel's trace with a boot id */
	uint8_t boot[16];
	size_t group;
};

static void find_group(const struct missing_cpus *cpus, struct cpu_group_member *members,
		       size_t number)
{
	struct cpu_group_member *member = &members[number];

	member->group = number;
	member->per_cpu = is_per_cpu(cpus->traces[number]);
	member->has_boot = member->per_cpu && is_kernel(cpus->traces[number]) &&
			   boot_of(cpus->traces[number], member->boot);
	for (size_t i = 0; i < number && member->has_boot && member->group == number; i++)
		if (members[i].has_boot &&
		    !memcmp(members[i].boot, member->boot, sizeof(member->boot)))
			member->group = i;
}

static int by_cpu(const void *a, const void *b)
{
	const struct cpu_evidence *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Sorts by CPU. For one CPU, streams precede other evidence. */
static int by_cpu_and_kind(const void *a, const void *b)
{
	int order = by_cpu(a, b);

	return order ? order
		     : (int)((const struct cpu_evidence *)a)->kind -
			       (int)((const struct cpu_evidence *)b)->kind;
}

static int by_class(const void *a, const void *b)
{
	const struct cpu_evidence *x = a, *y = b;

	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	if (x->class != y->class)
		return x->class->index < y->class->index ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Removes duplicates from the sorted array. Returns the number of remaining elements. */
static size_t unique(struct cpu_evidence *seen, size_t count,
		     int (*compare)(const void *, const void *))
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!kept || compare(&seen[kept - 1], &seen[i]))
			seen[kept++] = seen[i];
	return kept;
}

/*
 * Returns true if the stream's file exists, and is either not empty or has an index without
 * packets.
 */
static bool is_there(const struct ctf_trace *trace, const char *file)
{
	struct ctf_index *index;
	struct stat st;
	bool is;

	if (stat(file, &st) || !S_ISREG(st.st_mode))
		return false;
	if (st.st_size)
		return true;
	index = ctf_index_open(trace->folder, strrchr(file, '/') + 1);
	is = index && !ctf_index_count(index);
	ctf_index_close(index);
	return is;
}

struct cpu_search {
	const struct missing_cpus *cpus;
	size_t trace;
	size_t added; /* number of entries added for all traces */
};

static int add_uncertain(struct cpu_search *search, const struct ctf_stream_class *class,
			 uint32_t cpu, enum evidence_kind kind)
{
	static const char *const whats[] = {
		[BY_STREAM] = "other channels have streams of this CPU",
		[BY_DUMP] = "the state dump lists this CPU",
		[BY_SYSINFO] = "the system information lists more CPUs than the trace",
	};
	const struct ctf_trace *trace = search->cpus->traces[search->trace];
	const struct mm_missing missing = {
		.what = whats[kind],
		.cpu = cpu,
		.complete_stream = true,
		.uncertain = true,
		.folder = search->cpus->folders[search->trace],
		.has_class = true,
		.class_id = class->id,
		.in_state = mm_trace_is_state(trace->folder),
	};
	char *file = guess_file(trace, class, cpu);

	if (!file)
		return -1;
	if (cpu == MM_CPU_UNKNOWN || !is_there(trace, file)) {
		search->cpus->add(search->cpus->user, file, &missing);
		search->added++;
	}
	free(file);
	return 0;
}

/*
 * Adds the CPUs of @all without a stream of the class. @own has the CPUs with a stream. Both arrays
 * are sorted.
 */
static int compare_class(struct cpu_search *search, const struct ctf_stream_class *class,
			 const struct cpu_evidence *own, size_t own_count,
			 const struct cpu_evidence *all, size_t all_count)
{
	size_t at = 0;

	if (own_count == all_count)
		return 0;
	if (search->added >= LISTED_MAX)
		return add_uncertain(search, class, MM_CPU_UNKNOWN, BY_STREAM);
	for (size_t i = 0; i < all_count; i++) {
		while (at < own_count && own[at].cpu < all[i].cpu)
			at++;
		if (at < own_count && own[at].cpu == all[i].cpu)
			continue;
		if (search->added >= LISTED_MAX)
			return add_uncertain(search, class, MM_CPU_UNKNOWN, BY_STREAM);
		if (add_uncertain(search, class, all[i].cpu, all[i].kind))
			return -1;
	}
	return 0;
}

/*
 * Adds the group's CPUs (@all) that have no stream in one of the trace's stream classes. @own: the
 * streams of the trace.
 */
static int compare_trace(struct cpu_search *search, const struct cpu_evidence *own,
			 size_t own_count, const struct cpu_evidence *all, size_t all_count)
{
	const struct ctf_trace *trace = search->cpus->traces[search->trace];
	size_t at = 0;

	for (size_t i = 0; i < trace->class->stream_count; i++) {
		const struct ctf_stream_class *class = trace->class->streams[i];
		size_t first = at;

		while (at < own_count && own[at].class == class)
			at++;
		/*
		 * Ignore a class without streams, except in a kernel trace: a channel of user space
		 * may have one buffer for all CPUs, or no buffer at all.
		 */
		if (at == first && (!is_kernel(trace) || !class->event_count))
			continue;
		if (compare_class(search, class, own + first, at - first, all, all_count))
			return -1;
	}
	return 0;
}

static size_t list_streams(const struct missing_cpus *cpus, const struct cpu_group_member *members,
			   struct cpu_evidence *seen)
{
	size_t count = 0;

	for (size_t i = 0; i < cpus->count; i++)
		for (size_t j = 0; j < cpus->traces[i]->stream_count && members[i].per_cpu; j++)
			seen[count++] =
				(struct cpu_evidence){ members[i].group, i,
						       cpus->traces[i]->streams[j].class,
						       cpus->traces[i]->streams[j].cpu, BY_STREAM };
	return count;
}

static int add_dumped(const struct missing_cpus *cpus, size_t trace,
		      const struct cpu_group_member *member, struct cpu_evidence **seen,
		      size_t *count)
{
	struct state_cpus dumped = { NULL };
	int ret = state_cpus_read(cpus->traces[trace]->folder, &dumped);
	struct cpu_evidence *grown =
		ret ? NULL : reallocarray(*seen, *count + dumped.count + 1, sizeof(*grown));

	if (grown)
		*seen = grown;
	for (size_t i = 0; i < dumped.count && grown; i++)
		grown[(*count)++] =
			(struct cpu_evidence){ member->group, trace, NULL, dumped.all[i], BY_DUMP };
	free(dumped.all);
	return grown ? 0 : -1;
}

/* Appends the CPUs in state dumps. Does nothing if the streams of all traces are listed. */
static int list_dumped(const struct missing_cpus *cpus, const struct cpu_group_member *members,
		       struct cpu_evidence **seen, size_t *count)
{
	bool needed = false;
	int ret = 0;

	for (size_t i = 0; i < cpus->count; i++)
		needed |= !cpus->listed[i];
	for (size_t i = 0; i < cpus->count && needed && !ret; i++)
		if (members[i].has_boot && mm_trace_is_state(cpus->traces[i]->folder))
			ret = add_dumped(cpus, i, &members[i], seen, count);
	return ret;
}

/* Returns the part of the sorted @seen that belongs to @group; *@size: its length. */
static const struct cpu_evidence *part_of(const struct cpu_evidence *seen, size_t count,
					  size_t group, size_t *size)
{
	size_t first = 0, end;

	while (first < count && seen[first].group != group)
		first++;
	for (end = first; end < count && seen[end].group == group; end++)
		;
	*size = end - first;
	return seen + first;
}

/*
 * If the system information counts more CPUs (@online) than the sorted @seen has for the group,
 * appends the other CPUs, with the lowest unused numbers. But if a known CPU has a number of
 * @online or higher, the machine does not number its CPUs consecutively, so the first appended CPU
 * gets no number.
 */
static int add_online(size_t group, uint32_t online, struct cpu_evidence **seen, size_t *count)
{
	struct cpu_evidence more = { group, group, NULL, MM_CPU_UNKNOWN, BY_SYSINFO }, *grown;
	const size_t sorted = *count;
	size_t size, at = 0;
	const struct cpu_evidence *known = part_of(*seen, sorted, group, &size);

	if (size >= online || online > ONLINE_MAX)
		return 0;
	grown = reallocarray(*seen, sorted + online + 1, sizeof(*grown));
	if (!grown)
		return -1;
	known = grown + (known - *seen);
	*seen = grown;
	if (size && known[size - 1].cpu >= online)
		grown[(*count)++] = more;
	for (more.cpu = 0; more.cpu < online && *count - sorted + size < online; more.cpu++) {
		while (at < size && known[at].cpu < more.cpu)
			at++;
		if (at == size || known[at].cpu != more.cpu)
			grown[(*count)++] = more;
	}
	return 0;
}

int missing_cpus_find(const struct missing_cpus *cpus)
{
	struct cpu_search search = { .cpus = cpus };
	size_t room = 1, count, all_count, at = 0;
	struct cpu_group_member *members = calloc(cpus->count + 1, sizeof(*members));
	struct cpu_evidence *own, *all;
	int ret = -1;

	for (size_t i = 0; i < cpus->count; i++)
		room += cpus->traces[i]->stream_count;
	own = calloc(room, sizeof(*own));
	all = calloc(room, sizeof(*all));
	if (!own || !all || !members)
		goto end;
	ret = 0;
	for (size_t i = 0; i < cpus->count; i++)
		find_group(cpus, members, i);
	count = list_streams(cpus, members, own);
	memcpy(all, own, count * sizeof(*all));
	all_count = count;
	ret = list_dumped(cpus, members, &all, &all_count);
	qsort(all, all_count, sizeof(*all), by_cpu_and_kind);
	all_count = unique(all, all_count, by_cpu);
	for (size_t i = 0; i < cpus->count && !ret; i++)
		if (members[i].group == i && members[i].has_boot)
			ret = add_online(i, cpus->online[i], &all, &all_count);
	qsort(all, all_count, sizeof(*all), by_cpu_and_kind);
	qsort(own, count, sizeof(*own), by_class);
	count = unique(own, count, by_class);
	for (size_t i = 0; i < cpus->count && !ret; i++) {
		const struct cpu_evidence *group;
		size_t first = at, group_size;

		while (at < count && own[at].trace == i)
			at++;
		if (cpus->listed[i] || !members[i].per_cpu)
			continue;
		search.trace = i;
		group = part_of(all, all_count, members[i].group, &group_size);
		ret = compare_trace(&search, own + first, at - first, group, group_size);
	}
end:
	free(members);
	free(own);
	free(all);
	return ret;
}
