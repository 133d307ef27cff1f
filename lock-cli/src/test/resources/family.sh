# A command with a difficult family: one child ignores TERM, another one has left: its parent is gone, its session its own.
# All of them write their token into $MARKS for as long as they live: were two of them alive under two tokens, the marks
# would not be in order.
mark() {
    while :; do
        echo "$HOLDFAST_TOKEN $1 $HOLDFAST_RUN" >>"$MARKS"
        sleep 0.01
    done
}

case ${1-root} in
    root)
        (setsid sh "$0" orphan &)
        sh "$0" stubborn &
        trap 'echo "$HOLDFAST_TOKEN bye $HOLDFAST_RUN" >>"$MARKS"; exit 3' TERM
        ;;
    *)
        trap '' TERM HUP INT
        ;;
esac
mark "${1-root}"
