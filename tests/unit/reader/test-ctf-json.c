// SPDX-License-Identifier: LGPL-2.1-only
// Tests the model that is built from CTF 2 metadata, and the messages about errors.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/metadata/metadata.h"
#include "tests/tap.h"

/* The JSON below is formatted by hand. */
/* clang-format off */

/* ---- the model as text ---- */

struct json_text {
	char data[4096];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct json_text *text, const char *fmt, ...)
{
	size_t room = sizeof(text->data) - text->length;
	va_list args;
	int count;

	va_start(args, fmt);
	count = vsnprintf(text->data + text->length, room, fmt, args);
	va_end(args);
	text->length += count < 0 ? 0 : (size_t)count < room ? (size_t)count : room - 1;
}

static void say_ranges(struct json_text *text, const struct ctf_range *ranges, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		say(text, "%s%" PRId64 "..%" PRId64, i ? "," : "", ranges[i].lower.i,
		    ranges[i].upper.i);
}

static void say_field(struct json_text *text, const struct ctf_field *field);

static void say_inside(struct json_text *text, const struct ctf_field *field)
{
	size_t i;

	if (field->kind == CTF_STRUCT || field->kind == CTF_VARIANT) {
		say(text, "{");
		for (i = 0; i < field->member_count; i++) {
			const struct ctf_member *member = &field->members[i];

			say(text, "%s%s", i ? " " : "", member->name ? member->name : "-");
			if (member->range_count)
				say(text, "(");
			say_ranges(text, member->ranges, member->range_count);
			say(text, member->range_count ? "):" : ":");
			say_field(text, member->field);
		}
		say(text, "}");
	}
	if (field->element) {
		say(text, "[");
		say_field(text, field->element);
		say(text, "]");
	}
}

/*
 * Sample: "u5le/1 base16 roles400 {a 0..30} k0": kind, bits, alignment, and any other properties.
 */
static void say_field(struct json_text *text, const struct ctf_field *field)
{
	static const char *const kinds[] = {
		[CTF_UNSIGNED] = "u",		[CTF_SIGNED] = "i",
		[CTF_BOOL] = "bool",		[CTF_BITMAP] = "bits",
		[CTF_FLOAT] = "f",		[CTF_LEB_UNSIGNED] = "leb",
		[CTF_LEB_SIGNED] = "sleb",	[CTF_STRING] = "str",
		[CTF_STATIC_STRING] = "sstr",	[CTF_DYNAMIC_STRING] = "dstr",
		[CTF_STATIC_BLOB] = "blob",	[CTF_DYNAMIC_BLOB] = "dblob",
		[CTF_STATIC_ARRAY] = "array",	[CTF_DYNAMIC_ARRAY] = "seq",
		[CTF_STRUCT] = "",		[CTF_VARIANT] = "var",
		[CTF_OPTION] = "opt",
	};
	size_t i;

	say(text, "%s", kinds[field->kind]);
	if (field->size)
		say(text, "%u%s%s", field->size, field->big_endian ? "be" : "le",
		    field->reversed_bits ? "r" : "");
	if (field->length)
		say(text, "*%" PRIu64, field->length);
	if (field->align != 1)
		say(text, "/%u", field->align);
	if (field->base != 10)
		say(text, ".%u", field->base);
	if (field->encoding)
		say(text, ".e%d", field->encoding);
	if (field->media_type)
		say(text, ".%s", field->media_type);
	if (field->roles)
		say(text, ".r%x", field->roles);
	if (field->clock)
		say(text, ".%s", field->clock->id);
	for (i = 0; i < field->mapping_count; i++) {
		say(text, " %s=", field->mappings[i].label);
		say_ranges(text, field->mappings[i].ranges, field->mappings[i].range_count);
	}
	if (field->keep_slot >= 0)
		say(text, " k%d", field->keep_slot);
	if (field->ref_slot >= 0)
		say(text, "<%d", field->ref_slot);
	if (field->range_count)
		say(text, "(");
	say_ranges(text, field->ranges, field->range_count);
	if (field->range_count)
		say(text, ")");
	say_inside(text, field);
}

static void say_scope(struct json_text *text, const char *name, const struct ctf_field *field)
{
	if (!field)
		return;
	say(text, " %s", name);
	say_field(text, field);
}

static void say_clock(struct json_text *text, const struct ctf_clock *c)
{
	say(text, "clock %s %s/%s/%s %" PRIu64 "Hz %" PRId64 "s+%" PRIu64, c->id,
	    c->name_space ? c->name_space : "", c->name ? c->name : "", c->uid ? c->uid : "",
	    c->frequency, c->offset_s, c->offset_cycles);
	if (c->has_precision)
		say(text, " ~%" PRIu64, c->precision);
	if (c->absolute)
		say(text, " epoch");
	if (c->origin_name)
		say(text, " %s/%s/%s", c->origin_name_space ? c->origin_name_space : "",
		    c->origin_name, c->origin_uid);
	if (c->description)
		say(text, " (%s)", c->description);
	say(text, "\n");
}

static void say_event(struct json_text *text, const struct ctf_event_class *event)
{
	say(text, " event %" PRIu64 " %s", event->id, event->has_name ? event->name : "-");
	if (event->has_log_level)
		say(text, " %" PRId64 "=%s", event->log_level, event->log_level_name);
	if (event->emf_uri)
		say(text, " <%s>", event->emf_uri);
	say_scope(text, "spec", event->specific_context);
	say_scope(text, "payload", event->payload);
	say(text, "\n");
}

static void say_trace(struct json_text *text, const struct ctf_trace_class *trace)
{
	size_t i, k;

	say(text, "%d.%d", trace->major, trace->minor);
	if (trace->has_uuid)
		say(text, " uuid %02x..%02x", trace->uuid[0], trace->uuid[15]);
	if (trace->name || trace->name_space || trace->uid)
		say(text, " %s/%s/%s", trace->name_space, trace->name, trace->uid);
	for (i = 0; i < trace->env_count; i++) {
		say(text, " %s=", trace->env[i].name);
		if (trace->env[i].kind == CTF_ENV_SIGNED)
			say(text, "%" PRId64, trace->env[i].i);
		else
			say(text, trace->env[i].kind == CTF_ENV_STRING ? "'%s'" : "%s",
			    trace->env[i].s);
	}
	say_scope(text, "header", trace->packet_header);
	say(text, "\n");
	for (i = 0; i < trace->clock_count; i++)
		say_clock(text, trace->clocks[i]);
	for (i = 0; i < trace->stream_count; i++) {
		const struct ctf_stream_class *stream = trace->streams[i];

		say(text, "stream %" PRIu64, stream->id);
		if (stream->name)
			say(text, " %s/%s/%s", stream->name_space, stream->name, stream->uid);
		if (stream->clock)
			say(text, " clock %s", stream->clock->id);
		say_scope(text, "context", stream->packet_context);
		say_scope(text, "header", stream->event_header);
		say_scope(text, "common", stream->common_context);
		say(text, "\n");
		for (k = 0; k < stream->event_count; k++)
			say_event(text, stream->events[k]);
	}
}

/* ---- metadata, with ' for " and @ for the record separator ---- */

static struct ctf_trace_class *parse(const char *metadata, struct mm_error *err)
{
	size_t length = strlen(metadata), i;
	/* Without a terminator: the address sanitizer detects reading past the end. */
	char *text = malloc(length ? length : 1);
	struct ctf_trace_class *trace;

	for (i = 0; i < length; i++)
		text[i] = metadata[i] == '\'' ? '"' : metadata[i] == '@' ? '\x1e' : metadata[i];
	trace = ctf_metadata_parse(text, length, "m", err);
	free(text);
	return trace;
}

#define PREAMBLE "@{'type':'preamble','version':2}\n"
#define STREAM "@{'type':'data-stream-class'}\n"
#define ALIAS(name, class) "@{'type':'field-class-alias','name':'" name "','field-class':" class "}\n"
#define EVENT(class) \
	"@{'type':'event-record-class','name':'e','payload-field-class':" class "}\n"
#define PAYLOAD(members) PREAMBLE STREAM EVENT("{'type':'structure','member-classes':[" members "]}")
#define MEMBER(name, class) "{'name':'" name "','field-class':" class "}"
#define U8 "{'type':'fixed-length-unsigned-integer','length':8,'byte-order':'little-endian'}"
#define I8 "{'type':'fixed-length-signed-integer','length':8,'byte-order':'little-endian'}"
#define UNSIGNED(rest) \
	"{'type':'fixed-length-unsigned-integer','length':64,'byte-order':'little-endian'," rest "}"
#define SEQ(path) \
	"{'type':'dynamic-length-array','length-field-location':{'path':[" path "]}," \
	"'element-field-class':" U8 "}"
#define BITS(type, rest) "{'type':'" type "','length':8,'byte-order':'big-endian'" rest "}"
#define CLOCK(rest) "@{'type':'clock-class','id':'c','frequency':1000000000" rest "}\n"

#define PLAIN "2.0\nstream 0\n event 0 e payload"

static const struct {
	const char *title, *metadata, *model;
} sound[] = {
	{ "the minimum", PREAMBLE STREAM, "2.0\nstream 0\n" },
	{ "separators in a row, no line end", "@@{'type':'preamble','version':2}@@"
	  "{'type':'data-stream-class'}@", "2.0\nstream 0\n" },
	{ "preamble, trace class, environment",
	  "@{'type':'preamble','version':2,'uuid':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,255],"
	  "'attributes':{'x':[1]},'extensions':{}}\n"
	  "@{'type':'trace-class','namespace':'ns','name':'n','uid':'u','environment':"
	  "{'a':'b','i':-7,'big':18446744073709551615}}\n" STREAM,
	  "2.0 uuid 01..ff ns/n/u a='b' i=-7 big=18446744073709551615\nstream 0\n" },
	{ "packet header",
	  "@{'type':'preamble','version':2,'uuid':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}\n"
	  "@{'type':'trace-class','packet-header-field-class':{'type':'structure','member-classes':["
	  "{'name':'m','field-class':{'type':'fixed-length-unsigned-integer','length':32,"
	  "'byte-order':'little-endian','alignment':8,'roles':['packet-magic-number']}},"
	  "{'name':'u','field-class':{'type':'static-length-blob','length':16,"
	  "'roles':['metadata-stream-uuid']}},"
	  "{'name':'s','field-class':{'type':'variable-length-unsigned-integer',"
	  "'roles':['data-stream-class-id','data-stream-id']}}]}}\n" STREAM,
	  "2.0 uuid 01..10 header/8{m:u32le/8.r1 u:blob*16/8.r2 s:leb/8.rc}\nstream 0\n" },
	{ "clock without a name", PREAMBLE CLOCK("") STREAM,
	  "2.0\nclock c // 1000000000Hz 0s+0\nstream 0\n" },
	{ "clock with all properties", PREAMBLE
	  "@{'type':'clock-class','id':'c','namespace':'s','name':'n','uid':'u','frequency':1000,"
	  "'offset-from-origin':{'seconds':-5,'cycles':999},'origin':'unix-epoch','precision':3,"
	  "'accuracy':4,'description':'d'}\n" STREAM,
	  "2.0\nclock c s/n/u 1000Hz -5s+999 ~3 epoch (d)\nstream 0\n" },
	{ "clock with a custom origin", PREAMBLE
	  CLOCK(",'origin':{'namespace':'s','name':'n','uid':'u'}") STREAM,
	  "2.0\nclock c // 1000000000Hz 0s+0 s/n/u\nstream 0\n" },
	{ "stream class with roles and CPU", PREAMBLE CLOCK("")
	  "@{'type':'data-stream-class','id':7,'namespace':'s','name':'n','uid':'u',"
	  "'default-clock-class-id':'c','packet-context-field-class':{'type':'structure',"
	  "'member-classes':["
	  MEMBER("b", UNSIGNED("'roles':['default-clock-timestamp']")) ","
	  MEMBER("t", UNSIGNED("'roles':['packet-end-default-clock-timestamp']")) ","
	  MEMBER("p", UNSIGNED("'roles':['packet-total-length','packet-content-length']")) ","
	  MEMBER("d", UNSIGNED("'roles':['discarded-event-record-counter-snapshot']")) ","
	  MEMBER("q", UNSIGNED("'roles':['packet-sequence-number']")) ","
	  MEMBER("cpu_id", U8) "]},"
	  "'event-record-header-field-class':{'type':'structure','minimum-alignment':8,"
	  "'member-classes':[" MEMBER("id", UNSIGNED("'roles':['event-record-class-id']")) ","
	  MEMBER("ts", UNSIGNED("'roles':['default-clock-timestamp']")) "]},"
	  "'event-record-common-context-field-class':{'type':'structure'}}\n"
	  "@{'type':'event-record-class','id':3,'data-stream-class-id':7,'name':'e','namespace':'s',"
	  "'uid':'u','specific-context-field-class':{'type':'structure'}}\n",
	  "2.0\nclock c // 1000000000Hz 0s+0\nstream 7 s/n/u clock c "
	  "context{b:u64le.r40.c t:u64le.r80.c p:u64le.r30 d:u64le.r100 q:u64le.r200 "
	  "cpu_id:u8le.r800} header/8{id:u64le.r400 ts:u64le.r40.c} common{}\n event 3 e spec{}\n" },
	{ "log levels and URIs", PREAMBLE "@{'type':'data-stream-class',"
	  "'event-record-header-field-class':{'type':'structure','member-classes':["
	  MEMBER("id", UNSIGNED("'roles':['event-record-class-id']")) "]}}"
	  "@{'type':'event-record-class','attributes':{'babeltrace.org,2020':"
	  "{'log-level':'debug:line','emf-uri':'x'},'lttng.org,2009':{'log-level':'alert'}}}\n"
	  "@{'type':'event-record-class','id':1,'name':'','attributes':"
	  "{'lttng.org,2009':{'log-level':'emergency'}}}\n"
	  "@{'type':'event-record-class','id':2,'name':'n','attributes':"
	  "{'lttng.org,2009':{'log-level':13}}}\n",
	  "2.0\nstream 0 header{id:u64le.r400}\n event 0 - 13=debug:line <x>\n"
	  " event 1  0=emergency\n event 2 n\n" },
	{ "bit arrays of either order", PAYLOAD(
	  MEMBER("a", BITS("fixed-length-bit-array", "")) ","
	  MEMBER("b", BITS("fixed-length-bit-array", ",'bit-order':'first-to-last'")) ","
	  MEMBER("c", BITS("fixed-length-boolean", ",'bit-order':'last-to-first'")) ","
	  MEMBER("d", "{'type':'fixed-length-signed-integer','length':3,'alignment':4,"
		      "'byte-order':'little-endian','bit-order':'last-to-first'}") ","
	  MEMBER("f", "{'type':'fixed-length-floating-point-number','length':32,"
		      "'byte-order':'big-endian','alignment':32}")),
	  PLAIN "/32{a:bits8be b:bits8ber c:bool8be d:i3ler/4 f:f32be/32}\n" },
	{ "mappings and flags", PAYLOAD(
	  MEMBER("a", UNSIGNED("'mappings':{'x':[[0,3],[7,7]]},'preferred-display-base':16")) ","
	  MEMBER("b", UNSIGNED("'mappings':{'top':[[18446744073709551615,18446744073709551615]]}"))
	  "," MEMBER("c", UNSIGNED("'mappings':{}")) ","
	  MEMBER("d", "{'type':'variable-length-signed-integer','mappings':{'m':[[-9,1]]}}") ","
	  MEMBER("e", BITS("fixed-length-bit-map", ",'flags':{'low':[[0,1],[7,7]]}"))),
	  PLAIN "/8{a:u64le.16 x=0..3,7..7 b:u64le top=-1..-1 c:u64le d:sleb/8 m=-9..1 "
	  "e:bits8be low=0..1,7..7}\n" },
	{ "strings and BLOBs", PAYLOAD(
	  MEMBER("n", U8) ","
	  MEMBER("a", "{'type':'null-terminated-string'}") ","
	  MEMBER("b", "{'type':'null-terminated-string','encoding':'utf-16be'}") ","
	  MEMBER("c", "{'type':'static-length-string','length':5,'encoding':'utf-32le'}") ","
	  MEMBER("d", "{'type':'dynamic-length-string','length-field-location':{'path':['n']}}") ","
	  MEMBER("e", "{'type':'static-length-blob','length':3,'media-type':'x/y'}") ","
	  MEMBER("f", "{'type':'dynamic-length-blob','length-field-location':{'path':['n']}}")),
	  PLAIN "/8{n:u8le k0 a:str/8 b:str/8.e2 c:sstr*5/8.e3 d:dstr/8<0 e:blob*3/8.x/y "
	  "f:dblob/8<0}\n" },
	{ "arrays", PAYLOAD(
	  MEMBER("n", U8) ","
	  MEMBER("a", "{'type':'static-length-array','length':3,'minimum-alignment':16,"
		      "'element-field-class':" U8 "}") ","
	  MEMBER("b", SEQ("'n'"))),
	  PLAIN "/16{n:u8le k0 a:array*3/16[u8le] b:seq<0[u8le]}\n" },
	{ "options and variants", PAYLOAD(
	  MEMBER("t", BITS("fixed-length-boolean", "")) "," MEMBER("i", I8) ","
	  MEMBER("a", "{'type':'optional','selector-field-location':{'path':['t']},"
		      "'field-class':" U8 "}") ","
	  MEMBER("b", "{'type':'optional','selector-field-location':{'path':['i']},"
		      "'selector-field-ranges':[[-3,-1],[4,4]],'field-class':" U8 "}") ","
	  MEMBER("v", "{'type':'variant','selector-field-location':{'path':['i']},'options':["
		      "{'name':'x','selector-field-ranges':[[-3,-1]],'field-class':" U8 "},"
		      "{'selector-field-ranges':[[5,9]],'field-class':" I8 "}]}")),
	  PLAIN "{t:bool8be k0 i:i8le k1 a:opt<0[u8le] b:opt<1(-3..-1,4..4)[u8le] "
	  "v:var<1{x(-3..-1):u8le -(5..9):i8le}}\n" },
	{ "relative locations", PAYLOAD(
	  MEMBER("n", U8) ","
	  MEMBER("s", "{'type':'structure','member-classes':["
		      MEMBER("n", U8) "," MEMBER("a", SEQ("'n'")) "," MEMBER("b", SEQ("null,'n'"))
		      "," MEMBER("c", SEQ("null,'s','n'")) "]}") ","
	  MEMBER("d", SEQ("'s','n'"))),
	  PLAIN "{n:u8le k0 s:{n:u8le k1 a:seq<1[u8le] b:seq<0[u8le] c:seq<1[u8le]} d:seq<1[u8le]}\n" },
	{ "locations inside elements", PAYLOAD(
	  MEMBER("n", U8) ","
	  MEMBER("s", "{'type':'dynamic-length-array','length-field-location':{'path':['n']},"
		      "'element-field-class':{'type':'structure','member-classes':["
		      MEMBER("k", U8) "," MEMBER("a", SEQ("'k'")) ","
		      MEMBER("b", "{'type':'dynamic-length-array','element-field-class':" U8 ","
				  "'length-field-location':{'origin':'event-record-payload',"
				  "'path':['s','k']}}") "]}}")),
	  PLAIN "{n:u8le k0 s:seq<0[{k:u8le k1 a:seq<1[u8le] b:seq<1[u8le]}]}\n" },
	{ "one length of several options", PAYLOAD(
	  MEMBER("t", U8) ","
	  MEMBER("v", "{'type':'variant','selector-field-location':{'path':['t']},'options':["
		      "{'selector-field-ranges':[[0,0]],'field-class':{'type':'structure',"
		      "'member-classes':[" MEMBER("l", U8) "," MEMBER("o", SEQ("'l'")) "]}},"
		      "{'selector-field-ranges':[[1,1]],'field-class':{'type':'structure',"
		      "'member-classes':[" MEMBER("p", U8) "," MEMBER("l", U8) "]}}]}") ","
	  MEMBER("a", SEQ("'v','l'"))),
	  PLAIN "{t:u8le k0 v:var<0{-(0..0):{l:u8le k1 o:seq<1[u8le]} "
	  "-(1..1):{p:u8le l:u8le k1}} a:seq<1[u8le]}\n" },
	{ "a length in the option that is decoded", PAYLOAD(
	  MEMBER("t", U8) ","
	  MEMBER("v", "{'type':'variant','selector-field-location':{'path':['t']},'options':["
		      "{'selector-field-ranges':[[0,0]],'field-class':{'type':'structure',"
		      "'member-classes':[" MEMBER("l", U8) "]}},"
		      "{'selector-field-ranges':[[1,1]],'field-class':{'type':'structure',"
		      "'member-classes':[" MEMBER("l", U8) "," MEMBER("a", SEQ("'l'")) "]}}]}")),
	  PLAIN "{t:u8le k0 v:var<0{-(0..0):{l:u8le} -(1..1):{l:u8le k1 a:seq<1[u8le]}}}\n" },
	{ "aliases of aliases, located where they are used",
	  PREAMBLE ALIAS("u8", U8) ALIAS("x", "'u8'") ALIAS("s", SEQ("'n'")) STREAM
	  EVENT("{'type':'structure','member-classes':[" MEMBER("n", "'x'") "," MEMBER("a", "'s'")
		"," MEMBER("t", "{'type':'structure','member-classes':[" MEMBER("n", "'u8'") ","
				MEMBER("a", "'s'") "]}") "]}"),
	  PLAIN "{n:u8le k0 a:seq<0[u8le] t:{n:u8le k1 a:seq<1[u8le]}}\n" },
	{ "strings that look like structures", PAYLOAD(
	  MEMBER("\\\\\\'{[18446744073709551615,", U8)),
	  PLAIN "{\\\"{[18446744073709551615,:u8le}\n" },
	{ "ids of 64 bits", PREAMBLE "@{'type':'data-stream-class','id':18446744073709551615}"
	  "@{'type':'event-record-class','data-stream-class-id':18446744073709551615,"
	  "'id':9223372036854775808}",
	  "2.0\nstream 18446744073709551615\n event 9223372036854775808 -\n" },
};

static void test_sound(void)
{
	size_t i;

	for (i = 0; i < sizeof(sound) / sizeof(sound[0]); i++) {
		const char *want = sound[i].model;
		struct mm_error err = MM_ERROR_INIT;
		struct ctf_trace_class *trace = parse(sound[i].metadata, &err);
		struct json_text text = { .length = 0 };

		if (trace)
			say_trace(&text, trace);
		else
			say(&text, "%s", err.message);
		tap(!strcmp(text.data, want), "%s", sound[i].title);
		if (strcmp(text.data, want) != 0)
			printf("# got  %s\n# want %s\n", text.data, want);
		ctf_trace_class_destroy(trace);
	}
}

/* ---- invalid metadata ---- */

static const struct {
	const char *title, *metadata, *message;
} refusals[] = {
	{ "no JSON", PREAMBLE "@{'type':\n\n'x',}\n", "fragment 2 (line 2): line 4: " },
	{ "an empty fragment", PREAMBLE "@\n" STREAM, "fragment 2 (line 2): line " },
	{ "two values in a fragment", PREAMBLE "@{} {}", "fragment 2 (line 2): line 2: " },
	{ "a key twice", PREAMBLE "@{'type':'data-stream-class','type':'x'}", "duplicate object key" },
	{ "no object", PREAMBLE "@[]", "fragment 2 (line 2): no object" },
	{ "no type", PREAMBLE "@{}", "`` is not a type of fragment" },
	{ "an unknown type", PREAMBLE "@{'type':'x'}", "`x` is not a type of fragment" },
	{ "no preamble", STREAM, "fragment 1 (line 1): the first fragment is not a preamble" },
	{ "two preambles", PREAMBLE PREAMBLE, "fragment 2 (line 2): a second preamble" },
	{ "another version", "@{'type':'preamble','version':3}", "version 3 of CTF; only" },
	{ "a version that is not an integer", "@{'type':'preamble','version':2.0}",
	  "`version` is not an integer" },
	{ "a UUID of 15 bytes", "@{'type':'preamble','version':2,'uuid':[1,2,3,4,5,6,7,8,9,10,11,12,"
	  "13,14,15]}", "`uuid` is not an array of 16 bytes" },
	{ "a UUID with 256", "@{'type':'preamble','version':2,'uuid':[1,2,3,4,5,6,7,8,9,10,11,12,"
	  "13,14,15,256]}", "`uuid` is not an array of 16 bytes" },
	{ "an extension", "@{'type':'preamble','version':2,'extensions':{'my.tracer':{'piano':1}}}",
	  "the extension `my.tracer/piano` changes the format" },
	{ "an extension of a field class", PAYLOAD(MEMBER("a", UNSIGNED("'extensions':{'n':{'x':0}}"))),
	  "fragment 3 (line 3): the extension `n/x`" },
	{ "an unknown property", PAYLOAD(MEMBER("a", UNSIGNED("'aligment':8"))),
	  "field `a`: fixed-length-unsigned-integer with the unknown property `aligment`" },
	{ "a missing property", PAYLOAD(MEMBER("a", "{'type':'static-length-string'}")),
	  "static-length-string without `length`" },
	{ "no stream class", PREAMBLE, "no data stream class in it" },
	{ "a trace class too late", PREAMBLE STREAM "@{'type':'trace-class'}",
	  "a second trace class, or a trace class after" },
	{ "an environment with other types", PREAMBLE "@{'type':'trace-class','environment':{'a':1.5}}",
	  "the environment's `a` is neither" },
	{ "a duplicate stream class", PREAMBLE STREAM STREAM, "a second data stream class 0" },
	{ "a clock twice", PREAMBLE CLOCK("") CLOCK(""), "a second clock class `c`" },
	{ "a clock that stands still", PREAMBLE "@{'type':'clock-class','id':'c','frequency':0}",
	  "`frequency` is 0" },
	{ "an offset of a second", PREAMBLE CLOCK(",'offset-from-origin':{'cycles':1000000000}"),
	  "the offset's `cycles`" },
	{ "an unknown origin", PREAMBLE CLOCK(",'origin':'x'"), "`origin` has the unknown value `x`" },
	{ "an unknown clock", PREAMBLE "@{'type':'data-stream-class','default-clock-class-id':'x'}",
	  "no clock class `x` before this" },
	{ "an event without its stream class", PREAMBLE STREAM
	  "@{'type':'event-record-class','data-stream-class-id':4}", "no data stream class 4" },
	{ "a duplicate event class", PREAMBLE STREAM "@{'type':'event-record-class'}"
	  "@{'type':'event-record-class'}", "another event class has this id" },
	{ "an unknown alias", PAYLOAD(MEMBER("a", "'x'")), "field `a`: no field class alias `x`" },
	{ "a duplicate alias", PREAMBLE ALIAS("x", U8) ALIAS("x", U8), "a second alias `x`" },
	{ "a payload that is not a structure", PREAMBLE STREAM EVENT(U8),
	  "`payload-field-class` is not a structure" },
	{ "a number of 0 bits", PAYLOAD(MEMBER("a", "{'type':'fixed-length-unsigned-integer',"
	  "'length':0,'byte-order':'big-endian'}")), "`length` is not between 1 and 64" },
	{ "a number of 65 bits", PAYLOAD(MEMBER("a", "{'type':'fixed-length-boolean','length':65,"
	  "'byte-order':'big-endian'}")), "`length` is not between 1 and 64" },
	{ "a float of 8 bits", PAYLOAD(MEMBER("a", BITS("fixed-length-floating-point-number", ""))),
	  "a floating-point number whose length is not 16, 32 or 64 bits" },
	{ "an alignment of 3", PAYLOAD(MEMBER("a", UNSIGNED("'alignment':3"))),
	  "`alignment` is not a valid power of two" },
	{ "an alignment of 2^62", PAYLOAD(MEMBER("a", UNSIGNED("'alignment':4611686018427387904"))),
	  "`alignment` is not a valid power of two" },
	{ "a base of 7", PAYLOAD(MEMBER("a", UNSIGNED("'preferred-display-base':7"))),
	  "`preferred-display-base` is not" },
	{ "an unknown encoding", PAYLOAD(MEMBER("a", "{'type':'null-terminated-string',"
	  "'encoding':'utf-7'}")), "`encoding` has the unknown value `utf-7`" },
	{ "a mapping below 0 of an unsigned", PAYLOAD(MEMBER("a", UNSIGNED("'mappings':{'x':[[-1,1]]}"))),
	  "a range of `x` below 0" },
	{ "a mapping that ends too early", PAYLOAD(MEMBER("a", UNSIGNED("'mappings':{'x':[[2,1]]}"))),
	  "a range of `x` ends before it starts" },
	{ "a mapping without ranges", PAYLOAD(MEMBER("a", UNSIGNED("'mappings':{'x':[]}"))),
	  "`x` is not an array of ranges" },
	{ "a mapping of more than 64 bits",
	  PAYLOAD(MEMBER("a", UNSIGNED("'mappings':{'x':[[0,18446744073709551616]]}"))),
	  "too big integer" },
	{ "a bit map without flags", PAYLOAD(MEMBER("a", BITS("fixed-length-bit-map", ",'flags':{}"))),
	  "`flags` is empty" },
	{ "a flag past the last bit",
	  PAYLOAD(MEMBER("a", BITS("fixed-length-bit-map", ",'flags':{'x':[[8,8]]}"))),
	  "the flag `x` is past the last bit" },
	{ "an unknown role", PAYLOAD(MEMBER("a", UNSIGNED("'roles':['x']"))),
	  "the role `x` is not valid" },
	{ "a UUID that is a number", PAYLOAD(MEMBER("a", UNSIGNED("'roles':['metadata-stream-uuid']"))),
	  "the role `metadata-stream-uuid` is not valid" },
	{ "a role at the wrong place", PAYLOAD(MEMBER("a", UNSIGNED("'roles':['packet-magic-number']"))),
	  "field `a`: a role that has no meaning in this scope" },
	{ "a time without a clock", PREAMBLE "@{'type':'data-stream-class',"
	  "'event-record-header-field-class':{'type':'structure','member-classes':["
	  MEMBER("t", UNSIGNED("'roles':['default-clock-timestamp']")) "]}}",
	  "field `t`: a timestamp, but the data stream class has no" },
	{ "a UUID without one to compare it with", PREAMBLE
	  "@{'type':'trace-class','packet-header-field-class':{'type':'structure','member-classes':["
	  MEMBER("u", "{'type':'static-length-blob','length':16,'roles':['metadata-stream-uuid']}")
	  "]}}", "field `u`: a copy of the metadata's UUID" },
	{ "a magic number of 64 bits", PREAMBLE
	  "@{'type':'trace-class','packet-header-field-class':{'type':'structure','member-classes':["
	  MEMBER("m", UNSIGNED("'roles':['packet-magic-number']")) "]}}", "is not a magic number" },
	{ "a member twice", PAYLOAD(MEMBER("a", U8) "," MEMBER("a", U8)),
	  "two members have the name `a`" },
	{ "a duplicate option name", PAYLOAD(MEMBER("t", U8) ","
	  MEMBER("v", "{'type':'variant','selector-field-location':{'path':['t']},'options':["
		      "{'name':'x','selector-field-ranges':[[0,0]],'field-class':" U8 "},"
		      "{'name':'x','selector-field-ranges':[[1,1]],'field-class':" U8 "}]}")),
	  "two options have the name `x`" },
	{ "a variant without options", PAYLOAD(MEMBER("t", U8) ","
	  MEMBER("v", "{'type':'variant','selector-field-location':{'path':['t']},'options':[]}")),
	  "`options` is not a non-empty array" },
	{ "a length that comes later", PAYLOAD(MEMBER("a", SEQ("'n'")) "," MEMBER("n", U8)),
	  "field `a`: its length or selector does not precede the field" },
	{ "a length after the enclosing field", PAYLOAD(
	  MEMBER("s", "{'type':'structure','member-classes':[" MEMBER("a", SEQ("null,'n'")) "]}")
	  "," MEMBER("n", U8)), "field `a`: its length or selector does not precede the field" },
	{ "a length that does not exist", PAYLOAD(MEMBER("a", SEQ("'n'"))),
	  "does not precede the field" },
	{ "a length in a field without members", PAYLOAD(MEMBER("n", U8) "," MEMBER("a", SEQ("'n','x'"))),
	  "`x` is below a field that has no members" },
	{ "a length that is a structure", PAYLOAD(
	  MEMBER("n", "{'type':'structure'}") "," MEMBER("a", SEQ("'n'"))), "is a structure" },
	{ "a length that is a string", PAYLOAD(
	  MEMBER("n", "{'type':'null-terminated-string'}") "," MEMBER("a", SEQ("'n'"))),
	  "neither a number nor a Boolean" },
	{ "a length in an array", PAYLOAD(
	  MEMBER("n", "{'type':'static-length-array','length':2,'element-field-class':" U8 "}") ","
	  MEMBER("a", SEQ("'n'"))), "is in an array or optional field" },
	{ "a length that is signed", PAYLOAD(MEMBER("n", I8) "," MEMBER("a", SEQ("'n'"))),
	  "its length is of an unsuitable field class" },
	{ "a path that leaves the scope", PAYLOAD(MEMBER("n", U8) "," MEMBER("a", SEQ("null,'n'"))),
	  "leaves the scope" },
	{ "a path that ends with null", PAYLOAD(MEMBER("n", U8) "," MEMBER("a", SEQ("'n',null"))),
	  "`path` is not an array that ends with a name" },
	{ "an empty path", PAYLOAD(MEMBER("a", SEQ(""))), "`path` is not an array" },
	{ "an unknown scope", PAYLOAD(MEMBER("a", "{'type':'dynamic-length-blob',"
	  "'length-field-location':{'origin':'x','path':['n']}}")), "`origin` has the unknown value `x`" },
	{ "a scope that does not exist", PAYLOAD(MEMBER("a", "{'type':'dynamic-length-blob',"
	  "'length-field-location':{'origin':'packet-header','path':['n']}}")),
	  "is in the packet-header, which does not exist" },
	{ "a scope that comes later", PREAMBLE "@{'type':'data-stream-class',"
	  "'packet-context-field-class':{'type':'structure','member-classes':["
	  MEMBER("a", "{'type':'dynamic-length-blob','length-field-location':"
		      "{'origin':'event-record-payload','path':['n']}}") "]}}",
	  "is in the event-record-payload, which comes later" },
	{ "a number that selects without ranges", PAYLOAD(MEMBER("n", U8) ","
	  MEMBER("o", "{'type':'optional','selector-field-location':{'path':['n']},'field-class':"
		      U8 "}")), "field `o`: an integer selector needs ranges" },
	{ "a Boolean that selects by ranges", PAYLOAD(
	  MEMBER("n", BITS("fixed-length-boolean", "")) ","
	  MEMBER("o", "{'type':'optional','selector-field-location':{'path':['n']},"
		      "'selector-field-ranges':[[1,1]],'field-class':" U8 "}")),
	  "field `o`: a Boolean selector needs no ranges" },
};

static void test_refused(void)
{
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct ctf_trace_class *trace = parse(refusals[i].metadata, &err);
		bool ok = !trace && strstr(err.message, refusals[i].message) &&
			  !strncmp(err.message, "trace: m: ", 10) && strchr(err.message, ';');

		tap(ok, "refused: %s", refusals[i].title);
		if (!ok)
			printf("# got  %s\n# want %s\n", trace ? "a model" : err.message,
			       refusals[i].message);
		ctf_trace_class_destroy(trace);
	}
}

/* ---- hostile sizes ---- */

/* Returns metadata with @depth nested structures, or with a chain of @depth aliases. */
static char *nested(unsigned int depth, bool by_alias)
{
	char *all = malloc(1 << 20);
	size_t n = 0;
	unsigned int i;

	n += sprintf(all + n, "%s", PREAMBLE STREAM ALIAS("x0", U8));
	for (i = 1; by_alias && i < depth; i++)
		n += sprintf(all + n, "@{'type':'field-class-alias','name':'x%u','field-class':"
			     "{'type':'structure','member-classes':[{'name':'a','field-class':'x%u'}]}}\n",
			     i, i - 1);
	n += sprintf(all + n, "@{'type':'event-record-class','payload-field-class':");
	for (i = 1; !by_alias && i < depth; i++)
		n += sprintf(all + n, "{'type':'structure','member-classes':[{'name':'a','field-class':");
	n += sprintf(all + n, "'x%u'", by_alias ? depth - 1 : 0);
	for (i = 1; !by_alias && i < depth; i++)
		n += sprintf(all + n, "}]}");
	sprintf(all + n, "}\n");
	return all;
}

/* Returns metadata with 40 aliases. Each is twice as large as the previous one. */
static char *doubling(void)
{
	char *all = malloc(1 << 20);
	size_t n = sprintf(all, "%s", PREAMBLE ALIAS("x0", "{'type':'structure'}"));
	unsigned int i;

	for (i = 1; i <= 40; i++)
		n += sprintf(all + n, "@{'type':'field-class-alias','name':'x%u','field-class':"
			     "{'type':'structure','member-classes':[{'name':'a','field-class':'x%u'},"
			     "{'name':'b','field-class':'x%u'}]}}\n", i, i - 1, i - 1);
	return all;
}

static void test_hostile(void)
{
	static const struct {
		unsigned int depth;
		bool by_alias, ok;
	} depths[] = {
		{ CTF_DEPTH_MAX, false, true },	 { CTF_DEPTH_MAX + 1, false, false },
		{ CTF_DEPTH_MAX, true, true },	 { CTF_DEPTH_MAX + 1, true, false },
		{ 600, false, false },		 { 600, true, false },
	};
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *trace;
	char *text;
	size_t i;

	for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		text = nested(depths[i].depth, depths[i].by_alias);
		mm_error_clear(&err);
		trace = parse(text, &err);
		tap(depths[i].ok ? trace != NULL :
				   !trace && strstr(err.message, "nested deeper than 64 levels"),
		    "%u levels%s are %s", depths[i].depth, depths[i].by_alias ? " of aliases" : "",
		    depths[i].ok ? "read" : "refused");
		ctf_trace_class_destroy(trace);
		free(text);
	}
	text = doubling();
	mm_error_clear(&err);
	trace = parse(text, &err);
	tap(!trace && strstr(err.message, "far more fields than its size justifies"),
	    "2^40 fields from 5 kB are refused");
	ctf_trace_class_destroy(trace);
	free(text);
}

/* Each prefix of intact metadata must be read or refused. */
static void test_cut(void)
{
	unsigned int refused = 0, read = 0;
	size_t i, k;

	for (i = 0; i < sizeof(sound) / sizeof(sound[0]); i++) {
		char *text = strdup(sound[i].metadata);

		for (k = strlen(text); k > 0; k--) {
			struct mm_error err = MM_ERROR_INIT;
			struct ctf_trace_class *trace;

			text[k - 1] = '\0';
			trace = parse(text, &err);
			read += trace != NULL;
			refused += !trace && err.code;
			ctf_trace_class_destroy(trace);
		}
		free(text);
	}
	tap(read > 20 && refused > 5000, "cut anywhere: %u read, %u refused", read, refused);
}

int main(void)
{
	test_sound();
	test_refused();
	test_hostile();
	test_cut();
	return tap_status();
}
