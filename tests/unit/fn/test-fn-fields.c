// SPDX-License-Identifier: LGPL-2.1-only
/* Turns SPECs of functions in BTF into fields and labels, and refuses invalid ones. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/fn/describe/function.h"
#include "lttng-session/fn/describe/labels.h"
#include "tests/tap.h"
#include "tests/unit/fn-btf.h"

static void add_functions(void)
{
	fn_add_function("open", fn_ids.s32, fn_ids.path_ptr, "path", fn_ids.u32, "flags",
			fn_ids.u64, "address", fn_ids.const_char_ptr, "text", fn_ids.small, "small",
			fn_ids.gfp_t, "", fn_ids.u8, "byte", fn_ids.boolean, "yes", -1);
	fn_add_function("fault", fn_ids.fault_t, fn_ids.color, "event", fn_ids.wide, "tid", -1);
	fn_add_function("nothing", 0, -1);
	fn_add_function("range", fn_ids.u64, fn_ids.area_ptr, "area", fn_ids.u64, "start",
			fn_ids.size, "end", fn_ids.u64, "haddr", fn_ids.pgoff, "pgoff", fn_ids.u64,
			"chip", -1);
	fn_add_function("pair", fn_ids.pair, fn_ids.pair, "a", fn_ids.u32, "b", -1);
	fn_add_function("sockptr", fn_ids.s32, fn_ids.u64, "tid", fn_ids.sockptr, "sock",
			fn_ids.s32, "flags", -1);
	fn_add_function("key", fn_ids.u64, fn_ids.key, "key", fn_ids.const_char_ptr, "text", -1);
	fn_add_function("qstr", 0, fn_ids.qstr, "name", -1);
	fn_add_function("halves", 0, fn_ids.halves, "both", -1);
	fn_add_function("on_stack", 0, fn_ids.u64, "a", fn_ids.u64, "b", fn_ids.u64, "c",
			fn_ids.u64, "d", fn_ids.u64, "e", fn_ids.u64, "f", fn_ids.small, "small",
			-1);
	fn_add_function("seven", 0, fn_ids.small, "a", fn_ids.small, "b", fn_ids.small, "c",
			fn_ids.four, "d", fn_ids.small, "e", fn_ids.small, "f", fn_ids.small, "g",
			-1);
	fn_add_function("keys", 0, fn_ids.key, "a", fn_ids.key, "b", fn_ids.key, "c", -1);
	fn_add_function("big", fn_ids.big, fn_ids.u32, "a", -1);
	fn_add_function("same", fn_ids.s64, fn_ids.u32, "a_b", fn_ids.path_ptr, "path", -1);
	fn_add_function("wide", 0, fn_ids.u64, "a1", fn_ids.u64, "a2", fn_ids.u64, "a3", fn_ids.u64,
			"a4", fn_ids.u64, "a5", fn_ids.u64, "a6", fn_ids.u64, "a7", fn_ids.u64,
			"a8", fn_ids.u64, "a9", fn_ids.u64, "a10", fn_ids.u64, "a11", fn_ids.u64,
			"a12", fn_ids.u64, "a13", -1);
}

/*
 * The text form of a field: NAME=KIND BITS @SOURCE. For each step through a pointer, the offset
 * follows in brackets. `!` marks a string in place, `/bytes>>shift&mask` is omitted if the bits
 * imply it, and `~` marks addresses that are recorded unchanged. The type of the labels is last.
 */
static const struct {
	const char *spec, *form;
} valid[] = {
	{ "nothing", "" },
	{ "open",
	  "path=p64@0 flags=u32@1 address=x64@2 text=p64@3 small_a=s32@4 small_b=u16@4/8>>32&16~ small_low=u8@4/8>>48&3~ small_high=s8@4/8>>51&5~ arg6=u32@5 byte=u8@6 yes=u8@7 ret=s32@255" },
	{ "fault", "event_=s32@0:color tid_=u64@1:wide ret=u32@255:vm_fault_reason" },
	{ "open():void", "" },
	{ "open()", "ret=s32@255" },
	{ "open(address:x64, address:ptr, address:s64) : void",
	  "address=x64@2 address_2=p64@2 address_3=s64@2" },
	{ "open(flags:s16, flags:enum fault_flag, arg6, byte:bool) : void",
	  "flags=s16@1 flags_2=u32@1:fault_flag arg6=u32@5 byte=u8@6" },
	{ "open(path->inode->ino):void", "path_inode_ino=u64@0[0][0]" },
	{ "open((*path).inode->next->next->ino):void",
	  "path_inode_next_next_ino=u64@0[0][32][32][0]" },
	{ "open(path->inode->links, path->inode->half[1]):void",
	  "path_inode_links=u32@0[0][8] path_inode_half_1=u16@0[0][10]" },
	{ "open(path->inode->a, path->inode->b, path->inode->b:s32, path->inode->color):void",
	  "path_inode_a=u8@0[0][12]/1>>0&3 path_inode_b=s8@0[0][12]/1>>3&5 path_inode_b_2=s32@0[0][12]/1>>3&5 path_inode_color=s8@0[0][13]/1>>0&4:color" },
	{ "open(path->inode->bytes[3], path->inode->small.b, path->inode->small.high):void",
	  "path_inode_bytes_3=u8@0[0][43] path_inode_small_b=u16@0[0][52] path_inode_small_high=s8@0[0][54]/1>>3&5" },
	{ "open(path->table[1]->ino, path->table[1]):void",
	  "path_table_1_ino=u64@0[40][0] path_table_1=p64@0[40]" },
	{ "open(path->inode->small):void", "path_inode_small=x64@0[0][48]" },
	/* Addresses and page numbers are hexadecimal, unless the SPEC has a type for them. */
	{ "range",
	  "area=p64@0 start=x64@1 end=u64@2 haddr=x64@3 pgoff=x64@4 chip=u64@5 ret=u64@255" },
	{ "range(start:u64, area->vm_start, area->vm_end:s64, area->restart, area->ips[1]):void",
	  "area_vm_start=x64@0[0] area_vm_end=s64@0[8] area_restart=u64@0[16] area_ips_1=u64@0[32] start=u64@1" },
	{ "open(path->address, ((struct area *)path->address)->vm_end, ((unsigned long *)address)[0]):void",
	  "path_address=x64@0[24] path_address_vm_end=x64@0[24][8] address=u64@2[0]" },
	/* Members of a structure in a register. */
	{ "open(small.a, small.b, small.low, small.high):void",
	  "small_a=s32@4 small_b=u16@4/8>>32&16~ small_low=u8@4/8>>48&3~ small_high=s8@4/8>>51&5~" },
	/* Strings: by a pointer, in place, and with lengths. */
	{ "open(text:string, text:ustring[16], path->text:string[128]):void",
	  "path_text=$128@0[8] text=$64@3 text_2=$$16@3" },
	{ "open(path->inode->name, path->inode->name:string[8], path->inode->bytes:string):void",
	  "path_inode_name=$16@0[0][16]! path_inode_name_2=$8@0[0][16]! path_inode_bytes=$4@0[0][40]!" },
	{ "open(path->data:string, address:string, path->address:ustring):void",
	  "path_data=$64@0[16] path_address=$$64@0[24] address=$64@2" },
	/* Bytes: at an address, or of an array or structure, up to its size. */
	{ "open(path:bytes, address:bytes[1], path->data:bytes[256], text:bytes[7]):void",
	  "path=#64@0 path_data=#256@0[16] address=#1@2 text=#7@3" },
	{ "open(path->inode->name:bytes, path->inode->half:bytes[3], *path:bytes, path->inode->small:bytes[5]):void",
	  "path_inode_name=#16@0[0][16]! path_inode_half=#3@0[0][8]! path=#48@0[0]! path_inode_small=#5@0[0][48]!" },
	/* Casts. */
	{ "open(((struct inode *)address)->ino, ((struct inode *)path->data)->next, ((char *)path->inode):string):void",
	  "path_data_next=p64@0[16][32] path_inode=$64@0[0] address_ino=u64@2[0]" },
	{ "open(((struct path **)address)[2]->inode, ((unsigned char *)path)[5], (struct inode *)address):void",
	  "path_5=u8@0[5] address_2_inode=p64@2[16][0] address=p64@2" },
	{ "same(path->text, a_b, path->text)",
	  "a_b=u32@0 path_text=p64@1[8] path_text_2=p64@1[8] ret=s64@255" },
	{ "unknown(a:u32, b:ptr, a:u8, b:string) : void", "a=u32@0 a_2=u8@0 b=p64@1 b_2=$64@1" },
	{ "open(((struct old *)address)->x):void", "address_x=u8@2[1]/1>>3&5" },
	{ "open() : u32", "ret=u32@255" },
	{ "fault() : enum color", "ret=s32@255:color" },
	/* Results that are not available are omitted. */
	{ "pair(b)", "b=u32@2" },
	/* Members in two registers. Members of a union are checked for addresses. */
	{ "pair", "a_a=u64@0 a_b=u64@1 b=u32@2" },
	{ "pair(b, a.b)", "a_b=u64@1 b=u32@2" },
	{ "sockptr",
	  "tid_=u64@0 sock_kernel=p64@1 sock_is_kernel=u8@2/1>>0&1 flags=s32@3 ret=s32@255" },
	{ "sockptr(sock.user->ino, sock.is_kernel:bool) : void",
	  "sock_user_ino=u64@1[0] sock_is_kernel=u8@2/1>>0&1" },
	{ "key(key) : void", "key_key=u64@0 key_key_1=u64@1" },
	{ "key(key.key[1]:x64, text:string) : void", "key_key_1=x64@1 text=$64@2" },
	{ "qstr", "name_hash=u32@0/8>>0&32 name_len=u32@0/8>>32&32 name_name=p64@1" },
	{ "qstr(name.name:string[20], name.hash_len)", "name_name=$20@1 name_hash_len=u64@0" },
	{ "halves", "both_number=u64@0 both_text=p64@1" },
	{ "halves(both.half[3], both.half[0])",
	  "both_half_3=u32@1/8>>32&32 both_half=u32@0/8>>0&32" },
	{ "on_stack",
	  "a=u64@0 b=u64@1 c=u64@2 d=u64@3 e=u64@4 f=u64@5 small_a=s32@6 small_b=u16@6/8>>32&16~ small_low=u8@6/8>>48&3~ small_high=s8@6/8>>51&5~" },
	/* All members of a structure, or none if they do not fit. */
	{ "keys", "a_key=u64@0 a_key_1=u64@1 b_key=u64@2 b_key_1=u64@3 c_key=u64@4 c_key_1=u64@5" },
	/* The maximum number of fields that fit in a record. */
	{ "wide",
	  "a1=u64@0 a2=u64@1 a3=u64@2 a4=u64@3 a5=u64@4 a6=u64@5 a7=u64@6 a8=u64@7 a9=u64@8 a10=u64@9 a11=u64@10 a12=u64@11" },
	/* Types given in the SPEC. */
	{ "unknown(a:u32, b:string, c:ptr, d:s8, e:bool, f:ustring[9], g:enum color) : s32",
	  "a=u32@0 b=$64@1 c=p64@2 d=s8@3 e=u8@4 f=$$9@5 g=s32@6:color ret=s32@255" },
	{ "unknown(a:u32, ((struct inode *)b)->ino, ((struct inode *)b)->a, c:x64)",
	  "a=u32@0 b_ino=u64@1[0] b_a=u8@1[12]/1>>0&3 c=x64@2" },
	{ "unknown()", "" },
	{ "unknown() : ptr", "ret=p64@255" },
};

/* Invalid SPECs, the column of the error (0: none), and a part of the message. */
static const struct {
	const char *spec;
	unsigned int column;
	const char *says;
} invalid[] = {
	{ "open(paht)", 6,
	  "open has no argument 'paht'; it has: path, flags, address, text, small, arg6" },
	{ "nothing(a)", 9, "nothing has no argument 'a'; it has: none" },
	{ "open(path->inoed)", 12, "struct path has no member 'inoed'" },
	{ "open(path.inode)", 11, "the expression before '.' is a pointer; use '->'" },
	{ "open(small->a)", 13,
	  "the expression before '->' is a structure, not a pointer; use '.'" },
	{ "open(flags->a)", 13, "the expression before '->' is a number" },
	{ "open(flags.a)", 12, "'a' is not a member: the expression before it is a number" },
	{ "open(path->data->x)", 18,
	  "'x' is not a member: the expression before it is a pointer to void" },
	{ "open(path->inode->half[2])", 24, "the array has 2 elements" },
	{ "open(flags[0])", 12, "this is a number" },
	{ "open(path->data[1])", 17, "the size of an element is unknown" },
	{ "open(path->inode->next->next->next->next->next->next)", 49, "more than 6 pointers" },
	{ "open(path[900000].inode)", 11, "more than 16 MiB away from the pointer" },
	{ "open(*path)", 7, "the value is a structure of 48 bytes; name a member" },
	{ "open(path->inode->half)", 6, "the value is an array; name an element" },
	{ "open(path->inode->three)", 6, "3, 5, 6 or 7 bytes" },
	{ "open(path->inode->real)", 6, "it is a floating-point number" },
	{ "open(flags:u64)", 12, "the value has 32 bits, so it cannot have this type" },
	{ "open(address:u32)", 14, "the value has 64 bits" },
	{ "open(path:x32)", 11, "the value has 64 bits, is a pointer" },
	{ "open(flags:ptr)", 12, "the value has 32 bits" },
	{ "open(flags:bool)", 12, "the value has 32 bits" },
	{ "open(flags:enum colour)", 12, "there is no enum colour" },
	{ "open(path:enum color)", 11, "is a pointer" },
	{ "open(flags:string)", 12, "the value's type is not a pointer to text" },
	{ "open(path:string)", 11, "the value's type is not a pointer to text" },
	{ "open(((char **)address):string)", 25, "the value's type is not a pointer to text" },
	{ "open(path->inode->half:string)", 24, "the value's type is not a pointer to text" },
	{ "open(path->inode->name:ustring)", 24, "is not a ustring" },
	{ "open(path->inode->name:u64)", 6, "the value is an array" },
	{ "open(flags:bytes)", 12, "the value is neither an address nor in memory" },
	{ "open(small:bytes)", 12, "the value is neither an address nor in memory" },
	{ "open(path->inode->a:bytes)", 21, "the value is neither an address nor in memory" },
	{ "open(((struct nodei *)path)->a)", 8, "there is no type struct nodei" },
	{ "open(((struct inode *)flags)->a)", 7, "only a pointer or a 64-bit integer" },
	{ "open(path) : s64", 14, "the value has 32 bits" },
	{ "nothing() : s32", 13, "nothing returns nothing" },
	{ "pair(a:x64)", 6, "the value is a structure of 16 bytes; name a member of it" },
	{ "pair(a.c)", 8, "struct pair has no member 'c'" },
	{ "pair(a.b->c)", 11, "the expression before '->' is a number, not a pointer" },
	{ "pair() : s64", 10, "the result is not available: it is a structure of 9 to 16 bytes" },
	{ "big(a)", 5,
	  "'a' is not available: the function returns a structure by a hidden pointer" },
	{ "unknown", 0,
	  "the function is not in BTF; give the types, as in 'unknown(a:u32, b:string) : s32'" },
	{ "unknown(a)", 9, "unknown is not in BTF; give the type of 'a', as in a:u32" },
	{ "unknown(a->b:u32)", 12, "'b' is not a member" },
	{ "unknown(a:enum x)", 11, "there is no enum x" },
	{ "unknown(a:u8,b:u8,c:u8,d:u8,e:u8,f:u8,g:u8,h:u8,i:u8,j:u8,k:u8,l:u8,m:u8,n:u8,o:u8,p:u8,q:u8)",
	  89, "more than 16 arguments" },
};

static char form[4096];

static void add(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *fmt, ...)
{
	size_t length = strlen(form);
	va_list args;

	va_start(args, fmt);
	vsnprintf(form + length, sizeof(form) - length, fmt, args);
	va_end(args);
}

static void add_field(const struct fn_field *field, const char *name)
{
	static const char *const kinds[] = { "u", "s", "x", "p", "$", "$$", "#" };
	const struct lttng_mm_fn_field *wire = &field->wire;

	add("%s%s=%s%u@%u", *form ? " " : "", name, kinds[wire->kind],
	    fn_field_is_text(field) ? wire->max : wire->bits, wire->source);
	for (unsigned int i = 0; i < wire->steps; i++)
		add("[%d]", wire->offset[i]);
	if (wire->flags & LTTNG_MM_FN_IN_PLACE)
		add("!");
	if (!fn_field_is_text(field) &&
	    (wire->shift || wire->mask_bits != wire->bits || 8 * wire->bytes != wire->bits))
		add("/%u>>%u&%u", wire->bytes, wire->shift, wire->mask_bits);
	if (wire->flags & LTTNG_MM_FN_RAW)
		add("~");
	if (field->labels)
		add(":%s",
		    fn_btf_name(field->btf, btf__type_by_id(field->btf->btf, field->labels)));
}

/* Makes @function from a SPEC. */
static int make(const struct fn_btf *btf, const char *text, const struct fn_add_options *options,
		struct fn_function *function, struct mm_error *err)
{
	struct fn_spec *spec = fn_spec_parse(text, err);
	int ret;

	if (!spec)
		return -1;
	ret = fn_function_make(spec, btf, spec->function, "", options, function, err);
	fn_spec_destroy(spec);
	return ret;
}

static const struct fn_add_options no_options = { .max_rate = FN_MAX_RATE };

static void test_valid(const struct fn_btf *btf, size_t i)
{
	static struct fn_function function;
	struct mm_error err = MM_ERROR_INIT;
	int ret = make(btf, valid[i].spec, &no_options, &function, &err);

	*form = '\0';
	for (size_t k = 0; !ret && k < function.count; k++)
		add_field(&function.fields[k], function.fields[k].name);
	if (!ret && function.has_result)
		add_field(&function.result, "ret");
	/* The labels of gfp_t's bits come from an anonymous enumeration. */
	for (char *at; (at = strstr(form, ": "));)
		memmove(at, at + 1, strlen(at));
	tap(!ret && !strcmp(form, valid[i].form), "%s: %s%s", valid[i].spec, form, err.message);
}

static void test_invalid(const struct fn_btf *btf, size_t i)
{
	static struct fn_function function;
	struct mm_error err = MM_ERROR_INIT;
	int ret = make(btf, invalid[i].spec, &no_options, &function, &err);
	char column[32] = "";

	if (invalid[i].column)
		snprintf(column, sizeof(column), ": column %u: ", invalid[i].column);
	tap(ret && err.code == MM_EXIT_BAD_INPUT && strstr(err.message, column) &&
		    strstr(err.message, invalid[i].says),
	    "refused: %s", err.message);
}

static void test_without_types(void)
{
	static struct fn_function function;
	struct mm_error err = MM_ERROR_INIT;

	tap(make(NULL, "f", &no_options, &function, &err) && err.code == MM_EXIT_ENVIRONMENT,
	    "without BTF: %s", err.message);
	tap(!make(NULL, "f(a:u32, b:string) : s32", &no_options, &function, NULL) &&
		    function.count == 2 && function.has_result,
	    "... the SPEC gives types");
	mm_error_clear(&err);
	tap(make(NULL, "f(a:enum x)", &no_options, &function, &err) &&
		    strstr(err.message, "the kernel has no BTF"),
	    "... but not enumerations: %s", err.message);
}

static void test_notes(const struct fn_btf *btf)
{
	static const char *const cases[][2] = {
		{ "pair", "the result is not recorded: it is a structure of 9 to 16 bytes" },
		{ "seven", "argument 7, g, is not recorded: the record is full" },
		{ "pair(b)", "the result is not recorded: it is a structure of 9 to 16 bytes" },
		{ "wide", "argument 13, a13, is not recorded: the record is full" },
		{ "open", "" },
	};
	static struct fn_function function;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap(!make(btf, cases[i][0], &no_options, &function, NULL) &&
			    !strcmp(function.note, cases[i][1]),
		    "%s: %s", cases[i][0], function.note);
}

static void test_options(const struct fn_btf *btf)
{
	static const struct fn_add_options all = { .as = "other",
						   .slower_ns = 1500000,
						   .max_rate = 7,
						   .caller = true,
						   .errors = true,
						   .raw = true };
	static const struct fn_add_options errors = { .errors = true, .max_rate = FN_MAX_RATE };
	static struct fn_function function;
	struct mm_error err = MM_ERROR_INIT;

	tap(!make(btf, "open(path, text:string)", &all, &function, NULL) &&
		    !strcmp(function.name, "other") && !strcmp(function.symbol, "open") &&
		    !strcmp(function.spec,
			    "open(path, text:string) --caller --slower=1500000ns --errors --max-rate=7 --raw") &&
		    function.flags == (LTTNG_MM_FN_CALLER | LTTNG_MM_FN_ERRORS) &&
		    function.fields[0].wire.flags == LTTNG_MM_FN_RAW &&
		    !function.fields[1].wire.flags &&
		    function.result.wire.flags == LTTNG_MM_FN_RAW && function.max_rate == 7 &&
		    function.slower_ns == 1500000 && !function.error_mask,
	    "options are part of the SPEC: %s", function.spec);
	tap(!make(btf, "fault", &errors, &function, NULL) && function.error_mask == 0x803,
	    "errors of vm_fault_t are bits: %#" PRIx64, function.error_mask);
	tap(make(btf, "nothing", &errors, &function, &err) &&
		    strstr(err.message, "its result is not recorded"),
	    "%s", err.message);
	mm_error_clear(&err);
	tap(make(btf, "open() : u32", &errors, &function, &err) &&
		    strstr(err.message, "cannot be an error"),
	    "%s", err.message);
	tap(!make(btf, "range", &errors, &function, NULL) && function.flags & LTTNG_MM_FN_ERRORS &&
		    !function.error_mask,
	    "unsigned 64-bit results may be errors");
	tap(!make(btf, "same", &errors, &function, NULL) && !function.error_mask,
	    "negative results are errors");
}

static void write_labels(const struct fn_btf *btf, const char *name, unsigned int bits,
			 bool is_signed)
{
	struct fn_named_type type = { .tag = FN_TAG_ENUM };
	struct fn_enum_labels labels;
	uint32_t id;

	snprintf(type.name, sizeof(type.name), "%s", name);
	id = *name ? fn_btf_find(btf, &type) : btf->gfp_bits;
	*form = '\0';
	if (fn_labels_read(btf, id, bits, is_signed, &labels))
		tap_bail("out of memory");
	for (size_t i = 0; i < labels.count; i++)
		add("%s%" PRId64 " %s", i ? ", " : "", labels.labels[i].value,
		    labels.labels[i].name);
	fn_labels_release(&labels);
}

static void test_labels(const struct fn_btf *btf)
{
	static const struct {
		const char *name;
		unsigned int bits;
		bool is_signed;
		const char *labels;
	} cases[] = {
		{ "color", 32, true, "-1 NONE, 0 RED, 1 GREEN, 2 BLUE, 3 GRAY" },
		{ "color", 2, false, "0 RED, 1 GREEN, 2 BLUE, 3 GRAY" },
		{ "color", 2, true, "-1 NONE, 0 RED, 1 GREEN" },
		{ "fault_flag", 8, false,
		  "1 WRITE, 2 bit1, 4 RETRY, 8 USER, 16 bit4, 32 bit5, 64 bit6, 128 REMOTE" },
		{ "wide", 64, false, "5 SMALL, 1099511627776 LARGE" },
		{ "wide", 64, true, "5 SMALL, 1099511627776 LARGE" },
		{ "wide", 8, false, "5 SMALL" },
		{ "state", 32, false, "0 A, 1 B, 2 C, 3 D, 4 E" },
		{ "twice", 32, false, "1 A, 3 B" },
		{ "", 32, false, "1 __GFP_DMA, 64 __GFP_IO" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_labels(btf, cases[i].name, cases[i].bits, cases[i].is_signed);
		tap(!strcmp(form, cases[i].labels), "labels of %s for %u bits: %s",
		    *cases[i].name ? cases[i].name : "gfp_t", cases[i].bits, form);
	}
}

int main(void)
{
	struct fn_types *types;
	const struct fn_btf *btf;

	fn_make_types();
	add_functions();
	types = fn_types_adopt(fn_btf_made);
	if (!types)
		tap_bail("out of memory");
	btf = fn_types_kernel(types);
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		test_valid(btf, i);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		test_invalid(btf, i);
	test_without_types();
	test_notes(btf);
	test_options(btf);
	test_labels(btf);
	fn_types_close(types);
	return tap_status();
}
