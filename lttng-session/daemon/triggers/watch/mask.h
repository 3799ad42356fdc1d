/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Masks kernel addresses in texts that are stored in a snapshot. Kernel messages contain registers,
 * stacks and pointers, also if they are copied to files or the journal. Readers of the snapshot may
 * not be allowed to read the kernel log (kernel.dmesg_restrict).
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_MASK_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_MASK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Replaces the following parts of the @length bytes at @text by ***, in place, and returns the new
 * length:
 *
 *   ffff888003a1c000, 0xff110001abc, 0018:ffffc900001b3e58     8 or more hexadecimal digits
 *   18446612682070712320, -2130706432                          8 or more decimal digits
 *   00 c0 a1 03 80 88 ff ff, ffff 8880 03a1 c000               dumps: at least 4 bytes or 3 words
 *   Code: 48 89 e5 <0f> 0b                                     everything that follows
 *
 * Keeps shorter numbers (func+0x1a/0x30, order:9), and decimal numbers with a unit of bytes
 * (total-vm:12345678kB). @truncated means that the text was cut off. A number at its end may then
 * be the start of an address, so it is masked.
 */
size_t mask_addresses(char *text, size_t length, bool truncated);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_MASK_H */
