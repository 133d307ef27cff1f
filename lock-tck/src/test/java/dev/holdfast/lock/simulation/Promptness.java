package dev.holdfast.lock.simulation;

import dev.holdfast.lock.spi.LockName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * P8: while nothing fails, a lock that is free does not lie idle while a waiter has its place in the queue. A waiter that misses
 * its signal asks again all the same, but seconds later.
 */
final class Promptness {

    /** Some times what a release, a signal, a lent thread and an attempt take together; much less than any pause. */
    static final long AT_ONCE = 30_000_000;

    private final VirtualTime time;
    private final Checker checker;
    private final Map<LockName, Set<Asked>> waiting = new HashMap<>();
    private final Set<LockName> held = new HashSet<>();
    /** The names that are free and waited for, each with a mark of the last change that left it so. */
    private final Map<LockName, Object> idle = new HashMap<>();

    Promptness(VirtualTime time, Checker checker) {
        this.time = time;
        this.checker = checker;
    }

    void asked(Asked asked) {
        waitersOf(asked.name()).add(asked);
        if (!idle.containsKey(asked.name())) {
            look(asked.name());
        }
    }

    void ended(Asked asked, boolean isHeld) {
        boolean waited = waitersOf(asked.name()).remove(asked);
        if (isHeld) {
            held.add(asked.name());
        }
        if (isHeld || waited) {
            look(asked.name());
        }
    }

    void released(LockName name) {
        held.remove(name);
        look(name);
    }

    private Set<Asked> waitersOf(LockName name) {
        return waiting.computeIfAbsent(name, any -> new HashSet<>());
    }

    /** From now on the lock may be idle for a moment, if it is. */
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
