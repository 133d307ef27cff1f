# What the scripts have in common that run Holdfast from a checkout: `lock`, `lock-bench/bench` and `lock-bench/demo`. They set $program,
# the name in messages, and $home, the folder of the checkout, and source this file. It finds java; `build` builds what java runs.

fail() {
    echo "$program: $1" >&2
    exit 69
}

if [ -n "${JAVA_HOME-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
    java=$JAVA_HOME/bin/java
else
    java=$(command -v java) || fail "no java found: Java 17 or newer is needed, named by JAVA_HOME or in PATH"
fi

# The release file of the JDK names the version, and the exact one, $jdk; asking java itself takes longer than the rest of this script.
version=
jdk=
bin=$java
while [ -L "$bin" ]; do
    target=$(readlink "$bin")
    case $target in
        /*) bin=$target ;;
        *) bin=$(dirname -- "$bin")/$target ;;
    esac
done
release=${bin%/bin/java}/release
if [ -r "$release" ]; then
    while IFS='="' read -r key _ value _; do
        case $key in
            JAVA_VERSION) version=$value ;;
            JAVA_RUNTIME_VERSION | OS_ARCH) jdk=$jdk-$value ;;
        esac
    done <"$release"
fi
[ -n "$version" ] || version=$("$java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1)
major=${version%%[!0-9]*}
[ "${major:-0}" -ge 17 ] || fail "$java is Java ${version:-of an unknown version}: Java 17 or newer is needed, named by JAVA_HOME or in PATH"

# The JVM would print warnings on standard output; and it has some about its performance data, which are of no use here.
quiet="-XX:-UsePerfData -Xlog:disable -Xlog:all=warning:stderr"

# Maven in the checkout, in few words and on standard error.
maven() {
    command -v mvn >/dev/null || fail "no mvn found in PATH: Maven 3.8 or newer is needed to build $program on first use"
    # The libraries of Maven itself use sun.misc.Unsafe, of which JDK 24 and newer warn; older ones ignore the option.
    # Its library for colours resets them at the end, whether there are any or not.
    (cd -- "$home" &&
        MAVEN_OPTS="${MAVEN_OPTS-} -XX:+IgnoreUnrecognizedVMOptions --sun-misc-unsafe-memory-access=allow -Djansi.noreset=true" \
            mvn -q -B -Dstyle.color=never "$@") >&2 </dev/null
}

# Builds the module $1 on first use and after a change of its sources, or of those of the modules named from $3 on. Its product is the
# file $2 in its target. Java uses a copy, $copy, that is replaced atomically: a build must not change the jar of a running process.
build() {
    module=$1
    built=$home/$module/target/$2
    copies=$home/$module/target/launcher
    copy=$copies/$2
    shift 2
    sources="$module $*"
    current "$copy" "$built" || build_alone
}

# Whether file $1 exists and is as new as all sources and the other files named.
current() {
    made=$1
    shift
    [ -f "$made" ] || return 1
    for each in $sources; do
        set -- "$@" "$home/$each/pom.xml" "$home/$each/src/main"
    done
    [ -z "$(find "$home/pom.xml" "$@" -newer "$made" -print | head -n 1)" ]
}

build_now() {
    current "$copy" "$built" && return
    if ! current "$built"; then
        echo "$program: building, on first use or after a change" >&2
        maven -pl "$module" -am -Dmaven.test.skip package || fail "the build failed: its messages are above"
    fi
    cp -- "$built" "$copy.$$" && mv -f -- "$copy.$$" "$copy" || fail "cannot write $copy"
}

# Builds, one script at a time; a script that waited finds the work done.
build_alone() {
    mkdir -p -- "$copies" || fail "cannot write $copies: the user needs write access to the checkout on first use"
    if command -v flock >/dev/null; then
        {
            flock 9 || fail "cannot wait for another build: flock failed on $copies/building"
            build_now
        } 9>"$copies/building" || fail "cannot write $copies/building"
        return
    fi
    until mkdir -- "$copies/building.d" 2>/dev/null; do
        builder=$(cat -- "$copies/building.d/pid" 2>/dev/null)
        if [ -n "$builder" ] && ! kill -0 "$builder" 2>/dev/null; then
            rm -rf -- "$copies/building.d"
        else
            sleep 1
        fi
    done
    trap 'rm -rf -- "$copies/building.d"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    echo $$ >"$copies/building.d/pid"
    build_now
    rm -rf -- "$copies/building.d"
    trap - EXIT INT TERM
}
