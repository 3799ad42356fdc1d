// SPDX-License-Identifier: GPL-2.0-only
/* Root adds, removes and lists functions through this device. */

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <probes/fn/fn.h>
#include <probes/fn/hook.h>

static int fn_device_open(struct inode *inode, struct file *file)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/*
 * Frees unused functions. A request that removes functions does not free them, because freeing
 * waits for a grace period.
 */
static int fn_device_release(struct inode *inode, struct file *file)
{
	mutex_lock(&fn_mutex);
	fn_free_unused();
	mutex_unlock(&fn_mutex);
	return 0;
}

/* Returns the size of a request in bytes, or 0 if it is too large or empty. */
static size_t request_bytes(const struct lttng_mm_fn_add *add)
{
	u64 bytes = (u64)add->functions * sizeof(struct lttng_mm_fn_function) +
		    (u64)add->fields * sizeof(struct lttng_mm_fn_field) +
		    (u64)add->enumerations * sizeof(struct lttng_mm_fn_labels) +
		    (u64)add->labels * sizeof(struct lttng_mm_fn_label) + add->string_bytes;

	return add->functions && bytes <= LTTNG_MM_FN_REQUEST_BYTES ? (size_t)bytes : 0;
}

static int add(void __user *argument)
{
	struct lttng_mm_fn_add request, refused;
	size_t bytes;
	void *data;
	int ret;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	bytes = request_bytes(&request);
	if (!bytes)
		return -E2BIG;
	data = vmemdup_user(u64_to_user_ptr(request.at), bytes);
	if (IS_ERR(data))
		return PTR_ERR(data);
	refused = request;
	refused.error = LTTNG_MM_FN_OK;
	refused.function = refused.field = LTTNG_MM_FN_NONE;
	mutex_lock(&fn_mutex);
	ret = fn_add_all(&request, data, &refused);
	mutex_unlock(&fn_mutex);
	kvfree(data);
	if (copy_to_user(argument, &refused, sizeof(refused)))
		return ret ? ret : -EFAULT;
	return ret;
}

static int remove(void __user *argument)
{
	struct lttng_mm_fn_remove request;
	int ret;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	request.name[sizeof(request.name) - 1] = '\0';
	mutex_lock(&fn_mutex);
	ret = fn_remove(request.name);
	mutex_unlock(&fn_mutex);
	return ret;
}

static void describe(struct lttng_mm_fn_state *state, const struct fn *fn)
{
	const struct fn_hook_state hook = fn_hook_state(fn);

	if (hook.hooked)
		state->state |= LTTNG_MM_FN_STATE_HOOKED;
	if (!fn->address)
		state->state |= LTTNG_MM_FN_STATE_ABSENT;
	if (READ_ONCE(fn->stopped))
		state->state |= LTTNG_MM_FN_STATE_STOPPED;
	if (fn->error)
		state->state |= LTTNG_MM_FN_STATE_FAILED;
	state->error = fn->error;
	state->stopped_ns = READ_ONCE(fn->stopped_ns);
	state->hits = fn_calls(fn);
	state->group = hook.group;
	state->misses = hook.misses;
	strscpy(state->name, fn->name, sizeof(state->name));
	strscpy(state->symbol, fn->symbol, sizeof(state->symbol));
	strscpy(state->module, fn->module ? fn->module : "", sizeof(state->module));
	strscpy(state->spec, fn->spec, sizeof(state->spec));
}

static int state(void __user *argument)
{
	struct lttng_mm_fn_state *state = kzalloc(sizeof(*state), GFP_KERNEL);
	const struct fn *fn;
	int ret = -EFAULT;

	if (!state)
		return -ENOMEM;
	if (get_user(state->index, &((struct lttng_mm_fn_state __user *)argument)->index))
		goto out;
	mutex_lock(&fn_mutex);
	fn = fn_at(state->index);
	if (fn)
		describe(state, fn);
	mutex_unlock(&fn_mutex);
	ret = !fn ? -ENOENT : copy_to_user(argument, state, sizeof(*state)) ? -EFAULT : 0;
out:
	kfree(state);
	return ret;
}

static long fn_device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *at = (void __user *)argument;

	switch (command) {
	case LTTNG_MM_FN_ADD:
		return add(at);
	case LTTNG_MM_FN_REMOVE:
		return remove(at);
	case LTTNG_MM_FN_STATE:
		return state(at);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations fn_device_operations = {
	.owner = THIS_MODULE,
	.open = fn_device_open,
	.release = fn_device_release,
	.unlocked_ioctl = fn_device_ioctl,
};

static struct miscdevice fn_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = LTTNG_MM_FN_DEVICE,
	.fops = &fn_device_operations,
	.mode = 0600,
};

int fn_device_init(void)
{
	return misc_register(&fn_device);
}

void fn_device_exit(void)
{
	misc_deregister(&fn_device);
}
