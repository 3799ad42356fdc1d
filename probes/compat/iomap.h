/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of an iomap tracepoint, and the iomap flags that some kernels lack (0 there). */
#ifndef LTTNG_MM_PROBES_COMPAT_IOMAP_H
#define LTTNG_MM_PROBES_COMPAT_IOMAP_H

#include <linux/fs.h>
#include <linux/iomap.h>

#ifndef IOMAP_ATOMIC /* after 6.12, before 7.2 */
#define IOMAP_ATOMIC 0
#endif
#ifndef IOMAP_DONTCACHE /* after 6.12, before 7.2 */
#define IOMAP_DONTCACHE 0
#endif
#ifndef IOMAP_F_ZONE_APPEND /* removed between 6.1 and 6.12 */
#define IOMAP_F_ZONE_APPEND 0
#endif
/* The rest was added between 6.12 and 7.2. */
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
 * The iteration of a mapping that is passed to the iomap_iter_dstmap tracepoint. The declaration of
 * that tracepoint (fs/iomap/trace.h) is in no header package, so the compiler cannot check our
 * prototype against it: since Linux 5.15 it is (struct inode *, struct iomap *), and its only
 * caller passes the iomap member of a struct iomap_iter together with the iteration's inode.
 *
 * Context: any; only accesses memory of the iteration.
 */
static inline const struct iomap_iter *lttng_mm_iomap_iter(const struct iomap *iomap)
{
	return container_of(iomap, struct iomap_iter, iomap);
}

#endif /* LTTNG_MM_PROBES_COMPAT_IOMAP_H */
