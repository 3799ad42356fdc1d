/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a trace should have and does not: stream files that are removed, empty, or shorter than they
 * were.
 */
#ifndef LTTNG_MM_COVERAGE_MISSING_H
#define LTTNG_MM_COVERAGE_MISSING_H

#include "reader/events/source.h"

/*
 * The folders of a snapshot with the traces of its ring buffers, and with those of state dumps.
 * Where there are several, each is in a folder below.
 */
#define MM_RING_FOLDER "kernel"
#define MM_STATE_FOLDER "state"

/* Is the trace in @folder, a path in any form, one of state dumps only? They belong to no time. */
bool mm_trace_is_state(const char *folder);

struct mm_missing {
	char *file;	    /* absolute path of where it is or should be */
	char *display_path; /* the same path as the user would give it */
	const char *what;   /* a constant: why it is missing */
	const char *source; /* a constant: what names it; NULL: its folder does */
	uint32_t cpu;
	/* the stream has no packet; else its first, its last or other packets are missing */
	bool complete_stream;
	uint64_t packets; /* how many are missing; 0: not known */
	/*
	 * Unless @complete_stream, where the missing packets may have been: before a packet that is
	 * present, the first one or the last one with a gap before it, and after the last one. The
	 * start of the one, and the end of the other; INT64_MIN, INT64_MAX: not known.
	 */
	int64_t begin_ns, end_ns;
	size_t folder; /* number in source->folders; SIZE_MAX: the folder has no metadata */
	bool has_class;
	uint64_t class_id; /* of its stream class */
	bool in_state;	   /* it is the session's that records nothing but state dumps */
	/*
	 * It may never have existed: nothing lists it, but other channels have its CPU. Then the
	 * whole stream may be missing.
	 */
	bool uncertain;
	bool declared; /* the list has the events of its trace's metadata */
	size_t loss;   /* number of the record that mm_missing_report() made; SIZE_MAX: none */
};

/* An event class of a trace from which complete streams are missing. */
struct mm_declared_event {
	char *event;	   /* its name: hostile */
	size_t folder;	   /* number in source->folders */
	uint64_t class_id; /* of its stream class */
};

/*
 * While a session records, its packets follow each other in microseconds, except after a flush: the
 * next packet then starts with the next event, which is less than this away if the system is busy.
 * No session is stopped and started again in less, so a shorter gap between packets is no pause.
 */
#define MM_PAUSE_NS 1000000u

/* For some time, a stream did not record all of its events: a certificate of coverage says so. */
struct mm_pause {
	char *file; /* absolute path of the stream's file */
	uint32_t cpu;
	int64_t start_ns, end_ns;
	bool maybe; /* nothing shows whether it was recording: see gaps-find.c */
};

/*
 * Streams of an intact trace do not end at the same time, either, if nothing freezes them: LTTng
 * flushes them one after another, and a snapshot of LTTng's copies each one before it flushes the
 * next. That takes microseconds to some ten milliseconds.
 */
#define MM_CUT_NS 100000000

/*
 * A stream starts later or ends earlier than its trace, and nothing but its own index lists its
 * packets: the first or the last ones may have been removed, or files exchanged.
 */
struct mm_cut {
	char *file;		      /* absolute path of the stream's file */
	int64_t start_ns, end_ns;     /* of its packets */
	uint64_t before_ns, after_ns; /* from the trace's start, and to its end; 0: it has these */
	bool indexed;		      /* its index has no packet after @end_ns */
};

/*
 * A certificate of coverage says that a stream has all of its events from then to then, except in
 * its holes: also where it has no packets, because nothing happened that it records.
 */
struct mm_covered {
	char *file;    /* absolute path of the stream's file */
	char *channel; /* absolute path of the folder, and the channel's name; NULL: not known */
	int64_t start_ns, end_ns;
	bool changed; /* the file is not the one that was certified, and the above is not of it */
};

/* A file of checksums that cannot be used: packets of its stream are not compared with them. */
struct mm_lost_checksums {
	char *file; /* as the user would give it: hostile */
	/*
	 * 0: it is damaged; ENOENT: it is missing, although there should be checksums; otherwise
	 * why it cannot be read
	 */
	int error;
	/* It is missing, and snapshot.json says that some could not be made. */
	bool maybe_never_made;
};

/* A file that the system information lists with another size, CPU, stream class or id. */
struct mm_mismatch {
	char *file;	    /* absolute path */
	char *display_path; /* as the user would give it */
	char what[96];	    /* "2439072 bytes, not 4006152 as listed" */
};

/* Further ones are only counted. */
#define MM_MISMATCHES_MAX 64u

struct mm_missing_list {
	struct mm_missing *all; /* by path */
	size_t count, room;
	struct mm_hash by_file;
	size_t denied;	  /* entries of @all for files that are there, but may not be read */
	size_t uncertain; /* entries of @all for streams that may never have existed */
	/*
	 * Packets that are not in the trace because a ring of trace files (LTTng's
	 * --tracefile-count) has overwritten them.
	 */
	uint64_t ring_packets;
	/* Packets that were recorded, and are counted as lost before a packet that is there. */
	uint64_t removed_packets;
	size_t unverifiable; /* folders whose complete list of streams is not known */
	bool some_verified;  /* ... and the list of another folder is */
	bool has_index;	     /* there are index files, which name only their own streams */
	/* ... except that both sessions have streams of the same CPUs, or what @all lists */
	size_t compared;
	/* the system information lists streams of a state session, whose folder is missing */
	bool no_state_folder;
	struct mm_declared_event *declared; /* by folder */
	size_t declared_count, declared_room;
	struct mm_pause *pauses; /* by start */
	size_t pause_count, pause_room;
	/*
	 * In the requested time range, nothing shows for some time whether a stream recorded all of
	 * its events: a certificate of coverage has a gap, or a stream alone has one.
	 */
	bool maybe_paused;
	/*
	 * Possible pauses: for a millisecond or more, no stream of a trace has a packet, and no
	 * certificate says why. How many there are in the requested time range, and how long.
	 */
	uint64_t gaps, gaps_ns;
	/*
	 * Around such times: for each stream from its own packet before to its own packet after, by
	 * stream.
	 */
	struct mm_pause *stream_gaps;
	size_t stream_gap_count, stream_gap_room;
	struct mm_cut *cuts; /* by file */
	size_t cut_count, cut_room;
	/* Packets of a stream that records activity have no checksums. */
	bool without_sums;
	/* Phrases that name the limits of the recording: see struct mm_certificate. */
	char **limits;
	size_t limit_count;
	/*
	 * The system information says that a tracker or a filter excluded events, and no
	 * certificate says which.
	 */
	bool limits_unknown;
	struct mm_covered *covered; /* by file */
	size_t covered_count, covered_room;
	/* Files that cannot be checked, and why. */
	char **problem_files, **problems;
	size_t problem_count;
	/*
	 * Files snapshot.json that are damaged, as the user would give them, and why. Nothing shows
	 * then how the clock of the traces differs from the wall clock.
	 */
	char **damaged_snapshots, **damaged_whys;
	size_t damaged_snapshot_count, damaged_why_count;
	/*
	 * Snapshots that were written without checksums, or whose snapshot.json is missing or
	 * damaged; one line each, ready to be shown.
	 */
	char **unchecked;
	size_t unchecked_count;
	/*
	 * The list of traces has checksums of the system information, so it is of a snapshot whose
	 * packets have checksums, too.
	 */
	bool had_sums;
	struct mm_mismatch *mismatches; /* the first MM_MISMATCHES_MAX ones */
	size_t mismatch_count;
	struct mm_lost_checksums *lost_sums;
	size_t lost_sums_count, lost_sums_room;
	/* About the system information that was found; one line each, ready to be shown. */
	char **notes;
	size_t note_count;
};

/* Makes the list source->missing, unless it exists. Returns 0, or -1 with @err set. */
int mm_missing_find(struct mm_source *source, struct mm_error *err);
void mm_missing_destroy(struct mm_missing_list *list);

/*
 * Why the streams of some folders cannot be verified, a phrase to follow "not verifiable"; NULL:
 * all are verified.
 */
const char *mm_missing_unverifiable(const struct mm_missing_list *list);

/* Did a tracker or a filter exclude events? @list may be NULL. */
bool mm_missing_is_limited(const struct mm_missing_list *list);
/* ... perhaps some of a thread's events, of which others are there? A tracker does not. */
bool mm_missing_is_filtered(const struct mm_missing_list *list);

#define MM_UNCHECKED "not checked for damage inside packets"

/* Writes the fault of a file of checksums, and its consequence, to @text. Returns @text. */
const char *mm_missing_sums_what(const struct mm_lost_checksums *lost, char *text, size_t size);
#define MM_SUMS_TEXT 160
/*
 * Returns one line about all of list->lost_sums, without a dot and not escaped; release with
 * free(). NULL when out of memory.
 */
char *mm_missing_sums_text(const struct mm_missing_list *list);

/* Writes one line about @missing, without the file's name, to @text, as snprintf() does. */
void mm_missing_text(const struct mm_missing *missing, char *text, size_t size);

/*
 * For sources, before the first event: makes a loss record for every stream without a packet, and
 * reports to @handler that all of it is lost. Returns 0, or -1 with @err set.
 */
int mm_missing_report(struct mm_source *source, const struct mm_requests *requests,
		      const struct mm_handler *handler, struct mm_error *err);

/*
 * What a certificate says of a stream, by its name; NULL: nothing, or it is not the stream that was
 * certified.
 */
const struct mm_covered *mm_missing_covered(const struct mm_source *source, const char *stream);
/* The channel that a certificate names for a stream, also if it lacks packets now; NULL: none. */
const char *mm_missing_channel(const struct mm_source *source, const char *stream);

/* What may have been cut from the stream, which lost() does not report; NULL: nothing. */
const struct mm_cut *mm_missing_cut(const struct mm_source *source, const struct mm_loss *loss);

/* Has the stream's file changed since it was certified? Then what it lacks may be lost since. */
bool mm_missing_is_changed(const struct mm_missing_list *list, const char *stream);

/* How many entries list->mismatches has. */
size_t mm_missing_mismatches(const struct mm_missing_list *list);
/* Is the file @path, which is absolute, another one than the system information lists? */
bool mm_missing_is_mismatched(const struct mm_missing_list *list, const char *path);

/* The entry of the file @path, which is absolute, or NULL. */
const struct mm_missing *mm_missing_in(const struct mm_missing_list *list, const char *path);
const struct mm_missing *mm_missing_of(const struct mm_source *source, const char *path);

/*
 * For sources, of a stream that lacks packets. It cannot be determined which ones, so the loss is
 * reported twice and counted once: before the first event that is not of a state dump, when the
 * requested time range is known, as one up to the first packet that is present, or to the last one
 * with a gap before it; and when the stream ends, as one after the last packet.
 */
void mm_missing_report_start(const struct mm_source *source, const struct mm_missing *missing,
			     struct mm_loss *loss, const struct mm_handler *handler);
void mm_missing_report_end(const struct mm_source *source, const struct mm_missing *missing,
			   struct mm_loss *loss, const struct mm_handler *handler);

#endif /* LTTNG_MM_COVERAGE_MISSING_H */
