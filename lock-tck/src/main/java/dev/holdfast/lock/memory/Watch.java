package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockName;
import java.time.Instant;

/** That something about a name comes to its end at an instant. */
record Watch(Instant at, LockName name) implements Comparable<Watch> {

    @Override
    public int compareTo(Watch other) {
        int byTime = at.compareTo(other.at);
        return byTime != 0 ? byTime : name.compareTo(other.name);
    }
}
