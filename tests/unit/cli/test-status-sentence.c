// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the first sentence of `lttng-mm status` for known and unknown states of recorders. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/status/status-sentence.h"
#include "tests/tap.h"

#define SESSION(name, state, discarded)                                          \
	"{\"session\": \"" name "\", \"role\": \"events\", \"status\": \"" state \
	"\", \"discarded_events\": " discarded "}"
#define DAX SESSION("lttng-mm-dax", "recording", "0")
#define CHANNEL(recording)                                                              \
	"{\"session\": \"lttng-mm-dax\", \"channel\": \"rare\", \"role\": \"events\", " \
	"\"recording\": " recording "}"
#define RECORDER(window, holds)                                           \
	"{\"window_ns\": " window                                         \
	", \"window_promised_ns\": 60000000000, \"window_holds\": " holds \
	", \"discarded_events\": 0, \"channels\": [" CHANNEL("true") "]}"
#define RATES(recorders) "\"rates\": {\"recorders\": [" recorders "]}"
#define USUAL "\"session_daemon_answers\": true, \"repair_count\": 0, \"stopped_function_count\": 0"

static const struct {
	const char *name, *status, *sentence;
} cases[] = {
	{ "all is well",
	  "{" USUAL ", \"sessions\": [" DAX "], " RATES(RECORDER("30850000000", "true")) "}",
	  "All buffers reach back 30.8 s; nothing was lost." },
	{ "two recorders",
	  "{" USUAL ", \"sessions\": [" DAX
	  "], " RATES(RECORDER("30850000000", "true") ", " RECORDER("999999999", "null")) "}",
	  "All buffers of 2 recorders reach back at least 999 ms; nothing was lost." },
	{ "the buffers are empty",
	  "{" USUAL ", \"sessions\": [" DAX "], " RATES(RECORDER("null", "null")) "}",
	  "All sessions record, and nothing has been written yet; nothing was lost." },
	{ "a promise is broken",
	  "{" USUAL ", \"sessions\": [" DAX "], " RATES(RECORDER("30850000000", "false")) "}",
	  "All buffers reach back 30.8 s, instead of the promised 60 s; nothing was lost." },
	{ "the buffers cannot be read", "{" USUAL ", \"sessions\": [" DAX "], \"rates\": null}",
	  "All sessions record; how far back the buffers reach is unknown; nothing was lost." },
	{ "neither repairs nor functions are known",
	  "{\"sessions\": [" DAX "], " RATES(RECORDER("30850000000", "true")) "}",
	  "All buffers reach back 30.8 s; no event was discarded." },
	{ "events are discarded",
	  "{" USUAL ", \"sessions\": [" SESSION("a", "recording", "1") "], " RATES(
		  RECORDER("2000000000", "null")) "}",
	  "All buffers reach back 2 s; 1 event was discarded." },
	{ "several losses",
	  "{\"repair_count\": 1, \"stopped_function_count\": 2, \"sessions\": [" SESSION(
		  "a", "recording", "12") "], " RATES(RECORDER("2000000000", "null")) "}",
	  "All buffers reach back 2 s; 12 events were discarded, recording was interrupted and repaired 1 time, 2 functions are no longer recorded." },
	{ "losses are unknown",
	  "{" USUAL ", \"sessions\": [" SESSION("a", "recording", "null") "], \"rates\": null}",
	  "All sessions record; how far back the buffers reach is unknown; it is unknown whether events were discarded." },
	{ "a session is gone",
	  "{" USUAL ", \"sessions\": [" DAX
	  ", " SESSION("lttng-mm-slab", "gone", "0") "], " RATES(RECORDER("0", "null")) "}",
	  "1 of 2 sessions does not record: lttng-mm-slab is gone." },
	{ "all are stopped",
	  "{" USUAL ", \"sessions\": [" SESSION("a", "stopped", "0") ", " SESSION(
		  "b", "stopped", "0") ", " SESSION("c", "gone", "0") ", " SESSION("d", "gone",
										   "0") "]}",
	  "Nothing is being recorded: a is stopped, b is stopped, c is gone, and 1 more." },
	{ "a channel is stopped",
	  "{" USUAL ", \"sessions\": [" DAX
	  "], \"rates\": {\"recorders\": [{\"window_ns\": 0, \"channels\": [" CHANNEL(
		  "true") ", " CHANNEL("false") "]}]}}",
	  "Not everything is being recorded: the channel rare of the session lttng-mm-dax is stopped." },
	{ "a user sees too little",
	  "{" USUAL ", \"sessions\": [" SESSION("a", "unknown", "null") "], \"rates\": null}",
	  "It is unknown whether 1 of 1 session still records: LTTng shows root's sessions to root only." },
	{ "the session daemon does not answer",
	  "{\"session_daemon_answers\": false, \"sessions\": [" SESSION(
		  "a", "unknown", "null") ", " SESSION("b", "unknown",
						       "null") "], \"rates\": null}",
	  "It is unknown whether 2 of 2 sessions still record: the session daemon does not answer." },
	{ "... but the buffers show it",
	  "{\"session_daemon_answers\": false, \"repair_count\": 0, \"sessions\": [" SESSION(
		  "a", "unknown", "null") "], " RATES(RECORDER("2000000000", "null")) "}",
	  "All buffers reach back 2 s; nothing was lost." },
	{ "nothing runs", "{" USUAL ", \"sessions\": [], \"rates\": null}",
	  "No recorder is running; start one with `lttng-mm record dax`." },
	{ "state sessions alone are no recorder",
	  "{" USUAL ", \"sessions\": [{\"role\": \"state\", \"status\": \"recording\"}]}",
	  "No recorder is running; start one with `lttng-mm record dax`." },
	{ "no recorder is known", "{\"session_daemon_answers\": false, \"sessions\": []}",
	  "No recorder is known to be running, and the session daemon does not answer." },
	{ "a problem", "{" USUAL ", \"sessions\": [" DAX "], \"problem\": \"the disk is full\"}",
	  "The recorder daemon found a problem that it cannot repair: the disk is full." },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_error_t error;
		json_t *status = json_loads(cases[i].status, 0, &error);
		char *sentence = status ? status_sentence(status) : NULL;
		bool same = sentence && !strcmp(sentence, cases[i].sentence);

		tap(same, "%s", cases[i].name);
		if (!same)
			printf("# expected: %s\n# found: %s\n", cases[i].sentence,
			       sentence ? sentence : error.text);
		free(sentence);
		json_decref(status);
	}
	return tap_status();
}
