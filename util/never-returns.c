// SPDX-License-Identifier: LGPL-2.1-only
/* Kernel functions that never return. */
#include "util/never-returns.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * BTF does not record the attribute __noreturn, so this list is a copy of the lists of objtool for
 * x86: tools/objtool/check.c up to Linux 6.2, tools/objtool/noreturns.h in later versions. It
 * contains the functions of Linux 6.1 to 7.2, without those of hypervisors, Rust and KUnit. It is
 * sorted for bsearch().
 */
static const char *const functions[] = {
	"__fortify_panic",
	"__ia32_sys_exit",
	"__ia32_sys_exit_group",
	"__invalid_creds",
	"__module_put_and_kthread_exit",
	"__stack_chk_fail",
	"__x64_sys_exit",
	"__x64_sys_exit_group",
	"arch_call_rest_init",
	"arch_cpu_idle_dead",
	"cpu_bringup_and_idle",
	"cpu_startup_entry",
	"do_exit",
	"do_group_exit",
	"do_task_dead",
	"fortify_panic",
	"kthread_complete_and_exit",
	"kthread_exit",
	"machine_real_restart",
	"make_task_dead",
	"nmi_panic_self_stop",
	"panic",
	"panic_smp_self_stop",
	"rest_init",
	"rewind_stack_and_make_dead",
	"start_kernel",
	"stop_this_cpu",
	"usercopy_abort",
	"vpanic",
	"x86_64_start_kernel",
	"x86_64_start_reservations",
};

static int compare(const void *name, const void *function)
{
	return strcmp(name, *(const char *const *)function);
}

bool mm_never_returns(const char *function)
{
	return bsearch(function, functions, sizeof(functions) / sizeof(functions[0]),
		       sizeof(functions[0]), compare);
}
