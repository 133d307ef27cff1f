# Reads from the JVM until there is none, whatever signals go to all processes of a terminal; then ends the servers of its
# directory and removes it. An id counts only while it is that of a program of this directory.
trap '' HUP INT TERM
ours() {
    case $(ps -o args= -p "$1") in *"$0"*) true ;; *) false ;; esac
}
cat >/dev/null
for file in "$0"/*/pid "$0"/*/data/postmaster.pid; do
    pid=$(head -n 1 "$file" 2>/dev/null) || continue
    while ours "$pid"; do
        kill -QUIT "$pid" 2>/dev/null
        case $file in */pid) kill -KILL "$pid" 2>/dev/null ;; esac
        sleep 0.05
    done
done
until rm -rf "$0" 2>/dev/null; do sleep 0.05; done
