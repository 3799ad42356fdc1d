// SPDX-License-Identifier: LGPL-2.1-only
// Tests the models that the parser builds from TSDL: of single fields, and of tracers' metadata.

#include <stdlib.h>
#include <string.h>

#include "tests/unit/ctf-dump.h"
#include "reader/ctf/metadata/metadata.h"
#include "tests/tap.h"

#define TRACE "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };"
#define TYPES                                                                             \
	"typealias integer { size = 8; } := u8; typealias integer { size = 16; } := u16;" \
	"typealias integer { size = 32; signed = 1; } := int;"

/* A payload: its members, and the expected form (ctf-dump.h). */
struct fields_case {
	const char *types; /* declared before; NULL: none */
	const char *fields;
	const char *expected;
};

static const struct fields_case fields_cases[] = {
	/* integers */
	{ NULL, "integer { size = 8; } a;", "{a:u8}" },
	{ NULL, "integer { size = 5; } a;", "{a:u5@1}" },
	{ NULL, "integer { size = 64; align = 64; signed = true; } a;", "{a:s64@64}@64" },
	{ NULL, "integer { size = 16; byte_order = be; } a;", "{a:u16>}" },
	{ NULL, "integer { size = 16; byte_order = network; } a;", "{a:u16>}" },
	{ NULL, "integer { size = 16; byte_order = le; } a;", "{a:u16}" },
	{ NULL, "integer { size = 16; byte_order = native; } a;", "{a:u16}" },
	{ NULL, "integer { size = 8; signed = 0; } a;", "{a:u8}" },
	{ NULL, "integer { size = 8; signed = TRUE; } a;", "{a:s8}" },
	{ NULL, "integer { size = 8; signed = \"false\"; } a;", "{a:u8}" },
	{ NULL, "integer { size = 8; base = x; } a; integer { size = 8; base = hexadecimal; } b;",
	  "{a:u8x b:u8x}" },
	{ NULL, "integer { size = 8; base = p; } a; integer { size = 8; base = 16; } b;",
	  "{a:u8x b:u8x}" },
	{ NULL, "integer { size = 8; base = oct; } a; integer { size = 8; base = 8; } b;",
	  "{a:u8o b:u8o}" },
	{ NULL, "integer { size = 8; base = binary; } a; integer { size = 8; base = 2; } b;",
	  "{a:u8b b:u8b}" },
	{ NULL, "integer { size = 8; base = \"decimal\"; } a; integer { size = 8; base = u; } b;",
	  "{a:u8 b:u8}" },
	{ NULL,
	  "integer { size = 0x10; } a; integer { size = 020; } b; integer { size = 16ULL; } c;",
	  "{a:u16 b:u16 c:u16}" },
	{ NULL, "integer { size = 8; unknown = 1; unknown = x.y; } a;", "{a:u8}" },
	{ NULL, "integer { size = 8; map = some.thing; } a;", "{a:u8}" },
	/* floating-point numbers, strings */
	{ NULL, "floating_point { exp_dig = 8; mant_dig = 24; } a;", "{a:f32}" },
	{ NULL, "floating_point { exp_dig = 11; mant_dig = 53; align = 64; byte_order = be; } a;",
	  "{a:f64>@64}@64" },
	{ NULL, "string a; string { encoding = ASCII; } b; string { encoding = none; } c;",
	  "{a:string b:string c:string}" },
	{ NULL, "string { encoding = \"utf-8\"; } a; string {} b;", "{a:string b:string}" },
	/* enumerations */
	{ NULL, "enum : u8 { A, B = 5, C, D = 10 ... 20, E } a;",
	  "{a:u8{A=0,B=5,C=6,D=10..20,E=21}}" },
	{ NULL, "enum { A = -1, B } a;", "{a:s32{A=-1,B=0}}" },
	{ NULL, "enum : u8 { \"a label\" = 0x1F, int = +2, event = 3, } a;",
	  "{a:u8{a label=31,int=2,event=3}}" },
	{ NULL, "enum : u8 { A = 1, B = 2, A = 3 ... 4 } a;", "{a:u8{A=1+3..4,B=2}}" },
	{ NULL, "enum : integer { size = 5; } { A } a;", "{a:u5@1{A=0}}" },
	{ NULL, "enum : const unsigned short { A = -1 } a;", NULL },
	{ "typealias integer { size = 16; } := unsigned short;", "enum : unsigned short { A } a;",
	  "{a:u16{A=0}}" },
	{ "enum named : u8 { A, B };", "enum named a; enum named b;",
	  "{a:u8{A=0,B=1} b:u8{A=0,B=1}}" },
	{ NULL, "enum named : u8 { A } a; enum named b;", "{a:u8{A=0} b:u8{A=0}}" },
	{ "typedef enum : u8 { A } e_t;", "e_t a;", "{a:u8{A=0}}" },
	/* arrays and sequences */
	{ NULL, "u8 a[12];", "{a:[12]u8}" },
	{ NULL, "u8 a[2][3];", "{a:[2][3]u8}" },
	{ NULL, "u8 n; u16 a[n];", "{n:u8#0 a:[=0]u16}" },
	{ NULL, "u8 n; u8 m; u8 a[n][m][2];", "{n:u8#0 m:u8#1 a:[=0][=1][2]u8}" },
	{ NULL, "u8 a[0];", "{a:[0]u8}" },
	{ NULL, "u8 a, b[2], c;", "{a:u8 b:[2]u8 c:u8}" },
	{ NULL, "struct { u8 x; } a, b[2];", "{a:{x:u8} b:[2]{x:u8}}" },
	{ NULL, "integer { size = 8; align = 32; } a[2];", "{a:[2]u8@32}@32" },
	{ "env { n = 3; };", "u8 a[env.n];", "{a:[3]u8}" },
	/* text */
	{ "typealias integer { size = 8; encoding = UTF8; } := char;", "char a[16];",
	  "{a:text[16]}" },
	{ "typealias integer { size = 8; encoding = ASCII; signed = 1; } := char;", "char a[16];",
	  "{a:text[16]}" },
	{ "typealias integer { size = 8; encoding = UTF8; } := char;", "u8 n; char a[n];",
	  "{n:u8#0 a:text[=0]}" },
	{ "typealias integer { size = 8; encoding = UTF8; } := char;", "char a[2][3];",
	  "{a:[2]text[3]}" },
	{ NULL, "integer { size = 8; encoding = none; } a[4];", "{a:[4]u8}" },
	{ NULL, "integer { size = 8; align = 16; encoding = UTF8; } a[4];", "{a:[4]u8@16}@16" },
	{ NULL, "integer { size = 16; encoding = UTF8; } a[4];", "{a:[4]u16}" },
	{ NULL, "integer { size = 8; encoding = UTF8; } a;", "{a:u8}" },
	{ NULL, "enum : integer { size = 8; encoding = UTF8; } { A } a[4];", "{a:text[4]}" },
	/* structures */
	{ NULL, "struct { u8 a; struct { u16 b; } c; } d;", "{d:{a:u8 c:{b:u16}}}" },
	{ NULL, "struct { u8 a; } align(32) b;", "{b:{a:u8}@32}@32" },
	{ NULL, "struct { integer { size = 8; align = 16; } a; } align(8) b;",
	  "{b:{a:u8@16}@16}@16" },
	{ NULL, "struct {} a; struct { u8 b; } align(0) c;", "{a:{} c:{b:u8}}" },
	{ "struct s { u8 a; };", "struct s x; struct s y[2];", "{x:{a:u8} y:[2]{a:u8}}" },
	{ NULL, "struct s { u8 a; } x; struct s y;", "{x:{a:u8} y:{a:u8}}" },
	{ NULL, "struct { typealias u16 := u8; u8 x; } a; u8 b;", "{a:{x:u16} b:u8}" },
	{ NULL, "struct s { u8 a; }; struct s x;", "{x:{a:u8}}" },
	/* variants */
	{ NULL, "enum : u8 { A, B = 2 ... 3 } t; variant <t> { u8 A; u16 B; } v;",
	  "{t:u8{A=0,B=2..3}#0 v:<=0 A(0):u8 B(2..3):u16>}" },
	{ NULL, "enum { A = -2, B = -1 } t; variant <t> { u8 A; u16 B; } v;",
	  "{t:s32{A=-2,B=-1}#0 v:<=0 A(-2):u8 B(-1):u16>}" },
	{ "variant n { u8 A; };",
	  "enum : u8 { A } t; variant n <t> v; enum : u8 { A = 7 } s;"
	  "variant n <s> w;",
	  "{t:u8{A=0}#0 v:<=0 A(0):u8> s:u8{A=7}#1 w:<=1 A(7):u8>}" },
	{ NULL, "enum : u8 { A, B } t; variant v <t> { u8 A; struct { u8 x; } B; } v;",
	  "{t:u8{A=0,B=1}#0 v:<=0 A(0):u8 B(1):{x:u8}>}" },
	{ NULL, "struct { enum : u8 { A } t; } s; variant <s.t> { u8 A; } v;",
	  "{s:{t:u8{A=0}#0} v:<=0 A(0):u8>}" },
	{ NULL, "enum : u8 { A, B, C } t; variant <t> { u8 A; } v;",
	  "{t:u8{A=0,B=1,C=2}#0 v:<=0 A(0):u8>}" },
	{ NULL, "enum : u8 { A } t; variant <t> { u8 A; u8 B; } v;",
	  "{t:u8{A=0}#0 v:<=0 A(0):u8 B():u8>}" },
	{ NULL, "enum : u8 { A = 1, B = 2, A = 5 } t; variant <t> { u8 A; u8 B; } v;",
	  "{t:u8{A=1+5,B=2}#0 v:<=0 A(1+5):u8 B(2):u8>}" },
	/* a typealias of a tagged variant */
	{ "typealias variant <t> { u8 A; } := v_t;", "enum : u8 { A } t; v_t v;",
	  "{t:u8{A=0}#0 v:<=0 A(0):u8>}" },
	/* underscores */
	{ NULL, "u8 _a; u8 __b; u8 _;", "{a:u8 _b:u8 :u8}" },
	{ NULL, "u8 __n; u8 _a[__n];", "{_n:u8#0 a:[=0]u8}" },
	{ NULL, "enum : u8 { _A, B } t; variant <t> { u8 _A; u16 B; } v;",
	  "{t:u8{_A=0,B=1}#0 v:<=0 A(0):u8 B(1):u16>}" },
	{ NULL, "enum : u8 { A, _A } _t; variant <_t> { u8 A; u16 _A; } v;",
	  "{t:u8{A=0,_A=1}#0 v:<=0 A(0):u8 A(1):u16>}" },
	{ NULL, "enum : u8 { _A, B } t; variant <t> { u8 A; u16 _B; } v;",
	  "{t:u8{_A=0,B=1}#0 v:<=0 A(0):u8 B(1):u16>}" },
	{ "struct s { u8 _n; u8 _a[n]; };", "struct s x;", "{x:{n:u8#0 a:[=0]u8}}" },
	{ "struct s { u8 _n; u8 _a[_n]; };", "struct s x;", "{x:{n:u8#0 a:[=0]u8}}" },
	{ "struct s { u8 ___a; }; typealias struct { u8 ___b; } := t;",
	  "struct s s; t t; struct u { u8 ___c; } v; struct u w; struct { struct u x; } y[2];",
	  "{s:{a:u8} t:{b:u8} v:{__c:u8} w:{c:u8} y:[2]{x:{c:u8}}}" },
	{ "struct s { u8 _n; u8 a[n]; };", "u8 n; struct s x; struct { u8 _n; u8 a[n]; } y;",
	  "{n:u8#0 x:{n:u8#1 a:[=1]u8} y:{n:u8 a:[=0]u8}}" },
	{ "variant v { u8 __A; };", "enum : u8 { __A, _A, A } t; variant v <t> v;",
	  "{t:u8{__A=0,_A=1,A=2}#0 v:<=0 A(2):u8>}" },
	{ "variant v { u8 __A; };", "enum : u8 { __A, B } t; variant v <t> v;",
	  "{t:u8{__A=0,B=1}#0 v:<=0 A(0):u8>}" },
	{ NULL, "u8 n; u8 _n; u8 a[n]; u8 b[_n];", "{n:u8#0 n:u8#1 a:[=0]u8 b:[=1]u8}" },
	/* targets of references */
	{ NULL, "u8 n; struct { u8 a[n]; } s;", "{n:u8#0 s:{a:[=0]u8}}" },
	{ NULL, "u8 n; struct { u16 n; u8 a[n]; } s;", "{n:u8 s:{n:u16#0 a:[=0]u8}}" },
	{ NULL, "u8 n; struct { u8 a[n]; u16 n; } s;", "{n:u8#0 s:{a:[=0]u8 n:u16}}" },
	{ NULL, "u8 n; struct { u8 a[n]; } s[2];", "{n:u8#0 s:[2]{a:[=0]u8}}" },
	{ NULL, "struct { u8 n; } s; u8 a[s.n];", "{s:{n:u8#0} a:[=0]u8}" },
	{ NULL, "struct { u8 n; } s[3]; u8 a[s.n];", "{s:[3]{n:u8#0} a:[=0]u8}" },
	{ NULL, "struct { u8 n; u8 a[s.n]; } s;", "{s:{n:u8#0 a:[=0]u8}}" },
	{ NULL, "u8 n; u8 a[event.fields.n];", "{n:u8#0 a:[=0]u8}" },
	{ "struct s { u8 n; u8 a[n]; };", "struct s x; struct s y;",
	  "{x:{n:u8#0 a:[=0]u8} y:{n:u8#1 a:[=1]u8}}" },
	{ NULL, "enum : u8 { A } n; u8 a[n];", "{n:u8{A=0}#0 a:[=0]u8}" },
	/* names of types */
	{ "typealias integer { size = 8; } := unsigned long int;", "unsigned long int a;",
	  "{a:u8}" },
	{ "typedef u8 a_t, b_t[2];", "a_t a; b_t b;", "{a:u8 b:[2]u8}" },
	{ "u8 typedef a_t;", "a_t a;", "{a:u8}" },
	{ "typealias u8 := const u8;", "const u8 a;", "{a:u8}" },
	{ NULL, "const u8 a; const integer { size = 8; } b; integer { size = 8; } const c;",
	  "{a:u8 b:u8 c:u8}" },
	{ "typealias integer { size = 64; } := u8 *;", "u8 *a; u8 * b;", "{a:u64x b:u64x}" },
	{ "typealias integer { size = 32; } := u8 * const *;", "u8 * const * a;", "{a:u32x}" },
	{ "typealias integer { size = 8; } := bool;", "_Bool a; bool b;", "{a:u8 b:u8}" },
	{ "struct s { u8 a; } struct t { u8 b; };", "struct s x; struct { u8 a; } string y;",
	  "{x:{a:u8} y:{a:u8}}" },
	{ NULL, "u8 u8; u16 u16[u8];", "{u8:u8#0 u16:[=0]u16}" },
	{ NULL, "u8 stream; u8 align; u8 event; u8 clock;",
	  "{stream:u8 align:u8 event:u8 clock:u8}" },
	{ "typealias u8[4] := quad;", "quad a;", "{a:[4]u8}" },
	/* comments, white space */
	{ NULL, "/* u8 x; */ u8 /**/ a;\t\fu8\vb;/* * / */", "{a:u8 b:u8}" },
};

/* Complete metadata. @expected NULL: unreadable. */
struct trace_case {
	const char *name, *text, *expected;
};

#define PLAIN TRACE TYPES
#define EVENT "event { name = e; fields := struct { u8 a; }; };"

static const struct trace_case trace_cases[] = {
	{ "no stream block", PLAIN EVENT, "trace 1.8\nstream 0\nevent 0 \"e\" fields{a:u8}" },
	{ "blocks in any order",
	  EVENT "stream { event.header := struct { t id; }; };"
		"typealias integer { size = 8; map = clock.c.value; } := t;"
		"clock { name = c; };" PLAIN,
	  "clock c 1000000000 Hz\ntrace 1.8\nstream 0 ~c header{id:u8~c!time!id}"
	  "\nevent 0 \"e\" fields{a:u8}" },
	{ "native before the trace",
	  "typealias integer { size = 16; byte_order = native; } := n;"
	  "trace { major = 1; minor = 8; byte_order = be; }; event { name = e; fields := struct { n a; }; };",
	  "trace 1.8\nstream 0\nevent 0 \"e\" fields{a:u16>}" },
	{ "environment",
	  PLAIN "env { a = 1; b = -0x10; c = \"x\\ty\"; d = x.y; a = 2; trace = z; };"
		"env { e = 07; };" EVENT,
	  "env a=2\nenv b=-16\nenv c=\"x\ty\"\nenv d=\"x.y\"\nenv trace=\"z\"\nenv e=7\n"
	  "trace 1.8\nstream 0\nevent 0 \"e\" fields{a:u8}" },
	{ "clock",
	  PLAIN
	  "clock { name = \"c\"; freq = 1000; offset_s = -5; offset = 12345; precision = 3;"
	  "absolute = true; description = \"d\"; uuid = \"01234567-89ab-CDEF-0123-456789abcdef\"; x = 1; };" EVENT,
	  "clock c 1000 Hz 7 s + 345 +-3 absolute uuid=01..ef (d)\ntrace 1.8\nstream 0"
	  "\nevent 0 \"e\" fields{a:u8}" },
	{ "old LTTng's clock",
	  PLAIN "env { tracer_name = \"lttng-ust\"; };"
		"clock { name = monotonic; }; clock { name = other; };" EVENT,
	  "clock monotonic 1000000000 Hz absolute\nclock other 1000000000 Hz\n"
	  "env tracer_name=\"lttng-ust\"\ntrace 1.8\nstream 0\nevent 0 \"e\" fields{a:u8}" },
	{ "an undeclared clock",
	  PLAIN "stream { event.header := struct { u8 id; u16 timestamp; }; };" EVENT,
	  "clock default 1000000000 Hz\ntrace 1.8\nstream 0 ~default header"
	  "{id:u8!id timestamp:u16~default!time}\nevent 0 \"e\" fields{a:u8}" },
	{ "the only clock",
	  PLAIN
	  "clock { name = c; };"
	  "stream { packet.context := struct { u16 timestamp_begin; u16 _timestamp_end; }; };" EVENT,
	  "clock c 1000000000 Hz\ntrace 1.8\nstream 0 ~c packet{timestamp_begin:u16~c!time"
	  " timestamp_end:u16~c!end}\nevent 0 \"e\" fields{a:u8}" },
	{ "one of two clocks",
	  PLAIN "clock { name = c; }; clock { name = d; };"
		"typealias integer { size = 8; map = clock.d.value; } := t;"
		"stream { event.header := struct { t timestamp; }; };" EVENT,
	  "clock c 1000000000 Hz\nclock d 1000000000 Hz\ntrace 1.8\nstream 0 ~d header"
	  "{timestamp:u8~d!time}\nevent 0 \"e\" fields{a:u8}" },
	{ "an option's name is not a field's",
	  PLAIN "stream { event.header := struct {"
		"enum : u8 { id, x } t; variant <t> { u8 id; struct { u8 id; } x; } v; }; };" EVENT,
	  "trace 1.8\nstream 0 header{t:u8{id=0,x=1}#0 v:<=0 id(0):u8 x(1):{id:u8!id}>}"
	  "\nevent 0 \"e\" fields{a:u8}" },
	{ "roles need their scope and their kind",
	  PLAIN
	  "stream { packet.context := struct {"
	  "u16 packet_size; u16 content_size; u16 events_discarded; u16 packet_seq_num; u8 cpu_id;"
	  "u8 id; struct { u8 packet_size; } x; }; event.context := struct { u8 packet_size; u8 id; }; };"
	  "event { name = e; fields := struct { u8 id; u8 timestamp; }; };",
	  "trace 1.8\nstream 0 packet{packet_size:u16!size content_size:u16!content"
	  " events_discarded:u16!lost packet_seq_num:u16!seq cpu_id:u8!cpu id:u8"
	  " x:{packet_size:u8}} context{packet_size:u8 id:u8}"
	  "\nevent 0 \"e\" fields{id:u8 timestamp:u8}" },
	{ "packet header",
	  "trace { major = 1; minor = 8; byte_order = le;"
	  "uuid = \"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\"; packet.header := struct { u32 magic;"
	  "u8 uuid[16]; u32 stream_id; u64 stream_instance_id; u8 other; }; };"
	  "typealias integer { size = 8; } := u8; typealias integer { size = 32; } := u32;"
	  "typealias integer { size = 64; } := u64; stream { id = 7; }; stream { id = 5; };"
	  "event { name = \"a b\"; stream_id = 5; loglevel = 13; model.emf.uri = \"x:y\"; };"
	  "event { name = b; id = 0; stream_id = 7; loglevel = 99; context := struct { u8 c; }; };",
	  "trace 1.8 uuid=2a..64 header{magic:u32!magic uuid:blob[16]!uuid stream_id:u32!class"
	  " stream_instance_id:u64!stream other:u8}\nstream 7\nevent 0 \"b\" context{c:u8}"
	  "\nstream 5\nevent 0 \"a b\" level=13 uri=x:y" },
	{ "references between scopes",
	  "trace { major = 1; minor = 8; byte_order = le;"
	  "packet.header := struct { u8 a; }; };" TYPES
	  "stream { packet.context := struct { u8 b[trace.packet.header.a]; u8 c; };"
	  "event.header := struct { u8 d[stream.packet.context.c]; u8 e; };"
	  "event.context := struct { u8 f[stream.event.header.e]; u8 g; }; };"
	  "event { name = e; context := struct { u8 h[stream.event.context.g]; u8 i; };"
	  "fields := struct { u8 j[event.context.i]; u8 k[trace.packet.header.a]; }; };",
	  "trace 1.8 header{a:u8#0}\nstream 0 packet{b:[=0]u8 c:u8#1} header{d:[=1]u8 e:u8#2}"
	  " context{f:[=2]u8 g:u8#3}\nevent 0 \"e\" context{h:[=3]u8 i:u8#4}"
	  " fields{j:[=4]u8 k:[=0]u8}" },
	{ "declarations in blocks",
	  "trace { typealias integer { size = 8; } := u8; major = 1; minor = 8;"
	  "byte_order = le; packet.header := struct { u8 a; }; };"
	  "stream { typedef integer { size = 16; } s_t; struct n { s_t x; };"
	  "event.header := struct { s_t b; struct n c; }; };"
	  "event { name = e; struct { integer { size = 4; } z; } typedef e_t; fields := e_t; };",
	  "trace 1.8 header{a:u8}\nstream 0 header{b:u16 c:{x:u16}}\nevent 0 \"e\" fields{z:u4@1}" },
	{ "ignored blocks and attributes",
	  PLAIN "callsite { name = \"x\"; func = \"f\"; line = 5; };;"
		"stream { other.thing := struct { u8 a; }; other = 5; };"
		"event { name = e; other := u8; some.thing = \"x\"; };",
	  "trace 1.8\nstream 0\nevent 0 \"e\"" },
	{ "a name with escapes", PLAIN "event { name = \"a\\x41\\102\\\"\\\\\\?\"; };",
	  "trace 1.8\nstream 0\nevent 0 \"aAB\"\\?\"" },
	{ "a name in single quotes", PLAIN "event { name = 'e'; };",
	  "trace 1.8\nstream 0\nevent 0 \"e\"" },
	/* Metadata of LTTng's kernel tracer. */
	{ "LTTng's compact header",
	  "/* CTF 1.8 */\r\n// a comment: } ;\n"
	  "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	  "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	  "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	  "typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"
	  "typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
	  "typealias integer { size = 27; align = 1; signed = false; } := uint27_t;\n\n"
	  "trace {\n\tmajor = 1;\n\tminor = 8;\n"
	  "\tuuid = \"f49b4ac9-ebf5-4a5f-b1b5-b8d7b8a5fa0b\";\n\tbyte_order = le;\n"
	  "\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t  uuid[16];\n"
	  "\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n\t};\n};\n\n"
	  "env {\n\thostname = \"box\";\n\tdomain = \"kernel\";\n\ttracer_name = \"lttng-modules\";\n"
	  "\ttracer_major = 2;\n};\n\n"
	  "clock {\n\tname = \"monotonic\";\n\tuuid = \"25210548-98b9-4ab3-a9de-7d865e4ad32c\";\n"
	  "\tdescription = \"Monotonic Clock\";\n\tfreq = 1000000000; /* Frequency, in Hz */\n"
	  "\t/* clock value offset from Epoch is: offset * (1/freq) */\n"
	  "\toffset = 1571238431155326264;\n};\n\n"
	  "typealias integer {\n\tsize = 27; align = 1; signed = false;\n"
	  "\tmap = clock.monotonic.value;\n} := uint27_clock_monotonic_t;\n\n"
	  "typealias integer {\n\tsize = 32; align = 8; signed = false;\n"
	  "\tmap = clock.monotonic.value;\n} := uint32_clock_monotonic_t;\n\n"
	  "typealias integer {\n\tsize = 64; align = 8; signed = false;\n"
	  "\tmap = clock.monotonic.value;\n} := uint64_clock_monotonic_t;\n\n"
	  "struct packet_context {\n\tuint64_clock_monotonic_t timestamp_begin;\n"
	  "\tuint64_clock_monotonic_t timestamp_end;\n\tuint64_t content_size;\n"
	  "\tuint64_t packet_size;\n\tuint64_t packet_seq_num;\n"
	  "\tunsigned long events_discarded;\n\tuint32_t cpu_id;\n};\n\n"
	  "struct event_header_compact {\n"
	  "\tenum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
	  "\tvariant <id> {\n\t\tstruct {\n\t\t\tuint27_clock_monotonic_t timestamp;\n"
	  "\t\t} compact;\n\t\tstruct {\n\t\t\tuint32_t id;\n"
	  "\t\t\tuint64_clock_monotonic_t timestamp;\n\t\t} extended;\n\t} v;\n} align(8);\n\n"
	  "stream {\n\tid = 0;\n\tevent.header := struct event_header_compact;\n"
	  "\tpacket.context := struct packet_context;\n"
	  "\tevent.context := struct {\n"
	  "\t\tinteger { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _tid;\n"
	  "\t\tinteger { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; } _procname[16];\n"
	  "\t};\n};\n\n"
	  "event {\n\tname = \"net_if_rx\";\n\tid = 3;\n\tstream_id = 0;\n\tfields := struct {\n"
	  "\t\tinteger { size = 64; align = 8; signed = 0; encoding = none; base = 16; } _skbaddr;\n"
	  "\t\tinteger { size = 32; align = 8; signed = 0; encoding = none; base = 10; } __data_length;\n"
	  "\t\tinteger { size = 8; align = 8; signed = 0; encoding = none; base = 16; } _data[ __data_length ];\n"
	  "\t\tstring _name;\n"
	  "\t\tenum : integer { size = 8; align = 8; signed = 0; encoding = none; base = 10; } {\n"
	  "\t\t\t\"_unknown\" = 0,\n\t\t\t\"_ipv4\" = 4,\n\t\t\t\"_ipv6\" = 6,\n\t\t} _version;\n"
	  "\t\tvariant <_version> {\n\t\t\tstruct {\n\t\t\t} _unknown;\n\t\t\tstruct {\n"
	  "\t\t\t\tinteger { size = 16; align = 8; signed = 0; byte_order = be; } _tot_len;\n"
	  "\t\t\t} _ipv4;\n\t\t\tstruct {\n"
	  "\t\t\t\tinteger { size = 8; align = 8; signed = 0; } _saddr[16];\n"
	  "\t\t\t} _ipv6;\n\t\t} _header;\n\t};\n};\n\n",
	  "clock monotonic 1000000000 Hz 1571238431 s + 155326264 absolute uuid=25..2c (Monotonic Clock)\n"
	  "env hostname=\"box\"\nenv domain=\"kernel\"\nenv tracer_name=\"lttng-modules\"\n"
	  "env tracer_major=2\n"
	  "trace 1.8 uuid=f4..0b header{magic:u32!magic uuid:blob[16]!uuid stream_id:u32!class"
	  " stream_instance_id:u64!stream}\n"
	  "stream 0 ~monotonic packet{timestamp_begin:u64~monotonic!time"
	  " timestamp_end:u64~monotonic!end content_size:u64!content packet_size:u64!size"
	  " packet_seq_num:u64!seq events_discarded:u64!lost cpu_id:u32!cpu}"
	  " header{id:u5@1{compact=0..30,extended=31}!id#0"
	  " v:<=0 compact(0..30):{timestamp:u27@1~monotonic!time}"
	  " extended(31):{id:u32!id timestamp:u64~monotonic!time}>}"
	  " context{tid:s32 procname:text[16]}\n"
	  "event 3 \"net_if_rx\" fields{skbaddr:u64x _data_length:u32#1 data:[=1]u8x name:string"
	  " version:u8{_unknown=0,_ipv4=4,_ipv6=6}#2 header:<=2 unknown(0):{}"
	  " ipv4(4):{tot_len:u16>} ipv6(6):{saddr:[16]u8}>}" },
	{ "LTTng's large header",
	  PLAIN
	  "env { tracer_name = \"lttng-ust\"; };"
	  "clock { name = \"monotonic\"; };"
	  "typealias integer { size = 32; align = 8; map = clock.monotonic.value; } := uint32_clock_monotonic_t;"
	  "typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := uint64_clock_monotonic_t;"
	  "struct event_header_large { enum : u16 { compact = 0 ... 65534, extended = 65535 } id;"
	  "variant <id> { struct { uint32_clock_monotonic_t timestamp; } compact;"
	  "struct { u16 id; uint64_clock_monotonic_t timestamp; } extended; } v; } align(16);"
	  "stream { event.header := struct event_header_large; };"
	  "event { name = \"lttng_ust_statedump:bin_info\"; id = 0; loglevel = 13; fields := struct {"
	  "integer { size = 64; align = 8; signed = 0; encoding = none; base = 16; } _baddr;"
	  "integer { size = 8; } __build_id_length; integer { size = 8; encoding = none; } _build_id"
	  "[ __build_id_length ]; floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _f; }; };",
	  "clock monotonic 1000000000 Hz absolute\nenv tracer_name=\"lttng-ust\"\ntrace 1.8\n"
	  "stream 0 ~monotonic header{id:u16{compact=0..65534,extended=65535}!id#0"
	  " v:<=0 compact(0..65534):{timestamp:u32~monotonic!time}"
	  " extended(65535):{id:u16!id timestamp:u64~monotonic!time}>}@16\n"
	  "event 0 \"lttng_ust_statedump:bin_info\" level=13 fields{baddr:u64x _build_id_length:u8#1"
	  " build_id:[=1]u8 f:f32}" },
	/* Metadata of barectf: all types inline, without names. */
	{ "barectf",
	  "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n"
	  "\tuuid = \"2c7b2c74-0000-4000-8000-000000000001\";\n\tbyte_order = be;\n"
	  "\tpacket.header := struct {\n"
	  "\t\tinteger { size = 32; align = 32; base = hex; } magic;\n"
	  "\t\tinteger { size = 8; align = 8; } uuid[16];\n"
	  "\t\tinteger { size = 64; align = 8; } stream_id;\n\t} align(8);\n};\n\n"
	  "env {\n\tdomain = \"bare\";\n\ttracer_name = \"barectf\";\n};\n\n"
	  "clock {\n\tname = default;\n\tfreq = 8000000;\n\tprecision = 0;\n\toffset_s = 0;\n"
	  "\toffset = 0;\n\tabsolute = false;\n};\n\n"
	  "stream {\n\tid = 0;\n\tpacket.context := struct {\n"
	  "\t\tinteger { size = 64; align = 8; } packet_size;\n"
	  "\t\tinteger { size = 64; align = 8; } content_size;\n"
	  "\t\tinteger { size = 64; align = 8; map = clock.default.value; } timestamp_begin;\n"
	  "\t\tinteger { size = 64; align = 8; map = clock.default.value; } timestamp_end;\n"
	  "\t\tinteger { size = 64; align = 8; } events_discarded;\n\t} align(8);\n"
	  "\tevent.header := struct {\n\t\tinteger { size = 16; align = 16; } id;\n"
	  "\t\tinteger { size = 64; align = 64; map = clock.default.value; } timestamp;\n"
	  "\t} align(8);\n};\n\n"
	  "event {\n\tstream_id = 0;\n\tid = 0;\n\tname = \"evev\";\n"
	  "\tfields := struct {\n\t\tinteger { size = 3; } _bits;\n\t\tstring _text;\n"
	  "\t\tinteger { size = 16; align = 16; signed = true; } _many[3][2];\n\t} align(32);\n};\n",
	  "clock default 8000000 Hz +-0\nenv domain=\"bare\"\nenv tracer_name=\"barectf\"\n"
	  "trace 1.8 uuid=2c..01 header{magic:u32>x@32!magic uuid:blob[16]!uuid stream_id:u64>!class}@32\n"
	  "stream 0 ~default packet{packet_size:u64>!size content_size:u64>!content"
	  " timestamp_begin:u64>~default!time timestamp_end:u64>~default!end"
	  " events_discarded:u64>!lost} header{id:u16>@16!id timestamp:u64>@64~default!time}@64\n"
	  "event 0 \"evev\" fields{bits:u3>@1 text:string many:[3][2]s16>@16}@32" },
};

/* Compares the dump from the text @from on; NULL: from its start. */
static void check(const char *name, const char *text, const char *from, const char *expected)
{
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *trace = ctf_metadata_parse(text, strlen(text), "metadata", &err);
	static struct dump dump;
	const char *got = err.message;

	if (trace) {
		dump_trace(&dump, trace);
		got = from ? strstr(dump.text, from) : dump.text;
		got = got && from ? got + strlen(from) : got;
	}
	if (!expected) {
		tap(!trace, "%s: refused", name);
	} else {
		tap(trace && got && !strcmp(got, expected), "%s", name);
		if (!trace || !got || strcmp(got, expected))
			printf("# expected: %s\n# got:      %s\n", expected, got ? got : dump.text);
	}
	ctf_trace_class_destroy(trace);
}

static void check_fields(const struct fields_case *c)
{
	char *text;

	if (asprintf(&text, TRACE TYPES "%s event { name = e; fields := struct { %s }; };",
		     c->types ? c->types : "", c->fields) < 0)
		abort();
	check(c->fields, text, "fields", c->expected);
	free(text);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(fields_cases) / sizeof(fields_cases[0]); i++)
		check_fields(&fields_cases[i]);
	for (size_t i = 0; i < sizeof(trace_cases) / sizeof(trace_cases[0]); i++)
		check(trace_cases[i].name, trace_cases[i].text, NULL, trace_cases[i].expected);
	return tap_status();
}
