// SPDX-License-Identifier: LGPL-2.1-only
/* Measures the rates of profiles, and chooses sub-buffer sizes for a window. */
#include "lttng-session/status/window.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/sessions.h"
#include "lttng-session/status/rates.h"
#include "lttng-session/status/status.h"
#include "lttng-session/system/process.h"
#include "util/mounts.h"

/* Prefix of the names of temporary recorders. The rest of the name is the process ID. */
#define MEASURING "measuring-"

#define NS_PER_S 1000000000

bool window_choose(struct window_ring *ring, int64_t window_ns)
{
	const uint64_t full = ring->subbuf_count > 1 ? ring->subbuf_count - 1 : 1;
	const unsigned __int128 bytes =
		(unsigned __int128)ring->rate * 3 / 2 * (uint64_t)window_ns / NS_PER_S;
	unsigned __int128 reach;

	ring->subbuf_bytes = ring->least_bytes;
	while (ring->subbuf_bytes <= WINDOW_SUBBUF_MAX &&
	       (unsigned __int128)ring->subbuf_bytes * full < bytes)
		ring->subbuf_bytes *= 2;
	ring->reach_ns = INT64_MAX;
	if (ring->rate) {
		reach = (unsigned __int128)ring->subbuf_bytes * full * NS_PER_S / ring->rate;
		if (reach < INT64_MAX)
			ring->reach_ns = (int64_t)reach;
	}
	return ring->subbuf_bytes <= WINDOW_SUBBUF_MAX;
}

/* Returns how much memory is available without swapping, in bytes, or 0 if that is unknown. */
static uint64_t available_bytes(void)
{
	char path[4096], line[256];
	uint64_t kib = 0;
	FILE *file;

	if (mounts_path(path, sizeof(path), "/proc/meminfo"))
		return 0;
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib << 10;
}

/*
 * Checks what recorder_start() would refuse, so that the error comes before the measurement.
 * Returns 0, or -1 with @err set.
 */
static int check_plan(const struct recorder_options *options, struct mm_error *err)
{
	struct plan plan;

	if (plan_read(&plan, err))
		return -1;
	for (size_t i = 0; i < plan.count && !err->code; i++)
		for (size_t p = 0; p < options->count; p++)
			if (!plan.sessions[i].state &&
			    !strcmp(plan.sessions[i].recorder, options->recorder) &&
			    plan_session_is_for(&plan.sessions[i], options->profiles[p]->name))
				mm_error_set(
					err, MM_EXIT_ENVIRONMENT,
					"record: %s: already recording in session %s; `lttng-mm stop %s` stops it",
					options->profiles[p]->name, plan.sessions[i].name,
					options->profiles[p]->name);
	if (plan_budget(&plan, options->recorder))
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"record: --window: the recorder %s was started with --budget, which determines the sizes of its buffers; stop it first",
			options->recorder);
	plan_release(&plan);
	return err->code ? -1 : 0;
}

/* Stops temporary recorders that killed processes have left. */
static void sweep(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_stopped stopped;
	struct plan plan;

	if (plan_read(&plan, &err))
		return;
	for (size_t i = 0; i < plan.count; i++) {
		const char *recorder = plan.sessions[i].recorder;
		const size_t length = strlen(MEASURING);

		if (strncmp(recorder, MEASURING, length) != 0 ||
		    !kill(atoi(recorder + length), 0) || errno != ESRCH)
			continue;
		recorder_stop(recorder, &stopped, &err);
	}
	plan_release(&plan);
}

/*
 * Finds the temporary sessions of the profiles, in the order of the profiles. Returns 0, or -1 with
 * @err set.
 */
static int find_sessions(const struct recorder_options *options, struct rates_session *sessions,
			 struct mm_error *err)
{
	struct plan plan;

	if (plan_read(&plan, err))
		return -1;
	for (size_t i = 0; i < plan.count; i++)
		for (size_t p = 0; p < options->count; p++)
			if (!plan.sessions[i].state &&
			    !strcmp(plan.sessions[i].recorder, options->recorder) &&
			    plan_session_is_for(&plan.sessions[i], options->profiles[p]->name))
				snprintf(sessions[p].name, sizeof(sessions[p].name), "%s",
					 plan.sessions[i].name);
	plan_release(&plan);
	return 0;
}

/* Waits for a second, or until a signal arrives. Returns the signal, or 0. */
static int wait_second(void)
{
	const struct timespec second = { .tv_sec = 1 };
	sigset_t signals;
	int signal;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	signal = sigtimedwait(&signals, NULL, &second);
	return signal > 0 ? signal : 0;
}

/*
 * Measures the highest rate of each channel in any second. @greatest has the order of
 * rates_greatest(). If a signal arrives, stops and sets *@signal. Returns 0, or -1 with @err set.
 */
static int measure_rates(const struct rates_session *sessions, size_t count, uint64_t *greatest,
			 int *signal, struct mm_error *err)
{
	const char *names[RECORDER_PROFILES_MAX];
	uint64_t rates[RECORDER_PROFILES_MAX * PROFILE_CHANNELS_MAX];
	struct positions now, before;
	struct mm_error why;
	int ret;

	for (size_t i = 0; i < count; i++)
		names[i] = sessions[i].name;
	memset(greatest, 0, count * PROFILE_CHANNELS_MAX * sizeof(*greatest));
	ret = positions_open(&now, names, count, err) || positions_read(&now, err) ? -1 : 0;
	for (int i = 0; i < WINDOW_MEASURE_S && !ret && !*signal; i++) {
		*signal = wait_second();
		before = now;
		before.device = -1;
		now.all = NULL;
		ret = positions_read(&now, err);
		if (!ret)
			rates_greatest(&before, &now, rates, count, PROFILE_CHANNELS_MAX);
		for (size_t s = 0; s < count * PROFILE_CHANNELS_MAX && !ret; s++)
			if (rates[s] > greatest[s])
				greatest[s] = rates[s];
		positions_release(&before);
	}
	positions_release(&now);
	if (!ret || err->code)
		return ret;
	why = *err;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "record: --window: the rate cannot be measured: %s", why.message);
}

/*
 * Records in temporary sessions, and measures the rates. Blocks signals, so that a signal ends the
 * program only after the sessions are destroyed.
 */
static int record_and_measure(const struct recorder_options *options, uint64_t *greatest,
			      struct mm_error *err)
{
	struct rates_session *sessions = calloc(options->count, sizeof(*sessions));
	struct recorder_options measuring = *options;
	struct recorder_started started;
	struct recorder_stopped stopped;
	struct mm_error later = MM_ERROR_INIT;
	int ret, signal = 0;

	if (!sessions)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "record: out of memory");
	measuring.limits = (struct retention_limits){ .count = 0 };
	memset(measuring.triggers, 0, sizeof(measuring.triggers));
	snprintf(measuring.recorder, sizeof(measuring.recorder), MEASURING "%d", (int)getpid());
	ret = recorder_start(&measuring, &started, err);
	if (!ret) {
		ret = find_sessions(&measuring, sessions, err);
		if (!ret)
			ret = measure_rates(sessions, options->count, greatest, &signal, err);
		if (recorder_stop(measuring.recorder, &stopped, &later) && !ret) {
			*err = later;
			ret = -1;
		}
	}
	free(sessions);
	if (signal)
		raise(signal);
	return ret;
}

uint64_t window_memory(const struct window_ring *rings, size_t count,
		       const struct budget_ring *state, const struct plan *plan, unsigned int cpus)
{
	uint64_t taken = state ? budget_bytes(state, 1, cpus) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct budget_ring ring = { .subbuf_bytes = rings[i].subbuf_bytes,
						  .subbuf_count = rings[i].subbuf_count,
						  .fixed = true };

		if (__builtin_add_overflow(taken, budget_bytes(&ring, 1, cpus), &taken))
			return UINT64_MAX;
	}
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_session *session = &plan->sessions[i];
		uint64_t copies = budget_bytes(session->rings, session->ring_count, cpus), bytes;

		/*
		 * Count only the memory for copies, because the buffers of this session exist
		 * already.
		 */
		if (__builtin_mul_overflow(session->ring_bytes, (uint64_t)cpus, &bytes))
			return UINT64_MAX;
		copies = copies > bytes ? copies - bytes : 0;
		if (__builtin_add_overflow(taken, copies, &taken))
			return UINT64_MAX;
	}
	return taken;
}

/* Adds up the memory for the recorder's new buffers, and for copies of all recorders' buffers. */
static int sum_memory(const struct recorder_options *options, struct window_result *result,
		      struct mm_error *err)
{
	struct recorder_sessions *planned = calloc(1, sizeof(*planned));
	struct budget_ring state = { .fixed = true };
	struct plan plan;

	if (!planned)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "record: out of memory");
	if (plan_read(&plan, err)) {
		free(planned);
		return -1;
	}
	recorder_plan_sessions(planned, options, &plan);
	state.subbuf_bytes = planned->state.channels[0].subbuf_bytes;
	state.subbuf_count = planned->state.channels[0].subbuf_count;
	result->cpus = recorder_possible_cpus();
	result->bytes = window_memory(result->rings, result->count,
				      planned->has_state ? &state : NULL, &plan, result->cpus);
	plan_release(&plan);
	free(planned);
	return 0;
}

static int check_memory(const struct recorder_options *options, struct window_result *result,
			bool too_large, int64_t window_ns, struct mm_error *err)
{
	uint64_t available = available_bytes();

	if (sum_memory(options, result, err))
		return -1;
	if (!too_large && (!available || result->bytes <= available / 2))
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"record: --window: buffers for %" PRId64
		" s, buffers for state dumps, and the copies of all buffers during a snapshot would take %s%" PRIu64
		" MiB on %u CPUs, but may use at most half of the available memory, %" PRIu64
		" MiB; choose a shorter window or fewer events, or stop other recorders",
		window_ns / NS_PER_S, too_large ? "more than " : "", result->bytes >> 20,
		result->cpus, available >> 21);
}

/*
 * Chooses the sizes of a profile's channels by their rates. Returns false if a size would be too
 * large.
 */
static bool choose_profile(const struct profile *profile, const uint64_t *rates, int64_t window_ns,
			   struct window_result *result)
{
	bool chosen = true;

	for (size_t c = 0; c < profile->channel_count; c++) {
		const struct profile_channel *channel = &profile->channels[c];
		struct window_ring *ring = &result->rings[result->count++];

		*ring = (struct window_ring){
			.rate = rates[c],
			.subbuf_count = channel->subbuf_count,
			.least_bytes = c ? channel->subbuf_bytes : WINDOW_SUBBUF_MIN,
		};
		chosen &= window_choose(ring, window_ns);
	}
	return chosen;
}

/*
 * Parses the line `cpu ...` of /proc/stat. Sets *@all to the total time, and *@idle to the idle and
 * iowait time.
 */
static bool read_times(const char *line, unsigned long long *all, unsigned long long *idle)
{
	unsigned long long times[8];

	if (sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &times[0], &times[1],
		   &times[2], &times[3], &times[4], &times[5], &times[6], &times[7]) != 8)
		return false;
	*all = 0;
	for (size_t i = 0; i < 8; i++)
		*all += times[i];
	*idle = times[3] + times[4];
	return true;
}

int window_idle_percent(const char *before, const char *after)
{
	unsigned long long all[2], idle[2];

	if (!read_times(before, &all[0], &idle[0]) || !read_times(after, &all[1], &idle[1]) ||
	    all[1] <= all[0] || idle[1] < idle[0] || idle[1] - idle[0] > all[1] - all[0])
		return -1;
	return (int)((idle[1] - idle[0]) * 100 / (all[1] - all[0]));
}

int window_measure(struct recorder_options *options, int64_t window_ns,
		   struct window_result *result, struct mm_error *err)
{
	char stat_before[256], stat_after[256];
	uint64_t greatest[RECORDER_PROFILES_MAX * PROFILE_CHANNELS_MAX];
	bool too_large = false;
	sigset_t before;
	size_t used = 0;
	int ret;

	memset(result, 0, sizeof(*result));
	if (check_plan(options, err))
		return -1;
	process_block_signals(&before);
	sweep();
	mounts_read_line("/proc/stat", stat_before, sizeof(stat_before));
	ret = record_and_measure(options, greatest, err);
	mounts_read_line("/proc/stat", stat_after, sizeof(stat_after));
	result->idle_percent = window_idle_percent(stat_before, stat_after);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return -1;
	for (size_t i = 0; i < options->count; i++)
		too_large |=
			!choose_profile(options->profiles[i], greatest + i * PROFILE_CHANNELS_MAX,
					window_ns, result);
	if (check_memory(options, result, too_large, window_ns, err))
		return -1;
	for (size_t i = 0; i < options->count; i++)
		for (size_t c = 0; c < options->profiles[i]->channel_count; c++)
			options->profiles[i]->channels[c].subbuf_bytes =
				result->rings[used++].subbuf_bytes;
	options->window_ns = window_ns;
	return 0;
}
