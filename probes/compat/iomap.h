/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The argument of an iomap tracepoint, and iomap flags. A flag that the kernel lacks is defined as
 * 0.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_IOMAP_H
#define LTTNG_MM_PROBES_COMPAT_IOMAP_H

#include <linux/fs.h>
#include <linux/iomap.h>

#ifndef IOMAP_ATOMIC /* added after 6.12 and before 7.2 */
#define IOMAP_ATOMIC 0
#endif
#ifndef IOMAP_DONTCACHE /* added after 6.12 and before 7.2 */
#define IOMAP_DONTCACHE 0
#endif
#ifndef IOMAP_F_ZONE_APPEND /* removed between 6.1 and 6.12 */
#define IOMAP_F_ZONE_APPEND 0
#endif
/* The following flags were added between 6.12 and 7.2. */
#ifndef IOMAP_F_BOUNDARY
#define IOMAP_F_BOUNDARY 0
#endif
#ifndef IOMAP_F_ANON_WRITE
#define IOMAP_F_ANON_WRITE 0
#endif
#ifndef IOMAP_F_ATOMIC_BIO
#define IOMAP_F_ATOMIC_BIO 0
#endif
#ifndef IOMAP_F_INTEGRITY
#define IOMAP_F_INTEGRITY 0
#endif
#ifndef IOMAP_F_ZERO_TAIL
#define IOMAP_F_ZERO_TAIL 0
#endif
#ifndef IOMAP_F_FSVERITY
#define IOMAP_F_FSVERITY 0
#endif
#ifndef IOMAP_F_FOLIO_BATCH
#define IOMAP_F_FOLIO_BATCH 0
#endif

/*
 * Returns the iteration that contains @iomap, an argument of the iomap_iter_dstmap tracepoint.
 *
 * No header package declares this tracepoint (fs/iomap/trace.h), so the compiler cannot check our
 * prototype: (struct inode *, struct iomap *) since Linux 5.15. The only caller passes the iomap
 * member of a struct iomap_iter, and the inode of the iteration.
 *
 * Context: any. Accesses only the iteration's memory.
 */
static inline const struct iomap_iter *lttng_mm_iomap_iter(const struct iomap *iomap)
{
	return container_of(iomap, struct iomap_iter, iomap);
}

#endif /* LTTNG_MM_PROBES_COMPAT_IOMAP_H */
