/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Requests of the device through which the recorder reads LTTng's ring buffers while they are being
 * written. The module and the recorder both include this file. It therefore uses plain C types and
 * includes no header.
 *
 * Usage: add the channels, then freeze. The contents of the buffers at the freeze can be read until
 * they are overwritten. Reading does not consume anything, and does not disturb other readers.
 *
 * A page set is the memory of a sub-buffer. A per-CPU buffer of N sub-buffers has N + 1 page sets,
 * because LTTng's reader owns an additional set. The reader exchanges its set with sets of the
 * buffer, so a packet may be in any set. The packet in a set is identified by the header that LTTng
 * writes.
 */
#ifndef LTTNG_MM_WIRE_FREEZE_H
#define LTTNG_MM_WIRE_FREEZE_H

#define LTTNG_MM_FREEZE_DEVICE "lttng-mm-freeze"

#define LTTNG_MM_FREEZE_NAME_MAX 256

/* Maximum number of channels per open device. */
#define LTTNG_MM_FREEZE_CHANNELS 64

/* Maximum number of buffers per freeze. It limits the time for which a freeze stops all CPUs. */
#define LTTNG_MM_FREEZE_BUFFERS 4096

/* A channel and the geometry of its buffers. */
struct lttng_mm_freeze_channel {
	int fd;			/* in: duplicate of the session daemon's file descriptor */
	unsigned int index;	/* number of the channel in later requests */
	unsigned int id;	/* ID of its stream class in the trace */
	unsigned int overwrite; /* 1: overwrite mode */
	unsigned int metadata;	/* 1: the session's metadata channel */
	/* 1: overwrite mode, mmap output, sub-buffers of at most 2 GiB, not metadata */
	unsigned int freezable;
	/* 1: the channel is freezable, belongs to the requested session, and has been added */
	unsigned int added;
	unsigned int sets;	      /* page sets per buffer */
	unsigned int buffers;	      /* number of per-CPU buffers */
	unsigned long long set_bytes; /* bytes per page set */
	unsigned char uuid[16];	      /* UUID of the trace */
	/* in: the requested session, or empty; out: the channel's session */
	char session[LTTNG_MM_FREEZE_NAME_MAX];
};

/* State of a per-CPU buffer at the freeze. */
struct lttng_mm_freeze_buffer {
	unsigned int channel, cpu;
	unsigned int online;
	unsigned int active;  /* 1: the session is started */
	unsigned int enabled; /* 1: the channel is enabled */
	/*
	 * 1: a record below @used was incomplete, for example because a CPU was writing it in an
	 * NMI. The end of the packet's contents is then not known.
	 */
	unsigned int unsettled;
	/* sequence number of the packet being written, or of the next one */
	unsigned long long packet;
	unsigned long long first; /* number of the first packet that has not been cleared */
	/* bytes of @packet written so far; 0: it has not been started */
	unsigned long long used;
	unsigned long long discarded; /* events discarded since the channel was created */
};

struct lttng_mm_freeze {
	/* trace clock at the freeze; no record is later */
	unsigned long long clock;
	/*
	 * other clocks at the time of @clock; the error is at most half the time to read all clocks
	 */
	unsigned long long monotonic_ns, boottime_ns, realtime_ns;
	unsigned long long buffers; /* address of an array of @room buffers */
	unsigned int room;
	/*
	 * Number of buffers. If it exceeds @room or LTTNG_MM_FREEZE_BUFFERS, nothing has been
	 * frozen.
	 */
	unsigned int count;
};

enum lttng_mm_freeze_status {
	LTTNG_MM_FREEZE_INTACT,	     /* all bytes belong to one packet */
	LTTNG_MM_FREEZE_EMPTY,	     /* nothing has been written to the set yet */
	LTTNG_MM_FREEZE_OVERWRITTEN, /* a later packet has been started in the set */
	LTTNG_MM_FREEZE_BUSY,	     /* other readers kept exchanging the set */
};

/* Copies the first @bytes of a page set. */
struct lttng_mm_freeze_read {
	unsigned int channel, cpu, set;
	unsigned int bytes;	   /* at most the size of a page set */
	unsigned long long to;	   /* address of the copy */
	unsigned long long packet; /* expected sequence number, or all ones to accept any */
	unsigned int status;	   /* enum lttng_mm_freeze_status */
};

/* Copies the metadata of a channel's session, as text without packet headers. */
struct lttng_mm_freeze_metadata {
	unsigned int channel;
	unsigned int room;
	unsigned long long to; /* address of the copy */
	/* size of the metadata; if it exceeds @room, nothing has been copied */
	unsigned int bytes;
	unsigned int producing; /* 1: an event is being declared; repeat the request */
};

/* Maximum number of changes that are recorded per session. */
#define LTTNG_MM_FREEZE_CHANGES 128

/* Value of @channel for a change of the session itself. */
#define LTTNG_MM_FREEZE_SESSION (~0u)

/* LTTng's trackers. A session records an event only if each tracker accepts its process or user. */
enum lttng_mm_freeze_tracker {
	LTTNG_MM_FREEZE_PID,
	LTTNG_MM_FREEZE_VPID,
	LTTNG_MM_FREEZE_UID,
	LTTNG_MM_FREEZE_VUID,
	LTTNG_MM_FREEZE_GID,
	LTTNG_MM_FREEZE_VGID,
	LTTNG_MM_FREEZE_TRACKERS,
};

/* All IDs, including IDs that no process or user has yet. */
#define LTTNG_MM_FREEZE_ALL (-1)

/* Kinds of changes. */
enum lttng_mm_freeze_what {
	LTTNG_MM_FREEZE_STATE,	 /* the session or channel was started or stopped */
	LTTNG_MM_FREEZE_EVENTS,	 /* events of the channel were enabled or disabled */
	LTTNG_MM_FREEZE_TRACKER, /* a tracker accepts more or fewer IDs */
};

/* One change of a session. */
struct lttng_mm_freeze_change {
	unsigned long long clock;
	unsigned int channel;  /* ID of the stream class, or LTTNG_MM_FREEZE_SESSION */
	unsigned short active; /* 1: active from @clock on; 0: until @clock */
	unsigned short what;   /* enum lttng_mm_freeze_what */
	/*
	 * For LTTNG_MM_FREEZE_TRACKER: the tracker, and the ID that it accepts from @clock on
	 * (@active is 1) or until @clock (0). The ID LTTNG_MM_FREEZE_ALL means that the tracker
	 * changed between no IDs and all IDs.
	 */
	unsigned int tracker;
	int id;
};

/* An ID that a tracker accepts. */
struct lttng_mm_freeze_tracked {
	unsigned int tracker;
	int id;
};

/*
 * Maximum number of IDs of all trackers of a session. If there are more, no changes are reported.
 */
#define LTTNG_MM_FREEZE_TRACKED 256

/*
 * Recording state of a session: the times at which the session and its channels were started and
 * stopped, and the processes and users that it records.
 */
struct lttng_mm_freeze_watch {
	unsigned int channel;
	/* 1: a tracker is being changed; the members about trackers may be inconsistent */
	unsigned int tracking;
	unsigned int restricted; /* bit mask of the trackers that are set */
	unsigned int tracked_count;
	struct lttng_mm_freeze_tracked tracked[LTTNG_MM_FREEZE_TRACKED];
	unsigned int count;   /* number of changes, oldest first */
	unsigned int pending; /* number of changes in progress */
	/* the last change in progress; a start has @clock 0 until it takes effect */
	struct lttng_mm_freeze_change pending_change;
	/* all changes after this clock value are listed; 0: changes may be missing */
	unsigned long long since;
	struct lttng_mm_freeze_change changes[LTTNG_MM_FREEZE_CHANGES];
};

/*
 * Position of a per-CPU buffer, read while it is being written. Its members are read at slightly
 * different times; @first never exceeds @packet.
 */
struct lttng_mm_freeze_position {
	unsigned int channel, cpu;
	unsigned int online;
	unsigned int active;	      /* 1: the session is started */
	unsigned int enabled;	      /* 1: the channel is enabled */
	unsigned int overwrites;      /* 1: starting the next packet overwrites the oldest one */
	unsigned long long written;   /* bytes since the channel was created, including padding */
	unsigned long long discarded; /* events discarded since the channel was created */
	/* sequence number of the packet being written, or of the next one */
	unsigned long long packet;
	/* sequence number of the first packet that is neither overwritten nor cleared */
	unsigned long long first;
	/*
	 * Start times of packets (clock values); 0 if there is no such packet. @oldest: the oldest
	 * packet in the buffer; @lasting: the oldest packet that will remain when the next packet
	 * starts; @latest: the newest packet.
	 */
	unsigned long long oldest, lasting, latest;
	unsigned long long newest; /* clock value of the last record; 0: no record */
};

/* Reads the positions of all buffers without freezing them or stopping a CPU. */
struct lttng_mm_freeze_positions {
	unsigned long long clock; /* trace clock after the last position was read */
	/* as in struct lttng_mm_freeze */
	unsigned long long monotonic_ns, boottime_ns, realtime_ns;
	unsigned long long positions; /* address of an array of @room positions */
	unsigned int room;
	unsigned int count; /* number of buffers; if it exceeds @room, nothing has been read */
};

/*
 * Request number as built by _IOWR('L', NUMBER, TYPE) of linux/ioctl.h on most architectures. The
 * number and the size of TYPE identify the version of a request: a module that does not implement
 * this version returns ENOTTY. If a change does not affect the size, for example in memory that
 * TYPE points to, the request needs a new number.
 */
#define LTTNG_MM_FREEZE_REQUEST(number, type) \
	(3u << 30 | (unsigned int)sizeof(type) << 16 | 'L' << 8 | (number))
#define LTTNG_MM_FREEZE_ADD LTTNG_MM_FREEZE_REQUEST(0x40, struct lttng_mm_freeze_channel)
#define LTTNG_MM_FREEZE_FREEZE LTTNG_MM_FREEZE_REQUEST(0x41, struct lttng_mm_freeze)
#define LTTNG_MM_FREEZE_READ LTTNG_MM_FREEZE_REQUEST(0x42, struct lttng_mm_freeze_read)
#define LTTNG_MM_FREEZE_METADATA LTTNG_MM_FREEZE_REQUEST(0x43, struct lttng_mm_freeze_metadata)
#define LTTNG_MM_FREEZE_WATCH LTTNG_MM_FREEZE_REQUEST(0x44, struct lttng_mm_freeze_watch)
#define LTTNG_MM_FREEZE_POSITIONS LTTNG_MM_FREEZE_REQUEST(0x46, struct lttng_mm_freeze_positions)

#endif /* LTTNG_MM_WIRE_FREEZE_H */
