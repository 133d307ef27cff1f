# The watcher of one `lock run`: when `lock` is killed, ends the command and everything it started before the lease can end.
# POSIX sh; $1 is the run id, which all descendants carry in HOLDFAST_RUN.
#
# `lock` holds the other end of standard input and writes lines:
#   lease N       the lease lasts until N, in hundredths of a second of the clock below
#   command P S   the command is process P, started at S (field 22 of /proc/P/stat; 0 if unknown)
#   signal NAME   send the command this signal, which Java cannot send
#   done          the command has ended: exit
# The end of the input without "done" means that `lock` has died.

# Signals that end or stop a terminal's processes must not reach the watcher, nor the programs it runs.
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
# The caller's PATH may not contain the folder of sed.
PATH=/usr/bin:/bin:/usr/sbin:/sbin${PATH:+:$PATH}
cd /
run=$1
command=
started=0
until=0
known=' '

# Sets now: the time since boot, which is never stepped, in hundredths of a second; without one, the wall clock.
clock() {
    if [ -r /proc/uptime ]; then
        read -r now _ </proc/uptime
        now=${now%.*}${now#*.}
        now=${now#"${now%%[!0]*}"}
    else
        now=$(date +%s)00
    fi
}

rest() {
    sleep "$1" 2>/dev/null || sleep 1
}

# Whether the command is alive, and is the process that was started, not a later one with the same pid.
same() {
    [ -n "$command" ] || return 1
    if [ "$started" = 0 ]; then
        kill -0 "$command" 2>/dev/null
        return
    fi
    stat=
    { read -r stat <"/proc/$command/stat"; } 2>/dev/null
    set -- ${stat##*) }
    case ${1-} in Z | X) return 1 ;; esac
    [ "${20-}" = "$started" ]
}

# Prints pid, parent and start time of all processes; a zombie has ended.
processes() {
    if [ -r /proc/self/stat ]; then
        cat /proc/[0-9]*/stat 2>/dev/null |
            sed -n 's/^\([0-9]*\) (.*) [^ZX] \([0-9]*\) \([^ ]* \)\{17\}\([0-9]*\) .*/\1 \2 \4/p'
    else
        ps -A -o pid= -o ppid= -o stat= -o lstart= | while read -r pid parent state day month date time year; do
            case $state in Z*) ;; *) echo "$pid $parent $day-$month-$date-$time-$year" ;; esac
        done
    fi
}

# Prints the processes that carry the run id, whatever their parent is by now.
marked() {
    [ -r /proc/self/environ ] && grep -l -s -F -- "$run" /proc/[0-9]*/environ | tr -dc '0-9\n'
}

# Sets tree: the command, the processes that carry the run id, those seen in an earlier scan, and the descendants of them all,
# as far as they live. A process that was seen once is remembered by pid and start time: when its parent has ended and its
# environment is empty, nothing else tells that it belongs to this run.
scan() {
    all=$(processes)
    seen=' '
    for pid in $(marked); do seen="$seen$pid "; done
    same && seen="$seen$command "
    set -- $all
    while [ $# -gt 2 ]; do
        case $known in *" $1:$3 "*) seen="$seen$1 " ;; esac
        shift 3
    done
    grown=yes
    while [ -n "$grown" ]; do
        grown=
        set -- $all
        while [ $# -gt 2 ]; do
            case $seen in
                *" $1 "*) ;;
                *" $2 "*) seen="$seen$1 " grown=yes ;;
            esac
            shift 3
        done
    done
    tree=
    set -- $all
    while [ $# -gt 2 ]; do
        case $seen in
            *" $1 "*)
                tree="$tree $1"
                case $known in *" $1:$3 "*) ;; *) known="$known$1:$3 " ;; esac
                ;;
        esac
        shift 3
    done
    # The command is included even if the process table could not be read.
    case "$tree " in *" $command "*) ;; *) same && tree="$tree $command" ;; esac
}

echo ready
exec >/dev/null 2>&1

while read -r word first second; do
    case $word in
        lease) until=$first ;;
        command) command=$first started=$second ;;
        signal) same && kill -s "$first" "$command" ;;
        done) exit 0 ;;
    esac
done

# The command may take a third of the rest of the lease, at most five seconds, to end by itself.
clock
grace=$(((until - now) / 3))
[ "$grace" -gt 500 ] && grace=500
grace=$((now + grace))
scan
[ -n "$tree" ] && kill -s TERM $tree
while [ -n "$tree" ] && [ "$now" -lt "$grace" ]; do
    rest 0.1
    scan
    clock
done

# A process that is forked during a scan is found by the next one. A command whose pid `lock` had no time to send may still be
# about to appear, with the run id: then scan until the lease ends. A minute after its end the watcher gives up.
empty=0
while [ "$now" -lt $((until + 6000)) ]; do
    scan
    clock
    if [ -n "$tree" ]; then
        empty=0
        kill -s KILL $tree
        rest 0.02
    else
        empty=$((empty + 1))
        if [ "$empty" -ge 3 ]; then
            { [ -n "$command" ] || [ "$now" -ge "$until" ]; } && exit 0
        fi
        rest 0.1
    fi
done
