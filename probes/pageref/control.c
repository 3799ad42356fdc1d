// SPDX-License-Identifier: GPL-2.0-only
/* The control file, /dev/lttng-mm-pageref (instrumentation/wire/pageref.h). */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>
#include <probes/pageref/pageref.h>

/* A process has the file open. Protected by pageref_mutex. */
static bool is_open;

static int control_open(struct inode *inode, struct file *file)
{
	int ret = 0;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	mutex_lock(&pageref_mutex);
	if (is_open) {
		ret = -EBUSY;
	} else {
		is_open = true;
		file->private_data = get_pid(task_tgid(current));
		pageref_set_owner(file->private_data);
	}
	mutex_unlock(&pageref_mutex);
	if (!ret)
		pageref_set_lender(current->mm);
	return ret;
}

static int control_release(struct inode *inode, struct file *file)
{
	pageref_stop();
	pageref_set_interval(LTTNG_MM_PAGEREF_INTERVAL_MS);
	WRITE_ONCE(pageref_dax, false);
	pageref_overhead_reset();
	mutex_lock(&pageref_mutex);
	pageref_set_owner(NULL);
	put_pid(file->private_data);
	is_open = false;
	mutex_unlock(&pageref_mutex);
	return 0;
}

/* Calls pageref_target_pids() with the process IDs in LIST, which are separated by commas. */
static int add_pids(char *list)
{
	pid_t *pids = kmalloc_array(LTTNG_MM_PAGEREF_PIDS, sizeof(*pids), GFP_KERNEL);
	unsigned int count = 0;
	char *number;
	int ret = pids ? 0 : -ENOMEM;

	while (!ret && (number = strsep(&list, ","))) {
		if (count == LTTNG_MM_PAGEREF_PIDS)
			ret = -E2BIG;
		else
			ret = kstrtoint(number, 10, &pids[count]);
		if (!ret && pids[count++] <= 0)
			ret = -EINVAL;
	}
	if (!ret)
		ret = pageref_target_pids(pids, count);
	kfree(pids);
	return ret;
}

static int add_uid(const char *text)
{
	u32 number;
	kuid_t uid;
	int ret = kstrtou32(text, 10, &number);

	if (ret)
		return ret;
	uid = make_kuid(current_user_ns(), number);
	if (!uid_valid(uid))
		return -EINVAL;
	pageref_target_uid(uid);
	return 0;
}

static int set_interval(const char *text)
{
	unsigned int ms;
	int ret = kstrtouint(text, 10, &ms);

	if (ret)
		return ret;
	if (ms < LTTNG_MM_PAGEREF_INTERVAL_MIN_MS || ms > LTTNG_MM_PAGEREF_INTERVAL_MAX_MS)
		return -ERANGE;
	pageref_set_interval(ms);
	return 0;
}

/* Calls SET with the number in TEXT. */
static int set_number(const char *text, int (*set)(unsigned int number))
{
	unsigned int number;
	int ret = kstrtouint(text, 10, &number);

	return ret ? ret : set(number);
}

static int set_from(const char *text)
{
	u64 bytes;
	int ret = kstrtou64(text, 10, &bytes);

	return ret ? ret : pageref_set_from(bytes);
}

static int set_dax(const char *text)
{
	if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		return -EINVAL;
	WRITE_ONCE(pageref_dax, *text == '1');
	return 0;
}

static int add_target(const char *kind, char *value)
{
	int ret = -EINVAL;

	mutex_lock(&pageref_mutex);
	if (!strcmp(kind, "pid"))
		ret = add_pids(value);
	else if (!strcmp(kind, "uid"))
		ret = add_uid(value);
	else if (!strcmp(kind, "cgroup"))
		ret = pageref_target_cgroup(value);
	mutex_unlock(&pageref_mutex);
	return ret;
}

/* LINE is one command without its newline. */
static int execute(char *line)
{
	char *command = strsep(&line, " ");

	if (!strcmp(command, "arm"))
		return line ? -EINVAL : pageref_arm();
	if (!line || !*line)
		return -EINVAL;
	if (!strcmp(command, "interval"))
		return set_interval(line);
	if (!strcmp(command, "dax"))
		return set_dax(line);
	if (!strcmp(command, "sample"))
		return set_number(line, pageref_set_sample);
	if (!strcmp(command, "max-overhead"))
		return set_number(line, pageref_set_max_overhead);
	if (!strcmp(command, "from"))
		return set_from(line);
	return add_target(command, line);
}

static ssize_t control_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	char *line;
	int ret;

	/* A process that inherited the open file may lack this capability. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!size || size >= LTTNG_MM_PAGEREF_COMMAND_BYTES)
		return -E2BIG;
	line = memdup_user_nul(text, size);
	if (IS_ERR(line))
		return PTR_ERR(line);
	if (line[size - 1] == '\n')
		line[size - 1] = '\0';
	ret = strlen(line) + 1 < size || strchr(line, '\n') ? -EINVAL : execute(line);
	kfree(line);
	return ret ? ret : (ssize_t)size;
}

/* A read() at the end of the file returns 0, and the next read() starts from the beginning. */
static ssize_t control_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	static const char *const names[PAGEREF_COUNTERS] = {
		[PAGEREF_MARKED] = "marked",	 [PAGEREF_RESTORED] = "restored",
		[PAGEREF_UNMARKED] = "unmarked", [PAGEREF_MISSED_ENDS] = "missed_ends",
		[PAGEREF_NO_TABLE] = "no_table", [PAGEREF_MISSED_IO] = "missed_io",
		[PAGEREF_SKIPPED] = "skipped",	 [PAGEREF_PASSES] = "passes",
		[PAGEREF_TOUCHES] = "touches",	 [PAGEREF_PASS_NS] = "pass_ns",
	};
	char text[512];
	int length = scnprintf(text, sizeof(text), "interval %u\ndax %d\n", pageref_interval(),
			       READ_ONCE(pageref_dax));

	length += pageref_overhead_print(text + length, sizeof(text) - length);
	for (unsigned int i = 0; i < PAGEREF_COUNTERS; i++)
		length += scnprintf(text + length, sizeof(text) - length, "%s %llu\n", names[i],
				    pageref_counter(i));
	if (*at >= length) {
		*at = 0;
		return 0;
	}
	return simple_read_from_buffer(to, size, at, text, length);
}

static const struct file_operations control_operations = {
	.owner = THIS_MODULE,
	.open = control_open,
	.release = control_release,
	.read = control_read,
	.write = control_write,
};

static struct miscdevice control_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = LTTNG_MM_PAGEREF_DEVICE,
	.fops = &control_operations,
	.mode = 0600,
};

int pageref_control_init(void)
{
	return misc_register(&control_device);
}

void pageref_control_exit(void)
{
	misc_deregister(&control_device);
}
