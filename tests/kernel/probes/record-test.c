// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe that tests the probe library (provider "recordtest"). It has a tracepoint with 48 bytes
 * in 12 fields, which are recorded as one packed record.
 *
 *   recordtest_packed      from the tracepoint, by lttng_mm_record()
 *   recordtest_fast        the same record by the fast path only; refused records are lost
 *   recordtest_general     the same record by the general path only
 *   recordtest_long        the largest record: 128 bytes in 32 fields; fired by `fire_text`
 *   recordtest_text        numbers and three strings: one is empty, one is truncated
 *   recordclass_NNNN       described at run time; the parameter `classes` is their number
 *
 * Writing N to the parameter `fire` fires the tracepoint for 1 to N, twice, and prints the cost of
 * the second round. `fire_text` and `fire_classes` fire the other events once for each of 1 to N.
 */

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <probes/lib/attach.h>
#include <probes/lib/call-site.h>
#include <probes/lib/descriptor.h>
#include <probes/lib/events.h>
#include <probes/lib/module.h>
#include "record-test.h"

static unsigned int classes = 1000;
module_param(classes, uint, 0444);
/* Numbers of records that the fast path wrote, and that it refused. */
static unsigned int written, refused;
module_param(written, uint, 0644);
module_param(refused, uint, 0644);
/* Number of records of recordtest_long that the fast path wrote. */
static unsigned int long_written;
module_param(long_written, uint, 0644);

/* The expected layout of the record. */
struct packed_values {
	struct lttng_mm_header header;
	struct record_values values;
};

struct long_values {
	struct lttng_mm_header header;
	__le32 fields[32]; /* field I of record N has the value 1000 * N + I */
};

enum { TEXT_MAX = 16 };
struct text_values {
	struct lttng_mm_header header;
	u8 bytes[sizeof(u32) + 3 * TEXT_MAX];
};

DEFINE_TRACE(recordtest_hit, TP_PROTO(const struct record_values *values), TP_ARGS(values));

static struct lttng_kernel_probe_desc lttng_mm_provider_recordtest;
static struct lttng_mm_provider *made;

/* clang-format off */
lttng_mm_enum(recordtest_kind, lttng_mm_provider_recordtest,
	lttng_kernel_static_enum_entry_value("ZERO", 0)
	lttng_kernel_static_enum_entry_value("ONE", 1)
	lttng_kernel_static_enum_entry_value("TWO", 2));

lttng_mm_enum(recordbad_unsorted, lttng_mm_provider_recordtest,
	lttng_kernel_static_enum_entry_value("ONE", 1)
	lttng_kernel_static_enum_entry_value("ZERO", 0));
lttng_mm_enum(recordbad_shared, lttng_mm_provider_recordtest,
	lttng_kernel_static_enum_entry_value("ONE", 1)
	lttng_kernel_static_enum_entry_value("UNO", 1));
lttng_mm_enum(recordbad_twice, lttng_mm_provider_recordtest,
	lttng_kernel_static_enum_entry_value("ONE", 1)
	lttng_kernel_static_enum_entry_value("ONE", 2));

#define values_fields							\
	lttng_mm_field_uint(number, 32),				\
	lttng_mm_field_hex(call_site, 32),				\
	lttng_mm_field_uint(product, 64),				\
	lttng_mm_field_hex(address, 64),				\
	lttng_mm_field_int(negative, 32),				\
	lttng_mm_field_uint(low, 16),					\
	lttng_mm_field_hex(hex, 16),					\
	lttng_mm_field_enum(kind, 8, &recordtest_kind),			\
	lttng_mm_field_uint(level, 8),					\
	lttng_mm_field_int(small, 16),					\
	lttng_mm_field_uint(half, 32),					\
	lttng_mm_field_hex(last, 64)
#define lttng_mm_recordtest_packed_fields	values_fields
#define lttng_mm_recordtest_fast_fields		values_fields
#define lttng_mm_recordtest_general_fields	values_fields
#define lttng_mm_recordtest_long_fields					\
	lttng_mm_field_uint(f00, 32), lttng_mm_field_uint(f01, 32),	\
	lttng_mm_field_uint(f02, 32), lttng_mm_field_uint(f03, 32),	\
	lttng_mm_field_uint(f04, 32), lttng_mm_field_uint(f05, 32),	\
	lttng_mm_field_uint(f06, 32), lttng_mm_field_uint(f07, 32),	\
	lttng_mm_field_uint(f08, 32), lttng_mm_field_uint(f09, 32),	\
	lttng_mm_field_uint(f10, 32), lttng_mm_field_uint(f11, 32),	\
	lttng_mm_field_uint(f12, 32), lttng_mm_field_uint(f13, 32),	\
	lttng_mm_field_uint(f14, 32), lttng_mm_field_uint(f15, 32),	\
	lttng_mm_field_uint(f16, 32), lttng_mm_field_uint(f17, 32),	\
	lttng_mm_field_uint(f18, 32), lttng_mm_field_uint(f19, 32),	\
	lttng_mm_field_uint(f20, 32), lttng_mm_field_uint(f21, 32),	\
	lttng_mm_field_uint(f22, 32), lttng_mm_field_uint(f23, 32),	\
	lttng_mm_field_uint(f24, 32), lttng_mm_field_uint(f25, 32),	\
	lttng_mm_field_uint(f26, 32), lttng_mm_field_uint(f27, 32),	\
	lttng_mm_field_uint(f28, 32), lttng_mm_field_uint(f29, 32),	\
	lttng_mm_field_uint(f30, 32), lttng_mm_field_uint(f31, 32)
#define lttng_mm_recordtest_text_fields					\
	lttng_mm_field_uint(number, 32),				\
	lttng_mm_field_text(name),					\
	lttng_mm_field_text(empty),					\
	lttng_mm_field_text(cut)
/* clang-format on */

/* All events share one hook of the tracepoint. */
enum { lttng_mm_hook_hit, HOOKS };

LTTNG_MM_DECLARE_TRACE(lttng_mm_recordtest_packed, TP_PROTO(struct packed_values *rec),
		       TP_ARGS(rec));
LTTNG_MM_DECLARE_TRACE(lttng_mm_recordtest_fast, TP_PROTO(struct packed_values *rec), TP_ARGS(rec));
LTTNG_MM_DECLARE_TRACE(lttng_mm_recordtest_general, TP_PROTO(struct packed_values *rec),
		       TP_ARGS(rec));
LTTNG_MM_DECLARE_TRACE(recordtest_long, TP_PROTO(struct long_values *rec), TP_ARGS(rec));
LTTNG_MM_DECLARE_TRACE(recordtest_text, TP_PROTO(struct text_values *rec, size_t len),
		       TP_ARGS(rec, len));
LTTNG_MM_DECLARE_TRACE(recordtest_classes, TP_PROTO(struct packed_values *rec), TP_ARGS(rec));

static void on_hit(void *unused, const struct record_values *values)
{
	struct packed_values rec LTTNG_MM_NO_CLEAR;

	preempt_disable_notrace();
	rec.values = *values;
	lttng_mm_fire(recordtest_packed, &rec);
	lttng_mm_fire(recordtest_fast, &rec);
	lttng_mm_fire(recordtest_general, &rec);
	preempt_enable_notrace();
}

/* Compile-time test: a callback must have the tracepoint's parameters. */
void on_other(void *unused, const struct packed_values *values);
void on_more(void *unused, const struct record_values *values, int more);
void on_less(void *unused);
static_assert(lttng_mm_callback_fits(recordtest_hit, on_hit));
static_assert(!lttng_mm_callback_fits(recordtest_hit, on_other));
static_assert(!lttng_mm_callback_fits(recordtest_hit, on_more));
static_assert(!lttng_mm_callback_fits(recordtest_hit, on_less));

static void attach(unsigned int hook)
{
	WARN_ON(tracepoint_probe_register(&__tracepoint_recordtest_hit, on_hit, NULL));
}

static void detach(unsigned int hook)
{
	tracepoint_probe_unregister(&__tracepoint_recordtest_hit, on_hit, NULL);
}

static struct lttng_mm_hook hooks[HOOKS];
static struct lttng_mm_hooks record_hooks = {
	.owner = THIS_MODULE,
	.hook = hooks,
	.count = HOOKS,
	.attach = attach,
	.detach = detach,
};
#define LTTNG_MM_PROBE_HOOKS record_hooks

static void probe_packed(void *event, struct packed_values *rec);
lttng_mm_event_desc(static, recordtest, recordtest_packed, "lttng_mm_recordtest_packed",
		    probe_packed);
static void probe_packed(void *event, struct packed_values *rec)
{
	lttng_mm_record(event, &lttng_mm_class_recordtest_packed, rec, sizeof(rec->values));
}
lttng_mm_trace_hooked(recordtest_packed, hit, struct packed_values *rec);

static void probe_fast(void *event, struct packed_values *rec);
lttng_mm_event_desc(static, recordtest, recordtest_fast, "lttng_mm_recordtest_fast", probe_fast);
static void probe_fast(void *event, struct packed_values *rec)
{
	struct lttng_kernel_event_common *common = event;

	if (common->type != LTTNG_KERNEL_EVENT_TYPE_RECORDER)
		return;
	if (lttng_mm_ring_buffer_write(
		    container_of(common, struct lttng_kernel_event_recorder, parent), rec,
		    sizeof(rec->values), 0))
		written++;
	else
		refused++;
}
lttng_mm_trace_hooked(recordtest_fast, hit, struct packed_values *rec);

static void probe_general(void *event, struct packed_values *rec);
lttng_mm_event_desc(static, recordtest, recordtest_general, "lttng_mm_recordtest_general",
		    probe_general);
static void probe_general(void *event, struct packed_values *rec)
{
	lttng_mm_record_general(event, &lttng_mm_class_recordtest_general, &rec->values,
				sizeof(rec->values));
}
lttng_mm_trace_hooked(recordtest_general, hit, struct packed_values *rec);

static void probe_long(void *event, struct long_values *rec);
lttng_mm_event_desc(static, recordtest, recordtest_long, "recordtest_long", probe_long);
static void probe_long(void *event, struct long_values *rec)
{
	struct lttng_kernel_event_common *common = event;

	if (common->type == LTTNG_KERNEL_EVENT_TYPE_RECORDER && !READ_ONCE(common->eval_filter) &&
	    lttng_mm_ring_buffer_write(
		    container_of(common, struct lttng_kernel_event_recorder, parent), rec,
		    sizeof(rec->fields), 0))
		long_written++;
	else
		lttng_mm_record_general(event, &lttng_mm_class_recordtest_long, rec->fields,
					sizeof(rec->fields));
}
DEFINE_TRACE(recordtest_long, TP_PROTO(struct long_values *rec), TP_ARGS(rec));

static void probe_text(void *event, struct text_values *rec, size_t len);
lttng_mm_event_desc(static, recordtest, recordtest_text, "recordtest_text", probe_text);
static void probe_text(void *event, struct text_values *rec, size_t len)
{
	lttng_mm_record(event, &lttng_mm_class_recordtest_text, rec, len);
}
DEFINE_TRACE(recordtest_text, TP_PROTO(struct text_values *rec, size_t len), TP_ARGS(rec, len));

/* All classes have the same fields, so the general path can use the first description. */
static void probe_class(void *event, struct packed_values *rec)
{
	lttng_mm_record_made(event, lttng_mm_provider_class(made, 0), rec, sizeof(rec->values), 0);
}
DEFINE_TRACE(recordtest_classes, TP_PROTO(struct packed_values *rec), TP_ARGS(rec));

static const struct lttng_kernel_event_desc *const events[] = {
	&desc_recordtest_packed, &desc_recordtest_fast, &desc_recordtest_general,
	&desc_recordtest_long,	 &desc_recordtest_text,
};

static struct lttng_kernel_probe_desc lttng_mm_provider_recordtest = {
	.provider_name = "recordtest",
	.event_desc = events,
	.nr_events = ARRAY_SIZE(events),
};

static const struct lttng_mm_field_spec class_fields[] = {
	{ "number", 32, false, 10 },  { "call_site", 32, false, 16 },
	{ "product", 64, false, 10 }, { "address", 64, false, 16 },
	{ "negative", 32, true, 10 }, { "low", 16, false, 10 },
	{ "hex", 16, false, 16 },     { "kind", 8, false, 10, &recordtest_kind },
	{ "level", 8, false, 10 },    { "small", 16, true, 10 },
	{ "half", 32, false, 10 },    { "last", 64, false, 16 },
};

static void fill(struct record_values *values, u32 n, unsigned long address)
{
	values->number = n;
	values->call_site = lttng_mm_call_site(address);
	values->product = n * 1000003ULL;
	values->address = 0x7f0000000000ULL + n * 4096ULL;
	values->negative = -(s32)n;
	values->low = (u16)n;
	values->hex = (u16)n;
	values->kind = n % 3;
	values->level = n % 251;
	values->small = -(s16)(n % 1000);
	values->half = n / 2;
	values->last = ~(u64)n;
}

/* The cost of a round includes filling the record, whether events are enabled or not. */
static noinline u64 hit(unsigned int count)
{
	struct record_values values;
	u64 start = get_cycles();

	for (u32 n = 1; n <= count; n++) {
		preempt_disable_notrace();
		fill(&values, n, _THIS_IP_);
		preempt_enable_notrace();
		trace_recordtest_hit(&values);
		/* Yields, because the system call takes long. */
		if (!(n % 256))
			cond_resched();
	}
	return get_cycles() - start;
}

static int fire_set(const char *text, const struct kernel_param *param)
{
	unsigned int count;
	int ret = kstrtouint(text, 0, &count);

	if (ret || !count)
		return ret ? ret : -EINVAL;
	hit(count);
	/* Reports the second round, with warm caches. */
	pr_info("record-test: hit %llu\n", hit(count) / count);
	return 0;
}

static int fire_classes_set(const char *text, const struct kernel_param *param)
{
	struct packed_values rec;
	unsigned int count;
	int ret = kstrtouint(text, 0, &count);

	for (u32 n = 1; !ret && n <= count; n++) {
		preempt_disable_notrace();
		fill(&rec.values, n, _THIS_IP_);
		trace_recordtest_classes(&rec);
		preempt_enable_notrace();
	}
	return ret;
}

static int fire_text_set(const char *text, const struct kernel_param *param)
{
	struct long_values numbers;
	char name[32];
	unsigned int count;
	int ret = kstrtouint(text, 0, &count);

	for (u32 n = 1; !ret && n <= count; n++) {
		struct text_values rec;
		__le32 number = cpu_to_le32(n);
		size_t len = sizeof(number);

		snprintf(name, sizeof(name), "number-%u", n);
		preempt_disable_notrace();
		memcpy(rec.bytes, &number, sizeof(number));
		len = lttng_mm_put_text(rec.bytes, len, name, TEXT_MAX);
		len = lttng_mm_put_text(rec.bytes, len, "", TEXT_MAX);
		len = lttng_mm_put_text(rec.bytes, len, "0123456789abcdefghij", TEXT_MAX);
		trace_recordtest_text(&rec, len);
		for (u32 i = 0; i < ARRAY_SIZE(numbers.fields); i++)
			numbers.fields[i] = cpu_to_le32(1000 * n + i);
		trace_recordtest_long(&numbers);
		preempt_enable_notrace();
	}
	return ret;
}

static const struct kernel_param_ops fire_ops = { .set = fire_set };
module_param_cb(fire, &fire_ops, NULL, 0200);
static const struct kernel_param_ops fire_classes_ops = { .set = fire_classes_set };
module_param_cb(fire_classes, &fire_classes_ops, NULL, 0200);
static const struct kernel_param_ops fire_text_ops = { .set = fire_text_set };
module_param_cb(fire_text, &fire_text_ops, NULL, 0200);

/* Returns whether the library refuses the description of an event. */
static bool refuses_event(const char *name, const struct lttng_mm_field_spec *fields,
			  unsigned int count)
{
	const struct lttng_mm_event_spec spec = { name, "recordtest_classes", probe_class, fields,
						  count };
	struct lttng_mm_provider *bad =
		lttng_mm_provider_create("recordbad", THIS_MODULE, &spec, 1);

	if (PTR_ERR(bad) == -EINVAL)
		return true;
	pr_err("record-test: %s with %u fields, the first %s: not refused\n", name, count,
	       fields->name);
	lttng_mm_provider_destroy(bad);
	return false;
}

static bool refuses(const struct lttng_mm_field_spec *fields, unsigned int count)
{
	return refuses_event("recordbad_event", fields, count);
}

/* Describes an event name twice, with another event in between. The library must refuse that. */
static bool refuses_two_of_a_name(void)
{
	static const struct lttng_mm_field_spec good[] = { { "good", 8, false, 10 } };
	struct lttng_mm_event_spec specs[3];
	struct lttng_mm_provider *bad;

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		specs[i] =
			(struct lttng_mm_event_spec){ i == 1 ? "recordbad_b" : "recordbad_a",
						      "recordtest_classes", probe_class, good, 1 };
	bad = lttng_mm_provider_create("recordbad", THIS_MODULE, specs, ARRAY_SIZE(specs));
	if (PTR_ERR(bad) == -EINVAL)
		return true;
	pr_err("record-test: two events of one name: not refused\n");
	lttng_mm_provider_destroy(bad);
	return false;
}

static bool refuses_bad_labels(void)
{
	static const struct lttng_mm_field_spec unsorted[] = { { "unsorted", 8, false, 10,
								 &recordbad_unsorted } };
	static const struct lttng_mm_field_spec shared[] = { { "shared", 8, false, 10,
							       &recordbad_shared } };
	static const struct lttng_mm_field_spec twice[] = { { "twice", 8, false, 10,
							      &recordbad_twice } };
	static const struct lttng_mm_field_spec text[] = { { "text", 0, false, 10,
							     &recordtest_kind } };

	return refuses(unsorted, 1) && refuses(shared, 1) && refuses(twice, 1) && refuses(text, 1);
}

static bool refuses_bad_sizes(void)
{
	static const struct lttng_mm_field_spec odd[] = { { "odd", 7, false, 10 } };
	static const struct lttng_mm_field_spec wide[] = { { "wide", 65, false, 10 } };
	static const struct lttng_mm_field_spec late[] = { { "text" }, { "late", 8, false, 10 } };
	static const struct lttng_mm_field_spec nine[] = { { "four", 4, false, 10 },
							   { "nine", 64, false, 10 },
							   { "rest", 4, false, 10 } };
	static const struct lttng_mm_field_spec array[] = { { .name = "array",
							      .bytes = LTTNG_MM_ARRAY_BYTES + 1 } };
	static const struct lttng_mm_field_spec bits[] = { { "bits", 8, false, 16, NULL, 1 } };
	static struct lttng_mm_field_spec many[LTTNG_MM_RECORD_FIELDS + 1];
	static struct lttng_mm_field_spec large[LTTNG_MM_RECORD_BYTES / 8 + 1];
	static char names[LTTNG_MM_RECORD_FIELDS + 1][16];

	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		snprintf(names[i], sizeof(names[i]), "field_%zu", i);
		many[i] = (struct lttng_mm_field_spec){ names[i], 8, false, 10 };
	}
	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		large[i] = (struct lttng_mm_field_spec){ names[i], 64, false, 10 };
	return refuses(odd, 1) && refuses(wide, 1) && refuses(late, 2) && refuses(nine, 3) &&
	       refuses(array, 1) && refuses(bits, 1) && refuses(many, ARRAY_SIZE(many)) &&
	       refuses(large, ARRAY_SIZE(large));
}

/*
 * Describes events with names that readers could not read in the metadata, or that LTTng could not
 * enable. The library must refuse them.
 */
static bool refuses_bad_names(void)
{
	static const struct lttng_mm_field_spec good[] = { { "good", 8, false, 10 } };
	static const struct lttng_mm_field_spec base[] = { { "base", 8, false, 0 } };
	static const struct lttng_mm_field_spec unnamed[] = { { "", 8, false, 10 } };
	static const struct lttng_mm_field_spec spaced[] = { { "a b", 8, false, 10 } };
	static const struct lttng_mm_field_spec twice[] = { { "same", 8, false, 10 },
							    { "same", 8, false, 16 } };
	static char name[300] = "recordbad_";

	memset(name + strlen(name), 'x', sizeof(name) - strlen(name) - 1);
	return refuses(base, 1) && refuses(unnamed, 1) && refuses(spaced, 1) && refuses(twice, 2) &&
	       refuses_event("recordbad_", good, 1) && refuses_event("recordbadly", good, 1) &&
	       refuses_event("other_event", good, 1) && refuses_event(name, good, 1);
}

static int make_classes(void)
{
	struct lttng_mm_event_spec *specs = kvcalloc(classes, sizeof(*specs), GFP_KERNEL);
	char(*names)[32] = kvcalloc(classes, sizeof(*names), GFP_KERNEL);
	int ret = -ENOMEM;

	if (specs && names) {
		for (unsigned int i = 0; i < classes; i++) {
			snprintf(names[i], sizeof(names[i]), "recordclass_%04u", i);
			specs[i] = (struct lttng_mm_event_spec){
				.name = names[i],
				.tracepoint = "recordtest_classes",
				.callback = probe_class,
				.field = class_fields,
				.field_count = ARRAY_SIZE(class_fields),
			};
		}
		made = lttng_mm_provider_create("recordclass", THIS_MODULE, specs, classes);
		ret = PTR_ERR_OR_ZERO(made);
	}
	kvfree(names);
	kvfree(specs);
	return ret;
}

static int __init record_test_init(void)
{
	int ret;

	if (!refuses_bad_sizes() || !refuses_bad_names() || !refuses_two_of_a_name() ||
	    !refuses_bad_labels()) {
		pr_err("record-test: an invalid description was accepted\n");
		return -EINVAL;
	}
	ret = lttng_mm_hooks_init(&record_hooks);
	if (ret)
		return ret;
	ret = make_classes();
	if (ret)
		goto exit_hooks;
	ret = lttng_kernel_probe_register(&lttng_mm_provider_recordtest);
	if (ret)
		goto exit_classes;
	return 0;

exit_classes:
	lttng_mm_provider_destroy(made);
exit_hooks:
	lttng_mm_hooks_exit(&record_hooks);
	return ret;
}

static void __exit record_test_exit(void)
{
	lttng_kernel_probe_unregister(&lttng_mm_provider_recordtest);
	lttng_mm_provider_destroy(made);
	lttng_mm_hooks_exit(&record_hooks);
	tracepoint_synchronize_unregister();
}

module_init(record_test_init);
module_exit(record_test_exit);

LTTNG_MM_MODULE("Test probe of the probe library");
