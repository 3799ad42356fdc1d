#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests which allocations the figures of report slab include. The recorder's processes and others
# allocate and free at random, and the report has filters and time ranges. An awk program computes
# the expected figures from babeltrace2's text. The reader and the number of threads must not
# matter.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

# The processes of threads 10 to 20 do the work, and the other processes record. Processes 300 and
# 400 have ended. Process 300 has the name lttng-mm from its first event on, and process 400 gets
# this name later.
processes='10=10 11=10 20=20 90=90 100=100 101=100 300=300 400=400'
recorder='90 100 101 300 400'

# make_load SEED FOLDER: makes a trace of random allocations and frees by these processes.
make_load() {
	awk -v seed="$1" -v processes="$processes" '
		function random(n) { return int(rand() * n) }
		function emit(text) {
			if (random(4) == 0)
				print "cpu " (cpu = random(2))
			print now " " text
		}
		function dump() {
			print now " slab_statedump_cache cache=7 object_size=600 size=640 align=8 alive=1 name=dentry"
			print now " slab_statedump_cache cache=8 object_size=500 size=512 align=8 alive=1 name=ring"
		}
		function allocate(tid, pages, i) {
			pages = random(8) == 0
			i = pages ? "p" random(40) : "o" random(400)
			if (i in kind)
				return
			if (pages) {
				kind[i] = random(2) ? 3 : 0
				emit("page_alloc tid=" tid " pfn=" (256 + 8 * substr(i, 2)) " order=" kind[i] \
					" gfp_flags=" (random(2) ? "IO|FS" : "ZERO"))
			} else if (random(8) == 0) {
				# Large allocations differ in size, but share one size class.
				kind[i] = "kmalloc"
				emit("slab_kmalloc_wide tid=" tid " call_site=" (256 + 32 * random(5)) " ptr=" (65536 + 64 * substr(i, 2)) \
					" bytes_req=" (9000 + random(5000)) " bytes_alloc=" (16384 * 2 ^ random(4)))
			} else if (random(2)) {
				kind[i] = "kmalloc"
				emit("slab_kmalloc tid=" tid " call_site=" (256 + 32 * random(5)) " ptr=" (65536 + 64 * substr(i, 2)) \
					" bytes_req=" (33 + random(32)) " size_class=6")
			} else {
				kind[i] = 7 + random(2)
				emit("slab_cache_alloc tid=" tid " call_site=" (256 + 32 * random(5)) " ptr=" (65536 + 64 * substr(i, 2)) \
					" cache=" kind[i])
			}
		}
		# Most frees are of objects that the trace allocated. The others are of unused
		# addresses.
		function release(tid, i) {
			i = random(8) ? (random(8) ? "o" random(400) : "p" random(40)) : "o" (400 + older++)
			if (!(i in kind) && substr(i, 2) + 0 < 400)
				return
			if (i ~ /^p/)
				emit("page_free tid=" tid " pfn=" (256 + 8 * substr(i, 2)) " order=" kind[i])
			else if (!(i in kind) || kind[i] == "kmalloc")
				emit("slab_kfree tid=" tid " call_site=" (4096 + 32 * random(3)) " ptr=" (65536 + 64 * substr(i, 2)))
			else
				emit("slab_cache_free tid=" tid " call_site=" (4096 + 32 * random(3)) " ptr=" (65536 + 64 * substr(i, 2)) \
					" cache=" kind[i])
			delete kind[i]
		}
		BEGIN {
			srand(seed)
			count = split(processes, threads, " ")
			for (i = 1; i <= count; i++)
				sub(/=.*/, "", threads[i])
			now = 1000
			print "cpu 0\nbegin 900\ncpu 1\nbegin 900\ncpu 0"
			dump()
			print "1100 sched_process_fork child_tid=300 child_pid=300 child_comm=lttng-mm"
			print "1200 sched_process_fork child_tid=400 child_pid=400 child_comm=sh"
			for (i = 0; i < 6000; i++) {
				now = 2000 + 1000 * i
				tid = threads[1 + random(count)]
				# The time range starts here.
				if (i == 1000)
					dump()
				else if (i == 3000)
					emit("sched_process_exec tid=400 old_tid=400 filename=/usr/bin/lttng-mm")
				else if (random(20) == 0)
					emit(random(2) ? "slab_kmalloc_failed tid=" tid " call_site=288 bytes_req=100 gfp_flags=IO" : \
						"page_alloc_failed tid=" tid " order=4 gfp_flags=IO")
				else if (random(30) == 0)
					emit("page_free_batched tid=" tid " pfn=9")
				else if (random(40) == 0)
					emit("slab_kfree_rcu tid=" tid " call_site=4096 ptr=4096")
				else if (random(9) < 5)
					allocate(tid)
				else
					release(tid)
			}
			for (i = 0; i < 2; i++)
				print "cpu " i "\n" (now + 1000 + i) " page_free_batched tid=10 pfn=9"
		}' >"$2.trace"
	make_slab "$2.trace" "$2"
	mkdir "$2/sysinfo"
	cp "$here/slab/recorder.sysinfo/system.json" "$2/sysinfo/"
	printf '{ "processes": [ { "pid": 90, "start_ns": 1000001, "name": "lttng-sessiond" },
		{ "pid": 100, "start_ns": 1000001, "name": "lttng-consumerd" } ] }\n' >"$2/sysinfo/recorder.json"
	for thread in $processes; do
		case $thread in
		300=* | 400=*) ;;
		*) printf '%s{ "tid": %s, "pid": %s, "comm": "any" }' "${comma-[ }" "${thread%=*}" "${thread#*=}"
			comma=', ' ;;
		esac
	done >"$2/sysinfo/processes.json"
	echo ' ]' >>"$2/sysinfo/processes.json"
}

# computed FOLDER FROM TO PID KIND SITE LEFT_OUT...: computes the figures from babeltrace2's text.
# FROM and TO are clock cycles. An empty PID, KIND or SITE selects all events.
computed() {
	babeltrace2 --clock-cycles "$1" | awk -v from="$2" -v to="$3" -v pid="$4" -v only="$5" -v site="$6" \
		-v left="$7" -v processes="$processes" '
		function field(name, text) {
			text = $0
			if (!sub(".*[{ ]" name " = ", "", text))
				return ""
			sub(/^\( ("[A-Z|_0-9a-z-]*"|<unknown>|\{[^}]*\}) : container = /, "", text)
			sub(/[ ,].*/, "", text)
			return text
		}
		function matches(kind, code) {
			return !(tid in out) && (pid == "" || pid_of[tid] == pid) && (only == "" || only == kind) && \
				(site == "" || site == code)
		}
		function count(name, more) { figures[name] += more }
		function raise(row, bytes) {
			bytes_of[row] += bytes
			if (bytes_of[row] > peaks[row])
				peaks[row] = bytes_of[row]
		}
		function move(i, sign) {
			if (!of_listed[i])
				return
			live_objects += sign * (i !~ /^p/)
			live += sign * (i ~ /^p/ ? 0 : size[i])
			raise("of " kind_of[i], sign * size[i])
			if (i !~ /^p/)
				raise("at " site_of[i] " of " kind_of[i], sign * size[i])
			if (live > peak) {
				peak = live
				peak_at = time - first
			}
		}
		BEGIN {
			split(left, list, " ")
			for (i in list)
				out[list[i]] = 1
			n = split(processes, list, " ")
			for (i = 1; i <= n; i++) {
				split(list[i], pair, "=")
				pid_of[pair[1]] = pair[2]
			}
			object[7] = "dentry"; size_of["dentry"] = 640; req_of["dentry"] = 600
			object[8] = "ring"; size_of["ring"] = 512; req_of["ring"] = 500
		}
		{
			time = substr($1, 2) + 0
			event = $0
			sub(/: \{.*/, "", event)
			sub(/.* /, "", event)
			if (time < from || time > to || event !~ /^(slab|page)_/ || event ~ /statedump/)
				next
			tid = field("tid")
			cpu = field("cpu_id")
			code = field("call_site")
			if (!first)
				first = time
		}
		event ~ /_alloc$|_kmalloc(_wide)?$/ {
			pages = event == "page_alloc"
			large = event == "slab_kmalloc_wide"
			kmalloc = event ~ /kmalloc/
			i = pages ? "p" field("pfn") : "o" field("ptr")
			kind = pages ? "order " field("order") : large ? "kmalloc-large" : \
				kmalloc ? "kmalloc-64" : object[field("cache")]
			site_of[i] = code
			of_listed[i] = matches(kind, code)
			there[i] = 1
			kind_of[i] = kind
			size[i] = pages ? 4096 * 2 ^ field("order") : large ? field("bytes_alloc") : kmalloc ? 64 : size_of[kind]
			owner[i] = tid
			from_cpu[i] = cpu
			move(i, 1)
			if (of_listed[i]) {
				what = pages ? "pages" : kmalloc ? "kmalloc" : "caches"
				count("allocations " what, 1)
				count("allocated " what, size[i])
				count("requested " what, pages ? size[i] : kmalloc ? field("bytes_req") : req_of[kind])
				count("allocations of " pid_of[tid], !pages)
				if (pages)
					count("flags " field("gfp_flags") " " field("order"), 1)
			}
		}
		event ~ /_free$|_kfree$/ {
			pages = event == "page_free"
			i = pages ? "p" field("pfn") : "o" field("ptr")
			kind = pages ? "order " field("order") : event == "slab_kfree" ? "none" : object[field("cache")]
			if (there[i]) {
				move(i, -1)
				if (of_listed[i]) {
					count("paired", !pages)
					count("cpus " from_cpu[i] " " cpu, 1)
					count("remote", !pages && from_cpu[i] != cpu)
				}
			} else if (matches(kind, code)) {
				count("before " (pages ? "pages" : "objects"), 1)
			}
			# If the recorder allocated an object, omit the free of this object, too.
			if (matches(kind, code) && !(there[i] && owner[i] in out)) {
				count((pages ? "page frees of " : "frees of ") pid_of[tid], 1)
				count((pages ? "page frees on " : "frees on ") cpu, 1)
				if (!pages)
					count("frees at " code, 1)
			}
			delete there[i]
		}
		event == "slab_kmalloc_failed" && matches("none", code) { count("failed", 1) }
		event == "page_alloc_failed" && matches("order 4", "none") { count("pages failed", 1) }
		event == "page_free_batched" && matches("order 0", "none") { count("batched", 1) }
		event == "slab_kfree_rcu" && matches("none", code) { count("rcu", 1) }
		END {
			for (name in figures)
				if (figures[name])
					print name, figures[name]
			for (row in peaks)
				print "peak", row, peaks[row]
			if (peak)
				printf "peak %d\npeak at %.3f\n", peak, peak_at / 1e9
			if (live_objects)
				printf "live %d\nlive bytes %d\nleaks %d\n", live_objects, live, live_objects
		}' | sort
}

# reported OPTION... FOLDER: prints the figures that `computed` prints, from the report.
reported() {
	"$mm" report slab --json "$@" >report.json || return 1
	jq -r '
		def metric(n): [.metrics[] | select(.name == n) | .value] | add;
		def of(n; l): [.metrics[] | select(.name == n and .labels.of == l) | .value] | add;
		(["kmalloc", "caches", "pages"][] as $of |
			["allocations \($of)", of("slab.allocations"; $of)],
			["allocated \($of)", of("slab.bytes_allocated"; $of)],
			["requested \($of)", of("slab.bytes_requested"; $of)]),
		(.tables.processes[] | ["allocations of \(.pid)", .allocations], ["frees of \(.pid)", .frees],
			["page frees of \(.pid)", .page_frees]),
		(.tables.cpus[] | ["frees on \(.cpu)", .frees], ["page frees on \(.cpu)", .page_frees]),
		(.tables["page-flags"][] | ["flags \({"IO|FS": 192, "ZERO": 256}[.gfp_flags]) \(.order)", .allocations]),
		(.tables.outcomes[] | select(.outcome == "paired") | ["paired", .objects]),
		(.tables.outcomes[] | select(.outcome == "before_trace") | ["before objects", .objects], ["before pages", .pages]),
		(.tables["cpu-matrix"][] | ["cpus \(.allocated_on) \(.freed_on)", .count]),
		(["remote", ([.tables["size-classes"][], .tables.caches[]] | map(.remote_frees) | add)]),
		(.tables["freeing-call-sites"][] | ["frees at \(.call_site_number)", .count]),
		(["failed", metric("slab.allocations_failed")]),
		(["pages failed", metric("slab.page_allocations_failed")]),
		(["batched", metric("slab.page_frees_batched")]),
		(["rcu", metric("slab.kfree_rcu")]),
		((.tables["size-classes"][], .tables.caches[]) | ["peak of \(.class // .cache)", .peak_bytes]),
		(.tables["page-orders"][] | ["peak of order \(.order)", .peak_bytes]),
		(.tables["call-sites"][] | ["peak at \(.call_site_number) of \(.kind)", .peak_bytes]),
		(["peak", metric("slab.peak_bytes")]),
		(["live", (.tables.totals | map(select(.what != "pages") | .live) | add)]),
		(["live bytes", (.tables.totals | map(select(.what != "pages") | .live_bytes) | add)]),
		(["leaks", ((.tables.leaks + .tables["leaks-uncertain"]) | map(.live) | add)]) |
		select(.[1] != 0 and .[1] != null) | "\(.[0]) \(.[1])"' report.json
	jq -r '.findings[]' report.json |
		sed -n 's/.*[pP]eak of \(the objects\|live bytes\|live objects\): [1-9].*, \([0-9.]*\) s after the first slab or page event.*/peak at \2/p'
}

# check NAME FOLDER FROM TO PID KIND SITE LEFT_OUT OPTION...
check() {
	check_name=$1 check_folder=$2
	computed "$2" "$3" "$4" "$5" "$6" "$7" "$8" | awk '{
		# babeltrace2 prints call sites in hexadecimal.
		if ($2 == "at" && $3 ~ /^0x/) {
			hex = tolower(substr($3, 3))
			number = 0
			for (i = 1; i <= length(hex); i++)
				number = number * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			$3 = number
		}
		print
	}' | sort >expected
	shift 8
	is "$check_name: all figures" '' "$(reported "$@" "$check_folder" | sort | diff expected - 2>&1 | head -n 20)"
	is "$check_name: there are some" yes "$([ "$(wc -l <expected)" -gt 8 ] && echo yes)"
	cp report.json first.json
	for variant in --jobs=1 --jobs=2 --reader=babeltrace2; do
		"$mm" report slab --json "$variant" "$@" "$check_folder" >report.json
		same "$check_name: $variant" first.json report.json
	done
}

all=99000000000000000000
for seed in ${LTTNG_MM_SEEDS:-1 2}; do
	name=load$seed
	unset comma
	make_load "$seed" "$name"
	check "seed $seed" "$name" 0 $all '' '' '' "$recorder"
	check "seed $seed, --include-recorder" "$name" 0 $all '' '' '' '' --include-recorder
	check "seed $seed, --pid" "$name" 0 $all 10 '' '' "$recorder" --pid=10
	check "seed $seed, --pid of the recorder" "$name" 0 $all 100 '' '' '' --pid=100 --include-recorder
	check "seed $seed, --cache" "$name" 0 $all '' dentry '' "$recorder" --cache=dentry
	check "seed $seed, --cache of a size class" "$name" 0 $all '' kmalloc-64 '' "$recorder" --cache=kmalloc-64
	check "seed $seed, --call-site" "$name" 0 $all '' '' 0x120 "$recorder" --call-site=0x120
	check "seed $seed, two filters" "$name" 0 $all 20 kmalloc-64 '' "$recorder" --pid=20 --cache=kmalloc-64
	check "seed $seed, a time range" "$name" 1002000 4001000 '' '' '' "$recorder" \
		--begin=22:13:20.001002000 --end=22:13:20.004001000
done
tap_end
