// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes the number of the inode at PATH to NUMBER while the module is loaded. (Inode numbers of
 * more than 38 bits would require a filesystem of more than a hundred terabytes.) Meanwhile the
 * file must only be read, because a filesystem may look up the inode by this number when it writes
 * the inode.
 */

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/namei.h>

static char *path;
module_param(path, charp, 0444);
static unsigned long number;
module_param(number, ulong, 0444);

static struct path place;
static unsigned long original;

static int __init dax_inode_init(void)
{
	int ret = path ? kern_path(path, LOOKUP_FOLLOW, &place) : -EINVAL;

	if (ret)
		return ret;
	original = d_inode(place.dentry)->i_ino;
	d_inode(place.dentry)->i_ino = number;
	return 0;
}

static void __exit dax_inode_exit(void)
{
	d_inode(place.dentry)->i_ino = original;
	path_put(&place);
}

module_init(dax_inode_init);
module_exit(dax_inode_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Inode numbers that are too wide for a packed DAX event");
