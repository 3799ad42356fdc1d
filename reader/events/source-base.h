/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Internals of a source, for code that implements, opens or completes sources. Consumers use
 * source.h. tests/layers.sh lists the folders that may include this header.
 */
#ifndef LTTNG_MM_EVENTS_SOURCE_BASE_H
#define LTTNG_MM_EVENTS_SOURCE_BASE_H

#include "reader/events/source.h"
#include "util/hash.h"

/* The implementation of one kind of source. The functions of source.h call these. */
struct mm_source_ops {
	int (*run)(struct mm_source *source, const struct mm_requests *requests,
		   const struct mm_handler *handler, struct mm_error *err);
	int (*field_at)(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value);
	int (*field_text)(const struct mm_event *event, const struct mm_value *value, char *dst,
			  size_t size);
	/* Optional: like field_at(), but for members of the contexts. */
	int (*context_at)(const struct mm_event *event, size_t index, const char **name,
			  struct mm_value *value);
	const char *(*member_at)(const struct mm_event_type *type, size_t index);
	int (*label_at)(const struct mm_event_type *type, unsigned int field, size_t index,
			struct mm_enum_label *label);
	/*
	 * Optional: may events have a context field of that name? Called before run(). A consumer
	 * does not request a context that no event has.
	 */
	bool (*may_have_context)(struct mm_source *source, const char *name);
	void (*destroy)(struct mm_source *source);
};

/* Functions on a trace's folders that all readers share; reader/open/ implements them. */
struct mm_folder_ops {
	/*
	 * Fills in source->ids, which are all zeros before the call. Returns 0, or -1: out of
	 * memory.
	 */
	int (*identify)(struct mm_source *source, struct mm_error *err);
	/* Sets source->clock_shift_ns. Returns 0, or -1: out of memory. */
	int (*read_clock)(struct mm_source *source);
	/* Creates source->missing. Returns 0, or -1 with @err set. */
	int (*find_missing)(struct mm_source *source, struct mm_error *err);
	void (*release_missing)(struct mm_missing_list *missing);
	/*
	 * Used with readers that do not verify checksums. Reads all packets of the requested time
	 * range, and fails if one is damaged. Creates source->uncounted. Returns 0, or -1 with @err
	 * set.
	 */
	int (*check_packets)(struct mm_source *source, const struct mm_requests *requests,
			     struct mm_error *err);
};

/* The times of a packet that lacks LTTng's count of discarded events. */
struct mm_uncounted {
	int64_t begin_ns, end_ns;
};

/*
 * The common part of all sources. The struct of each kind of source starts with this struct.
 * source.h explains the members.
 */
struct mm_source {
	const struct mm_source_ops *ops;
	const struct mm_folder_ops *folder_ops; /* NULL: the folders are unknown */
	char *path;
	char **folders;
	size_t folder_count;
	char **orphans;
	size_t orphan_count;
	struct mm_trace_id *ids; /* per folder */
	struct mm_missing_list *missing;
	char **event_names;
	size_t event_name_count;
	struct mm_hash event_name_by_hash;
	bool declares_user_stacks;
	struct mm_loss *losses;
	size_t loss_count, loss_room;
	uint64_t starts_noticed;
	char **damage;
	size_t damage_count, announced_count;
	char **notes;
	size_t note_count;
	uint64_t event_count, state_event_count;
	char *kernel_release;
	bool kernels_differ; /* the traces state different releases; @kernel_release is NULL */
	bool backward, disordered, suspect;
	/*
	 * Sorted by time. When a packet starts, libbabeltrace2 does not yet report its end, so
	 * readers look up the end in this list.
	 */
	struct mm_uncounted *uncounted;
	size_t uncounted_count, uncounted_room;
	int64_t clock_shift_ns;
	struct mm_source_options options;
};

/*
 * Offers an event class to the consumer. @type has the kinds of the fields, and the number of the
 * request that matches the name. Sets type->request to -1 if the class does not meet the request or
 * the consumer refuses it. Returns 0, or -1 with @err set.
 */
int mm_source_bind(struct mm_source *source, const struct mm_requests *requests,
		   const struct mm_handler *handler, struct mm_event_type *type,
		   struct mm_error *err);

/* Notes a declared event class. Returns 0, or -1 when out of memory. */
int mm_source_declare(struct mm_source *source, const char *event_name);
/* Notes the kernel release of one trace's metadata. Returns 0, or -1 when out of memory. */
int mm_source_note_kernel(struct mm_source *source, const char *release);
/* Keeps the message for reports, and calls the handler's damaged(). */
void mm_source_damage(struct mm_source *source, const struct mm_handler *handler,
		      const char *message, bool truncated);
/* Keeps the message, and calls @handler's noted(). Returns 0, or -1 when out of memory. */
int mm_source_note(struct mm_source *source, const struct mm_handler *handler, const char *message);
/*
 * Adds the loss record of a stream. Keep the record's index, not its address or name, because the
 * array moves as it grows, and stream names are not unique. Returns NULL when out of memory.
 */
struct mm_loss *mm_source_add_loss(struct mm_source *source, const char *stream, uint32_t cpu);
/* Notes in @loss that its stream may have events named @event, which match request @number. */
void mm_source_may_have(struct mm_loss *loss, const struct mm_requests *requests, int number,
			const char *event);

#endif /* LTTNG_MM_EVENTS_SOURCE_BASE_H */
