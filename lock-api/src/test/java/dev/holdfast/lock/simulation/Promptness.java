package dev.holdfast.lock.simulation;

import dev.holdfast.lock.spi.LockName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * P8: without faults, a free lock does not stay idle while a waiter is queued. A waiter that misses its notification retries
 * anyway, but seconds later.
 */
final class Promptness {

    /** Several times the duration of a release, a notification, a lent thread and an attempt; much less than any pause. */
    static final long AT_ONCE = 30_000_000;

    private final VirtualTime time;
    private final Checker checker;
    private final Map<LockName, Set<AcquireCall>> waiting = new HashMap<>();
    private final Set<LockName> held = new HashSet<>();
    /** The free names that have waiters, each with a mark of the last change that left it idle. */
    private final Map<LockName, Object> idle = new HashMap<>();

    Promptness(VirtualTime time, Checker checker) {
        this.time = time;
        this.checker = checker;
    }

    void began(AcquireCall call) {
        waitersOf(call.name()).add(call);
        if (!idle.containsKey(call.name())) {
            look(call.name());
        }
    }

    void ended(AcquireCall call, boolean isHeld) {
        boolean waited = waitersOf(call.name()).remove(call);
        if (isHeld) {
            held.add(call.name());
        }
        if (isHeld || waited) {
            look(call.name());
        }
    }

    void released(LockName name) {
        held.remove(name);
        look(name);
    }

    private Set<AcquireCall> waitersOf(LockName name) {
        return waiting.computeIfAbsent(name, any -> new HashSet<>());
    }

    /** Checks after a moment that an idle lock is no longer idle. */
    private void look(LockName name) {
        if (held.contains(name) || waitersOf(name).isEmpty()) {
            idle.remove(name);
            return;
        }
        Object mark = new Object();
        idle.put(name, mark);
        time.after(
                AT_ONCE,
                () -> checker.that(
                        idle.get(name) != mark,
                        "P8: '%s' has been free for %d ms while %d wait for it",
                        name,
                        AT_ONCE / 1_000_000,
                        waitersOf(name).size()));
    }
}
