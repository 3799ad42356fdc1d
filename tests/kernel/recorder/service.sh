# SPDX-License-Identifier: LGPL-2.1-only
# Tests the systemd service in a guest whose init is systemd: vm/run.sh --systemd. Sourced by
# run-all.sh after repair.sh and trigger.sh. With --append 'lttng_mm.enable=1 lttng_mm.profile=slab
# lttng_mm.subbufs=4', the service must adopt the recorder that was started at boot.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work
# shellcheck source=tests/kernel/recorder/repair.sh

service_user=4711

# service_is NAME EXPECTED ACTUAL
service_is() {
	is "service: $1" "$2" "$3"
}

# service_becomes NAME EXPECTED COMMAND...: checks that COMMAND prints EXPECTED within a minute.
# Actions of systemd and the daemons take seconds in emulation.
service_becomes() {
	service_name=$1 service_expected=$2
	shift 2
	wait_for 60 prints "$service_expected" "$@"
	service_is "$service_name" "$service_expected" "$("$@")"
}

# service_journal PATTERN: prints yes if a line of the service in the journal matches.
service_journal() {
	journalctl -u lttng-mm --no-pager | grep -q "$1" && echo yes
}

# service_again: prints the state of the service after $service_killed is no longer its main
# process.
service_again() {
	case $(systemctl show -P MainPID lttng-mm) in
	0 | "$service_killed") ;;
	*) systemctl is-active lttng-mm ;;
	esac
}

service_recording() {
	lttng-mm status --all 2>/dev/null | grep -c '^lttng-mm-slab: profile slab, recording since .* 4 sub-buffers'
}

# service_shared KEY SNAPSHOT: prints a number of the interval that all streams cover.
service_shared() {
	grep -A 3 '"shared": {' "$2/snapshot.json" | sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"
}

# service_nice: prints the nice values of the consumer daemon's threads.
service_nice() {
	for service_pid in $(pgrep -P "$(cat /run/lttng/lttng-sessiond.pid)" -f 'lttng-consumerd.*kconsumerd'); do
		# The name of a thread, in parentheses, may contain blanks.
		sed 's/.*) //' /proc/"$service_pid"/task/*/stat | cut -d ' ' -f 17
	done | sort -u | paste -sd ' '
}

# service_since: prints when the recorder was started.
service_since() {
	lttng-mm status --json | sed -n 's/.*"since": \([0-9]*\).*/\1/p' | sort -n | head -n 1
}

# service_lines KIND: prints the daemon's journal lines with this MESSAGE_ID.
service_lines() {
	journalctl -t lttng-mm "MESSAGE_ID=$1" -o cat --no-pager 2>/dev/null
}

# service_loss SNAPSHOT: counts the journal lines that report holes in the snapshot.
service_loss() {
	service_lines 51ef41d9738948fa872fc6b1b9671c2e | grep -cF "$1: holes: "
}

service_start() {
	booted=$(service_recording)
	booted_since=$(service_since)
	mkdir -p /etc/lttng-mm "$work/service"
	printf '%s\n' '[recorder]' 'record = slab --subbuf-size 4M --num-subbuf=4' 'consumer-nice = 5' \
		>/etc/lttng-mm/recorder.conf
	grep -q '^tracing:' /etc/group || echo 'tracing:x:4712:' >>/etc/group
	check 'service: systemctl start lttng-mm' 120 systemctl start lttng-mm
	service_is 'the service is active' active "$(systemctl is-active lttng-mm)"
	# The session daemon of a recorder that was started at boot belongs to lttng-mm-boot.
	if grep -q 'lttng_mm\.enable=1' /proc/cmdline; then
		service_is 'the service starts no second session daemon' inactive "$(systemctl is-active lttng-sessiond)"
		service_is 'the recorder had been started at boot' 1 "$booted"
		service_is '... the service adopts it without restarting it' "$booted_since" "$(service_since)"
	else
		service_is 'the session daemon is active' active "$(systemctl is-active lttng-sessiond)"
	fi
	service_becomes 'it records as recorder.conf says' 1 service_recording
	service_becomes "the consumer daemon has the nice value of recorder.conf" 5 service_nice
	echo "# $(systemd-analyze security --no-pager lttng-mm 2>&1 | tail -n 1)"
	# systemd-analyze 262 rates nothing without libseccomp.
	if ldconfig -p | grep -q libseccomp; then
		service_is 'systemd rates its exposure as medium at most' yes \
			"$(systemd-analyze security --no-pager --threshold=60 lttng-mm >/dev/null 2>&1 && echo yes)"
	else
		skip 'service: systemd rates its exposure as medium at most' 'libseccomp is not installed'
	fi
	memory=$(cat "/sys/fs/cgroup$(systemctl show -P ControlGroup lttng-mm)/memory.max")
	service_is "the unit's memory limit is half of the memory" yes "$(awk -v max="$memory" '$1 == "MemTotal:" {
		share = max / 1024 / $2; print (share > 0.45 && share < 0.55 ? "yes" : share) }' /proc/meminfo)"
	service_is "the unit's other limits" 'CPUQuotaPerSecUSec=1s CPUWeight=50 IOWeight=50 TasksMax=512' \
		"$(systemctl show lttng-mm -p CPUQuotaPerSecUSec,CPUWeight,IOWeight,TasksMax | sort | paste -sd ' ')"
}

service_snapshots() {
	group=$(sed -n 's/^tracing:[^:]*:\([0-9]*\):.*/\1/p' /etc/group)
	mkdir -p "$work/service/user"
	chown "$service_user:$service_user" "$work/service/user"
	chmod 755 "$work" "$work/service"
	path=$(lttng-mm snapshot --method=freeze --output "$work/service")
	service_is 'a snapshot for root' complete "$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$path/snapshot.json")"
	path=$(serve_as "$group" lttng-mm snapshot --method=freeze --output "$work/service/user")
	service_is 'a snapshot for a member of the group tracing' "complete $service_user" \
		"$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$path/snapshot.json") $(stat -c %u "$path")"
	path=$(lttng-mm snapshot --method=lttng --output "$work/service" 2>"$work/service.err")
	service_is 'the session daemon writes a snapshot' yes "$([ -s "$path/kernel/metadata" ] && echo yes)"
	sed 's/^/# /' "$work/service.err"
	# Remove the snapshots: they are in memory, which the unit limits.
	rm -rf "$work"/service/snapshot-* "$work"/service/user/snapshot-*
}

service_restarts() {
	restarted=$(date +%s%N)
	check 'service: systemctl restart lttng-mm' 120 systemctl restart lttng-mm
	path=$(lttng-mm snapshot --output "$work/service")
	service_is 'a restart keeps the buffers' yes \
		"$([ "$(service_shared start_ns "$path")" -lt "$restarted" ] && echo yes)"
	service_is 'the recorder was not started again' 1 "$(service_recording)"
	# Take the time again, because the buffers no longer reach back to the previous restart.
	restarted=$(date +%s%N)
	service_killed=$(systemctl show -P MainPID lttng-mm)
	kill -9 "$service_killed"
	service_becomes 'after kill -9, systemd starts it again' active service_again
	path=$(lttng-mm snapshot --output "$work/service")
	service_is '... the buffers are kept' yes "$([ "$(service_shared start_ns "$path")" -lt "$restarted" ] && echo yes)"
	rm -rf "$work"/service/snapshot-*
	repair_after 'service: lttng stop' 'stopped by another program' lttng stop lttng-mm-slab
	path=$(lttng-mm snapshot --output "$work/service")
	service_is 'a snapshot with a pause' holes "$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$path/snapshot.json")"
	service_becomes '... a journal line reports the loss' 1 service_loss "$path"
	rm -rf "$work"/service/snapshot-*
	rescues=$(repair_rescues)
	repair_after 'service: kill -9 of the session daemon' 'the session daemon ended' \
		kill -9 "$(cat /run/lttng/lttng-sessiond.pid)"
	repair_rescued 'service: the session daemon' "$rescues"
	service_becomes 'a journal line reports the repair' yes \
		service_journal 'lttng-mm-slab: the session daemon ended; repaired'
	service_becomes "the new consumer daemon has the nice value of recorder.conf" 5 service_nice
}

# service_trigger NAME: prints the trigger's state, as `trigger list` shows it.
service_trigger() {
	lttng-mm trigger list | awk -v name="$1:" '$1 == name { found = 1; next }
		found { sub(/[;:].*/, ""); print $1; exit }'
}

service_triggered() {
	find /var/lib/lttng-mm -maxdepth 1 -name "$1-20*" | wc -l
}

# Tests triggers on the kernel log and on LTTng's events, which the unit's restrictions could block.
service_triggers() {
	check 'service: a trigger on kernel messages is added' 60 lttng-mm trigger add message \
		--on 'kernel-message service-test-[0-9]' --warm-up 0s --cooldown 1h
	check 'service: a trigger on failed allocations is added' 60 lttng-mm trigger add failed \
		--on failed-allocation --warm-up 0s
	check 'service: a trigger on an event is added' 60 lttng-mm trigger add event \
		--on 'syscall:sethostname' --warm-up 0s --cooldown 1h \
		--run "sh -c 'cat /proc/self/oom_score_adj >$work/service/score'"
	for service_name in message failed event; do
		service_becomes "the trigger $service_name is armed" armed service_trigger "$service_name"
	done
	lttng-mm trigger list | grep -A 1 '^message:\|^failed:' | sed 's/^/# /'
	echo 'service-test-1' >/dev/kmsg
	service_becomes 'a kernel message triggers a snapshot' 1 service_triggered message
	hostname guest
	service_becomes 'an event does' 1 service_triggered event
	service_is 'the service is protected from the OOM killer' -900 \
		"$(cat "/proc/$(systemctl show -P MainPID lttng-mm)/oom_score_adj")"
	service_becomes "... a trigger's command is not" 0 cat "$work/service/score"
	for service_name in message failed event; do
		check "service: trigger remove $service_name" 60 lttng-mm trigger remove "$service_name"
	done
	rm -rf /var/lib/lttng-mm/message-20* /var/lib/lttng-mm/event-20*
}

# Tests a main process that is killed while it writes a snapshot to a disk that hangs.
service_crashes() {
	mkdir -p "$work/service/disk"
	mkfs.ext4 -qF "$1" && mount "$1" "$work/service/disk" && fsfreeze -f "$work/service/disk"
	service_is 'a frozen filesystem' 0 $?
	path=$(lttng-mm snapshot --no-wait --output "$work/service/disk")
	service_is 'a snapshot to it' "$work/service/disk" "$(dirname "$path")"
	service_killed=$(systemctl show -P MainPID lttng-mm)
	kill -9 "$service_killed"
	service_becomes 'after kill -9 during the snapshot, the service is active again' active service_again
	service_is '... the snapshot does not exist yet' no "$([ -e "$path" ] || echo no)"
	fsfreeze -u "$work/service/disk"
	wait_for 60 test -s "$path/snapshot.json"
	service_is '... the snapshot is completed when the disk works again' complete \
		"$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$path/snapshot.json")"
	umount "$work/service/disk"
}

service_failures() {
	find /var/lib/lttng-mm -maxdepth 1 -name 'snapshot-20*' | wc -l
}

# Tests a failing unit with OnFailure=lttng-mm-failed@%n.service.
service_failed() {
	printf '%s\n' '[Unit]' 'OnFailure=lttng-mm-failed@%n.service' '[Service]' 'ExecStart=/bin/false' \
		>/run/systemd/system/service-test.service
	check 'service: a unit with OnFailure= is loaded' 60 systemctl daemon-reload
	systemctl start service-test
	service_becomes 'the failure of a unit triggers a snapshot' 1 service_failures
	path=$(echo /var/lib/lttng-mm/snapshot-20*)
	service_is "... the snapshot's cause is that unit" 'unit service-test.service' \
		"$(sed -n '/"cause": {/,/}/s/^ *"\(kind\|unit\)": "\(.*\)",*$/\2/p' "$path/snapshot.json" | xargs)"
	service_is '... status shows the cause' 1 "$(lttng-mm status --all | grep -c ' written, failure of service-test.service: ')"
	service_is '... info shows the cause' 1 "$(lttng-mm info --all "$path" | grep -c 'Cause: the unit service-test.service failed')"
	rm -rf "$path" /run/systemd/system/service-test.service
}

# Tests a main process that exists, but does not run, because of SIGSTOP.
service_hangs() {
	service_killed=$(systemctl show -P MainPID lttng-mm)
	kill -STOP "$service_killed"
	path=$(timeout 60 lttng-mm snapshot --output "$work/service" 2>"$work/service.err")
	service_is 'a snapshot succeeds while the daemon is stopped' 'complete 1' \
		"$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$path/snapshot.json") $(grep -c 'the daemon runs, but does not answer' "$work/service.err")"
	service_becomes '... and is started again' active service_again
	rm -rf "$work"/service/snapshot-*
}

# service_kept: prints the snapshots in the recorder's folder, the oldest first, by the start of
# their names.
service_kept() {
	find "$work/service/kept" -mindepth 1 -maxdepth 1 -name 'keep-*' -printf '%f\n' |
		cut -d- -f1-2 | sort | xargs
}

service_kept_failures() {
	grep -ls 'service-other.service' "$work/service/kept"/snapshot-20*/snapshot.json | wc -l
}

# service_refused: prints yes if the journal reports that a snapshot was refused because of its
# folder's permissions.
service_refused() {
	service_lines 90d5b65c2ba94dc29e109d8c5e294173 | grep -q "$work/service/kept: .*redirect" && echo yes
}

# Tests that the recorder's folder keeps three snapshots besides the pinned one.
service_retention() {
	check 'service: the recorder is stopped' 60 lttng-mm stop
	mkdir -p "$work/service/kept"
	chmod 755 "$work/service/kept"
	check 'service: record --keep' 60 lttng-mm record slab --num-subbuf=4 --subbuf-size=64k \
		--output="$work/service/kept" --keep=3
	for i in 1 2 3 4 5; do
		check "service: snapshot $i of 5" 60 lttng-mm snapshot --output "$work/service/kept" --name "keep-$i"
		[ $i != 1 ] || touch "$(echo "$work"/service/kept/keep-1-*)/pin"
		mkdir -p "$work/service/kept/keep-foreign"
	done
	service_is 'the newest snapshots, a pinned one and a foreign folder are kept' \
		'keep-1 keep-4 keep-5 keep-foreign' "$(service_kept)"
	service_is 'the journal names the deleted snapshots' 2 \
		"$(service_lines 43a33ccde9b24ec7a2165e99d4a8475d | grep -c 'keep-[23]')"
	service_is '... and each snapshot' 5 \
		"$(service_lines 028a3e3819c940d8bc0a53fcb4234aa1 | grep -c 'keep-[1-5]')"
	printf '%s\n' '[Unit]' 'OnFailure=lttng-mm-failed@%n.service' '[Service]' 'ExecStart=/bin/false' \
		>/run/systemd/system/service-other.service
	systemctl daemon-reload
	systemctl start service-other
	service_becomes 'the failure of a unit triggers a snapshot in that folder' 1 service_kept_failures
	rm -rf "$work/service/kept"/snapshot-20* /run/systemd/system/service-other.service
	check 'service: a trigger with that folder is added' 60 lttng-mm trigger add other \
		--on 'syscall:sethostname' --warm-up 0s --cooldown 1h
	service_becomes '... it is armed' armed service_trigger other
	chmod 777 "$work/service/kept"
	hostname guest
	service_becomes 'a match logs an error if other users can change the folder' yes service_refused
	service_is '... and no snapshot there' '' "$(find "$work/service/kept" -name 'other*')"
	chmod 755 "$work/service/kept"
	check 'service: trigger remove other' 60 lttng-mm trigger remove other
	check 'service: stop that recorder' 60 lttng-mm stop
	check 'service: record as before' 60 lttng-mm record slab --subbuf-size=4M --num-subbuf=4
}

# service_load CPU: allocates without pause.
service_load() {
	exec taskset -c "$1" sh -c "while [ -e '$work/service/busy' ]; do find /usr/share /usr/lib >/dev/null; done"
}

# Tests a window that was promised for a lower event rate.
service_promise() {
	check 'service: stop, for a window' 60 lttng-mm stop
	check 'service: record --window' 120 lttng-mm record slab --window=5s
	sleep 15
	service_is 'the promise holds at first: the journal has no line about it' '' "$(service_journal 'promised window')"
	: >"$work/service/busy"
	service_load 0 &
	service_loads=$!
	service_load 1 &
	service_loads="$service_loads $!"
	service_becomes 'at a higher rate, a journal line says that the promised window is no longer covered' yes \
		service_journal 'the promised window of 5.* s is no longer covered: the buffers reach back only'
	rm "$work/service/busy"
	# shellcheck disable=SC2086
	wait $service_loads
	# Do not poll the journal, because polling would raise the rate, too.
	sleep 30
	service_is '... and later a line says that the window is covered again' yes "$(service_journal 'the promised window of 5.* s is covered again')"
	check 'service: stop that, too' 60 lttng-mm stop
	check 'service: record as at first' 60 lttng-mm record slab --subbuf-size=4M --num-subbuf=4
}

# service_problem TEXT: prints the number of problems with TEXT that status shows.
service_problem() {
	lttng-mm status --all 2>/dev/null | grep -c "^problem: .*$1"
}

# service_processes NAME: counts the processes with this name in the cgroup of the service.
service_processes() {
	# shellcheck disable=SC2013 # numbers
	for service_pid in $(cat "/sys/fs/cgroup$(systemctl show -P ControlGroup lttng-mm)/cgroup.procs"); do
		cat "/proc/$service_pid/comm"
	done 2>/dev/null | grep -c "$1"
}

# Tests a recorder.conf that cannot be applied at first: because its profile is missing, and then
# because there is no session daemon.
service_retries() {
	check 'service: stop the recorder' 60 lttng-mm stop
	sed -i 's/^record = .*/record = later --subbuf-size 4M --num-subbuf 4/' /etc/lttng-mm/recorder.conf
	check 'service: restart with a profile that does not exist' 120 systemctl restart lttng-mm
	service_becomes 'status shows the problem of the missing profile' 1 service_problem 'recorder.conf:2: .*later.*; trying again later'
	mkdir -p /etc/lttng-mm/profiles
	cp "$(dirname "$(command -v lttng-mm)")/../share/lttng-mm/profiles/slab.conf" /etc/lttng-mm/profiles/later.conf
	service_becomes 'the profile is recorded when it exists' 1 service_later
	service_becomes '... and the problem is solved' 0 service_problem .
	check 'service: stop it' 60 lttng-mm stop
	sleep 8
	service_is 'a recorder that was stopped is not started again' '' "$(lttng list | grep lttng-mm-)"
	check 'service: the session daemon is stopped and masked' 60 systemctl mask --runtime --now lttng-sessiond
	check 'service: restart without a session daemon' 120 systemctl restart lttng-mm
	service_becomes 'status shows the problem of the missing session daemon' 1 service_problem 'the session daemon does not answer'
	service_is 'the service does not start one' 0 "$(service_processes lttng-sessiond)"
	check 'service: a session daemon is permitted' 60 systemctl unmask --runtime lttng-sessiond
	service_becomes 'it records when one runs' 1 service_later
	service_is '... outside the cgroup of the service' 0 "$(service_processes lttng-sessiond)"
	check 'service: stop it again' 60 lttng-mm stop
	rm -r /etc/lttng-mm/profiles
	sed -i 's/^record = .*/record = slab --subbuf-size 4M --num-subbuf=4/' /etc/lttng-mm/recorder.conf
	check 'service: restart as before' 120 systemctl restart lttng-mm
	service_becomes 'it records slab' 1 service_recording
}

service_later() {
	lttng-mm status --all 2>/dev/null | grep -c '^lttng-mm-later: profile later, recording'
}

# service_unfinished: prints the unfinished snapshots in the recorder's folder.
service_unfinished() {
	find /var/lib/lttng-mm -mindepth 1 -maxdepth 1 -name '.lttng-mm-*' -printf '%f\n' | sort | xargs
}

# Tests that the service removes the unfinished snapshots of killed processes when it starts, but
# only folders with this project's mark.
service_sweeps() {
	mkdir -m 700 /var/lib/lttng-mm/.lttng-mm-unfini /var/lib/lttng-mm/.lttng-mm-others
	mkdir /var/lib/lttng-mm/.lttng-mm-unfini/snapshot
	touch /var/lib/lttng-mm/.lttng-mm-unfini/unfinished /var/lib/lttng-mm/.lttng-mm-others/file
	head -c 100000 /dev/urandom >/var/lib/lttng-mm/.lttng-mm-unfini/snapshot/stream
	check 'service: restart with an unfinished snapshot' 120 systemctl restart lttng-mm
	service_becomes 'only the unfinished snapshot is removed' .lttng-mm-others service_unfinished
	rm -r /var/lib/lttng-mm/.lttng-mm-others
}

service_ends() {
	check 'service: lttng-mm-shutdown is started' 60 systemctl start lttng-mm-shutdown
	check 'service: ... and stopped, as at shutdown' 90 systemctl stop lttng-mm-shutdown
	service_is 'the shutdown takes a last snapshot' 1 "$(find /var/lib/lttng-mm -maxdepth 1 -name 'shutdown-*' | wc -l)"
	check 'service: systemctl stop lttng-mm' 120 systemctl stop lttng-mm
	service_is 'recording continues without the service' 1 "$(service_recording)"
	service_is 'no mount and no process of the service is left' '' "$(grep /run/lttng-mm/stage /proc/mounts; pgrep -f 'lttng-mm serve')"
	echo 'recrod = dax' >>/etc/lttng-mm/recorder.conf
	systemctl start lttng-mm >/dev/null 2>&1
	service_is 'the service does not start with a misspelt setting' 1 "$?"
	service_becomes '... and the journal says why' yes service_journal "recorder.conf:4: 'recrod': unknown"
	systemctl stop lttng-mm
	check 'service: stop' 60 lttng-mm stop
}

# service_rescues: counts the rescue snapshots of all recorders.
service_rescues() {
	find /var/lib/lttng-mm "$work/service" -mindepth 1 -maxdepth 2 -name 'rescue-*' | wc -l
}

# Tests that `stop` removes the sessions while the supervisor checks them.
service_stops() {
	rescues=$(service_rescues)
	for service_round in 1 2 3 4 5; do
		lttng-mm stop >/dev/null 2>&1
		sleep 3
		lttng-mm record slab --subbuf-size=4M --num-subbuf=4 >/dev/null 2>&1
		# Start the next round at another phase of the supervisor's one-second cycle.
		sleep "2.$((service_round * 17))"
	done
	service_is 'stopping a recorder triggers no rescue' "$rescues" "$(service_rescues)"
	service_is "... and is not reported as another program's doing" 0 \
		"$(journalctl -u lttng-mm --no-pager | grep -c 'lttng-mm-slab: destroyed by another program')"
	service_is '... the recorder runs' 1 "$(service_recording)"
}

# service_uninstall [NAME=VALUE...]: uninstalls as `make uninstall` does.
service_uninstall() {
	env "$@" PREFIX=/usr LIBDIR=/usr/lib sh "$tests/tree/packaging/install.sh" uninstall &&
		env "$@" sh "$tests/tree/probes/install.sh" uninstall
}

# service_left: prints the remaining files of the program and its units.
service_left() {
	find /usr/bin /usr/lib/lttng-mm /usr/lib/systemd /etc/systemd /run/systemd/system /usr/share/lttng-mm \
		/usr/lib/tmpfiles.d /run/lttng-mm \( -path /usr/lib/lttng-mm/tests -prune \) -o \
		-name '*lttng-mm*' ! -name 'lttng-mm-guest*' ! -path /usr/lib/lttng-mm -print 2>/dev/null | sort | xargs
}

service_uninstalls() {
	sed -i '/^recrod/d' /etc/lttng-mm/recorder.conf
	check 'service: enabled and started again' 120 systemctl enable --now lttng-mm lttng-mm-shutdown
	service_becomes 'it records' 1 service_recording
	check 'service: a second recorder starts' 120 lttng-mm record --session second --events=sched_process_exit
	check "service: a trigger on a probe's event is added" 60 lttng-mm trigger add uninstalled --on 'slab_kfree if tid < 0' --warm-up 0s
	service_becomes '... is armed' armed service_trigger uninstalled
	rm -rf /var/lib/lttng-mm/*-20*
	path=$(lttng-mm snapshot slab --output /var/lib/lttng-mm)
	lttng create others >/dev/null
	check_function 'service: uninstall with DESTDIR' service_uninstall "DESTDIR=$work/service/empty"
	service_is '... does not touch this machine' 'active 1 yes yes' \
		"$(systemctl is-active lttng-mm) $(service_recording) $([ -e /run/lttng-mm/recorder.json ] && echo yes) $([ -e /var/lib/lttng-mm/triggers/uninstalled.json ] && echo yes)"
	check_function 'service: uninstall while it records' service_uninstall
	sed 's/^/# /' "$work/check.log"
	service_is 'only sessions of other programs are left' others \
		"$(lttng --mi=xml list | sed 's/<session>/\n&/g' | sed -n 's/^<session><name>\([^<]*\).*/\1/p' | xargs)"
	service_is 'no unit is active, and no process is left' '' \
		"$(systemctl list-units --all --plain --no-legend 'lttng-mm*' | grep -v '^lttng-mm-guest' | xargs)$(pgrep -f '[l]ttng-mm serve')"
	service_is 'no file, unit, link or cache is left' '' "$(service_left)"
	service_is 'triggers are removed, snapshots are kept' "$path" "$(find /var/lib/lttng-mm -mindepth 1 -maxdepth 1)"
	lttng destroy others >/dev/null
	check_function 'service: uninstall with PURGE=1' service_uninstall PURGE=1
	sed 's/^/# /' "$work/check.log"
	service_is 'snapshots are removed, too' no "$([ -e /var/lib/lttng-mm ] || echo no)"
	service_is 'the modules are unloaded' '' "$(sed -n 's/^\(lttng[^ ]*\) .*/\1/p' /proc/modules | xargs)"
}

service() {
	if [ "$(cat /proc/1/comm)" != systemd ]; then
		skip 'service: under systemd' 'systemd is not the init of this guest: vm/run.sh --systemd'
		return
	fi
	rm -rf "$work/service" /var/lib/lttng-mm /run/lttng-mm/repairs.json
	service_start
	service_snapshots
	service_triggers
	service_failed
	service_restarts
	service_stops
	service_hangs
	service_crashes "$1"
	service_retention
	service_promise
	service_retries
	service_sweeps
	service_ends
	service_uninstalls
}
