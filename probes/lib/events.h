/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generates the descriptions and callbacks for LTTng from a probe's list of events
 * (instrumentation/events/).
 *
 * Each event EVENT has a tracepoint lttng_mm_EVENT of the probe, so that EVENT can be the name of a
 * kernel tracepoint. LTTng attaches to this tracepoint, and the first attachment makes the probe
 * hook the kernel's tracepoint or function (attach.h). Therefore nothing is hooked before it is
 * needed, a wide variant costs nothing while only the packed event fires, and several sessions
 * share the packing.
 *
 * A list consists of entries of these forms. HOOK names the hook lttng_mm_hook_HOOK in
 * LTTNG_MM_PROBE_HOOKS, the struct lttng_mm_hooks of a probe with such events:
 *
 *   P(PROVIDER, EVENT, BYTES, HOOK)  a packed event of up to 16 BYTES, fired with a struct
 *                                    lttng_mm_packed
 *   L(PROVIDER, EVENT, BYTES, HOOK)  a longer packed event, fired with a struct
 *                                    lttng_mm_packed_long
 *   W(PROVIDER, EVENT, HOOK)         any other event, fired with a struct lttng_mm_EVENT, which
 *                                    starts with a struct lttng_mm_header and has no padding
 *   T(PROVIDER, EVENT, HOOK)         a rare event that ends with a string, fired with a struct
 *                                    lttng_mm_EVENT of its numbers, without padding, and the string
 *   S(PROVIDER, EVENT)               a state-dump event, written by lttng_mm_dump_EVENT()
 *
 * The provider is lttng_mm_provider_PROVIDER, the fields are lttng_mm_EVENT_fields.
 */
#ifndef LTTNG_MM_PROBES_LIB_EVENTS_H
#define LTTNG_MM_PROBES_LIB_EVENTS_H

#include <linux/module.h>
#include <lttng/tracer.h>
#include <probes/compat/tracepoint.h>
#include <probes/lib/attach.h>
#include <probes/lib/record.h>
#include <probes/lib/statedump.h>

#define lttng_mm_declare_packed(_provider, _event, _bytes, _hook)                        \
	LTTNG_MM_DECLARE_TRACE(lttng_mm_##_event, TP_PROTO(struct lttng_mm_packed *rec), \
			       TP_ARGS(rec));
#define lttng_mm_declare_long(_provider, _event, _bytes, _hook)                               \
	LTTNG_MM_DECLARE_TRACE(lttng_mm_##_event, TP_PROTO(struct lttng_mm_packed_long *rec), \
			       TP_ARGS(rec));
#define lttng_mm_declare_wide(_provider, _event, _hook)                                    \
	LTTNG_MM_DECLARE_TRACE(lttng_mm_##_event, TP_PROTO(struct lttng_mm_##_event *rec), \
			       TP_ARGS(rec));

#define lttng_mm_declare_text(_provider, _event, _hook)                                         \
	LTTNG_MM_DECLARE_TRACE(lttng_mm_##_event,                                               \
			       TP_PROTO(const struct lttng_mm_##_event *rec, const char *text), \
			       TP_ARGS(rec, text));

#define lttng_mm_wide_bytes(_event) \
	(sizeof(struct lttng_mm_##_event) - sizeof(struct lttng_mm_header))

#define lttng_mm_event_desc(_linkage, _provider, _event, _kname, _callback)             \
	static const struct lttng_kernel_event_field *const fields_##_event[] = {       \
		lttng_mm_##_event##_fields                                              \
	};                                                                              \
	_linkage const struct lttng_kernel_tracepoint_class lttng_mm_class_##_event = { \
		.probe_callback = (void *)_callback,                                    \
		.fields = fields_##_event,                                              \
		.nr_fields = ARRAY_SIZE(fields_##_event),                               \
		.probe_desc = &lttng_mm_provider_##_provider,                           \
	};                                                                              \
	static_assert(ARRAY_SIZE(fields_##_event) <= LTTNG_MM_RECORD_FIELDS);           \
	static const struct lttng_kernel_event_desc desc_##_event = {                   \
		.event_name = #_event,                                                  \
		.event_kname = _kname,                                                  \
		.tp_class = &lttng_mm_class_##_event,                                   \
		.probe_desc = &lttng_mm_provider_##_provider,                           \
		.owner = THIS_MODULE,                                                   \
	};

#define lttng_mm_trace_hooked_by(_event, _hook, _proto, ...)                            \
	static int get_##_event(void)                                                   \
	{                                                                               \
		return lttng_mm_hook_get(&LTTNG_MM_PROBE_HOOKS, lttng_mm_hook_##_hook); \
	}                                                                               \
	static void put_##_event(void)                                                  \
	{                                                                               \
		lttng_mm_hook_put(&LTTNG_MM_PROBE_HOOKS, lttng_mm_hook_##_hook);        \
	}                                                                               \
	DEFINE_TRACE_FN(lttng_mm_##_event, get_##_event, put_##_event, PARAMS(_proto),  \
			TP_ARGS(__VA_ARGS__));
#define lttng_mm_trace_hooked(_event, _hook, ...) \
	lttng_mm_trace_hooked_by(_event, _hook, TP_PROTO(__VA_ARGS__), rec)

/* Defines an event. It is fired with a _record, which has _bytes bytes after its header. */
#define lttng_mm_define_event(_provider, _event, _record, _bytes, _hook)                          \
	static void probe_##_event(void *event, _record *rec);                                    \
	lttng_mm_event_desc(static, _provider, _event, "lttng_mm_" #_event,                       \
			    probe_##_event) static void probe_##_event(void *event, _record *rec) \
	{                                                                                         \
		lttng_mm_record(event, &lttng_mm_class_##_event, rec, _bytes);                    \
	}                                                                                         \
	static_assert(_bytes <= sizeof(_record) - sizeof(struct lttng_mm_header));                \
	lttng_mm_trace_hooked(_event, _hook, _record *rec)

#define lttng_mm_define_packed(_provider, _event, _bytes, _hook) \
	lttng_mm_define_event(_provider, _event, struct lttng_mm_packed, _bytes, _hook)
#define lttng_mm_define_long(_provider, _event, _bytes, _hook) \
	lttng_mm_define_event(_provider, _event, struct lttng_mm_packed_long, _bytes, _hook)
#define lttng_mm_define_wide(_provider, _event, _hook)                     \
	lttng_mm_define_event(_provider, _event, struct lttng_mm_##_event, \
			      lttng_mm_wide_bytes(_event), _hook)

#define lttng_mm_define_text(_provider, _event, _hook)                                            \
	static void probe_##_event(void *event, const struct lttng_mm_##_event *rec,              \
				   const char *text);                                             \
	lttng_mm_event_desc(                                                                      \
		static, _provider, _event, "lttng_mm_" #_event,                                   \
		probe_##_event) static void probe_##_event(void *event,                           \
							   const struct lttng_mm_##_event *rec,   \
							   const char *text)                      \
	{                                                                                         \
		lttng_mm_record_text(event, &lttng_mm_class_##_event, rec, sizeof(*rec), text);   \
	}                                                                                         \
	lttng_mm_trace_hooked_by(_event, _hook,                                                   \
				 TP_PROTO(const struct lttng_mm_##_event *rec, const char *text), \
				 rec, text)

/* _linkage is `static`, or empty if lttng_mm_dump_EVENT() is in another file. */
#define lttng_mm_define_statedump(_linkage, _provider, _event)                          \
	lttng_mm_event_desc(_linkage, _provider, _event, LTTNG_MM_STATEDUMP_TRACEPOINT, \
			    lttng_mm_dump_##_event)

/*
 * lttng_mm_define_statedump_provider - defines a provider with state-dump events only
 *
 * Defines lttng_mm_register_PROVIDER(), which returns 0 or a negative errno, and
 * lttng_mm_unregister_PROVIDER(). _events is the list of events. Declare lttng_mm_dump_EVENT() of
 * each event before.
 */
#define lttng_mm_define_statedump_here(_provider, _event) \
	lttng_mm_define_statedump(static, _provider, _event)
#define lttng_mm_define_statedump_provider(_provider, _events)                              \
	static struct lttng_kernel_probe_desc lttng_mm_provider_##_provider;                \
	_events(lttng_mm_define_statedump_here) static const struct lttng_kernel_event_desc \
		*const events_##_provider[] = { _events(lttng_mm_list_statedump) };         \
	static struct lttng_kernel_probe_desc lttng_mm_provider_##_provider = {             \
		.provider_name = #_provider,                                                \
		.event_desc = events_##_provider,                                           \
		.nr_events = ARRAY_SIZE(events_##_provider),                                \
	};                                                                                  \
	static int lttng_mm_register_##_provider(void)                                      \
	{                                                                                   \
		if (!(_events(lttng_mm_fits_statedump) true))                               \
			return -EINVAL;                                                     \
		return lttng_kernel_probe_register(&lttng_mm_provider_##_provider);         \
	}                                                                                   \
	static void lttng_mm_unregister_##_provider(void)                                   \
	{                                                                                   \
		lttng_kernel_probe_unregister(&lttng_mm_provider_##_provider);              \
	}                                                                                   \
	static_assert(ARRAY_SIZE(events_##_provider) > 0)

#define lttng_mm_list_packed(_provider, _event, _bytes, _hook) &desc_##_event,
#define lttng_mm_list_wide(_provider, _event, _hook) &desc_##_event,
#define lttng_mm_list_text(_provider, _event, _hook) &desc_##_event,
#define lttng_mm_list_statedump(_provider, _event) &desc_##_event,

#define lttng_mm_fits_packed(_provider, _event, _bytes, _hook) \
	lttng_mm_class_fits(&lttng_mm_class_##_event, #_event, _bytes) &&
#define lttng_mm_fits_wide(_provider, _event, _hook) \
	lttng_mm_class_fits(&lttng_mm_class_##_event, #_event, lttng_mm_wide_bytes(_event)) &&
#define lttng_mm_fits_text(_provider, _event, _hook) \
	lttng_mm_class_fits(&lttng_mm_class_##_event, #_event, sizeof(struct lttng_mm_##_event)) &&
#define lttng_mm_fits_statedump(_provider, _event) \
	lttng_mm_class_fits(&lttng_mm_class_##_event, #_event, sizeof(struct lttng_mm_##_event)) &&

#endif /* LTTNG_MM_PROBES_LIB_EVENTS_H */
