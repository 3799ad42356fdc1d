// SPDX-License-Identifier: LGPL-2.1-only
/* Parses SPECs, reports the column of errors, and derives the names of fields. */
#include <inttypes.h>
#include <string.h>

#include "lttng-session/fn/describe/field-name.h"
#include "lttng-session/fn/describe/spec.h"
#include "tests/tap.h"

/*
 * The text form of a parsed SPEC: module and function, `*` for a pattern, and for each value its
 * argument, its accesses and its type. Accesses are `>m` and `.m` (members), `[n]` and `{type}` (a
 * cast), in order. Types are u, s, x with bits, b, p, eNAME, $max, $$max.
 */
static const struct {
	const char *spec, *form;
} valid[] = {
	{ "handle_mm_fault", ":handle_mm_fault" },
	{ "  ext4:ext4_dax_huge_fault ", "ext4:ext4_dax_huge_fault" },
	{ "nd-pmem:pmem_rw", "nd_pmem:pmem_rw" },
	{ "ext4_dax_*", ":ext4_dax_* *" },
	{ "ext4:*_[a-f]?", "ext4:*_[a-f]? *" },
	{ "f()", ":f()" },
	{ "f ( ) : void", ":f() void" },
	{ "f(a)", ":f(a)" },
	{ "f(a, b:u8,c : s64 )", ":f(a, b=u8, c=s64)" },
	{ "f(a:x32, b:bool, c:ptr, d:enum color)", ":f(a=x32, b=b, c=p, d=ecolor)" },
	{ "f(a:unsigned long, b:int, c:_Bool, d:char)", ":f(a=u64, b=s32, c=b, d=s8)" },
	{ "f(a:string, b:string[2], c:ustring[256], d:ustring)",
	  ":f(a=$64, b=$2, c=$$256, d=$$64)" },
	{ "f(a:bytes, b:bytes[1], c : bytes [ 0x100 ])", ":f(a=#64, b=#1, c=#256)" },
	{ "f(vma->vm_start, vma->vm_file->f_inode->i_ino)",
	  ":f(vma>vm_start, vma>vm_file>f_inode>i_ino)" },
	{ "f(a.b . c -> d [ 0x10 ][2])", ":f(a.b.c>d[16][2])" },
	{ "f(*a, **a, *a->b, (*a).b)", ":f(a[0], a[0][0], a>b[0], a[0].b)" },
	{ "f(((struct x *)p)->m)", ":f(p{struct x *}>m)" },
	{ "f((struct x *)p->m)", ":f(p>m{struct x *})" },
	{ "f(((const union x **)(p))[1])", ":f(p{union x **}[1])" },
	{ "f(((foo_t *)p)->m, (p)->m, ((unsigned char *)p)[3])",
	  ":f(p{foo_t *}>m, p>m, p{unsigned char *}[3])" },
	{ "f((((((((a))))))))", ":f(a)" },
	{ "f(a):s32", ":f(a) s32" },
	{ "f(a) : enum vm_fault_reason", ":f(a) evm_fault_reason" },
	{ "vfs_open(path->dentry->d_name.name:string) : int",
	  ":vfs_open(path>dentry>d_name.name=$64) s32" },
};

#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define STEPS "->a->a->a->a->a->a->a->a->a->a->a"

/* Invalid SPECs, the column of the error, and a part of the message. */
static const struct {
	const char *spec;
	unsigned int column;
	const char *says;
} invalid[] = {
	{ "", 1, "the name of a function is missing" },
	{ "  ", 3, "the name of a function is missing" },
	{ ":f", 1, "the name of the module is missing" },
	{ "a b", 3, "'b' after the function" },
	{ "a.isra.0", 2, "a compiler-made variant" },
	{ "a/b", 2, "'/' cannot be in the name of a function" },
	{ "a+b:f", 2, "'+' cannot be in the name of a module" },
	{ "m:1f", 3, "'1f' is not the name of a function" },
	{ "f\n", 2, "cannot be in the name of a function" },
	{ HUNDRED HUNDRED, 1, "longer than 127 bytes" },
	{ "f*(a)", 3, "arguments cannot be selected for a pattern" },
	{ "f(", 3, "the name of an argument is missing" },
	{ "f(a", 4, "')' is missing after the arguments" },
	{ "f(a,", 5, "the name of an argument is missing" },
	{ "f(a,)", 5, "the name of an argument is expected here, not ')'" },
	{ "f(a b)", 5, "',', ':' or ')' is expected here, not 'b'" },
	{ "f(1)", 3, "the name of an argument is expected here, not '1'" },
	{ "f(a->)", 6, "the name of a member is expected here, not ')'" },
	{ "f(a->", 6, "the name of a member is missing" },
	{ "f(a.1)", 5, "the name of a member is expected here, not '1'" },
	{ "f(a[)", 5, "the index is missing" },
	{ "f(a[-1])", 5, "the index is missing" },
	{ "f(a[0x])", 5, "the index is missing" },
	{ "f(a[1z])", 5, "the index is not a number" },
	{ "f(a[99999999999999999999999])", 5, "the index is more than" },
	{ "f(a[1)", 6, "']' is missing after the index" },
	{ "f((a)", 6, "')' is missing after the arguments" },
	{ "f((a", 5, "')' is missing" },
	{ "f((struct)p)", 10, "the name of the type is expected here, not ')'" },
	{ "f((struct x)p)", 12, "a cast must be to a pointer" },
	{ "f((struct x *p)", 14, "')' is missing after the type" },
	{ "f((long char *)p)", 4, "'long char' is not a type of C" },
	{ "f((int *********)p)", 16, "too many asterisks" },
	{ "f(a:)", 5, "a type is expected here, not ')'" },
	{ "f(a:u7)", 5, "'u7' is not a type" },
	{ "f(a:U8)", 5, "'U8' is not a type" },
	{ "f(a:bytes[0])", 11, "the number of bytes is not between 1 and 256" },
	{ "f(a:bytes[257])", 11, "the number of bytes is more than 256" },
	{ "f(a:bytes[])", 11, "the number of bytes is missing" },
	{ "f() : bytes", 7, "a result cannot be bytes: memory is read at the entry only" },
	{ "f(a:void)", 5, "void is a type of results only" },
	{ "f(a:enum)", 9, "the name of the enumeration is expected here, not ')'" },
	{ "f(a:string[1])", 12, "the length of the string is not between 2 and 256" },
	{ "f(a:string[257])", 12, "the length of the string is more than 256" },
	{ "f(a:string[8)", 13, "']' is missing after the length" },
	{ "f(a) : string", 8, "a result cannot be a string" },
	{ "f(a) : ", 8, "a type is missing" },
	{ "f(a) int", 6, "'int' after the SPEC" },
	{ "f(a) : int x", 12, "'x' after the SPEC" },
	{ "f(" HUNDRED TEN TEN TEN ")", 3, "the name is longer than 127 bytes" },
	{ "f(a" STEPS STEPS STEPS ")", 102, "the expression has more than 32 parts" },
	{ "f(((((((((((((((((((((((((((((((((((a)", 36, "more than 32 levels of parentheses" },
	{ "f(a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)", 51,
	  "more than 24 values are selected" },
};

static char form[8192];

static void add(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *fmt, ...)
{
	size_t length = strlen(form);
	va_list args;

	va_start(args, fmt);
	vsnprintf(form + length, sizeof(form) - length, fmt, args);
	va_end(args);
}

static void add_type(const struct fn_type *type)
{
	switch (type->kind) {
	case FN_TYPE_OWN:
		break;
	case FN_TYPE_UNSIGNED:
	case FN_TYPE_SIGNED:
	case FN_TYPE_HEX:
		add("%c%u", " usx"[type->kind], type -> bits);
		break;
	case FN_TYPE_BOOL:
		add("b");
		break;
	case FN_TYPE_POINTER:
		add("p");
		break;
	case FN_TYPE_ENUM:
		add("e%s", type->name);
		break;
	case FN_TYPE_STRING:
		add("$%u", type->max);
		break;
	case FN_TYPE_USER_STRING:
		add("$$%u", type->max);
		break;
	case FN_TYPE_BYTES:
		add("#%u", type->max);
		break;
	case FN_TYPE_VOID:
		add("void");
		break;
	}
}

static void add_access(const struct fn_access *access)
{
	static const char *const tags[] = { "", "struct ", "union ", "enum " };

	switch (access->kind) {
	case FN_MEMBER:
		add(".%s", access->name);
		break;
	case FN_ARROW:
		add(">%s", access->name);
		break;
	case FN_ELEMENT:
		add("[%" PRIu64 "]", access->index);
		break;
	case FN_CAST:
		add("{%s%s %.*s}", tags[access->type.tag], access->type.name,
		    (int)access->type.pointers, "********");
		break;
	}
}

static void write_form(const struct fn_spec *spec)
{
	*form = '\0';
	add("%s:%s%s", spec->module, spec->function, spec->is_pattern ? " *" : "");
	for (size_t i = 0; i < spec->count; i++) {
		const struct fn_spec_item *item = &spec->items[i];

		add("%s%s", i ? ", " : "(", item->argument);
		for (size_t k = 0; k < item->count; k++)
			add_access(&item->accesses[k]);
		add("%s", item->type.kind == FN_TYPE_OWN ? "" : "=");
		add_type(&item->type);
	}
	add("%s", !spec->selects ? "" : spec->count ? ")" : "()");
	add("%s", spec->result.kind == FN_TYPE_OWN ? "" : " ");
	add_type(&spec->result);
}

static void test_valid(size_t i)
{
	struct mm_error err = MM_ERROR_INIT;
	struct fn_spec *spec = fn_spec_parse(valid[i].spec, &err);

	strcpy(form, err.message);
	if (spec)
		write_form(spec);
	tap(spec && !strcmp(form, valid[i].form) && !strcmp(spec->text, valid[i].spec), "'%s': %s",
	    valid[i].spec, form);
	fn_spec_destroy(spec);
}

static void test_invalid(size_t i)
{
	struct mm_error err = MM_ERROR_INIT;
	struct fn_spec *spec = fn_spec_parse(invalid[i].spec, &err);
	char column[32];

	snprintf(column, sizeof(column), ": column %u: ", invalid[i].column);
	tap(!spec && err.code == MM_EXIT_BAD_INPUT && strstr(err.message, column) &&
		    strstr(err.message, invalid[i].says),
	    "refused: %s", err.message);
	fn_spec_destroy(spec);
}

/* Tests the name of the first value's field. */
static void test_names(void)
{
	static const struct {
		const char *spec, *name;
	} cases[] = {
		{ "f(vma->vm_start)", "vma_vm_start" },
		{ "f(a.b->c)", "a_b_c" },
		{ "f(a[3])", "a_3" },
		{ "f(a[3][0].b)", "a_3_b" },
		{ "f(*a)", "a" },
		{ "f(((struct x *)a)->b)", "a_b" },
		{ "f(tid)", "tid_" },
		{ "f(caller)", "caller_" },
		{ "f(ret)", "ret_" },
		{ "f(unread)", "unread_" },
		{ "f(duration_ns)", "duration_ns_" },
		{ "f(duration->ns)", "duration_ns_" },
		{ "f(event)", "event_" },
		{ "f(floating->point)", "floating_point_" },
		{ "f(_Bool)", "_Bool_" },
		{ "f(ret_)", "ret_" },
		{ "f(tid2)", "tid2" },
		{ "f(" HUNDRED ")", TEN TEN TEN TEN TEN "aaaaaaaa" },
		{ "f(" TEN TEN TEN TEN TEN "aaaaaaaa->b)", TEN TEN TEN TEN TEN "aaaaaaaa" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fn_spec *spec = fn_spec_parse(cases[i].spec, NULL);
		char name[FN_FIELD_NAME_MAX];

		if (!spec)
			tap_bail("%s", cases[i].spec);
		fn_field_name(&spec->items[0], name);
		tap(!strcmp(name, cases[i].name), "the name of %s: %s", cases[i].spec, name);
		fn_spec_destroy(spec);
	}
}

struct taken_names {
	unsigned int count;
	char names[1200][FN_FIELD_NAME_MAX];
};

static bool is_taken(const char *name, const void *user)
{
	const struct taken_names *taken = user;

	for (unsigned int i = 0; i < taken->count; i++)
		if (!strcmp(taken->names[i], name))
			return true;
	return false;
}

static void test_distinguished(void)
{
	static const char *const names[] = { "a", HUNDRED };
	static struct taken_names taken;

	for (size_t i = 0; i < 2; i++) {
		char name[FN_FIELD_NAME_MAX];

		taken.count = 0;
		for (; taken.count < 24; taken.count++) {
			snprintf(name, sizeof(name), "%s", names[i]);
			fn_field_name_distinguish(name, is_taken, &taken);
			if (is_taken(name, &taken))
				break;
			strcpy(taken.names[taken.count], name);
		}
		tap(taken.count == 24, "24 equal names of %zu bytes become different, such as %s",
		    strlen(names[i]), name);
	}
	fn_field_name_of_argument("", 7, taken.names[0]);
	tap(!strcmp(taken.names[0], "arg7"), "an argument without a name");
}

/* Tests that a text of the maximum size takes bounded time and depth, whatever its contents. */
static void test_long(void)
{
	static const char *const parts[] = { "(", "*", "a->", "((x*)", "a,", "[", "f(a:string[" };
	static char text[LTTNG_MM_FN_SPEC_MAX + 2];
	struct mm_error err = MM_ERROR_INIT;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		strcpy(text, "f(");
		while (strlen(text) + strlen(parts[i]) < LTTNG_MM_FN_SPEC_MAX)
			strcat(text, parts[i]);
		mm_error_clear(&err);
		tap(!fn_spec_parse(text, &err) && err.code == MM_EXIT_BAD_INPUT &&
			    strlen(err.message) < sizeof(err.message),
		    "4095 bytes of '%s' are refused", parts[i]);
	}
	memset(text, 'a', sizeof(text) - 1);
	mm_error_clear(&err);
	tap(!fn_spec_parse(text, &err) && strstr(err.message, "longer than 4095 bytes"),
	    "a longer SPEC is refused: %s", err.message);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		test_valid(i);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		test_invalid(i);
	test_names();
	test_distinguished();
	test_long();
	fn_spec_destroy(NULL);
	return tap_status();
}
