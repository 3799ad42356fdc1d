// SPDX-License-Identifier: LGPL-2.1-only
/* Resolves SPECs and patterns to functions of a simulated machine, and notes omitted functions. */
#include <stdlib.h>
#include <string.h>

#include "lttng-session/fn/describe/available.h"
#include "lttng-session/fn/set.h"
#include "tests/tap.h"
#include "tests/unit/fn-btf.h"
#include "tests/unit/machine.h"

static const char kallsyms[] = "ffffffff81000000 T open_one\n"
			       "ffffffff81000010 t open_two\n"
			       "ffffffff81000020 t open_twice\n"
			       "ffffffff81000030 t open_twice\n"
			       "ffffffff81000040 t open_split\n"
			       "ffffffff81000050 t open_split.constprop.0\n"
			       "ffffffff81000060 t open_split.part.0\n"
			       "ffffffff81000070 t open_split.cold\n"
			       "ffffffff81000080 t open_gone.isra.0\n"
			       "ffffffff81000090 T open_notrace\n"
			       "ffffffff810000a0 T open_asm\n"
			       "ffffffff810000b0 T folio_take\n"
			       "ffffffff810000c0 T copy_from_kernel_nofault\n"
			       "ffffffff810000d0 D open_data\n"
			       "ffffffff810000e0 T both\n"
			       "ffffffffa0000000 t both\t[mod]\n"
			       "ffffffffa0000010 t open_mod\t[mod]\n"
			       "ffffffffa0000020 t open_tracer\t[lttng_tracer]\n"
			       "ffffffffa0000028 t take\t[other]\n"
			       "ffffffffa0000029 t hidden\t[other]\n"
			       "ffffffffa0000030 t bpf_prog_1_open\t[bpf]\n";

static const char traceable[] =
	"open_one\nopen_two\nopen_twice\nopen_split\nopen_split.constprop.0 \nopen_gone.isra.0\n"
	"open_asm\nfolio_take\ncopy_from_kernel_nofault\nboth\nboth [mod]\nopen_mod [mod]\n"
	"open_tracer [lttng_tracer]\ntake [other]\nhidden [other]\n";

static void write_types(void)
{
	static const char *const names[] = { "open_one",
					     "open_two",
					     "open_twice",
					     "open_split",
					     "open_gone",
					     "open_notrace",
					     "copy_from_kernel_nofault",
					     "both",
					     "hidden" };
	struct btf *module;
	const void *data;
	uint32_t size;

	fn_make_types();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fn_add_function(names[i], fn_ids.s32, fn_ids.u32, "a", -1);
	fn_add_function("folio_take", fn_ids.s32, fn_ids.folio_ptr, "folio", fn_ids.pair, "pair",
			-1);
	data = btf__raw_data(fn_btf_made, &size);
	machine_write_bytes("sys/kernel/btf/vmlinux", data, size);
	/* A module's BTF refers to types of the kernel. */
	module = btf__new_empty_split(fn_btf_made);
	fn_made(btf__add_func_proto(module, fn_ids.s32));
	fn_made(btf__add_func_param(module, "m", fn_ids.folio_ptr));
	fn_made(btf__add_func(module, "open_mod", BTF_FUNC_STATIC, (int)btf__type_cnt(module) - 1));
	data = btf__raw_data(module, &size);
	machine_write_bytes("sys/kernel/btf/mod", data, size);
	btf__free(module);
	btf__free(fn_btf_made);
}

/* SPECs, the expected functions separated by blanks, and parts of the notes or the message. */
static const struct {
	const char *specs[3];
	const char *taking;
	unsigned int max;
	const char *functions; /* NAME, or MODULE:NAME; NULL: refused */
	const char *says[4];
} cases[] = {
	{ { "open_one" }, NULL, 0, "open_one", { NULL } },
	{ { "open_one", "open_two" }, NULL, 0, "open_one open_two", { NULL } },
	{ { "open_one", "open_one" }, NULL, 0, "open_one", { NULL } },
	{ { "open_two" },
	  NULL,
	  0,
	  "open_two",
	  { "fn: open_two: the function is static: inlined calls are not recorded" } },
	{ { "open_one", "open_one()" },
	  NULL,
	  0,
	  NULL,
	  { "another added function already has the name open_one" } },
	{ { "open_mod" }, NULL, 0, "mod:open_mod", { NULL } },
	{ { "mod:open_mod" }, NULL, 0, "mod:open_mod", { NULL } },
	{ { "vmlinux:both" }, NULL, 0, "both", { NULL } },
	{ { "both" }, NULL, 0, NULL, { "functions of several modules have this name" } },
	{ { "mod:both" }, NULL, 0, NULL, { "the function is not in BTF; give the types" } },
	{ { "mod:both(a:u32)" }, NULL, 0, "mod:both", { NULL } },
	{ { "other:take(((struct folio *)a)->flags)" }, NULL, 0, "other:take", { NULL } },
	{ { "other:hidden" }, NULL, 0, NULL, { "the function is not in BTF; give the types" } },
	{ { "other:hidden(b:u64)" }, NULL, 0, "other:hidden", { NULL } },
	{ { "mod:open_one" },
	  NULL,
	  0,
	  NULL,
	  { "column 5: there is no such function in the module mod" } },
	{ { "other:x" }, NULL, 0, NULL, { "in the module other, or it is not loaded" } },
	{ { "open_twice" }, NULL, 0, NULL, { "column 1: several functions have this name" } },
	{ { "open_gone" }, NULL, 0, NULL, { "only compiler-made variants of it" } },
	{ { "open_notrace" }, NULL, 0, NULL, { "the kernel does not allow tracing it" } },
	{ { "open_tracer" }, NULL, 0, NULL, { "the tracer itself calls it" } },
	{ { "copy_from_kernel_nofault" }, NULL, 0, NULL, { "the tracer itself calls it" } },
	{ { "bpf_prog_1_open" }, NULL, 0, NULL, { "the kernel has no such function" } },
	{ { "open_data" }, NULL, 0, NULL, { "the kernel has no such function" } },
	{ { "open_asm" }, NULL, 0, NULL, { "the function is not in BTF; give the types" } },
	{ { "open_asm(a:u32) : s32" }, NULL, 0, "open_asm", { NULL } },
	{ { "open_one", "open_(" }, NULL, 0, NULL, { "column 7" } },
	{ { "open_split" },
	  NULL,
	  0,
	  "open_split",
	  { "variants of it (.constprop, .part); calls of these are not recorded" } },
	{ { "folio_take" }, NULL, 0, "folio_take", { NULL } },
	{ { "open_[ot]*" },
	  NULL,
	  0,
	  "open_one open_two",
	  { "left out 1 function: several functions have this name: open_twice",
	    "left out 1 function: the tracer itself calls it: open_tracer" } },
	{ { "open_*" },
	  NULL,
	  0,
	  "open_one open_two open_split mod:open_mod",
	  { "left out 1 function: the kernel contains only compiler-made variants of it, such as .isra, whose arguments are unknown: open_gone",
	    "the kernel does not allow tracing it: open_notrace", "it is not in BTF: open_asm",
	    "several functions have this name: open_twice" } },
	{ { "vmlinux:open_*" },
	  NULL,
	  3,
	  "open_one open_two open_split",
	  { "fn: vmlinux:open_*: 2 functions are static; their inlined calls are not recorded: open_two, open_split" } },
	{ { "mod:*" }, NULL, 0, "mod:open_mod", { "it is not in BTF: both" } },
	{ { "open_*" }, NULL, 3, NULL, { "the pattern matches 4 functions, but --max is 3" } },
	{ { "zzz*" },
	  NULL,
	  0,
	  NULL,
	  { "column 1: the pattern matches no function that can be traced" } },
	{ { "open_d*" }, NULL, 0, NULL, { "the pattern matches no function that can be traced" } },
	{ { "*" }, "struct folio *", 0, "folio_take mod:open_mod", { NULL } },
	{ { "open_o*" }, "struct folio *", 0, NULL, { "and has an argument of this type" } },
	{ { "open_one" }, "struct folio *", 0, NULL, { "--taking: the option needs a pattern" } },
	{ { "*" }, "folio", 0, NULL, { "--taking: folio: not a pointer type" } },
};

static bool has_note(const struct fn_set *set, const char *text)
{
	for (size_t i = 0; i < set->note_count; i++)
		if (strstr(set->notes[i], text))
			return true;
	return false;
}

static void write_functions(const struct fn_set *set, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < set->count; i++) {
		const struct fn_function *function = &set->functions[i];
		size_t length = strlen(text);

		snprintf(text + length, size - length, "%s%s%s%s", i ? " " : "", function->module,
			 *function->module ? ":" : "", function->name);
	}
}

static size_t count_of(const char *const *specs)
{
	size_t count = 0;

	while (count < 3 && specs[count])
		count++;
	return count;
}

static void test_case(size_t i)
{
	const struct fn_set_options options = {
		.function = { .max_rate = FN_MAX_RATE },
		.max = cases[i].max ? cases[i].max : FN_MATCHES_MAX,
		.taking = cases[i].taking,
		.dry_run = true,
	};
	struct mm_error err = MM_ERROR_INIT;
	char text[512] = "";
	struct fn_set set;
	bool ok;
	int ret = fn_set_make(cases[i].specs, count_of(cases[i].specs), &options, &set, &err);

	if (!ret)
		write_functions(&set, text, sizeof(text));
	ok = cases[i].functions ? !ret && !strcmp(text, cases[i].functions)
				: ret && err.code == MM_EXIT_BAD_INPUT && !set.count;
	for (size_t k = 0; ok && k < 4 && cases[i].says[k]; k++)
		ok = cases[i].functions ? has_note(&set, cases[i].says[k])
					: strstr(err.message, cases[i].says[k]) != NULL;
	tap(ok, "%s: %s%s", cases[i].specs[0], text, err.message);
	for (size_t k = 0; !ok && !ret && k < set.note_count; k++)
		printf("# %s\n", set.notes[k]);
	fn_set_release(&set);
}

static void test_options(void)
{
	static const struct {
		struct fn_add_options function;
		const char *specs[3], *name, *says;
	} options[] = {
		{ { .as = "x" }, { "open_one" }, "x", NULL },
		{ { .as = "x" },
		  { "open_one", "open_two" },
		  NULL,
		  "only one function can have this name" },
		{ { .as = "x-y" }, { "open_one" }, NULL, "letters, digits and underscores" },
		{ { .as = "" }, { "open_one" }, NULL, "letters, digits and underscores" },
		{ { .as = "1x" }, { "open_one" }, NULL, "letters, digits and underscores" },
		{ { .as = "x" }, { "open_*" }, NULL, "several functions" },
		{ { .as = "x" }, { "mod:*" }, "x", "mod:open_mod --max-rate=0" },
		{ { .inside = "open_two" }, { "open_one" }, "open_one", NULL },
		{ { .inside = "open_twice" },
		  { "open_one" },
		  NULL,
		  "--inside: open_twice: several" },
		{ { .inside = "none" }, { "open_one" }, NULL, "--inside: none: the kernel has no" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const struct fn_set_options all = { .function = options[i].function,
						    .max = FN_MATCHES_MAX };
		struct mm_error err = MM_ERROR_INIT;
		struct fn_set set;
		int ret =
			fn_set_make(options[i].specs, count_of(options[i].specs), &all, &set, &err);

		tap(options[i].name ? !ret && set.count == 1 &&
					      !strcmp(set.functions[0].name, options[i].name) &&
					      (!options[i].says ||
					       !strcmp(set.functions[0].spec, options[i].says))
				    : ret && err.code == MM_EXIT_BAD_INPUT &&
					      strstr(err.message, options[i].says),
		    "%s with --as or --inside: %s", options[i].specs[0],
		    ret ? err.message : set.functions[0].name);
		fn_set_release(&set);
	}
}

static void test_available(void)
{
	struct fn_available available;
	int ret = fn_available_count(NULL, &available, NULL);

	/* The functions in the table above, and open_asm, which is not in BTF. */
	tap(!ret && available.traceable == 8 && available.described == 5,
	    "%" PRIu64 " functions can be traced, %" PRIu64 " are in BTF", available.traceable,
	    available.described);
	tap(!ret && available.arguments == 6 && available.by_reason[FN_AVAILABLE] == 6 &&
		    available.by_reason[FN_TWO_REGISTERS] == 0 && available.results == 5,
	    "%" PRIu64 " arguments, %" PRIu64 " available", available.arguments,
	    available.by_reason[FN_AVAILABLE]);
	ret = fn_available_count(machine_path("sys/kernel/btf/vmlinux"), &available, NULL);
	tap(!ret && !available.traceable && available.described == 10,
	    "a file has %" PRIu64 " functions", available.described);
	ret = fn_available_count(machine_path("sys/kernel/btf/mod"), &available, NULL);
	tap(!ret && available.described == 1 && available.arguments == 1,
	    "the BTF of a module has %" PRIu64, available.described);
	ret = fn_available_count(machine_path("proc/kallsyms"), &available, NULL);
	tap(ret, "a file without BTF is refused");
}

/*
 * On kernels without fprobe, functions are hooked by kretprobes. Some functions that ftrace can
 * hook cannot have a kretprobe.
 */
static void test_excluded(void)
{
	static const char *const pattern[] = { "open_*" };
	const struct fn_set_options options = { .max = FN_MATCHES_MAX, .dry_run = true };
	static const struct {
		const char *symbols, *release, *functions;
		bool is_left_out;
	} kernels[] = {
		{ "", "6.12.1", "open_two mod:open_mod", true },
		{ "ffffffff810000f0 T register_fprobe_ips\n", "6.5.0", "open_two mod:open_mod",
		  true },
		{ "ffffffff810000f0 T register_fprobe_ips\n", "6.6.0-1-amd64",
		  "open_one open_two open_split mod:open_mod", false },
	};

	machine_write("sys/kernel/debug/kprobes/blacklist",
		      "0xffffffff81000000-0xffffffff81000010\topen_one\n"
		      "0xffffffffa0000010-0xffffffffa0000018\topen_two [mod]\n"
		      "0xffffffff81000040-0xffffffff81000050\topen_split\n"
		      "a line without a name\n");
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		char text[512] = "", *all = NULL;
		struct fn_set set;

		if (asprintf(&all, "%s%s", kallsyms, kernels[i].symbols) < 0)
			tap_bail("out of memory");
		machine_write("proc/kallsyms", all);
		machine_write("proc/sys/kernel/osrelease", kernels[i].release);
		free(all);
		if (!fn_set_make(pattern, 1, &options, &set, &err))
			write_functions(&set, text, sizeof(text));
		tap(!strcmp(text, kernels[i].functions) &&
			    has_note(&set, "does not allow tracing it: open_one, open_split, "
					   "open_notrace") == kernels[i].is_left_out,
		    "%s, with%s fprobe: %s%s", kernels[i].release, *kernels[i].symbols ? "" : "out",
		    text, err.message);
		fn_set_release(&set);
	}
	machine_write("sys/kernel/debug/kprobes/blacklist", NULL);
	machine_write("proc/sys/kernel/osrelease", NULL);
	machine_write("proc/kallsyms", kallsyms);
}

/* Opens a module's BTF, which refers to types of the kernel. */
static void test_module(void)
{
	struct fn_types *types = fn_types_open(machine_path("sys/kernel/btf/mod"), NULL);
	struct fn_signature signature;
	struct fn_named_type type;

	if (!types || fn_named_type_parse("struct folio *", "--taking", &type, NULL))
		tap_bail("no types");
	tap(!fn_signature_read(fn_types_kernel(types),
			       fn_btf_function(fn_types_kernel(types), "open_mod"), &signature) &&
		    fn_signature_takes(&signature, &type),
	    "a module's BTF is read with the kernel's");
	fn_types_close(types);
}

/* Tests machines without tracefs, BTF or symbols. */
static void test_missing(void)
{
	static const char *const plain[] = { "open_one" }, *const pattern[] = { "open_o*" },
				 *const by_hand[] = { "open_one(a:u32)" };
	const struct fn_set_options options = { .max = FN_MATCHES_MAX };
	struct mm_error err = MM_ERROR_INIT;
	struct fn_set set;

	machine_write("sys/kernel/tracing/available_filter_functions", NULL);
	tap(!fn_set_make(plain, 1, &options, &set, &err) && set.count == 1,
	    "without tracefs, functions are added");
	fn_set_release(&set);
	tap(fn_set_make(pattern, 1, &options, &set, &err) && err.code == MM_EXIT_ENVIRONMENT &&
		    strstr(err.message, "mount -t tracefs"),
	    "... but not patterns: %s", err.message);
	machine_write("sys/kernel/btf/vmlinux", NULL);
	mm_error_clear(&err);
	tap(fn_set_make(plain, 1, &options, &set, &err) && err.code == MM_EXIT_ENVIRONMENT,
	    "without BTF: %s", err.message);
	mm_error_clear(&err);
	tap(!fn_set_make(by_hand, 1, &options, &set, &err) && set.count == 1,
	    "... the SPEC gives types");
	fn_set_release(&set);
	machine_write("proc/kallsyms", "");
	tap(fn_set_make(by_hand, 1, &options, &set, &err) && err.code == MM_EXIT_ENVIRONMENT,
	    "without symbols: %s", err.message);
}

int main(void)
{
	static const char *const folders[] = { "proc",
					       "sys",
					       "sys/kernel",
					       "sys/kernel/btf",
					       "sys/kernel/debug",
					       "sys/kernel/debug/kprobes",
					       "proc/sys",
					       "proc/sys/kernel",
					       "sys/kernel/tracing",
					       NULL };

	machine_create(folders);
	machine_write("proc/kallsyms", kallsyms);
	machine_write("sys/kernel/tracing/available_filter_functions", traceable);
	write_types();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(i);
	test_options();
	test_available();
	test_excluded();
	test_module();
	test_missing();
	machine_remove();
	return tap_status();
}
