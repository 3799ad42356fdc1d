/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files that a trace should have and does not: stream files that were removed, emptied or
 * shortened.
 */
#ifndef LTTNG_MM_COVERAGE_MISSING_H
#define LTTNG_MM_COVERAGE_MISSING_H

#include "reader/events/source.h"

/*
 * Folders of a snapshot: one for traces of ring buffers, one for traces of state dumps. If there
 * are several traces, each has a folder below this folder.
 */
#define MM_RING_FOLDER "kernel"
#define MM_STATE_FOLDER "state"

/*
 * Does the trace in @folder, a path in any form, consist of state dumps? (State dumps do not belong
 * to a time in the recording.)
 */
bool mm_trace_is_state(const char *folder);

struct mm_missing {
	char *file;	    /* absolute path where the file is or should be */
	char *display_path; /* @file as the user would give it */
	const char *what;   /* constant string: why the file counts as missing */
	/* constant string: what lists the file; NULL: the file is an entry of its folder */
	const char *source;
	uint32_t cpu;
	/* the whole stream is missing, not only some packets */
	bool complete_stream;
	uint64_t packets; /* number of missing packets; 0: not known */
	/*
	 * Time range of the packets that are still in the file. Packets may be missing after
	 * @end_ns and before @begin_ns, the start of the first packet or, if packets may be missing
	 * between packets, of the packet after the last such gap. Not set if the whole stream is
	 * missing. INT64_MIN, INT64_MAX: not known.
	 */
	int64_t begin_ns, end_ns;
	size_t folder; /* index in source->folders; SIZE_MAX: the folder has no metadata */
	bool has_class;
	uint64_t class_id;
	bool in_state; /* the stream belongs to the session that records only state dumps */
	/*
	 * Nothing lists the stream, but the machine had the stream's CPU. The whole stream may be
	 * missing, or it may never have existed.
	 */
	bool uncertain;
	bool declared; /* mm_missing_list.declared contains the events of the file's trace */
	/* index of the loss in source->losses, set by mm_missing_report(); SIZE_MAX: none */
	size_t loss;
};

/*
 * An event class of a trace from which whole streams are missing. The metadata declare the class.
 */
struct mm_declared_event {
	char *event;   /* name; hostile */
	size_t folder; /* index in source->folders */
	uint64_t class_id;
};

/*
 * A gap between two packets is a pause only if it is at least this long. While a session records, a
 * packet follows the previous one within microseconds. After a flush on a busy system, the next
 * event starts a packet within this time. Stopping and starting a session takes longer.
 */
#define MM_PAUSE_NS 1000000u

/* A pause of one stream that a certificate lists, or a possible pause (@maybe). */
struct mm_pause {
	char *file; /* absolute path of the stream's file */
	uint32_t cpu;
	int64_t start_ns, end_ns;
	bool maybe; /* this is a gap: nothing shows whether the stream recorded (gaps-find.c) */
};

/*
 * Maximum time between the ends of two streams in an intact trace that was copied without a freeze.
 * LTTng flushes the streams one after another. `lttng snapshot record` copies each stream before it
 * flushes the next one, which takes up to tens of milliseconds.
 */
#define MM_CUT_NS 100000000

/*
 * A stream that starts later or ends earlier than its trace. No list contains its packets, except
 * perhaps its own index. Packets may have been removed, or the file may be from another snapshot.
 */
struct mm_cut {
	char *file;		      /* absolute path of the stream's file */
	int64_t start_ns, end_ns;     /* first and last time of the packets */
	uint64_t before_ns, after_ns; /* time missing at the trace's start and end; 0: none */
	bool indexed;		      /* the stream's index has no packet after @end_ns either */
};

/*
 * The certified time of a stream. If the stream was idle, this time may be longer than the time of
 * its packets.
 */
struct mm_covered {
	char *file;    /* absolute path of the stream's file */
	char *channel; /* FOLDER/CHANNEL with the absolute path of the folder; NULL: not known */
	int64_t start_ns, end_ns;
	/* the file's size differs from the certificate, so the times do not apply */
	bool changed;
};

/* A checksum file that cannot be used, so the packets of its stream are not checked. */
struct mm_lost_checksums {
	char *file; /* path as the user would give it; may be hostile */
	/* 0: damaged; ENOENT: missing, but it should exist; otherwise the errno of reading it */
	int error;
	/*
	 * The file is missing, but it may never have existed: snapshot.json says that some
	 * checksums could not be computed.
	 */
	bool maybe_never_made;
};

/* A file that the system information lists with another size, CPU, stream class or id. */
struct mm_mismatch {
	char *file;	    /* absolute path */
	char *display_path; /* as the user would give it */
	char what[96];	    /* a phrase such as "2439072 bytes, not 4006152 as listed" */
};

/* Maximum number of mismatches that are listed; more are only counted. */
#define MM_MISMATCHES_MAX 64u

struct mm_missing_list {
	struct mm_missing *all; /* sorted by path */
	size_t count, room;
	struct mm_hash by_file;
	size_t denied;	  /* entries of @all whose file exists but is not readable for this user */
	size_t uncertain; /* entries of @all for streams that may never have existed */
	/* packets that LTTng overwrote in a ring of trace files (--tracefile-count) */
	uint64_t ring_packets;
	/*
	 * packets removed from the middle of files after recording; mm_loss.packets_lost includes
	 * them
	 */
	uint64_t removed_packets;
	size_t unverifiable; /* folders whose streams are in no list */
	bool some_verified;  /* there are folders whose streams are listed */
	/* some streams have index files, which show missing packets but not missing streams */
	bool has_index;
	/*
	 * number of unverifiable folders whose set of CPUs was compared with the CPUs of the
	 * snapshot's other session
	 */
	size_t compared;
	/* streams of state dumps are listed, but their folder does not exist */
	bool no_state_folder;
	struct mm_declared_event *declared; /* in the order of folders */
	size_t declared_count, declared_room;
	struct mm_pause *pauses; /* sorted by start */
	size_t pause_count, pause_room;
	/* a certificate or a single stream has a gap in the requested time range */
	bool maybe_paused;
	/*
	 * Number and total length of gaps that all streams of a trace share. Counts gaps of a
	 * millisecond or more in the requested time range. Ignores gaps that a certificate
	 * explains.
	 */
	uint64_t gaps, gaps_ns;
	/*
	 * For each gap counted above, one entry per stream: the time between the stream's packets
	 * around the gap. Sorted by stream.
	 */
	struct mm_pause *stream_gaps;
	size_t stream_gap_count, stream_gap_room;
	struct mm_cut *cuts; /* sorted by file */
	size_t cut_count, cut_room;
	/* a stream file has no checksums (files of state dumps are ignored) */
	bool without_sums;
	/* Limits of the recording: see struct mm_certificate. */
	char **limits;
	size_t limit_count;
	/*
	 * The system information says that a tracker or a filter excluded events, and no
	 * certificate says which events.
	 */
	bool limits_unknown;
	struct mm_covered *covered; /* sorted by file */
	size_t covered_count, covered_room;
	/* Files that could not be checked, and the reasons. */
	char **problem_files, **problems;
	size_t problem_count;
	/*
	 * Damaged snapshot.json files, as the user would give them, and the reasons. If there are
	 * any, the offset from the traces' clock to the wall clock is unknown.
	 */
	char **damaged_snapshots, **damaged_whys;
	size_t damaged_snapshot_count, damaged_why_count;
	/*
	 * Notes on snapshots that have no checksums or no usable snapshot.json. Each is one escaped
	 * line.
	 */
	char **unchecked;
	size_t unchecked_count;
	/*
	 * traces.json has checksums of the system information, so the packets also had checksums
	 * when they were recorded.
	 */
	bool had_sums;
	struct mm_mismatch *mismatches; /* the first MM_MISMATCHES_MAX */
	size_t mismatch_count;
	struct mm_lost_checksums *lost_sums;
	size_t lost_sums_count, lost_sums_room;
	/* Notes on the system information. Each is one escaped line. */
	char **notes;
	size_t note_count;
};

/* Creates source->missing unless it exists. Returns 0, or -1 with @err set. */
int mm_missing_find(struct mm_source *source, struct mm_error *err);
void mm_missing_destroy(struct mm_missing_list *list);

/*
 * Returns the reason why missing streams of some folders would not be noticed. The reason is a
 * phrase to print after "not verifiable:". NULL: all folders were checked.
 */
const char *mm_missing_unverifiable(const struct mm_missing_list *list);

/* Did a tracker or a filter exclude events? @list may be NULL. */
bool mm_missing_is_limited(const struct mm_missing_list *list);
/*
 * May a filter have excluded some events of a thread? (A tracker excludes all events of a thread.)
 */
bool mm_missing_is_filtered(const struct mm_missing_list *list);

#define MM_UNCHECKED "not checked for damage inside packets"

/* Writes to @text what is wrong with a checksum file, and the consequence. Returns @text. */
const char *mm_missing_sums_what(const struct mm_lost_checksums *lost, char *text, size_t size);
#define MM_SUMS_TEXT 160
/*
 * Returns one line about all of list->lost_sums, without a final period and not escaped. Release it
 * with free(). NULL: out of memory.
 */
char *mm_missing_sums_text(const struct mm_missing_list *list);

/* Writes one line about @missing to @text, without the file's name. */
void mm_missing_text(const struct mm_missing *missing, char *text, size_t size);

/*
 * Makes a loss record for each stream that is missing completely, and reports it to @handler as
 * lost. Sources call this before the first event. Returns 0, or -1 with @err set.
 */
int mm_missing_report(struct mm_source *source, const struct mm_requests *requests,
		      const struct mm_handler *handler, struct mm_error *err);

/*
 * Returns the certified time of the stream with the name @stream. NULL: no certificate covers the
 * stream, or its file differs from the certified file.
 */
const struct mm_covered *mm_missing_covered(const struct mm_source *source, const char *stream);
/*
 * Returns the channel that a certificate names for a stream, even if its file has changed; NULL: no
 * certificate names the channel.
 */
const char *mm_missing_channel(const struct mm_source *source, const char *stream);

/* Returns the stream's cut, or NULL if it is not cut. mm_handler.lost() does not report cuts. */
const struct mm_cut *mm_missing_cut(const struct mm_source *source, const struct mm_loss *loss);

/* Has the stream's file changed since it was certified? If so, recorded packets may be gone. */
bool mm_missing_is_changed(const struct mm_missing_list *list, const char *stream);

/* Returns the number of entries in list->mismatches. */
size_t mm_missing_mismatches(const struct mm_missing_list *list);
/* Does the file at the absolute path @path differ from what the system information lists? */
bool mm_missing_is_mismatched(const struct mm_missing_list *list, const char *path);

/* Returns the entry of the file at the absolute path @path, or NULL. */
const struct mm_missing *mm_missing_in(const struct mm_missing_list *list, const char *path);
const struct mm_missing *mm_missing_of(const struct mm_source *source, const char *path);

/*
 * Report a stream that lacks some packets. It is unknown which packets are missing, so the loss is
 * counted once and reported twice. The first report precedes all events except state dumps, and
 * covers the time up to @missing->begin_ns. The second report follows the stream's last packet.
 */
void mm_missing_report_start(const struct mm_source *source, const struct mm_missing *missing,
			     struct mm_loss *loss, const struct mm_handler *handler);
void mm_missing_report_end(const struct mm_source *source, const struct mm_missing *missing,
			   struct mm_loss *loss, const struct mm_handler *handler);

#endif /* LTTNG_MM_COVERAGE_MISSING_H */
