# SPDX-License-Identifier: GPL-2.0-only
# Adds the third argument (bool was_armed) to lttng-modules' hrtimer_start event. The kernel's
# tracepoint passes this argument since 7.1 and, by stable updates, since 6.1.175 and a later 6.12.
/LTTNG_TRACEPOINT_EVENT_MAP(hrtimer_start,/,/^)/ {
	s/enum hrtimer_mode mode),/enum hrtimer_mode mode, bool was_armed),/
	s/TP_ARGS(hrtimer, mode),/TP_ARGS(hrtimer, mode, was_armed),/
	/ctf_[a-z]*(.*, mode, mode)/ a\
		ctf_integer(bool, was_armed, was_armed)
}
