// SPDX-License-Identifier: LGPL-2.1-only
/* The tables of the slab report. */
#include <stddef.h>

#include "analysis/slab/report/schema.h"

/* clang-format off */
#define CALL_SITE \
	{ "call_site", "call site", MM_TEXT, MM_SHORTEN(0, 20), \
	  "call site as function and offset, or its number without system information" }
#define CODE { "call_site_number", NULL, MM_HEX, MM_KEEP, "call-site number" }
#define KIND \
	{ "kind", "kind", MM_TEXT, MM_SHORTEN(0, 12), \
	  "slab cache, kmalloc size class or page order" }

#define RATE(priority) \
	{ "allocations_per_second", "allocs/s", MM_REAL("objects/s"), MM_DROP(priority), \
	  "allocations per second of the time range that the coverage states; null without one" }
#define SHARE \
	{ "allocated_percent", "% of all", MM_REAL("percent"), MM_DROP(1), \
	  "allocated bytes in percent of those of all objects in the trace, and in `page-orders` of all page allocations; null for page allocations in other tables" }

/* The columns that slab_set_sum() fills; @_peak is the title of the peak, NULL: not shown. */
#define SUM_COLUMNS SUM_COLUMNS_PEAK("peak")
#define SUM_COLUMNS_PEAK(_peak) \
	{ "allocations", "allocs", MM_COUNT("objects"), MM_KEEP, "allocations" }, \
	RATE(2), \
	{ "paired", "paired", MM_COUNT("objects"), MM_DROP(6), \
	  "of these, objects whose free is in the trace" }, \
	{ "bytes_requested", "requested", MM_BYTES, MM_DROP(4), "requested bytes" }, \
	{ "bytes_allocated", "allocated", MM_BYTES, MM_KEEP, "allocated bytes" }, \
	SHARE, \
	{ "wasted", "wasted", MM_BYTES, MM_DROP(3), \
	  "internal fragmentation: allocated bytes less requested bytes" }, \
	{ "wasted_percent", "wasted %", MM_REAL("percent"), MM_DROP(1), \
	  "internal fragmentation in percent of the allocated bytes" }, \
	{ "live", "live", MM_COUNT("objects"), MM_DROP(5), "objects that are live at the end" }, \
	{ "live_bytes", "live bytes", MM_BYTES, MM_KEEP, "allocated bytes of these" }, \
	{ "peak_bytes", _peak, MM_BYTES, MM_DROP(2), \
	  "most allocated bytes that were live at one time; null in `totals`: the time series have it" }, \
	{ "median_lifetime_below_ns", "median lifetime", MM_NS, MM_DROP(6), \
	  "upper bound, excluded, of the histogram bucket that has the median lifetime, of an even number the lower middle one; null: there is none" }, \
	{ "remote_frees", "remote frees", MM_COUNT("objects"), MM_DROP(7), \
	  "paired objects that were freed on another CPU than allocated" }, \
	{ "cross_thread_frees", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "objects that were freed by another thread" }, \
	{ "freed_untraced", NULL, MM_COUNT("objects"), MM_KEEP, "objects freed by an untraced path" }, \
	{ "anomalies", NULL, MM_COUNT("objects"), MM_KEEP, "double free or wrong cache" }, \
	{ "undetermined", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "undetermined: events were lost between the allocation and the free" }, \
	{ "freed_by_kfree", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "objects of a cache that were freed by kfree(), or by kfree_rcu() in bulk: the event of the free has no cache" }, \
	{ "size_unknown", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "allocations whose size is not known: they add no bytes" }

/* The columns that set_who() fills. */
#define WHO_COLUMNS \
	{ "allocations", "allocs", MM_COUNT("objects"), MM_KEEP, "allocations" }, \
	RATE(2), \
	{ "frees", "frees", MM_COUNT("objects"), MM_DROP(2), \
	  "frees of objects, whoever allocated them, except the recorder" }, \
	{ "bytes_requested", "requested", MM_BYTES, MM_DROP(6), "requested bytes" }, \
	{ "bytes_allocated", "allocated", MM_BYTES, MM_KEEP, "allocated bytes" }, \
	SHARE, \
	{ "live", "live", MM_COUNT("objects"), MM_DROP(3), "objects that are live at the end" }, \
	{ "live_bytes", "live bytes", MM_BYTES, MM_KEEP, "allocated bytes of these" }, \
	{ "page_allocations", "page allocs", MM_COUNT("allocations"), MM_DROP(3), \
	  "page allocations" }, \
	{ "page_bytes", "bytes of pages", MM_BYTES, MM_KEEP, "allocated bytes of these" }, \
	{ "page_live_bytes", "live in pages", MM_BYTES, MM_DROP(2), \
	  "of these, bytes that are live at the end" }, \
	{ "page_frees", "page frees", MM_COUNT("frees"), MM_DROP(5), \
	  "page frees, with the same exception" }, \
	{ "size_unknown", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "allocations whose size is not known: they add no bytes" }

/* By the quarter of the time in which they were allocated; @q: the titles of those of objects. */
#define IN_QUARTER(n, q, ordinal) \
	{ "live_quarter_" #n, q, MM_COUNT("objects"), MM_KEEP, \
	  "of the live objects, those allocated in the " ordinal " quarter" }
#define BYTES_IN_QUARTER(n, ordinal) \
	{ "bytes_quarter_" #n, NULL, MM_BYTES, MM_KEEP, \
	  "allocated bytes of the live objects allocated in the " ordinal " quarter" }
#define QUARTER_COLUMNS(q1, q2, q3, q4) \
	{ "steady_bytes", "steady", MM_BYTES, MM_KEEP, \
	  "the least of the four values `bytes_quarter_1` to `bytes_quarter_4`" }, \
	{ "steady_objects", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "the least of the four values `live_quarter_1` to `live_quarter_4`" }, \
	IN_QUARTER(1, q1, "first"), IN_QUARTER(2, q2, "second"), \
	IN_QUARTER(3, q3, "third"), IN_QUARTER(4, q4, "last"), \
	BYTES_IN_QUARTER(1, "first"), BYTES_IN_QUARTER(2, "second"), \
	BYTES_IN_QUARTER(3, "third"), BYTES_IN_QUARTER(4, "last")

/* The columns of leak candidates. */
#define LEAK_COLUMNS \
	CALL_SITE, CODE, KIND, \
	{ "live", "live", MM_COUNT("objects"), MM_KEEP, "objects that are live at the end" }, \
	{ "live_bytes", "live bytes", MM_BYTES, MM_KEEP, "allocated bytes of these" }, \
	{ "allocations", "allocs", MM_COUNT("objects"), MM_DROP(2), \
	  "allocations of the call site, in the whole trace" }, \
	{ "paired", "paired", MM_COUNT("objects"), MM_DROP(2), \
	  "of these, objects whose free is in the trace" }, \
	{ "oldest_ns", "oldest", MM_NS, MM_DROP(1), "age of the oldest one at the end" }, \
	{ "youngest_ns", "youngest", MM_NS, MM_DROP(1), "age of the youngest one at the end" }, \
	{ "freed_later", "freed later", MM_COUNT("objects"), MM_KEEP, \
	  "of the live objects, those that are freed after the requested time range; null without an end of it" }
/* clang-format on */

static const struct mm_column consumer_columns[] = {
	{ "kind", "memory", MM_TEXT, MM_SHORTEN(0, 16),
	  "slab cache, kmalloc size class or page order" },
	{ "allocations", "allocs", MM_COUNT("allocations"), MM_DROP(4), "allocations" },
	{ "bytes_allocated", "allocated", MM_BYTES, MM_KEEP, "allocated bytes" },
	{ "growth_bytes", "growth", MM_BYTES, MM_KEEP,
	  "allocated less freed bytes, from when all streams had started; with a positive `slab.frees_size_unknown`, an upper bound for objects; null: not known" },
	{ "reclaimable", "reclaimable", MM_BOOLEAN, MM_DROP(2),
	  "the kernel can free unused objects of the slab cache when memory is short, by the snapshot's system information; null: not known" },
	{ "process", "largest user", MM_TEXT, MM_SHORTEN(0, 16),
	  "process that allocated the most bytes of it, or pool of kworkers" },
	{ "pid", NULL, MM_NUMBER, MM_KEEP, "its process id; null for a pool of kworkers" },
	{ "process_bytes", "its bytes", MM_BYTES, MM_DROP(3), "allocated bytes of that process" },
	{ "call_site", "largest call site", MM_TEXT, MM_SHORTEN(0, 20),
	  "call site that allocated the most bytes of it; null for pages that have none" },
	{ "call_site_number", NULL, MM_HEX, MM_KEEP, "its number" },
	{ "call_site_bytes", NULL, MM_BYTES, MM_KEEP, "allocated bytes of that call site" },
	{ 0 },
};

const struct mm_table_def slab_table_consumers = {
	"consumers", "Largest consumers of memory, by allocated bytes",
	"growth: allocated less freed, even if allocated before; slab objects are part of the pages",
	"each slab cache, kmalloc size class and page order", consumer_columns
};

static const struct mm_column call_site_columns[] = { CALL_SITE, CODE, KIND, SUM_COLUMNS, { 0 } };

const struct mm_table_def slab_table_call_sites = {
	"call-sites", "Call sites, by allocated bytes",
	"paired: freed in the trace; of pages, only bulk allocations have a call site",
	"each call site and kind of object", call_site_columns
};

static const struct mm_column lifetime_columns[] = {
	CODE,
	{ "kind", NULL, MM_TEXT, MM_KEEP, "slab cache, kmalloc size class or page order" },
	{ "from_ns", NULL, MM_NS, MM_KEEP, "lower bound of the lifetime" },
	{ "below_ns", NULL, MM_NS, MM_KEEP, "upper bound, excluded; null: there is none" },
	{ "count", NULL, MM_COUNT("objects"), MM_KEEP, "objects" },
	{ 0 },
};

const struct mm_table_def slab_table_lifetimes = {
	"lifetimes", NULL, NULL,
	"each bucket of a power of two that has objects, of each call site", lifetime_columns
};

static const struct mm_column cache_columns[] = {
	{ "cache", "cache", MM_TEXT, MM_SHORTEN(0, 16), "name of the slab cache" },
	{ "number", NULL, MM_NUMBER, MM_KEEP, "number of the cache in the trace" },
	{ "object_size", "object size", MM_BYTES, MM_DROP(6), "object size" },
	{ "slot_size", "slot size", MM_BYTES, MM_DROP(6), "slot size" },
	SUM_COLUMNS,
	{ "reclaimable", "reclaimable", MM_BOOLEAN, MM_DROP(4),
	  "the kernel can free unused objects of it when memory is short; null: not known" },
	{ "aliases", NULL, MM_LIST, MM_KEEP, "names of the caches that are merged with it" },
	{ 0 },
};

const struct mm_table_def slab_table_caches = { "caches", "Slab caches, by allocated bytes", NULL,
						"each slab cache", cache_columns };

static const struct mm_column class_columns[] = {
	{ "class", "size class", MM_TEXT, MM_KEEP, "kmalloc size class" },
	SUM_COLUMNS,
	{ "most_wasted_at", "most wasted at", MM_TEXT, MM_SHORTEN(6, 20),
	  "the three call sites that waste most" },
	{ 0 },
};

const struct mm_table_def slab_table_size_classes = {
	"size-classes", "Size classes of kmalloc(), by allocated bytes", NULL,
	"each kmalloc size class", class_columns
};

static const struct mm_column total_columns[] = {
	{ "what", "what", MM_TEXT, MM_KEEP, "`kmalloc`, `caches`, `pages` or `not known`" },
	/* The peak of a total is not that of its parts: the time series have it. */
	SUM_COLUMNS_PEAK(NULL),
	{ 0 },
};

const struct mm_table_def slab_table_totals = {
	"totals", "Totals",
	"wasted: slack per object, its slot size less the requested bytes; free slots of slab pages are not covered, as page events do not state the cache",
	"all objects of a kind", total_columns
};

static const struct mm_column most_wasted_columns[] = {
	CALL_SITE,
	KIND,
	{ "wasted", "wasted", MM_BYTES, MM_KEEP, "internal fragmentation: count times slack" },
	{ "object_size", "object size", MM_BYTES, MM_KEEP, "requested bytes of each object" },
	{ "slot_size", "slot size", MM_BYTES, MM_KEEP, "allocated bytes of each object" },
	{ "slack", "slack", MM_BYTES, MM_KEEP, "allocated less requested bytes of each object" },
	{ "count", "count", MM_COUNT("objects"), MM_KEEP, "allocations of that size" },
	{ "first_ns", NULL, MM_NS, MM_KEEP, "time of the first of them, since the Epoch" },
	{ "ptr", NULL, MM_HEX, MM_KEEP, "address of the first of them" },
	{ "process", "first by", MM_TEXT, MM_SHORTEN(1, 12), "process that did the first of them" },
	{ 0 },
};

const struct mm_table_def slab_table_most_wasted = {
	"most-wasted", "Internal fragmentation of call sites and sizes, by wasted bytes",
	"kmalloc() only: the table of slab caches has the slack of theirs",
	"each call site of kmalloc() with each requested size that has internal fragmentation",
	most_wasted_columns
};

static const struct mm_column leak_columns[] = {
	LEAK_COLUMNS,
	QUARTER_COLUMNS("Q1", "Q2", "Q3", "Q4"),
	{ "path", NULL, MM_TEXT, MM_KEEP, "always null" },
	{ 0 },
};

const struct mm_table_def slab_table_leaks = {
	"leaks", "Leak candidates, by steady growth, then by live bytes",
	"oldest, youngest: age at the end of the first stream that ends, or at --end; Q1 to Q4: live objects by quarter of the time, Q1 the first; steady: bytes of the quarter with the least",
	"each call site with leak candidates, those with steady growth first", leak_columns
};

static const struct mm_column leak_uncertain_columns[] = {
	LEAK_COLUMNS,
	QUARTER_COLUMNS(NULL, NULL, NULL, NULL),
	{ "pending_oldest_ns", "pending for", MM_NS, MM_DROP(1),
	  "time since the first of them was passed to kfree_rcu()" },
	{ "pending_youngest_ns", NULL, MM_NS, MM_KEEP,
	  "time since the last of them was passed to kfree_rcu()" },
	{ "path", "may be freed by", MM_TEXT, MM_SHORTEN(0, 20),
	  "untraced path that may have freed them" },
	{ 0 },
};

const struct mm_table_def slab_table_leaks_uncertain = {
	"leaks-uncertain",
	"Live at the end, or freed by an untraced path, by steady growth, then by live bytes", NULL,
	"each call site with objects that an untraced path may have freed", leak_uncertain_columns
};

static const struct mm_column anomaly_columns[] = {
	{ "what", "what", MM_TEXT, MM_SHORTEN(0, 16),
	  "kind of anomaly; empty: the second event of the row above" },
	{ "ptr", "at", MM_HEX, MM_KEEP, "address, as the trace has it" },
	{ "kind", "kind", MM_TEXT, MM_SHORTEN(1, 12),
	  "slab cache, kmalloc size class or page order" },
	{ "event", "event", MM_TEXT, MM_KEEP, "`allocated`, `freed`, `freed again` or `resized`" },
	{ "time_ns", "time", MM_NS, MM_KEEP, "time after the first slab or page event" },
	{ "call_site", "call site", MM_TEXT, MM_SHORTEN(0, 16), "call site of the event" },
	{ "process", "process", MM_TEXT, MM_SHORTEN(2, 12), "process of the event" },
	{ "tid", "thread", MM_NUMBER, MM_DROP(3), "thread id" },
	{ "cpu", "CPU", MM_NUMBER, MM_DROP(4), "CPU of the event" },
	{ "through", "freed through", MM_TEXT, MM_SHORTEN(2, 12), "function or cache of the free" },
	{ "bytes_requested", "requested", MM_BYTES, MM_DROP(5),
	  "requested bytes of the allocation" },
	{ "bytes_allocated", "allocated", MM_BYTES, MM_DROP(5), "allocated bytes" },
	{ 0 },
};

const struct mm_table_def slab_table_anomalies = {
	"anomalies", "Anomalies, with their events", NULL,
	"an event of an anomaly; two in a row belong together", anomaly_columns
};

static const struct mm_column legal_columns[] = {
	{ "what", "what", MM_TEXT, MM_KEEP, "how the free differs from the allocation" },
	{ "count", "count", MM_COUNT("objects"), MM_KEEP, "objects" },
	{ 0 },
};

const struct mm_table_def slab_table_mismatched_frees = { "mismatched-frees",
							  "Mismatched but legal frees", NULL,
							  "each kind of mismatched but legal free",
							  legal_columns };

static const struct mm_column untraced_columns[] = {
	CALL_SITE,
	KIND,
	{ "count", "count", MM_COUNT("objects"), MM_KEEP, "objects freed by an untraced path" },
	{ "by_rcu", "by kfree_rcu()", MM_COUNT("objects"), MM_KEEP,
	  "of these, objects that were passed to kfree_rcu()" },
	{ 0 },
};

const struct mm_table_def slab_table_freed_untraced = {
	"freed-untraced", "Freed by an untraced path: the address was allocated again", NULL,
	"each call site with such objects", untraced_columns
};

static const struct mm_column path_columns[] = {
	{ "path", "path", MM_TEXT, MM_KEEP, "name of the path" },
	{ "function", "function", MM_TEXT, MM_KEEP, "function of the kernel that is the path" },
	{ "state", "state", MM_TEXT, MM_KEEP,
	  "`traced`, `not traced`, `not in this kernel` or `not known`" },
	{ "missed", "missed", MM_COUNT("calls"), MM_KEEP, "calls that the probe missed" },
	{ 0 },
};

const struct mm_table_def slab_table_untraced_paths = {
	"untraced-paths", "Untraced allocation and free paths",
	"those whose calls are all in the trace are not shown",
	"each untraced allocation or free path that concerns the trace", path_columns
};

static const struct mm_column cross_columns[] = {
	{ "call_site", "allocated at", MM_TEXT, MM_SHORTEN(0, 20), "call site of the allocation" },
	CODE,
	KIND,
	{ "cross_node", "sum", MM_COUNT("events"), MM_KEEP, "both of the following together" },
	{ "cross_node_allocations", "cross-node allocs", MM_COUNT("objects"), MM_KEEP,
	  "allocations on a CPU of another NUMA node than the memory's" },
	{ "cross_node_frees", "cross-node frees", MM_COUNT("objects"), MM_KEEP,
	  "frees on such a CPU" },
	{ 0 },
};

const struct mm_table_def slab_table_cross_node = {
	"cross-node", "Cross-node allocations and frees, by their sum",
	"on a CPU of another NUMA node than the memory's; counted after the state dump has reported the nodes",
	"each call site with such objects; not there without two nodes", cross_columns
};

static const struct mm_column process_columns[] = {
	{ "process", "process", MM_TEXT, MM_SHORTEN(0, 16), "name of the process" },
	{ "pid", "pid", MM_NUMBER, MM_DROP(4), "process id" },
	{ "context", NULL, MM_TEXT, MM_KEEP, "`interrupt`, or null" },
	{ "tid", NULL, MM_NUMBER, MM_KEEP, "thread id where the process is not known" },
	WHO_COLUMNS,
	{ 0 },
};

const struct mm_table_def slab_table_processes = {
	"processes", "Processes, by bytes of pages, then of objects",
	"frees: by this process, of what is not left out; live: allocated by it and live at the end",
	"each process", process_columns
};

static const struct mm_column cpu_columns[] = {
	{ "cpu", "CPU", MM_NUMBER, MM_KEEP, "number of the CPU" },
	WHO_COLUMNS,
	{ 0 },
};

const struct mm_table_def slab_table_cpus = {
	"cpus", "CPUs",
	"frees: on this CPU, of what is not left out; live: allocated on it and live at the end",
	"each CPU", cpu_columns
};

static const struct mm_column node_columns[] = {
	{ "node", "node", MM_TEXT, MM_KEEP, "number of the NUMA node, or `not known`" },
	{ "allocations", "allocs", MM_COUNT("objects"), MM_KEEP, "allocations" },
	{ "bytes_requested", "requested", MM_BYTES, MM_KEEP, "requested bytes" },
	{ "bytes_allocated", "allocated", MM_BYTES, MM_KEEP, "allocated bytes" },
	SHARE,
	{ "live", "live", MM_COUNT("objects"), MM_KEEP, "objects that are live at the end" },
	{ "live_bytes", "live bytes", MM_BYTES, MM_KEEP, "allocated bytes of these" },
	{ "page_allocations", "page allocs", MM_COUNT("allocations"), MM_KEEP, "page allocations" },
	{ "size_unknown", NULL, MM_COUNT("objects"), MM_KEEP,
	  "allocations whose size is not known: they add no bytes" },
	{ 0 },
};

const struct mm_table_def slab_table_nodes = { "nodes", "Memory by NUMA node",
					       "live: at the end; frees are not counted by node",
					       "each NUMA node", node_columns };

static const struct mm_column matrix_columns[] = {
	{ "allocated_on", "allocated on CPU", MM_NUMBER, MM_KEEP, "CPU of the allocation" },
	{ "freed_on", "freed on CPU", MM_NUMBER, MM_KEEP, "CPU of the free" },
	{ "count", "count", MM_COUNT("objects"), MM_KEEP, "paired objects and page allocations" },
	{ "percent", "%", MM_REAL("percent"), MM_KEEP, "... in percent of all pairs of CPUs" },
	{ 0 },
};

const struct mm_table_def slab_table_cpu_matrix = {
	"cpu-matrix",
	"Frees of objects and pages by CPU of the allocation and of the free, most first", NULL,
	"each pair of CPUs, the same one included", matrix_columns
};

static const struct mm_column cross_process_columns[] = {
	{ "allocated_by", "allocated by", MM_TEXT, MM_SHORTEN(0, 16), "process that allocated" },
	{ "allocating_pid", "pid", MM_NUMBER, MM_KEEP, "its process id" },
	{ "freed_by", "freed by", MM_TEXT, MM_SHORTEN(0, 16), "process that freed" },
	{ "freeing_pid", "pid", MM_NUMBER, MM_KEEP, "its process id" },
	{ "count", "count", MM_COUNT("objects"), MM_KEEP, "paired objects and page allocations" },
	{ "percent", "% of all", MM_REAL("percent"), MM_KEEP,
	  "... in percent of those of all pairs in the table" },
	{ 0 },
};

const struct mm_table_def slab_table_cross_process_frees = {
	"cross-process-frees", "Cross-process frees, by count", NULL,
	"each pair of processes with a cross-process free", cross_process_columns
};

static const struct mm_column freer_columns[] = {
	CALL_SITE,
	CODE,
	{ "count", "frees", MM_COUNT("frees"), MM_KEEP, "frees" },
	{ "percent", "% of all", MM_REAL("percent"), MM_KEEP,
	  "... in percent of those of all call sites in the table" },
	{ "frees_per_second", "frees/s", MM_REAL("frees/s"), MM_KEEP,
	  "frees per second; null without a time range" },
	{ 0 },
};

const struct mm_table_def slab_table_freeing_call_sites = { "freeing-call-sites",
							    "Freeing call sites, by frees", NULL,
							    "each call site that frees",
							    freer_columns };

static const struct mm_column order_columns[] = {
	{ "order", "order", MM_NUMBER, MM_KEEP, "order of the page allocation" },
	SUM_COLUMNS,
	{ "partly_freed", "partly freed", MM_COUNT("allocations"), MM_DROP(3),
	  "page allocations that were split and partly freed" },
	{ 0 },
};

const struct mm_table_def slab_table_page_orders = {
	"page-orders", "Page allocations by order",
	"partly freed: split and partly freed; only bulk allocations have a call site; the context callstack-kernel has it for all, at a higher cost",
	"each order that has page allocations", order_columns
};

static const struct mm_column flags_columns[] = {
	{ "gfp_flags", "GFP flags", MM_TEXT, MM_SHORTEN(0, 20), "GFP flags" },
	{ "migrate_type", "migrate type", MM_TEXT, MM_KEEP, "migrate type" },
	{ "order", "order", MM_NUMBER, MM_KEEP, "order of the page allocation" },
	{ "allocations", "allocs", MM_COUNT("allocations"), MM_KEEP, "page allocations" },
	{ "pages", "pages", MM_COUNT("pages"), MM_KEEP, "pages of these" },
	{ "pages_percent", "% of all", MM_REAL("percent"), MM_KEEP,
	  "... in percent of those of all combinations" },
	{ 0 },
};

const struct mm_table_def slab_table_page_flags = {
	"page-flags", "Page allocations by GFP flags and migrate type, most pages first", NULL,
	"each combination of GFP flags, migrate type and order", flags_columns
};

static const struct mm_column failed_columns[] = {
	CALL_SITE,
	CODE,
	KIND,
	{ "gfp_flags", "GFP flags", MM_TEXT, MM_SHORTEN(1, 16), "GFP flags" },
	{ "bytes_most", "largest", MM_BYTES, MM_DROP(3), "largest requested size" },
	{ "count", "count", MM_COUNT("events"), MM_KEEP, "failed allocations" },
	{ "process", "process", MM_TEXT, MM_SHORTEN(0, 12),
	  "process whose allocations failed, or pool of kworkers" },
	{ "pid", NULL, MM_NUMBER, MM_KEEP, "its process id; null for a pool of kworkers" },
	{ "first_ns", "first", MM_NS, MM_DROP(2), "time of the first of them, since the Epoch" },
	{ "last_ns", NULL, MM_NS, MM_KEEP, "time of the last of them" },
	{ 0 },
};

const struct mm_table_def slab_table_failed = {
	"failed", "Failed allocations, by count", NULL,
	"each call site, kind, flags and process of a failure", failed_columns
};

static const struct mm_column outcome_columns[] = {
	{ "outcome", "outcome", MM_TEXT, MM_KEEP,
	  "`paired`, `live`, `before_trace`, `freed_untraced`, `anomalies` or `undetermined`" },
	{ "objects", "objects", MM_COUNT("objects"), MM_KEEP, "objects of the slab allocator" },
	{ "pages", "page allocs", MM_COUNT("allocations"), MM_KEEP, "page allocations" },
	{ "meaning", "meaning", MM_TEXT, MM_WRAP(30), "what the outcome means, as a sentence" },
	{ 0 },
};

const struct mm_table_def slab_table_outcomes = {
	"outcomes", "Outcomes", NULL,
	"each outcome: every object and page allocation has exactly one", outcome_columns
};
