// SPDX-License-Identifier: LGPL-2.1-only
/* Writes page references as comma-separated values, and in libCacheSim's format oracleGeneral. */
#include "analysis/mrc/export.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/mrc/events.h"
#include "analysis/pageref/sampled-pages.h"
#include "analysis/run/passes.h"
#include "reader/open/open.h"
#include "util/escape.h"
#include "util/time.h"

#define NAME(name, number) [number] = #name,
static const char *const kinds[] = { LTTNG_MM_PAGEREF_KINDS(NAME) };
static const char *const causes[] = { LTTNG_MM_PAGEREF_CAUSES(NAME) };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define ROOM_STEP (UINT64_C(1) << 20) /* number of records by which the file grows */

static const char columns[] =
	"time_ns,event,mm,pid,process,address,bytes,index,page,tid,kind,write,user,ip,node,cause\n";

struct oracle_record {
	uint32_t time;
	uint64_t object;
	uint32_t size;
	int64_t next;
} __attribute__((packed));

struct export
{
	struct mrc_pages pages;
	struct mrc_prelude *prelude;
	struct mrc_events events;
	struct mrc_export_gaps *gaps;
	uint64_t count; /* touches so far */
	int64_t first_ns;
	uint32_t object; /* object of the last touch */
	FILE *out;	 /* NULL: the format is oracleGeneral */
	/*
	 * The output file, mapped into memory. A record is completed when its object is touched
	 * again.
	 */
	const char *output;
	int fd;
	struct oracle_record *records;
	uint64_t room;
	/* for each object: index of its last record, plus 1 */
	uint64_t *last;
	size_t last_count, last_room;
};

static int on_touched(void *user, uint32_t object)
{
	struct export *export = user;

	export->object = object;
	while (object >= export->last_count) {
		uint64_t *last = mm_array_grow(export->last, export->last_count, &export->last_room,
					       sizeof(*last));

		if (!last)
			return -1;
		export->last = last;
		last[export->last_count++] = 0;
	}
	return 0;
}

static int on_freed(void *user, uint32_t object)
{
	struct export *export = user;

	if (object < export->last_count)
		export->last[object] = 0;
	return 0;
}

static int fail_output(const struct export *export, int error, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "export: %s: %s", export->output,
			    strerror(error));
}

/*
 * Makes room for more records. Allocates disk space, too: without it, writing to the mapped file on
 * a full disk would end the program with SIGBUS.
 */
static int grow(struct export *export, struct mm_error *err)
{
	const size_t size = export->room * sizeof(struct oracle_record);
	const size_t larger = (export->room + ROOM_STEP) * sizeof(struct oracle_record);
	const int error = posix_fallocate(export->fd, (off_t)size, (off_t)(larger - size));
	void *records;

	if (error)
		return fail_output(export, error, err);
	records = export->records
			  ? mremap(export->records, size, larger, MREMAP_MAYMOVE)
			  : mmap(NULL, larger, PROT_READ | PROT_WRITE, MAP_SHARED, export->fd, 0);
	if (records == MAP_FAILED)
		return fail_output(export, errno, err);
	export->records = records;
	export->room += ROOM_STEP;
	return 0;
}

static int add_record(struct export *export, const struct mm_event *event, struct mm_error *err)
{
	uint64_t *last = &export->last[export->object];
	const uint64_t size = MRC_PAGE_BYTES * export->pages.stack.pages[export->object].weight;

	if (export->count == export->room && grow(export, err))
		return -1;
	if (*last)
		export->records[*last - 1].next = (int64_t)htole64(export->count);
	if (!export->count)
		export->first_ns = event->time_ns;
	export->records[export->count] = (struct oracle_record){
		.time = htole32((uint32_t)(mm_time_difference(event->time_ns, export->first_ns) /
					   1000000000)),
		.object = htole64(export->pages.objects[export->object].id),
		.size = htole32((uint32_t)size),
		.next = (int64_t)htole64(UINT64_MAX),
	};
	*last = ++export->count;
	return 0;
}

static void print_name(FILE *out, const struct mrc_known_space *space)
{
	char *name = space && space->is_named ? mm_escape_to_utf8(space->name, strlen(space->name))
					      : NULL;

	for (const char *c = name; c && *c; c++)
		fputs(*c == '"' ? "\"\"" : (char[]){ *c, 0 }, out);
	free(name);
}

/* Prints the columns that all events have. */
static void print_start(const struct export *export, const struct mm_event *event, const char *what,
			uint32_t mm)
{
	const struct mrc_known_space *space = mrc_prelude_space(export->prelude, mm);

	fprintf(export->out, "%" PRId64 ",%s,%" PRIu32 ",", event->time_ns, what, mm);
	if (space && space->is_named)
		fprintf(export->out, "%" PRIu32, space->pid);
	fputs(",\"", export->out);
	print_name(export->out, space);
	fputs("\",", export->out);
}

static void print_touch(struct export *export, const struct mm_event *event)
{
	const struct mrc_touch_event *last = &export->events.last;
	const struct mrc_touch *touch = &last->touch;

	print_start(export, event, "touch", touch->mm);
	fprintf(export->out,
		"0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%s,%d,%d,0x%" PRIx64
		",%" PRIu32 ",\n",
		touch->address, MRC_PAGE_BYTES * export->pages.stack.pages[export->object].weight,
		export->count++, export->pages.objects[export->object].id, last->tid,
		touch->kind < COUNT_OF(kinds) ? kinds[touch->kind] : "OTHER", touch->is_write,
		last->is_user, last->ip, last->node);
}

static void print_range(const struct export *export, const struct mm_event *event, const char *what,
			uint64_t address, uint64_t pages, const char *cause)
{
	if (!pages)
		return;
	print_start(export, event, what, (uint32_t)event->fields[0].u);
	fprintf(export->out, "0x%" PRIx64 ",%" PRIu64 ",,,,,,,,,%s\n", address,
		pages * MRC_PAGE_BYTES, cause);
}

/* An event whose range is being printed. */
struct printed_event {
	const struct export *export;
	const struct mm_event *event;
	const char *what;
};

static int print_part(void *user, uint64_t first, uint64_t count)
{
	const struct printed_event *printed = user;
	const union mm_scalar *f = printed->event->fields;

	print_range(printed->export, printed->event, printed->what,
		    count == f[2].u ? f[1].u : first << MRC_PAGE_SHIFT, count, "");
	return 0;
}

/* Prints the parts of the range that are in the recorder's sample. */
static void print_sampled(const struct export *export, const struct mm_event *event,
			  const char *what)
{
	pageref_sampled_visit(export->prelude->sample, export->prelude->highest,
			      event->fields[1].u >> MRC_PAGE_SHIFT, event->fields[2].u, print_part,
			      &(struct printed_event){ export, event, what });
}

static void print_other(const struct export *export, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;

	switch (event->type->request) {
	case MRC_ON_AROUND:
		print_sampled(export, event, "around");
		break;
	case MRC_ON_UNSEEN:
		print_sampled(export, event, "unseen");
		break;
	case MRC_ON_GONE:
		print_range(export, event, "gone", f[1].u, f[2].u,
			    f[3].u < COUNT_OF(causes) ? causes[f[3].u] : "OTHER");
		break;
	case MRC_ON_PASS:
		print_start(export, event, f[1].u ? "pass-end" : "pass-start", (uint32_t)f[0].u);
		fputs(",,,,,,,,,,\n", export->out);
		break;
	default:
		break;
	}
}

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct export *export = user;

	if (mrc_events_space(&export->events, event) == MRC_OWN_SPACE)
		return 0;
	export->object = 0;
	if (mrc_events_handle(&export->events, event, &export->pages))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "export: out of memory");
	if (event->type->request == MRC_ON_TOUCH && export->object) {
		if (!export->out)
			return add_record(export, event, err);
		print_touch(export, event);
	} else if (export->out) {
		print_other(export, event);
	}
	return 0;
}

static void on_damage(void *user, const char *message, bool truncated)
{
	struct export *export = user;

	(void)message;
	export->gaps->damaged |= !truncated;
	export->gaps->lossy |= truncated;
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	mrc_events_request(requests, true);
}

static int run(struct export *export, const char *path, const struct mm_source_options *options,
	       struct mm_error *err)
{
	const struct mm_pass pass = {
		.request = request,
		.state = export,
		.handler = { .user = export, .event = on_event, .damaged = on_damage },
	};
	struct mm_source *source = NULL;
	int ret;

	export->prelude = mrc_prelude_read(path, options, false, err);
	if (!export->prelude)
		return -1;
	if (mrc_pages_init(&export->pages, export->prelude, 1))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "export: out of memory");
	export->gaps->recorded = mrc_prelude_recorded(export->prelude);
	export->pages.touched = on_touched;
	export->pages.freed = on_freed;
	export->pages.user = export;
	source = mm_source_open(path, options, err);
	if (source && export->out)
		fputs(columns, export->out);
	ret = mm_pass_run(&pass, source, err);
	for (size_t i = 0; !ret && i < mm_source_loss_count(source); i++)
		export->gaps->lossy |= mm_loss_any(mm_source_loss_at(source, i));
	mm_source_destroy(source);
	return ret;
}

static void release(struct export *export)
{
	mrc_pages_release(&export->pages);
	mrc_prelude_destroy(export->prelude);
	free(export->last);
	free(export);
}

static struct export *create(struct mrc_export_gaps *gaps, struct mm_error *err)
{
	struct export *export = calloc(1, sizeof(*export));

	*gaps = (struct mrc_export_gaps){ 0 };
	if (export)
		export->gaps = gaps;
	else
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "export: out of memory");
	return export;
}

int mrc_export_csv(const char *path, const struct mm_source_options *options, FILE *out,
		   struct mrc_export_gaps *gaps, struct mm_error *err)
{
	struct export *export = create(gaps, err);
	int ret;

	if (!export)
		return -1;
	export->out = out;
	ret = run(export, path, options, err);
	release(export);
	return ret;
}

/* Truncates the file to the records that were written. */
static int end_file(struct export *export, struct mm_error *err)
{
	if (export->records)
		munmap(export->records, export->room * sizeof(struct oracle_record));
	if (ftruncate(export->fd, (off_t)(export->count * sizeof(struct oracle_record))) ||
	    fsync(export->fd))
		return fail_output(export, errno, err);
	return 0;
}

int mrc_export_oracle(const char *path, const struct mm_source_options *options, const char *output,
		      struct mrc_export_gaps *gaps, struct mm_error *err)
{
	struct export *export = create(gaps, err);
	int ret;

	if (!export)
		return -1;
	export->output = output;
	export->fd = open(output, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (export->fd < 0) {
		ret = errno == EEXIST
			      ? mm_error_set(
					err, MM_EXIT_BAD_INPUT,
					"export: %s: the file exists; remove it, or choose another name",
					output)
			      : mm_error_set(err, MM_EXIT_BAD_INPUT, "export: %s: %s", output,
					     strerror(errno));
		release(export);
		return ret;
	}
	ret = run(export, path, options, err);
	if (end_file(export, err))
		ret = -1;
	close(export->fd);
	if (ret)
		unlink(output);
	release(export);
	return ret;
}
