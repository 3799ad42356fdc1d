/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A snapshot, for the files that take it: job-queue.c chooses the next one, job.c runs the process that
 * takes it, and job-result.c answers those who wait for it.
 */
#ifndef LTTNG_MM_DAEMON_JOBS_JOB_H
#define LTTNG_MM_DAEMON_JOBS_JOB_H

#include <jansson.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/jobs/job-queue.h"
#include "lttng-session/daemon/jobs/requester.h"
#include "lttng-session/daemon/jobs/worker.h"

enum job_state {
	JOB_DELAYED, /* --after */
	JOB_QUEUED,
	JOB_TAKING,  /* its contents are not in memory yet */
	JOB_FULL,    /* it waits for memory that other snapshots will free */
	JOB_WRITING, /* its contents are in memory, and are being written */
	JOB_LEAVING, /* the result is known; its process has not ended yet */
};

struct job_client {
	void *client;
	int socket; /* the client's; -1: none */
};

struct job {
	struct job_queue *queue;
	struct job *next;
	unsigned int number;
	enum job_state state;
	struct requester requester;
	json_t *request, *result; /* result: the last answer of the process */
	bool no_wait;
	bool later;		  /* --after: it is of one request */
	bool pressing;		  /* it has waited for its turn for long */
	bool unattended;	  /* also if nobody waits for it */
	bool frozen;		  /* its contents are, or were, in memory */
	uint64_t bytes;		  /* that they take at most, since then */
	client_answer *triggered; /* the answer to a trigger; NULL: a request */
	bool killed;
	bool unable;   /* it failed for a reason that does not apply to root's client */
	bool received; /* the process has no sockets of clients any more */
	int report;
	/* Counts what the process writes, in memory that both have. */
	atomic_ullong *progress;
	unsigned long long last_progress;
	int64_t requested_s, ended_s;
	sd_event_source *child, *io, *timer;
	struct job_client *clients;
	size_t client_count;
};

struct job_queue {
	sd_event *event;
	int stage;
	char stage_path[PATH_MAX];
	client_answer *answer;
	struct job *first; /* in the order of the requests */
	json_t *ended;
	unsigned int last_number;
	uid_t last_uid; /* whose snapshot was taken last */
	bool last_triggered;
	uint64_t write_us; /* without progress, a process that writes is ended after so long */
	int lock;	   /* see job_queue_share_lock() */
	/* What the processes do: worker_run(), or a test's. */
	int (*work)(const struct worker_job *job);
	/* The bytes of the stage, and those that are in use; returns 0, or -1. Or a test's. */
	int (*room)(const struct job_queue *queue, uint64_t *bytes, uint64_t *used);
	/* In job-queue.c. A snapshot has been concluded, which may have freed memory for others. */
	void (*concluded)(struct job_queue *queue);
	/* Starts the next snapshot that may be taken. */
	void (*start_next)(struct job_queue *queue);
	bool finishing;
};

/* The last snapshots that job_queue_list() shows. */
#define JOB_QUEUE_ENDED_MAX 32

/* Starts a process for a job that waits. Returns 0, or -1 with errno set. */
int job_start(struct job *job);
/* There may be room for the job now. */
void job_continue(struct job *job, bool room);
/* Ends its process, if it has one. */
void job_kill(struct job *job);
/* In job-result.c. Makes the result of @job an error. */
__attribute__((format(printf, 2, 3))) void job_fail(struct job *job, const char *why, ...);
/* The result is known: it goes to all who wait, and others get the room. */
void job_conclude(struct job *job);
/* Answers those who wait. */
void job_answer(struct job *job, const json_t *answer);
/* In job-list.c: what job_queue_list() has of it; a new reference. */
json_t *job_describe(const struct job *job);
/* Releases a job that is in no list, or takes it from the list first. */
void job_free(struct job *job);
void job_remove(struct job *job);
/* Is another snapshot being written, which frees room? */
bool job_queue_will_free_room(const struct job_queue *queue);

/* The name of the job's folder in the stage. */
#define JOB_NAME_MAX 16
void job_stage_name(const struct job *job, char name[JOB_NAME_MAX]);

#endif /* LTTNG_MM_DAEMON_JOBS_JOB_H */
