/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The requests of the device through which the recorder reads LTTng's ring buffers while they are
 * being written. Module and recorder both include this file, so it uses plain C types, and there
 * are no headers in it.
 *
 * Usage: add the channels, then freeze. What the buffers contained at that instant can be read
 * until it is overwritten; reading neither consumes anything nor disturbs other readers.
 *
 * A per-CPU buffer of N sub-buffers has N + 1 page sets, since a reader of LTTng owns one more;
 * which packet is in which set changes. A packet is recognized by the header that LTTng writes.
 */
#ifndef LTTNG_MM_WIRE_FREEZE_H
#define LTTNG_MM_WIRE_FREEZE_H

#define LTTNG_MM_FREEZE_DEVICE "lttng-mm-freeze"

#define LTTNG_MM_FREEZE_NAME_MAX 256

/* Channels of one user of the device. */
#define LTTNG_MM_FREEZE_CHANNELS 64

/* Buffers that are frozen at one instant: all CPUs are stopped while their counters are read. */
#define LTTNG_MM_FREEZE_BUFFERS 4096

/* A channel: which it is, and the geometry of its buffers. */
struct lttng_mm_freeze_channel {
	int fd;			      /* in: of the session daemon's file of the channel */
	unsigned int index;	      /* its number in later requests */
	unsigned int id;	      /* its stream class in the trace */
	unsigned int overwrite;	      /* 1: in overwrite mode */
	unsigned int metadata;	      /* 1: it is the session's metadata channel */
	unsigned int freezable;	      /* 1: in overwrite mode, mapped by readers */
	unsigned int added;	      /* 1: such a channel of the session named, now added */
	unsigned int sets;	      /* page sets of each buffer */
	unsigned int buffers;	      /* per-CPU buffers */
	unsigned long long set_bytes; /* bytes of a page set */
	unsigned char uuid[16];	      /* of the trace */
	char session
		[LTTNG_MM_FREEZE_NAME_MAX]; /* in: a session, or empty; out: that of the channel */
};

/* A per-CPU buffer at the freeze. */
struct lttng_mm_freeze_buffer {
	unsigned int channel, cpu;
	unsigned int online;
	unsigned int active;  /* 1: the session is started */
	unsigned int enabled; /* 1: the channel is enabled */
	/*
	 * 1: some record below @used was not complete, as in an NMI; @used ends before its
	 * packet.
	 */
	unsigned int unsettled;
	/* sequence number of the packet that was being written, or of the next one */
	unsigned long long packet;
	unsigned long long first;     /* ... of the first one that has not been cleared */
	unsigned long long used;      /* its bytes so far; 0: none was being written */
	unsigned long long discarded; /* events discarded since the channel was created */
};

struct lttng_mm_freeze {
	unsigned long long clock; /* the trace clock at the freeze: no record is later */
	/* at @clock, to within half the time that it takes to read all clocks */
	unsigned long long monotonic_ns, boottime_ns, realtime_ns;
	unsigned long long buffers; /* address of an array for @room of them */
	unsigned int room;
	/*
	 * Buffers; nothing has been frozen if there are more than @room or
	 * LTTNG_MM_FREEZE_BUFFERS.
	 */
	unsigned int count;
};

enum lttng_mm_freeze_status {
	LTTNG_MM_FREEZE_INTACT,	     /* the bytes are those of one packet */
	LTTNG_MM_FREEZE_EMPTY,	     /* nothing has been written to the set */
	LTTNG_MM_FREEZE_OVERWRITTEN, /* a later packet has been started in the set */
	LTTNG_MM_FREEZE_BUSY,	     /* other readers kept exchanging the set */
};

/* Copies the start of a page set. */
struct lttng_mm_freeze_read {
	unsigned int channel, cpu, set;
	unsigned int bytes;	   /* at most those of a page set */
	unsigned long long to;	   /* address */
	unsigned long long packet; /* sequence number that is expected there, or all ones: any */
	unsigned int status;	   /* enum lttng_mm_freeze_status */
};

/* Copies the metadata of a channel's session: text, without packet headers. */
struct lttng_mm_freeze_metadata {
	unsigned int channel;
	unsigned int room;
	unsigned long long to; /* address */
	unsigned int bytes;    /* of the metadata; if greater than @room, nothing has been copied */
	unsigned int producing; /* 1: an event is being declared; ask again */
};

/* Changes of a session that are kept. */
#define LTTNG_MM_FREEZE_CHANGES 128

/* A change of the session itself. */
#define LTTNG_MM_FREEZE_SESSION (~0u)

/* LTTng's trackers: a session records processes and users only if each tracker lets them pass. */
enum lttng_mm_freeze_tracker {
	LTTNG_MM_FREEZE_PID,
	LTTNG_MM_FREEZE_VPID,
	LTTNG_MM_FREEZE_UID,
	LTTNG_MM_FREEZE_VUID,
	LTTNG_MM_FREEZE_GID,
	LTTNG_MM_FREEZE_VGID,
	LTTNG_MM_FREEZE_TRACKERS,
};

/* All IDs, also those that have no process or user yet. */
#define LTTNG_MM_FREEZE_ALL (-1)

/* What a change is about. */
enum lttng_mm_freeze_what {
	LTTNG_MM_FREEZE_STATE,	 /* the session or channel was started or stopped */
	LTTNG_MM_FREEZE_EVENTS,	 /* some events of the channel were enabled or disabled */
	LTTNG_MM_FREEZE_TRACKER, /* the session records more or fewer IDs */
};

/* One change of a session. */
struct lttng_mm_freeze_change {
	unsigned long long clock;
	unsigned int channel;  /* its stream class in the trace, or LTTNG_MM_FREEZE_SESSION */
	unsigned short active; /* 1: from then on; 0: until then */
	unsigned short what;   /* enum lttng_mm_freeze_what */
	/*
	 * Of a tracker: which one, and the ID that it lets pass from then on, or until then.
	 * LTTNG_MM_FREEZE_ALL: the change is one between the empty set and all IDs.
	 */
	unsigned int tracker;
	int id;
};

/* An ID that a tracker lets pass. */
struct lttng_mm_freeze_tracked {
	unsigned int tracker;
	int id;
};

/* IDs of all trackers of a session that can be read; of more, no change is known. */
#define LTTNG_MM_FREEZE_TRACKED 256

/* When a channel's session, and its channels, were started and stopped, and what they record. */
struct lttng_mm_freeze_watch {
	unsigned int channel;
	/* 1: a tracker is being changed, so the members about trackers contradict each other */
	unsigned int tracking;
	unsigned int restricted; /* a bit for each tracker that is set */
	unsigned int tracked_count;
	struct lttng_mm_freeze_tracked tracked[LTTNG_MM_FREEZE_TRACKED];
	unsigned int count;   /* changes, the oldest first */
	unsigned int pending; /* changes that are being made; the last of them: */
	struct lttng_mm_freeze_change
		pending_change; /* its @clock is 0 until a start takes effect */
	unsigned long long
		since; /* all changes after this clock value are here; 0: none is known */
	struct lttng_mm_freeze_change changes[LTTNG_MM_FREEZE_CHANGES];
};

/*
 * The position of a per-CPU buffer, read while it is being written: its members are of slightly
 * different times, and @first is not later than @packet.
 */
struct lttng_mm_freeze_position {
	unsigned int channel, cpu;
	unsigned int online;
	unsigned int active;	      /* 1: the session is started */
	unsigned int enabled;	      /* 1: the channel is enabled */
	unsigned int overwrites;      /* 1: the next packet to be started overwrites the oldest */
	unsigned long long written;   /* bytes since the channel was created, with all padding */
	unsigned long long discarded; /* events discarded since the channel was created */
	unsigned long long packet;    /* number of the packet being written, or of the next one */
	unsigned long long first;     /* ... of the first one neither overwritten nor cleared */
	/*
	 * clock values at which packets were started, 0 if there is none: the oldest one that is
	 * there; the oldest one that is left when the next packet is started; the last one
	 */
	unsigned long long oldest, lasting, latest;
	unsigned long long newest; /* clock value of the last record; 0: there was none */
};

/* Reads positions. Nothing is frozen, and no CPU is stopped. */
struct lttng_mm_freeze_positions {
	unsigned long long clock; /* the trace clock, after the last position was read */
	/* as in struct lttng_mm_freeze */
	unsigned long long monotonic_ns, boottime_ns, realtime_ns;
	unsigned long long positions; /* address of an array for @room of them */
	unsigned int room;
	unsigned int count; /* buffers; if there are more than @room, none has been read */
};

/*
 * As _IOWR('L', NUMBER, TYPE) of the kernel's linux/ioctl.h on most architectures. A number and the
 * size of its type are the version of a request: one that the module does not have fails with
 * ENOTTY. If only what the type refers to changes, it needs another number.
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
