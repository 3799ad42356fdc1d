/* SPDX-License-Identifier: LGPL-2.1-only */
/* A bitmap font for the printable characters of ASCII. */
#ifndef LTTNG_MM_PICTURE_FONT_H
#define LTTNG_MM_PICTURE_FONT_H

#include <stdint.h>

#define MM_FONT_FIRST ' '
#define MM_FONT_LAST '~'
#define MM_FONT_COLUMNS 5
#define MM_FONT_ROWS 9 /* the last two are below the base line */

extern const uint8_t mm_font[MM_FONT_LAST - MM_FONT_FIRST + 1][MM_FONT_ROWS];

#endif /* LTTNG_MM_PICTURE_FONT_H */
