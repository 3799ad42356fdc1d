// SPDX-License-Identifier: LGPL-2.1-only
/* Finds names for call sites, kinds and threads, which a trace identifies by numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/slab/report/report.h"
#include "reader/report/kworkers.h"

void slab_call_site_name(const struct slab_results *results, uint32_t code, char *text, size_t size)
{
	if (code == SLAB_NO_CODE)
		snprintf(text, size, "(no call site)");
	else if (!mm_call_sites_name(results->call_sites, code, text, size))
		snprintf(text, size, "0x%" PRIx32, code);
}

/*
 * Did the kernel hide symbol addresses from the snapshot? In older snapshots, only an empty list of
 * symbols shows this.
 */
static bool symbols_are_hidden(const struct mm_sysinfo *sysinfo)
{
	const char *symbols = mm_sysinfo_system(sysinfo, "symbols");
	const char *folder = mm_sysinfo_folder(sysinfo);
	char path[4096];
	struct stat st;

	if (symbols || !folder)
		return symbols && !strcmp(symbols, "hidden");
	return snprintf(path, sizeof(path), "%s/symbols.txt", folder) < (int)sizeof(path) &&
	       !stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size;
}

void slab_note_symbols(const struct slab_results *results, struct mm_report *report)
{
	if (symbols_are_hidden(results->sysinfo))
		mm_report_note(
			report,
			"Call sites have no names: the kernel hid the addresses of its symbols when the snapshot was taken. Run `sysctl kernel.kptr_restrict=1` and take another snapshot as root.");
}

void slab_thread_name_shown(const struct slab_results *results, uint32_t tid, char *text,
			    size_t size)
{
	char name[SLAB_THREAD_BYTES];
	size_t length;

	slab_thread_name(results->threads, tid, name, sizeof(name));
	mm_kworker_pool(name, text, size);
	length = strlen(text);
	if (slab_thread_is_interrupt(results->threads, tid))
		snprintf(text + length, size - length, " (interrupt context)");
}

const char *slab_bytes_text(uint64_t bytes, char *text, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double scaled = (double)bytes;
	size_t unit = 0;

	for (; scaled >= 1024 && unit < 4; unit++)
		scaled /= 1024;
	snprintf(text, size, "%.*f %s", unit ? 1 : 0, scaled, units[unit]);
	return text;
}

/* Maximum number of names in the text form. The JSON form contains all names. */
#define SHOWN_MAX 3

void slab_kind_name_shown(const struct slab_results *results, uint32_t kind, bool all, char *text,
			  size_t size)
{
	const struct slab_cache *cache = slab_cache_find(results->caches, kind);
	uint32_t count = cache ? cache->alias_count : 0;
	size_t at;

	slab_kind_name(results->caches, kind, text, size);
	if (!count)
		return;
	at = strlen(text);
	at += (size_t)snprintf(text + at, size - at, " (+%" PRIu32 "%s", count,
			       all ? "" : " merged");
	for (uint32_t i = 0; i < count && i < SHOWN_MAX && all && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ", " : ": ",
				       cache->aliases[i]);
	if (at < size)
		snprintf(text + at, size - at, "%s)", all && count > SHOWN_MAX ? ", ..." : "");
}
