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
	  "allocated bytes in percent of the allocated bytes of all objects in the trace (in the table `page-orders`: of all page allocations); null for page allocations in other tables" }

/* Columns that slab_set_sum() fills. @_peak is the title of the peak; NULL: not shown. */
#define SUM_COLUMNS(first) SUM_COLUMNS_PEAK(first, "peak")
#define SUM_COLUMNS_PEAK(first, _peak) \
	[(first) + SLAB_SUM_ALLOCATIONS] = \
	{ "allocations", "allocs", MM_COUNT("objects"), MM_KEEP, "allocations" }, \
	[(first) + SLAB_SUM_RATE] = RATE(2), \
	[(first) + SLAB_SUM_PAIRED] = \
	{ "paired", "paired", MM_COUNT("objects"), MM_DROP(6), \
	  "allocations whose free is in the trace" }, \
	[(first) + SLAB_SUM_BYTES_REQUESTED] = \
	{ "bytes_requested", "requested", MM_BYTES, MM_DROP(4), "requested bytes" }, \
	[(first) + SLAB_SUM_BYTES_ALLOCATED] = \
	{ "bytes_allocated", "allocated", MM_BYTES, MM_KEEP, "allocated bytes" }, \
	[(first) + SLAB_SUM_SHARE] = SHARE, \
	[(first) + SLAB_SUM_WASTED] = \
	{ "wasted", "wasted", MM_BYTES, MM_DROP(3), \
	  "internal fragmentation: allocated minus requested bytes" }, \
	[(first) + SLAB_SUM_WASTED_PERCENT] = \
	{ "wasted_percent", "wasted %", MM_REAL("percent"), MM_DROP(1), \
	  "internal fragmentation in percent of the allocated bytes" }, \
	[(first) + SLAB_SUM_LIVE] = \
	{ "live", "live", MM_COUNT("objects"), MM_DROP(5), "objects that are live at the end" }, \
	[(first) + SLAB_SUM_LIVE_BYTES] = \
	{ "live_bytes", "live bytes", MM_BYTES, MM_KEEP, "allocated bytes of the live objects" }, \
	[(first) + SLAB_SUM_PEAK_BYTES] = \
	{ "peak_bytes", _peak, MM_BYTES, MM_DROP(2), \
	  "maximum of the allocated bytes that were live at a time; null in `totals`, whose peaks the time series show" }, \
	[(first) + SLAB_SUM_MEDIAN_LIFETIME] = \
	{ "median_lifetime_below_ns", "median lifetime", MM_NS, MM_DROP(6), \
	  "upper bound (exclusive) of the histogram bucket that contains the median lifetime (the lower median, if the count is even); null: no median, or no upper bound" }, \
	[(first) + SLAB_SUM_REMOTE_FREES] = \
	{ "remote_frees", "remote frees", MM_COUNT("objects"), MM_DROP(7), \
	  "paired objects that were freed on another CPU than allocated" }, \
	[(first) + SLAB_SUM_CROSS_THREAD_FREES] = \
	{ "cross_thread_frees", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "objects that were freed by another thread" }, \
	[(first) + SLAB_SUM_FREED_UNTRACED] = \
	{ "freed_untraced", NULL, MM_COUNT("objects"), MM_KEEP, "objects freed by an untraced path" }, \
	[(first) + SLAB_SUM_ANOMALIES] = \
	{ "anomalies", NULL, MM_COUNT("objects"), MM_KEEP, "objects that were freed twice or through the wrong cache" }, \
	[(first) + SLAB_SUM_UNDETERMINED] = \
	{ "undetermined", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "objects whose outcome is undetermined: events were lost between the allocation and the free" }, \
	[(first) + SLAB_SUM_FREED_BY_KFREE] = \
	{ "freed_by_kfree", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "objects of a cache that were freed by kfree(), or in bulk by kfree_rcu(): the event of the free does not state the cache" }, \
	[(first) + SLAB_SUM_SIZE_UNKNOWN] = \
	{ "size_unknown", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "allocations whose size is not known: they add no bytes" }

/* Columns that set_who() fills. */
#define WHO_COLUMNS(first) \
	[(first) + SLAB_WHO_ALLOCATIONS] = \
	{ "allocations", "allocs", MM_COUNT("objects"), MM_KEEP, "allocations" }, \
	[(first) + SLAB_WHO_RATE] = RATE(2), \
	[(first) + SLAB_WHO_FREES] = \
	{ "frees", "frees", MM_COUNT("objects"), MM_DROP(2), \
	  "frees of objects, except objects that the recorder allocated" }, \
	[(first) + SLAB_WHO_BYTES_REQUESTED] = \
	{ "bytes_requested", "requested", MM_BYTES, MM_DROP(6), "requested bytes" }, \
	[(first) + SLAB_WHO_BYTES_ALLOCATED] = \
	{ "bytes_allocated", "allocated", MM_BYTES, MM_KEEP, "allocated bytes" }, \
	[(first) + SLAB_WHO_SHARE] = SHARE, \
	[(first) + SLAB_WHO_LIVE] = \
	{ "live", "live", MM_COUNT("objects"), MM_DROP(3), "objects that are live at the end" }, \
	[(first) + SLAB_WHO_LIVE_BYTES] = \
	{ "live_bytes", "live bytes", MM_BYTES, MM_KEEP, "allocated bytes of the live objects" }, \
	[(first) + SLAB_WHO_PAGE_ALLOCATIONS] = \
	{ "page_allocations", "page allocs", MM_COUNT("allocations"), MM_DROP(3), \
	  "page allocations" }, \
	[(first) + SLAB_WHO_PAGE_BYTES] = \
	{ "page_bytes", "bytes of pages", MM_BYTES, MM_KEEP, "allocated bytes of page allocations" }, \
	[(first) + SLAB_WHO_PAGE_LIVE_BYTES] = \
	{ "page_live_bytes", "live in pages", MM_BYTES, MM_DROP(2), \
	  "allocated bytes of page allocations that are live at the end" }, \
	[(first) + SLAB_WHO_PAGE_FREES] = \
	{ "page_frees", "page frees", MM_COUNT("frees"), MM_DROP(5), \
	  "page frees, except frees of pages that the recorder allocated" }, \
	[(first) + SLAB_WHO_SIZE_UNKNOWN] = \
	{ "size_unknown", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "allocations whose size is not known: they add no bytes" }

/* Columns of leak candidates. @q1 to @q4 are the titles of the quarters; NULL: not shown. */
#define IN_QUARTER(n, q, ordinal) \
	[SLAB_LEAK_QUARTER_OBJECTS + (n) - 1] = \
	{ "live_quarter_" #n, q, MM_COUNT("objects"), MM_KEEP, \
	  "live objects that were allocated in the " ordinal " quarter of the time" }
#define BYTES_IN_QUARTER(n, ordinal) \
	[SLAB_LEAK_QUARTER_BYTES + (n) - 1] = \
	{ "bytes_quarter_" #n, NULL, MM_BYTES, MM_KEEP, \
	  "allocated bytes of the live objects that were allocated in the " ordinal " quarter of the time" }
#define LEAK_COLUMNS(q1, q2, q3, q4) \
	[SLAB_LEAK_CALL_SITE] = CALL_SITE, \
	[SLAB_LEAK_CODE] = CODE, \
	[SLAB_LEAK_KIND] = KIND, \
	[SLAB_LEAK_LIVE] = \
	{ "live", "live", MM_COUNT("objects"), MM_KEEP, "objects that are live at the end" }, \
	[SLAB_LEAK_LIVE_BYTES] = \
	{ "live_bytes", "live bytes", MM_BYTES, MM_KEEP, "allocated bytes of the live objects" }, \
	[SLAB_LEAK_ALLOCATIONS] = \
	{ "allocations", "allocs", MM_COUNT("objects"), MM_DROP(2), \
	  "allocations of the call site in the whole trace" }, \
	[SLAB_LEAK_PAIRED] = \
	{ "paired", "paired", MM_COUNT("objects"), MM_DROP(2), \
	  "allocations whose free is in the trace" }, \
	[SLAB_LEAK_OLDEST_NS] = \
	{ "oldest_ns", "oldest", MM_NS, MM_DROP(1), "age of the oldest live object at the end" }, \
	[SLAB_LEAK_YOUNGEST_NS] = \
	{ "youngest_ns", "youngest", MM_NS, MM_DROP(1), "age of the youngest live object at the end" }, \
	[SLAB_LEAK_FREED_LATER] = \
	{ "freed_later", "freed later", MM_COUNT("objects"), MM_KEEP, \
	  "live objects that are freed after the end of the requested time range; null if no end was requested" }, \
	[SLAB_LEAK_STEADY_BYTES] = \
	{ "steady_bytes", "steady", MM_BYTES, MM_KEEP, \
	  "the smallest of `bytes_quarter_1` to `bytes_quarter_4`" }, \
	[SLAB_LEAK_STEADY_OBJECTS] = \
	{ "steady_objects", NULL, MM_COUNT("objects"), MM_KEEP, \
	  "the smallest of `live_quarter_1` to `live_quarter_4`" }, \
	IN_QUARTER(1, q1, "first"), IN_QUARTER(2, q2, "second"), \
	IN_QUARTER(3, q3, "third"), IN_QUARTER(4, q4, "last"), \
	BYTES_IN_QUARTER(1, "first"), BYTES_IN_QUARTER(2, "second"), \
	BYTES_IN_QUARTER(3, "third"), BYTES_IN_QUARTER(4, "last")
/* clang-format on */

static const struct mm_column consumer_columns[] = {
	[SLAB_CONSUMERS_KIND] = { "kind", "memory", MM_TEXT, MM_SHORTEN(0, 16),
				  "slab cache, kmalloc size class or page order" },
	[SLAB_CONSUMERS_ALLOCATIONS] = { "allocations", "allocs", MM_COUNT("allocations"),
					 MM_DROP(4), "allocations" },
	[SLAB_CONSUMERS_BYTES_ALLOCATED] = { "bytes_allocated", "allocated", MM_BYTES, MM_KEEP,
					     "allocated bytes" },
	[SLAB_CONSUMERS_GROWTH_BYTES] = { "growth_bytes", "growth", MM_BYTES, MM_KEEP,
					  "allocated minus freed bytes since all streams had started; an upper bound for objects if `slab.frees_size_unknown` is positive; null: not known" },
	[SLAB_CONSUMERS_RECLAIMABLE] = { "reclaimable", "reclaimable", MM_BOOLEAN, MM_DROP(2),
					 "according to the system information, the kernel can free unused objects of the slab cache when memory is short; null: not known" },
	[SLAB_CONSUMERS_PROCESS] = { "process", "largest user", MM_TEXT, MM_SHORTEN(0, 16),
				     "process, or pool of kworkers, that allocated the most bytes of this memory" },
	[SLAB_CONSUMERS_PID] = { "pid", NULL, MM_NUMBER, MM_KEEP,
				 "process id of `process`; null for a pool of kworkers" },
	[SLAB_CONSUMERS_PROCESS_BYTES] = { "process_bytes", "its bytes", MM_BYTES, MM_DROP(3),
					   "bytes of this memory that `process` allocated" },
	[SLAB_CONSUMERS_CALL_SITE] = { "call_site", "largest call site", MM_TEXT, MM_SHORTEN(1, 17),
				       "call site that allocated the most bytes of this memory; null if even more of these bytes have no known call site" },
	[SLAB_CONSUMERS_CODE] = { "call_site_number", NULL, MM_HEX, MM_KEEP,
				  "number of `call_site`" },
	[SLAB_CONSUMERS_CALL_SITE_BYTES] = { "call_site_bytes", NULL, MM_BYTES, MM_KEEP,
					     "bytes of this memory that `call_site` allocated" },
	{ 0 },
};

const struct mm_table_def slab_table_consumers = {
	"consumers", "Memory by cache, size and page order, by allocated bytes",
	"growth: allocated minus freed bytes; memory of slab objects is also counted as pages",
	"each slab cache, kmalloc size class and page order", consumer_columns
};

static const struct mm_column call_site_columns[] = {
	[SLAB_CALL_SITES_CALL_SITE] = CALL_SITE,
	[SLAB_CALL_SITES_CODE] = CODE,
	[SLAB_CALL_SITES_KIND] = KIND,
	[SLAB_CALL_SITES_OF] = { "of", NULL, MM_TEXT, MM_KEEP,
				 "`kmalloc`, `caches`, `pages` or `not known`" },
	SUM_COLUMNS(SLAB_CALL_SITES_SUM),
	{ 0 },
};

const struct mm_table_def slab_table_call_sites = {
	"call-sites", "Call sites, by allocated bytes",
	"paired: freed in the trace; of page allocations, only bulk allocations have a call site",
	"each call site and kind of object", call_site_columns
};

static const struct mm_column lifetime_columns[] = {
	[SLAB_LIFETIMES_CODE] = CODE,
	[SLAB_LIFETIMES_KIND] = { "kind", NULL, MM_TEXT, MM_KEEP,
				  "slab cache, kmalloc size class or page order" },
	[SLAB_LIFETIMES_FROM_NS] = { "from_ns", NULL, MM_NS, MM_KEEP,
				     "lower bound of the lifetime" },
	[SLAB_LIFETIMES_BELOW_NS] = { "below_ns", NULL, MM_NS, MM_KEEP,
				      "upper bound (exclusive); null: no upper bound" },
	[SLAB_LIFETIMES_COUNT] = { "count", NULL, MM_COUNT("objects"), MM_KEEP, "objects" },
	{ 0 },
};

const struct mm_table_def slab_table_lifetimes = {
	"lifetimes", NULL, NULL,
	"each histogram bucket (a power of two) that is not empty, for each call site and kind of object",
	lifetime_columns
};

static const struct mm_column cache_columns[] = {
	[SLAB_CACHES_CACHE] = { "cache", "cache", MM_TEXT, MM_SHORTEN(0, 16),
				"name of the slab cache" },
	[SLAB_CACHES_NUMBER] = { "number", NULL, MM_NUMBER, MM_KEEP,
				 "number of the cache in the trace" },
	[SLAB_CACHES_OBJECT_SIZE] = { "object_size", "object size", MM_BYTES, MM_DROP(6),
				      "size of an object" },
	[SLAB_CACHES_SLOT_SIZE] = { "slot_size", "slot size", MM_BYTES, MM_DROP(6),
				    "memory that an object occupies in a slab page" },
	SUM_COLUMNS(SLAB_CACHES_SUM),
	[SLAB_CACHES_RECLAIMABLE] = { "reclaimable", "reclaimable", MM_BOOLEAN, MM_DROP(4),
				      "the kernel can free unused objects of the slab cache when memory is short; null: not known" },
	[SLAB_CACHES_ALIASES] = { "aliases", NULL, MM_LIST, MM_KEEP,
				  "names of the caches that the kernel merged into this cache" },
	{ 0 },
};

const struct mm_table_def slab_table_caches = { "caches", "Slab caches, by allocated bytes", NULL,
						"each slab cache", cache_columns };

static const struct mm_column class_columns[] = {
	[SLAB_SIZE_CLASSES_CLASS] = { "class", "size class", MM_TEXT, MM_KEEP,
				      "kmalloc size class" },
	SUM_COLUMNS(SLAB_SIZE_CLASSES_SUM),
	[SLAB_SIZE_CLASSES_MOST_WASTED_AT] = { "most_wasted_at", "most wasted at", MM_TEXT,
					       MM_SHORTEN(6, 20),
					       "the three call sites that waste the most bytes" },
	{ 0 },
};

const struct mm_table_def slab_table_size_classes = {
	"size-classes", "Size classes of kmalloc(), by allocated bytes", NULL,
	"each kmalloc size class", class_columns
};

static const struct mm_column total_columns[] = {
	[SLAB_TOTALS_WHAT] = { "what", "what", MM_TEXT, MM_KEEP,
			       "`kmalloc`, `caches`, `pages` or `not known`" },
	/*
	 * The peak of a total is not the sum of peaks, so the column is not shown. The time series
	 * show the peaks of totals.
	 */
	SUM_COLUMNS_PEAK(SLAB_TOTALS_SUM, NULL),
	{ 0 },
};

const struct mm_table_def slab_table_totals = {
	"totals", "Totals",
	"wasted: slot size minus requested bytes, summed over the objects; free slots of slab pages are not included, because page events do not state the cache",
	"each kind of object", total_columns
};

static const struct mm_column most_wasted_columns[] = {
	[SLAB_WASTED_CALL_SITE] = CALL_SITE,
	[SLAB_WASTED_KIND] = KIND,
	[SLAB_WASTED_BYTES] = { "wasted", "wasted", MM_BYTES, MM_KEEP,
				"internal fragmentation: count times slack" },
	[SLAB_WASTED_OBJECT_SIZE] = { "object_size", "object size", MM_BYTES, MM_KEEP,
				      "requested bytes of each object" },
	[SLAB_WASTED_SLOT_SIZE] = { "slot_size", "slot size", MM_BYTES, MM_KEEP,
				    "allocated bytes of each object" },
	[SLAB_WASTED_SLACK] = { "slack", "slack", MM_BYTES, MM_KEEP,
				"allocated minus requested bytes of each object" },
	[SLAB_WASTED_COUNT] = { "count", "count", MM_COUNT("objects"), MM_KEEP,
				"allocations of this size by the call site" },
	[SLAB_WASTED_FIRST_NS] = { "first_ns", NULL, MM_NS, MM_KEEP,
				   "time of the first of these allocations, since the Epoch" },
	[SLAB_WASTED_PTR] = { "ptr", NULL, MM_HEX, MM_KEEP,
			      "address that the first of these allocations returned" },
	[SLAB_WASTED_PROCESS] = { "process", "first by", MM_TEXT, MM_SHORTEN(1, 12),
				  "process of the first of these allocations" },
	{ 0 },
};

const struct mm_table_def slab_table_most_wasted = {
	"most-wasted", "Internal fragmentation of call sites and sizes, by wasted bytes",
	"kmalloc() only: the table of slab caches shows the fragmentation of slab caches",
	"each call site of kmalloc() with each requested size that has internal fragmentation",
	most_wasted_columns
};

static const struct mm_column leak_columns[] = {
	LEAK_COLUMNS("Q1", "Q2", "Q3", "Q4"),
	[SLAB_LEAKS_PATH] = { "path", NULL, MM_TEXT, MM_KEEP, "always null" },
	{ 0 },
};

const struct mm_table_def slab_table_leaks = {
	"leaks", "Leak candidates, by steady growth, then by live bytes",
	"oldest, youngest: age at the end of the first stream that ends, or at --end; Q1 to Q4: live objects by the quarter of the time in which they were allocated; steady: live bytes of the smallest quarter",
	"each call site with leak candidates, those with steady growth first", leak_columns
};

static const struct mm_column leak_uncertain_columns[] = {
	LEAK_COLUMNS(NULL, NULL, NULL, NULL),
	[SLAB_UNCERTAIN_PENDING_OLDEST_NS] = { "pending_oldest_ns", "pending for", MM_NS,
					       MM_DROP(1),
					       "time since the first of these objects was passed to kfree_rcu()" },
	[SLAB_UNCERTAIN_PENDING_YOUNGEST_NS] = { "pending_youngest_ns", NULL, MM_NS, MM_KEEP,
						 "time since the last of these objects was passed to kfree_rcu()" },
	[SLAB_UNCERTAIN_PATH] = { "path", "may be freed by", MM_TEXT, MM_SHORTEN(0, 20),
				  "untraced path that may have freed these objects" },
	{ 0 },
};

const struct mm_table_def slab_table_leaks_uncertain = {
	"leaks-uncertain",
	"Live at the end, or freed by an untraced path (by steady growth, then by live bytes)",
	NULL, "each call site with objects that an untraced path may have freed",
	leak_uncertain_columns
};

static const struct mm_column anomaly_columns[] = {
	[SLAB_ANOMALIES_WHAT] = { "what", "what", MM_TEXT, MM_SHORTEN(0, 16),
				  "kind of anomaly; empty: the second event of the row above" },
	[SLAB_ANOMALIES_PTR] = { "ptr", "at", MM_HEX, MM_KEEP, "address as recorded in the trace" },
	[SLAB_ANOMALIES_KIND] = { "kind", "kind", MM_TEXT, MM_SHORTEN(1, 12),
				  "slab cache, kmalloc size class or page order" },
	[SLAB_ANOMALIES_EVENT] = { "event", "event", MM_TEXT, MM_KEEP,
				   "`allocated`, `freed`, `freed again` or `resized`" },
	[SLAB_ANOMALIES_TIME_NS] = { "time_ns", "time", MM_NS, MM_KEEP,
				     "time after the first slab or page event" },
	[SLAB_ANOMALIES_CALL_SITE] = { "call_site", "call site", MM_TEXT, MM_SHORTEN(0, 16),
				       "call site of the event" },
	[SLAB_ANOMALIES_PROCESS] = { "process", "process", MM_TEXT, MM_SHORTEN(2, 12),
				     "process of the event" },
	[SLAB_ANOMALIES_TID] = { "tid", "thread", MM_NUMBER, MM_DROP(3), "thread id" },
	[SLAB_ANOMALIES_CPU] = { "cpu", "CPU", MM_NUMBER, MM_DROP(4), "CPU of the event" },
	[SLAB_ANOMALIES_THROUGH] = { "through", "freed through", MM_TEXT, MM_SHORTEN(2, 12),
				     "function or cache of the free" },
	[SLAB_ANOMALIES_BYTES_REQUESTED] = { "bytes_requested", "requested", MM_BYTES, MM_DROP(5),
					     "requested bytes of the allocation" },
	[SLAB_ANOMALIES_BYTES_ALLOCATED] = { "bytes_allocated", "allocated", MM_BYTES, MM_DROP(5),
					     "allocated bytes" },
	{ 0 },
};

const struct mm_table_def slab_table_anomalies = {
	"anomalies", "Anomalies, with their events", NULL,
	"each event of an anomaly; two consecutive rows belong to one anomaly", anomaly_columns
};

static const struct mm_column legal_columns[] = {
	[SLAB_MISMATCHED_WHAT] = { "what", "what", MM_TEXT, MM_KEEP,
				   "how the free differs from the allocation" },
	[SLAB_MISMATCHED_COUNT] = { "count", "count", MM_COUNT("objects"), MM_KEEP, "objects" },
	{ 0 },
};

const struct mm_table_def slab_table_mismatched_frees = { "mismatched-frees",
							  "Mismatched but legal frees", NULL,
							  "each kind of mismatched but legal free",
							  legal_columns };

static const struct mm_column untraced_columns[] = {
	[SLAB_UNTRACED_CALL_SITE] = CALL_SITE,
	[SLAB_UNTRACED_KIND] = KIND,
	[SLAB_UNTRACED_COUNT] = { "count", "count", MM_COUNT("objects"), MM_KEEP,
				  "objects freed by an untraced path" },
	[SLAB_UNTRACED_BY_RCU] = { "by_rcu", "by kfree_rcu()", MM_COUNT("objects"), MM_KEEP,
				   "objects freed by an untraced path that were passed to kfree_rcu()" },
	{ 0 },
};

const struct mm_table_def slab_table_freed_untraced = {
	"freed-untraced", "Freed by an untraced path: the address was allocated again", NULL,
	"each call site with objects that an untraced path freed", untraced_columns
};

static const struct mm_column path_columns[] = {
	[SLAB_PATHS_PATH] = { "path", "path", MM_TEXT, MM_KEEP,
			      "name of the allocation or free path" },
	[SLAB_PATHS_FUNCTION] = { "function", "function", MM_TEXT, MM_KEEP,
				  "kernel function that allocates or frees on this path" },
	[SLAB_PATHS_STATE] = { "state", "state", MM_TEXT, MM_KEEP,
			       "`traced`, `not traced`, `not in this kernel` or `not known`" },
	[SLAB_PATHS_MISSED] = { "missed", "missed", MM_COUNT("calls"), MM_KEEP,
				"calls that the probe missed" },
	{ 0 },
};

const struct mm_table_def slab_table_untraced_paths = {
	"untraced-paths", "Untraced allocation and free paths",
	"paths whose calls are all in the trace are not shown",
	"each untraced allocation or free path that affects the trace", path_columns
};

static const struct mm_column cross_columns[] = {
	[SLAB_CROSS_NODE_CALL_SITE] = { "call_site", "allocated at", MM_TEXT, MM_SHORTEN(0, 20),
					"call site of the allocation" },
	[SLAB_CROSS_NODE_CODE] = CODE,
	[SLAB_CROSS_NODE_KIND] = KIND,
	[SLAB_CROSS_NODE_SUM] = { "cross_node", "sum", MM_COUNT("events"), MM_KEEP,
				  "sum of `cross_node_allocations` and `cross_node_frees`" },
	[SLAB_CROSS_NODE_ALLOCATIONS] = { "cross_node_allocations", "cross-node allocs",
					  MM_COUNT("objects"), MM_KEEP,
					  "allocations on a CPU of another NUMA node than the memory's" },
	[SLAB_CROSS_NODE_FREES] = { "cross_node_frees", "cross-node frees", MM_COUNT("objects"),
				    MM_KEEP,
				    "frees on a CPU of another NUMA node than the memory's" },
	{ 0 },
};

const struct mm_table_def slab_table_cross_node = {
	"cross-node", "Cross-node allocations and frees, by their sum",
	"on a CPU of another NUMA node than the memory's; counted after the state dump has reported the nodes",
	"each call site with cross-node allocations or frees; absent on a machine with one node",
	cross_columns
};

static const struct mm_column process_columns[] = {
	[SLAB_PROCESSES_PROCESS] = { "process", "process", MM_TEXT, MM_SHORTEN(0, 16),
				     "name of the process" },
	[SLAB_PROCESSES_PID] = { "pid", "pid", MM_NUMBER, MM_KEEP, "process id" },
	[SLAB_PROCESSES_CONTEXT] = { "context", NULL, MM_TEXT, MM_KEEP, "`interrupt`, or null" },
	[SLAB_PROCESSES_TID] = { "tid", NULL, MM_NUMBER, MM_KEEP,
				 "thread id; null if the process is known" },
	WHO_COLUMNS(SLAB_PROCESSES_WHO),
	{ 0 },
};

const struct mm_table_def slab_table_processes = {
	"processes", "Processes, by bytes of pages, then of objects",
	"frees: by this process, without the recorder's objects; live: allocated by this process and live at the end",
	"each process", process_columns
};

static const struct mm_column cpu_columns[] = {
	[SLAB_CPUS_CPU] = { "cpu", "CPU", MM_NUMBER, MM_KEEP, "number of the CPU" },
	WHO_COLUMNS(SLAB_CPUS_WHO),
	{ 0 },
};

const struct mm_table_def slab_table_cpus = {
	"cpus", "CPUs",
	"frees: on this CPU, without the recorder's objects; live: allocated on this CPU and live at the end",
	"each CPU", cpu_columns
};

static const struct mm_column node_columns[] = {
	[SLAB_NODES_NODE] = { "node", "node", MM_TEXT, MM_KEEP,
			      "number of the NUMA node, or `not known`" },
	[SLAB_NODES_ALLOCATIONS] = { "allocations", "allocs", MM_COUNT("objects"), MM_KEEP,
				     "allocations" },
	[SLAB_NODES_BYTES_REQUESTED] = { "bytes_requested", "requested", MM_BYTES, MM_KEEP,
					 "requested bytes" },
	[SLAB_NODES_BYTES_ALLOCATED] = { "bytes_allocated", "allocated", MM_BYTES, MM_KEEP,
					 "allocated bytes" },
	[SLAB_NODES_SHARE] = SHARE,
	[SLAB_NODES_LIVE] = { "live", "live", MM_COUNT("objects"), MM_KEEP,
			      "objects that are live at the end" },
	[SLAB_NODES_LIVE_BYTES] = { "live_bytes", "live bytes", MM_BYTES, MM_KEEP,
				    "allocated bytes of the live objects" },
	[SLAB_NODES_PAGE_ALLOCATIONS] = { "page_allocations", "page allocs",
					  MM_COUNT("allocations"), MM_KEEP, "page allocations" },
	[SLAB_NODES_SIZE_UNKNOWN] = { "size_unknown", NULL, MM_COUNT("objects"), MM_KEEP,
				      "allocations whose size is not known: they add no bytes" },
	{ 0 },
};

const struct mm_table_def slab_table_nodes = { "nodes", "Memory by NUMA node",
					       "live: at the end; frees are not counted by node",
					       "each NUMA node", node_columns };

static const struct mm_column matrix_columns[] = {
	[SLAB_CPU_MATRIX_ALLOCATED_ON] = { "allocated_on", "allocated on CPU", MM_NUMBER, MM_KEEP,
					   "CPU of the allocation" },
	[SLAB_CPU_MATRIX_FREED_ON] = { "freed_on", "freed on CPU", MM_NUMBER, MM_KEEP,
				       "CPU of the free" },
	[SLAB_CPU_MATRIX_COUNT] = { "count", "count", MM_COUNT("objects"), MM_KEEP,
				    "paired objects and page allocations" },
	[SLAB_CPU_MATRIX_PERCENT] = { "percent", "%", MM_REAL("percent"), MM_KEEP,
				      "`count` in percent of its sum over all pairs of CPUs" },
	{ 0 },
};

const struct mm_table_def slab_table_cpu_matrix = {
	"cpu-matrix",
	"Frees of objects and pages by CPU of the allocation and of the free, most first", NULL,
	"each pair of CPUs, including a CPU with itself", matrix_columns
};

static const struct mm_column cross_process_columns[] = {
	[SLAB_CROSS_PROCESS_ALLOCATED_BY] = { "allocated_by", "allocated by", MM_TEXT,
					      MM_SHORTEN(0, 16), "process that allocated" },
	[SLAB_CROSS_PROCESS_ALLOCATING_PID] = { "allocating_pid", "pid", MM_NUMBER, MM_KEEP,
						"process id of `allocated_by`" },
	[SLAB_CROSS_PROCESS_FREED_BY] = { "freed_by", "freed by", MM_TEXT, MM_SHORTEN(0, 16),
					  "process that freed" },
	[SLAB_CROSS_PROCESS_FREEING_PID] = { "freeing_pid", "pid", MM_NUMBER, MM_KEEP,
					     "process id of `freed_by`" },
	[SLAB_CROSS_PROCESS_COUNT] = { "count", "count", MM_COUNT("objects"), MM_KEEP,
				       "paired objects and page allocations" },
	[SLAB_CROSS_PROCESS_PERCENT] = { "percent", "% of all", MM_REAL("percent"), MM_KEEP,
					 "`count` in percent of its sum over all pairs in the table" },
	{ 0 },
};

const struct mm_table_def slab_table_cross_process_frees = {
	"cross-process-frees", "Cross-process frees, by count", NULL,
	"each pair of processes with a cross-process free", cross_process_columns
};

static const struct mm_column freer_columns[] = {
	[SLAB_FREERS_CALL_SITE] = CALL_SITE,
	[SLAB_FREERS_CODE] = CODE,
	[SLAB_FREERS_COUNT] = { "count", "frees", MM_COUNT("frees"), MM_KEEP, "frees" },
	[SLAB_FREERS_PERCENT] = { "percent", "% of all", MM_REAL("percent"), MM_KEEP,
				  "`count` in percent of its sum over all call sites in the table" },
	[SLAB_FREERS_RATE] = { "frees_per_second", "frees/s", MM_REAL("frees/s"), MM_KEEP,
			       "frees per second; null without a time range" },
	{ 0 },
};

const struct mm_table_def slab_table_freeing_call_sites = { "freeing-call-sites",
							    "Freeing call sites, by frees", NULL,
							    "each call site that frees",
							    freer_columns };

static const struct mm_column order_columns[] = {
	[SLAB_PAGE_ORDERS_ORDER] = { "order", "order", MM_NUMBER, MM_KEEP,
				     "order of the page allocation" },
	SUM_COLUMNS(SLAB_PAGE_ORDERS_SUM),
	[SLAB_PAGE_ORDERS_PARTLY_FREED] = { "partly_freed", "partly freed", MM_COUNT("allocations"),
					    MM_DROP(3),
					    "page allocations that were split and partly freed" },
	{ 0 },
};

const struct mm_table_def slab_table_page_orders = {
	"page-orders", "Page allocations by order",
	"partly freed: split and partly freed; only bulk allocations have a call site; record --callstack adds the call sites of all page allocations, at a higher cost",
	"each order that has page allocations", order_columns
};

static const struct mm_column flags_columns[] = {
	[SLAB_PAGE_FLAGS_GFP_FLAGS] = { "gfp_flags", "GFP flags", MM_TEXT, MM_SHORTEN(0, 20),
					"GFP flags" },
	[SLAB_PAGE_FLAGS_MIGRATE_TYPE] = { "migrate_type", "migrate type", MM_TEXT, MM_KEEP,
					   "migrate type" },
	[SLAB_PAGE_FLAGS_ORDER] = { "order", "order", MM_NUMBER, MM_KEEP,
				    "order of the page allocation" },
	[SLAB_PAGE_FLAGS_ALLOCATIONS] = { "allocations", "allocs", MM_COUNT("allocations"), MM_KEEP,
					  "page allocations" },
	[SLAB_PAGE_FLAGS_PAGES] = { "pages", "pages", MM_COUNT("pages"), MM_KEEP,
				    "pages of the page allocations" },
	[SLAB_PAGE_FLAGS_PAGES_PERCENT] = { "pages_percent", "% of all", MM_REAL("percent"),
					    MM_KEEP,
					    "`pages` in percent of its sum over all combinations" },
	{ 0 },
};

const struct mm_table_def slab_table_page_flags = {
	"page-flags", "Page allocations by GFP flags and migrate type, most pages first", NULL,
	"each combination of GFP flags, migrate type and order", flags_columns
};

static const struct mm_column failed_columns[] = {
	[SLAB_FAILED_CALL_SITE] = CALL_SITE,
	[SLAB_FAILED_CODE] = CODE,
	[SLAB_FAILED_KIND] = KIND,
	[SLAB_FAILED_GFP_FLAGS] = { "gfp_flags", "GFP flags", MM_TEXT, MM_SHORTEN(1, 16),
				    "GFP flags" },
	[SLAB_FAILED_BYTES_MOST] = { "bytes_most", "largest", MM_BYTES, MM_DROP(3),
				     "largest requested size" },
	[SLAB_FAILED_COUNT] = { "count", "count", MM_COUNT("events"), MM_KEEP,
				"failed allocations" },
	[SLAB_FAILED_PROCESS] = { "process", "process", MM_TEXT, MM_SHORTEN(0, 12),
				  "process whose allocations failed, or pool of kworkers" },
	[SLAB_FAILED_PID] = { "pid", NULL, MM_NUMBER, MM_KEEP,
			      "process id of `process`; null for a pool of kworkers" },
	[SLAB_FAILED_FIRST_NS] = { "first_ns", "first", MM_NS, MM_DROP(2),
				   "time of the first failure, since the Epoch" },
	[SLAB_FAILED_LAST_NS] = { "last_ns", NULL, MM_NS, MM_KEEP,
				  "time of the last failure, since the Epoch" },
	{ 0 },
};

const struct mm_table_def slab_table_failed = {
	"failed", "Failed allocations, by count", NULL,
	"each call site, kind, flags and process of a failure", failed_columns
};

static const struct mm_column outcome_columns[] = {
	[SLAB_OUTCOMES_OUTCOME] = { "outcome", "outcome", MM_TEXT, MM_KEEP,
				    "`paired`, `live`, `before_trace`, `freed_untraced`, `anomalies` or `undetermined`" },
	[SLAB_OUTCOMES_OBJECTS] = { "objects", "objects", MM_COUNT("objects"), MM_KEEP,
				    "objects of the slab allocator" },
	[SLAB_OUTCOMES_PAGES] = { "pages", "page allocs", MM_COUNT("allocations"), MM_KEEP,
				  "page allocations" },
	[SLAB_OUTCOMES_MEANING] = { "meaning", "meaning", MM_TEXT, MM_WRAP(30),
				    "what the outcome means, as a sentence" },
	{ 0 },
};

const struct mm_table_def slab_table_outcomes = {
	"outcomes", "Outcomes", NULL,
	"each outcome: every object and page allocation has exactly one", outcome_columns
};
