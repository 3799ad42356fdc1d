// SPDX-License-Identifier: LGPL-2.1-only
/* Names for the numbers in the trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/slab/report/report.h"
#include "instrumentation/wire/slab.h"

void slab_name_code(const struct slab_state *state, uint32_t code, char *text, size_t size)
{
	if (code == SLAB_NO_CODE)
		snprintf(text, size, "(no call site)");
	else if (!mm_call_sites_name(&state->call_sites, code, text, size))
		snprintf(text, size, "0x%" PRIx32, code);
}

/*
 * Did the kernel show no addresses when the snapshot was taken? In older snapshots an empty list is
 * all that says so.
 */
static bool symbols_are_hidden(const struct mm_context *context)
{
	const char *symbols = mm_context_system(context, "symbols");
	const char *folder = mm_context_folder(context);
	char path[4096];
	struct stat st;

	if (symbols || !folder)
		return symbols && !strcmp(symbols, "hidden");
	return snprintf(path, sizeof(path), "%s/symbols.txt", folder) < (int)sizeof(path) &&
	       !stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size;
}

void slab_conclude_symbols(const struct slab_state *state, struct mm_report *report)
{
	if (symbols_are_hidden(state->context))
		mm_report_note(
			report,
			"Call sites have no names: the kernel did not show its symbols' addresses to the snapshot. Run `sysctl kernel.kptr_restrict=1` and take another one as root.");
}

#define LABEL(number, bytes, label) [number] = label,

void slab_name_kind(const struct slab_state *state, uint32_t kind, char *text, size_t size)
{
	static const char *const classes[LTTNG_MM_SIZE_CLASS_COUNT] = {
		[SLAB_KIND_LARGE] = "kmalloc-large", LTTNG_MM_SIZE_CLASSES(LABEL)
	};
	uint32_t number = kind - SLAB_KIND_CACHE;

	if (kind == SLAB_KIND_NONE)
		snprintf(text, size, "not known");
	else if (slab_kind_is_kmalloc(kind))
		snprintf(text, size, "%s", classes[kind] ? classes[kind] : "kmalloc-?");
	else if (slab_kind_is_pages(kind))
		snprintf(text, size, "pages of order %" PRIu32, kind - SLAB_KIND_PAGES);
	else if (number < state->cache_count && state->caches[number].known)
		snprintf(text, size, "%s", state->caches[number].name);
	else if (!number)
		snprintf(text, size, "unknown cache");
	else
		snprintf(text, size, "cache %" PRIu32, slab_state_cache_number(state, number));
}

const struct mm_thread *slab_find_thread(const struct slab_state *state, uint32_t tid)
{
	uint32_t number = mm_threads_last(&state->thread_names, (int32_t)tid);

	return number == MM_HASH_NONE ? NULL : &state->thread_names.all[number];
}

const char *slab_traced_name(const struct slab_state *state, uint32_t tid)
{
	uint32_t number = mm_threads_last(&state->thread_names, (int32_t)tid);

	return number == MM_HASH_NONE ? NULL : mm_threads_comm(&state->thread_names, number, NULL);
}

int32_t slab_thread_pid(const struct slab_state *state, uint32_t tid)
{
	uint32_t number = mm_threads_last(&state->thread_names, (int32_t)tid);

	if (number != MM_HASH_NONE)
		return mm_threads_pid(&state->thread_names, number, state->context);
	return tid ? mm_context_pid(state->context, (int)tid) : 0;
}

void slab_name_thread(const struct slab_state *state, uint32_t tid, char *text, size_t size)
{
	uint32_t number = mm_threads_last(&state->thread_names, (int32_t)tid);
	const char *comm;

	if (number != MM_HASH_NONE)
		comm = mm_threads_comm(&state->thread_names, number, state->context);
	else
		comm = tid ? mm_context_comm(state->context, (int)tid) : "swapper";
	if (comm)
		snprintf(text, size, "%s", comm);
	else
		snprintf(text, size, "thread %" PRIu32, tid);
}

bool slab_thread_is_interrupt(const struct slab_state *state, uint32_t tid)
{
	static const char prefix[] = "ksoftirqd/";
	char name[SLAB_THREAD_BYTES];

	slab_name_thread(state, tid, name, sizeof(name));
	return !tid || !strncmp(name, prefix, sizeof(prefix) - 1);
}

void slab_name_thread_shown(const struct slab_state *state, uint32_t tid, char *text, size_t size)
{
	size_t length;

	slab_name_thread(state, tid, text, size);
	length = strlen(text);
	if (slab_thread_is_interrupt(state, tid))
		snprintf(text + length, size - length, " (interrupt context)");
}

static const struct slab_cache *known_cache(const struct slab_state *state, uint32_t kind)
{
	uint32_t number = kind - SLAB_KIND_CACHE;

	return slab_kind_is_cache(kind) && number < state->cache_count &&
			       state->caches[number].known
		       ? &state->caches[number]
		       : NULL;
}

/* So many names are shown; the JSON form has all. */
#define SHOWN_MAX 3

void slab_name_kind_shown(const struct slab_state *state, uint32_t kind, bool all, char *text,
			  size_t size)
{
	const struct slab_cache *cache = known_cache(state, kind);
	uint32_t count = cache ? cache->alias_count : 0;
	size_t at;

	slab_name_kind(state, kind, text, size);
	if (!count)
		return;
	at = strlen(text);
	at += (size_t)snprintf(text + at, size - at, " (+%" PRIu32, count);
	for (uint32_t i = 0; i < count && i < SHOWN_MAX && all && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ", " : ": ",
				       cache->aliases[i]);
	if (at < size)
		snprintf(text + at, size - at, "%s)", all && count > SHOWN_MAX ? ", ..." : "");
}

bool slab_kind_is_unsized(const struct slab_state *state, uint32_t kind)
{
	return slab_kind_is_cache(kind) && !known_cache(state, kind);
}

uint32_t slab_kind_size(const struct slab_state *state, uint32_t kind)
{
	const struct slab_cache *cache = known_cache(state, kind);

	return cache ? cache->size : 0;
}

uint32_t slab_kind_object_size(const struct slab_state *state, uint32_t kind)
{
	const struct slab_cache *cache = known_cache(state, kind);

	return cache ? cache->object_size : 0;
}
