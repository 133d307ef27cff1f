# A command with descendants that are hard to end: one child ignores TERM, another has left its parent and its session. Each of
# them appends marks to the file $1 while it lives: if two of them lived under two tokens, the marks would be out of order. $2 is
# the role; $3 and $4 are the token and the run where the environment does not tell.
file=$1
role=$2
token=${3:-$HOLDFAST_TOKEN}
run=${4:-$HOLDFAST_RUN}

mark() {
    echo "$token $1 $run" >>"$file"
}

case $role in
    root)
        (setsid sh "$0" "$file" orphan &)
        sh "$0" "$file" stubborn &
        trap 'mark bye; exit 3' TERM
        ;;
    brief*)
        for i in 1 2 3 4 5; do
            mark "$role"
            sleep 0.05
        done
        exit
        ;;
    *)
        trap '' TERM HUP INT
        ;;
esac
while :; do
    mark "$role"
    sleep 0.1
done
