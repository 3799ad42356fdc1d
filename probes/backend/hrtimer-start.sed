# SPDX-License-Identifier: GPL-2.0-only
# Gives lttng-modules' hrtimer_start event the third argument (bool was_armed) that the kernel's
# tracepoint got in 7.1 and, by way of the stable series, in 6.1.175 and some later 6.12.
/LTTNG_TRACEPOINT_EVENT_MAP(hrtimer_start,/,/^)/ {
	s/enum hrtimer_mode mode),/enum hrtimer_mode mode, bool was_armed),/
	s/TP_ARGS(hrtimer, mode),/TP_ARGS(hrtimer, mode, was_armed),/
	/ctf_[a-z]*(.*, mode, mode)/ a\
		ctf_integer(bool, was_armed, was_armed)
}
