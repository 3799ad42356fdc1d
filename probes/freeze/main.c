// SPDX-License-Identifier: GPL-2.0-only
/* The recorder reads ring buffers through this device. Only root may open it. */

#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <probes/freeze/freeze.h>
#include <probes/lib/module.h>

/* State of an open device. */
struct freeze_user {
	struct rw_semaphore lock; /* held for writing while a channel is added */
	unsigned int count;
	struct lttng_mm_freeze_source sources[LTTNG_MM_FREEZE_CHANNELS];
};

static int freeze_open(struct inode *inode, struct file *file)
{
	struct freeze_user *user;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	user = kzalloc(sizeof(*user), GFP_KERNEL);
	if (!user)
		return -ENOMEM;
	init_rwsem(&user->lock);
	file->private_data = user;
	return 0;
}

static int freeze_release(struct inode *inode, struct file *file)
{
	struct freeze_user *user = file->private_data;

	for (unsigned int i = 0; i < user->count; i++)
		fput(user->sources[i].file);
	kfree(user);
	return 0;
}

static int add(struct freeze_user *user, void __user *argument)
{
	struct lttng_mm_freeze_channel *request;
	struct lttng_kernel_channel_buffer *channel = NULL;
	char session[LTTNG_MM_FREEZE_NAME_MAX];
	struct file *file = NULL;
	int ret;

	request = memdup_user(argument, sizeof(*request));
	if (IS_ERR(request))
		return PTR_ERR(request);
	ret = -EBADF;
	file = fget(request->fd);
	if (!file)
		goto out;
	ret = -ENOTTY;
	channel = lttng_mm_freeze_channel_of(file);
	if (!channel)
		goto out;
	strscpy(session, request->session, sizeof(session));
	lttng_mm_freeze_describe(channel, request);
	request->added = request->freezable && !strcmp(session, request->session);
	ret = -ENOSPC;
	if (request->added && user->count == LTTNG_MM_FREEZE_CHANNELS)
		goto out;
	request->index = user->count;
	ret = copy_to_user(argument, request, sizeof(*request)) ? -EFAULT : 0;
	if (ret || !request->added)
		goto out;
	user->sources[user->count++] = (struct lttng_mm_freeze_source){
		.file = file,
		.channel = channel,
	};
	file = NULL;
out:
	if (file)
		fput(file);
	kfree(request);
	return ret;
}

static int freeze(struct freeze_user *user, void __user *argument)
{
	struct lttng_mm_freeze request;
	struct lttng_mm_freeze_buffer *buffers;
	void __user *to;
	int ret = -EFAULT;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	to = u64_to_user_ptr(request.buffers);
	if (request.room > LTTNG_MM_FREEZE_BUFFERS)
		request.room = LTTNG_MM_FREEZE_BUFFERS;
	buffers = kvcalloc(request.room ? request.room : 1, sizeof(*buffers), GFP_KERNEL);
	if (!buffers)
		return -ENOMEM;
	request.count =
		lttng_mm_freeze_sample(user->sources, user->count, &request, buffers, request.room);
	if (request.count > request.room ||
	    !copy_to_user(to, buffers, array_size(request.count, sizeof(*buffers))))
		ret = copy_to_user(argument, &request, sizeof(request)) ? -EFAULT : 0;
	kvfree(buffers);
	return ret;
}

static int positions(struct freeze_user *user, void __user *argument)
{
	struct lttng_mm_freeze_positions request;
	struct lttng_mm_freeze_position *all;
	void __user *to;
	int ret = -EFAULT;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	to = u64_to_user_ptr(request.positions);
	if (request.room > LTTNG_MM_FREEZE_BUFFERS)
		request.room = LTTNG_MM_FREEZE_BUFFERS;
	all = kvcalloc(request.room ? request.room : 1, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	request.count =
		lttng_mm_freeze_positions(user->sources, user->count, &request, all, request.room);
	if (request.count > request.room ||
	    !copy_to_user(to, all, array_size(request.count, sizeof(*all))))
		ret = copy_to_user(argument, &request, sizeof(request)) ? -EFAULT : 0;
	kvfree(all);
	return ret;
}

static int read(struct freeze_user *user, void __user *argument)
{
	struct lttng_mm_freeze_read request;
	int ret;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	if (request.channel >= user->count)
		return -EINVAL;
	ret = lttng_mm_freeze_read(user->sources[request.channel].channel, &request);
	if (!ret && copy_to_user(argument, &request, sizeof(request)))
		ret = -EFAULT;
	return ret;
}

static int metadata(struct freeze_user *user, void __user *argument)
{
	struct lttng_mm_freeze_metadata request;
	int ret;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	if (request.channel >= user->count)
		return -EINVAL;
	ret = lttng_mm_freeze_metadata(user->sources[request.channel].channel, &request);
	if (!ret && copy_to_user(argument, &request, sizeof(request)))
		ret = -EFAULT;
	return ret;
}

static int watch(struct freeze_user *user, void __user *argument)
{
	struct lttng_mm_freeze_watch *request;
	int ret = -EINVAL;

	request = memdup_user(argument, sizeof(*request));
	if (IS_ERR(request))
		return PTR_ERR(request);
	if (request->channel < user->count) {
		lttng_mm_freeze_watch_read(user->sources[request->channel].channel, request);
		ret = copy_to_user(argument, request, sizeof(*request)) ? -EFAULT : 0;
	}
	kfree(request);
	return ret;
}

static long freeze_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct freeze_user *user = file->private_data;
	void __user *at = (void __user *)argument;
	long ret;

	/* Several threads may read concurrently. */
	if (command == LTTNG_MM_FREEZE_ADD ? down_write_killable(&user->lock)
					   : down_read_killable(&user->lock))
		return -EINTR;
	switch (command) {
	case LTTNG_MM_FREEZE_ADD:
		ret = add(user, at);
		break;
	case LTTNG_MM_FREEZE_FREEZE:
		ret = freeze(user, at);
		break;
	case LTTNG_MM_FREEZE_READ:
		ret = read(user, at);
		break;
	case LTTNG_MM_FREEZE_METADATA:
		ret = metadata(user, at);
		break;
	case LTTNG_MM_FREEZE_WATCH:
		ret = watch(user, at);
		break;
	case LTTNG_MM_FREEZE_POSITIONS:
		ret = positions(user, at);
		break;
	default:
		ret = -ENOTTY;
	}
	if (command == LTTNG_MM_FREEZE_ADD)
		up_write(&user->lock);
	else
		up_read(&user->lock);
	return ret;
}

static const struct file_operations freeze_operations = {
	.owner = THIS_MODULE,
	.open = freeze_open,
	.release = freeze_release,
	.unlocked_ioctl = freeze_ioctl,
};

static struct miscdevice freeze_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = LTTNG_MM_FREEZE_DEVICE,
	.fops = &freeze_operations,
	.mode = 0600,
};

static int __init freeze_init(void)
{
	int ret = misc_register(&freeze_device);

	if (!ret)
		lttng_mm_freeze_watch_start();
	return ret;
}

static void __exit freeze_exit(void)
{
	lttng_mm_freeze_watch_stop();
	misc_deregister(&freeze_device);
}

module_init(freeze_init);
module_exit(freeze_exit);

LTTNG_MM_MODULE("Reads LTTng's ring buffers while they are being written");
