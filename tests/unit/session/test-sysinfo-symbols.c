// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests symbols and modules: from a synthetic /proc and /sys to the snapshot, and the lists that
 * are kept in /run.
 */
#include "lttng-session/sysinfo/sysinfo.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "lttng-session/system/modules.h"
#include "tests/unit/machine.h"

static int snapshot;

/* A machine with one module, `ext`. The kernel's first function is called @function. */
struct fake_machine {
	const char *kernel_id, *module_id;   /* NULL: none */
	const char *base, *state, *function; /* no @base: addresses are hidden */
};

/* Writes an ELF note, as the kernel shows it; without an id, the note is of another kind. */
static void write_note(const char *path, const char *id)
{
	struct {
		uint32_t name_size, size, type;
		char name[4], id[8];
	} note = { 4, 8, id ? 3 : 6, "GNU", "" };

	memcpy(note.id, id ? id : "", id ? strlen(id) : 0);
	machine_write_bytes(path, &note, sizeof(note));
}

static void set_up(const struct fake_machine *machine)
{
	char text[8192];
	int n;

	write_note("sys/kernel/notes", machine->kernel_id);
	write_note("sys/module/ext/notes/.note.gnu.build-id", machine->module_id);
	/*
	 * List so many users that the line is longer than any buffer of fixed size in the program.
	 */
	n = snprintf(text, sizeof(text), "ext 4096 300 ");
	for (int i = 0; i < 300; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "user_of_it_%d,", i);
	n += snprintf(text + n, sizeof(text) - (size_t)n, " %s 0x%s (OE)\n", machine->state,
		      machine->base ? machine->base : "0000000000000000");
	machine_write_bytes("proc/modules", text, (size_t)n);
	if (!machine->base)
		n = snprintf(text, sizeof(text),
			     "0000000000000000 T _stext\n0000000000000000 T %s\n"
			     "0000000000000000 t ext_function\t[ext]\n",
			     machine->function);
	else
		n = snprintf(
			text, sizeof(text),
			"0000000000001000 A per_cpu_start\nffffffff81000000 T _stext\n"
			"ffffffff81000010 T %s\nffffffff81200000 T _etext\n%.13s020 t ext_function\t[ext]\n",
			machine->function, machine->base);
	machine_write_bytes("proc/kallsyms", text, (size_t)n);
}

/*
 * Takes a snapshot of a machine that changes to @then during the state dump, and writes the stored
 * symbols to @text. Returns 1 if the kernel hides addresses, 0 if not, or -1.
 */
static int take_two(const struct fake_machine *machine, const struct fake_machine *then, char *text,
		    size_t size)
{
	struct sysinfo_modules *before;
	struct mm_error err = MM_ERROR_INIT;
	bool hidden = false;
	int fd, ret;
	ssize_t n;

	set_up(machine);
	before = sysinfo_modules_read();
	set_up(then);
	ret = sysinfo_write_symbols(snapshot, before, &hidden, &err);
	sysinfo_modules_destroy(before);
	fd = openat(snapshot, "symbols.txt", O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	unlinkat(snapshot, "symbols.txt", 0);
	return ret ? -1 : hidden;
}

/*
 * Takes a snapshot of a machine that changes to @then during the state dump, and writes the stored
 * addresses to @text.
 */
static int take_addresses(const struct fake_machine *machine, const struct fake_machine *then,
			  char *text, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct sysinfo_modules *before;
	ssize_t n;
	int fd, ret;

	set_up(machine);
	before = sysinfo_modules_read();
	set_up(then);
	ret = sysinfo_write_addresses(snapshot, before, &err);
	sysinfo_modules_destroy(before);
	fd = openat(snapshot, "addresses.json", O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	unlinkat(snapshot, "addresses.json", 0);
	return ret;
}

static int take(const struct fake_machine *machine, char *text, size_t size)
{
	return take_two(machine, machine, text, size);
}

static int count(int parent, const char *name, void *user)
{
	(void)parent;
	*(int *)user += !strncmp(name, "symbols-", 8);
	return 0;
}

static int kept(void)
{
	char path[256];
	int fd, n = 0;

	snprintf(path, sizeof(path), "%s/run/lttng-mm", machine_root);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return 0;
	folder_each(fd, 0, count, &n);
	close(fd);
	return n;
}

/*
 * Snapshots in sequence, in the same boot. @function: the function in the stored list. @kept: the
 * number of kept lists after the snapshot.
 */
static const struct {
	const char *name;
	struct fake_machine machine;
	const char *function;
	int kept;
} cases[] = {
	{ "first", { "kernel1", "mod1", "ffffffffc0000000", "Live", "one" }, "one", 1 },
	{ "the same again is read from the kept list",
	  { "kernel1", "mod1", "ffffffffc0000000", "Live", "changed" },
	  "one",
	  1 },
	{ "a module of the same name, size and place was rebuilt",
	  { "kernel1", "mod2", "ffffffffc0000000", "Live", "two" },
	  "two",
	  2 },
	{ "a module without a build id",
	  { "kernel1", NULL, "ffffffffc0000000", "Live", "three" },
	  "three",
	  2 },
	{ "... is not kept", { "kernel1", NULL, "ffffffffc0000000", "Live", "four" }, "four", 2 },
	{ "a kernel without a build id",
	  { NULL, "mod1", "ffffffffc0000000", "Live", "five" },
	  "five",
	  2 },
	{ "... is not kept", { NULL, "mod1", "ffffffffc0000000", "Live", "six" }, "six", 2 },
	{ "a module that is being loaded",
	  { "kernel1", "mod3", "ffffffffc0000000", "Loading", "seven" },
	  "seven",
	  2 },
	{ "... is not kept",
	  { "kernel1", "mod3", "ffffffffc0000000", "Loading", "eight" },
	  "eight",
	  2 },
	{ "the first is still kept",
	  { "kernel1", "mod1", "ffffffffc0000000", "Live", "changed" },
	  "one",
	  2 },
	{ "another kernel", { "kernel2", "mod1", "ffffffffc0000000", "Live", "nine" }, "nine", 2 },
	{ "the least recently used one was removed",
	  { "kernel1", "mod2", "ffffffffc0000000", "Live", "ten" },
	  "ten",
	  2 },
	{ "a module elsewhere",
	  { "kernel1", "mod1", "ffffffffc0001000", "Live", "eleven" },
	  "eleven",
	  2 },
};

static bool fails_to_read(void)
{
	struct sysinfo_modules *before = sysinfo_modules_read();
	struct mm_error err = MM_ERROR_INIT;
	bool hidden, failed;

	failed = sysinfo_write_symbols(snapshot, before, &hidden, &err);
	sysinfo_modules_destroy(before);
	unlinkat(snapshot, "symbols.txt", 0);
	return failed && strstr(err.message, "kallsyms: Is a directory");
}

static void check_module(const struct loaded_module *module, void *user)
{
	tap(!strcmp(module->name, "ext") && module->size == 4096 &&
		    module->base == 0xffffffffc0001000 && module->live &&
		    !strcmp(module->build_id, "6d6f643100000000"),
	    "a long line of /proc/modules is read completely");
	++*(int *)user;
}

/* The size of the kernel's text must come from symbols.txt, which is written first. */
static void check_listed_size(void)
{
	static const char list[] = "kernel\t0\tT\t_stext\nkernel\t1f00\tt\tis_etext\n"
				   "kernel\t2000\tT\t_etext\next\t20\tT\text_function\n";
	const struct fake_machine machine = { "kernel4", "mod1", "ffffffffc0001000", "Live", "x" };
	char text[4096];

	machine_write("snapshot/symbols.txt", list);
	tap(!take_addresses(&machine, &machine, text, sizeof(text)) &&
		    strstr(text, "\"base\": \"0xffffffff81000000\",\n  \"size\": 8192"),
	    "the size of the kernel's text matches the list");
	unlinkat(snapshot, "symbols.txt", 0);
}

/* Tests a list in the folder @path that another snapshot has not completed yet. */
static void check_waiting(const char *path)
{
	struct fake_machine machine = { "kernel3", "mod1", "ffffffffc0001000", "Live", "first" };
	char text[4096], lock[256 + 16];
	int locked;
	pid_t pid;

	snprintf(lock, sizeof(lock), "%s/symbols.lock", path);
	locked = open(lock, O_RDWR);
	if (take(&machine, text, sizeof(text)) || locked < 0 || flock(locked, LOCK_EX))
		tap_bail("no list");
	tap_shell("cd %s && for f in symbols-*; do mv $f made-$f; done", path);
	pid = fork();
	if (!pid) {
		usleep(300000);
		tap_shell("cd %s && for f in made-*; do mv $f ${f#made-}; done", path);
		_exit(0);
	}
	close(locked);
	machine.function = "second";
	tap(!take(&machine, text, sizeof(text)) && strstr(text, "first"),
	    "a list that another snapshot makes is waited for");
	waitpid(pid, NULL, 0);
}

int main(void)
{
	static const char *const folders[] = { "proc",
					       "sys",
					       "sys/kernel",
					       "sys/module",
					       "sys/module/ext",
					       "sys/module/ext/notes",
					       "run",
					       "snapshot",
					       NULL };
	const struct fake_machine hidden = { "kernel1", "mod9", NULL, "Live", "x" };
	const struct fake_machine other = { "kernel1", "mod8", "ffffffffc0001000", "Live",
					    "other" };
	const struct fake_machine twelve = { "kernel1", "mod1", "ffffffffc0001000", "Live",
					     "twelve" };
	char path[256], text[4096], expected[256];
	struct loaded_module module;
	int modules = 0;

	machine_create(folders);
	snapshot = open(machine_path("snapshot"), O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int ret = take(&cases[i].machine, text, sizeof(text));

		snprintf(
			expected, sizeof(expected),
			"kernel\t0\tT\t_stext\nkernel\t10\tT\t%s\nkernel\t200000\tT\t_etext\next\t20\tt\text_function\n",
			cases[i].function);
		tap(!ret && !strcmp(text, expected) && kept() == cases[i].kept, "%s",
		    cases[i].name);
		/* The files must have different times. */
		usleep(20000);
	}
	modules_each(check_module, &modules);
	tap(modules == 1, "one module");
	tap(modules_find("ext", &module) && !strcmp(module.name, "ext"), "a module by name");
	tap(!modules_find("ex", &module), "a module that is not loaded");
	machine_write("proc/modules", "lttng_mm_lib 1 0 - Live 0x1\n");
	tap(modules_find("lttng-mm-lib", &module) && modules_find("lttng_mm-lib", &module),
	    "a name with hyphens");
	tap(take(&hidden, text, sizeof(text)) == 1 && !*text && kept() == 2,
	    "addresses that the kernel hides: no symbols, and none are kept");
	tap(!take_two(&other, &twelve, text, sizeof(text)) && strstr(text, "twelve") &&
		    !strstr(text, "ext_function") && kept() == 2,
	    "a module that was replaced while state was dumped has no symbols");
	tap(!take_addresses(&twelve, &twelve, text, sizeof(text)) &&
		    strstr(text, "\"base\": \"0xffffffff81000000\",\n  \"size\": 2097152") &&
		    strstr(text, "\"name\": \"ext\",\n  \"base\": \"0xffffffffc0001000\""),
	    "addresses of the kernel and of the module");
	tap(!take_addresses(&other, &twelve, text, sizeof(text)) && strstr(text, "\"kernel\"") &&
		    !strstr(text, "\"ext\""),
	    "... not of a module that was replaced while state was dumped");
	tap(!take_addresses(&hidden, &hidden, text, sizeof(text)) && !strcmp(text, "[]"),
	    "... and none that the kernel hides");
	snprintf(path, sizeof(path), "%s/run/lttng-mm", machine_root);
	chmod(path, 0777);
	tap(!take(&twelve, text, sizeof(text)) && strstr(text, "twelve"),
	    "lists in a folder that others can change are not used");
	chmod(path, 0700);
	tap(!take(&twelve, text, sizeof(text)) && strstr(text, "eleven"), "... and would be");
	check_waiting(path);
	check_listed_size();
	snprintf(path, sizeof(path), "%s/proc/kallsyms", machine_root);
	/* A folder can be opened but not read. */
	write_note("sys/kernel/notes", "kernel9");
	tap(!unlink(path) && !mkdir(path, 0755) && fails_to_read() && kept() == 2,
	    "symbols that cannot be read to their end are an error, and not kept");
	close(snapshot);
	tap(machine_remove(), "all is removed");
	return tap_status();
}
