/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A job is the request for one snapshot. This header is for the files that implement the queue:
 * job-queue.c chooses the next job, job.c runs its worker process, and job-result.c answers its
 * clients. job-queue.h describes the states.
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
	JOB_DELAYED, /* waits until the time of --after has passed */
	JOB_QUEUED,
	JOB_TAKING,  /* the worker copies the buffers to memory */
	JOB_FULL,    /* the worker waits until another snapshot leaves the stage */
	JOB_WRITING, /* the contents of the buffers are in memory; the worker writes the snapshot */
	JOB_LEAVING,
};

struct job_client {
	void *client;
	int socket; /* the client's connection; -1: none */
};

struct job {
	struct job_queue *queue;
	struct job *next;
	unsigned int number;
	enum job_state state;
	struct requester requester;
	json_t *request, *result; /* @result: the worker's last report */
	bool no_wait;
	bool later;	 /* a --after request, which shares its job with no other request */
	bool pressing;	 /* has been queued for longer than PRESSING_US */
	bool unattended; /* completed even if no client waits */
	bool frozen;
	uint64_t bytes; /* maximum size of the snapshot in the stage; valid if @frozen */
	/* called with the answers for a trigger; NULL: a user requested the job */
	client_answer *triggered;
	bool killed;
	bool unable;   /* the daemon cannot take the snapshot, but root's client can */
	bool received; /* the worker has read all messages from the clients' sockets */
	int report;
	/* Grows while the worker makes progress (worker.h). Is in memory shared with the worker. */
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
	struct job *first; /* oldest request first */
	json_t *ended;
	unsigned int last_number;
	uid_t last_uid; /* user of the job that started last */
	bool last_triggered;
	uint64_t write_us; /* see job_queue_limit() */
	int lock;	   /* see job_queue_share_lock() */
	/* The worker's function: worker_run(), or a test's function. */
	int (*work)(const struct worker_job *job);
	/* Reads the size of the stage and its used bytes; returns 0, or -1. Tests replace it. */
	int (*room)(const struct job_queue *queue, uint64_t *bytes, uint64_t *used);
	/* Called when a job has its result and may have freed memory (job-queue.c). */
	void (*concluded)(struct job_queue *queue);
	/* Starts the next job, if one may start (job-queue.c). */
	void (*start_next)(struct job_queue *queue);
	bool finishing;
};

/* Number of finished snapshots that job_queue_list() shows. */
#define JOB_QUEUE_ENDED_MAX 32

/* Starts the worker of a queued job. Returns 0, or -1 with errno set. */
int job_start(struct job *job);
/*
 * Resumes a worker that waits for room in the stage. With @room false, tells the worker that no
 * room will become free.
 */
void job_continue(struct job *job, bool room);
/* Kills the worker, if it is running. */
void job_kill(struct job *job);
/* Sets the result of @job to an error. Defined in job-result.c, as are the next two functions. */
__attribute__((format(printf, 2, 3))) void job_fail(struct job *job, const char *why, ...);
/* Sends the result of @job to all clients, and starts jobs that waited for its memory. */
void job_conclude(struct job *job);
/* Sends @answer to all clients and removes them from the job. */
void job_answer(struct job *job, const json_t *answer);
/* Returns the job's element for job_queue_list(), a new reference. Defined in job-list.c. */
json_t *job_describe(const struct job *job);
/* Frees a job; job_remove() first takes it out of the queue. */
void job_free(struct job *job);
void job_remove(struct job *job);
/* Is a snapshot being written (JOB_WRITING)? Its completion frees room in the stage. */
bool job_queue_will_free_room(const struct job_queue *queue);

/* Formats the name of the job's folder in the stage. */
#define JOB_NAME_MAX 16
void job_stage_name(const struct job *job, char name[JOB_NAME_MAX]);

#endif /* LTTNG_MM_DAEMON_JOBS_JOB_H */
