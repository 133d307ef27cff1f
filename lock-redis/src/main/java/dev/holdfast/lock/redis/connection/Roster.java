package dev.holdfast.lock.redis.connection;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.HostAndPort;

/**
 * Which sentinel is asked next, and how long it is waited for, in rounds. Those that answered last time come first. Once a
 * sentinel has named the master, at most one of those that did not answer is tried in vain, and not for long: a dead sentinel
 * must not delay what the living ones know. Not thread-safe.
 */
final class Roster {

    private final Duration least;
    private final Duration most;
    private final List<HostAndPort> living;
    private final Deque<HostAndPort> silent = new ArrayDeque<>();
    private final Map<HostAndPort, Duration> patience = new HashMap<>();

    private final Deque<HostAndPort> ahead = new ArrayDeque<>();
    private Optional<HostAndPort> asked = Optional.empty();
    private int silentAhead;
    private boolean isNamed;
    private boolean isMissed;

    /**
     * All of them count as living at first, and have all the time in the first round.
     *
     * @param least how long each is waited for at least, and at most where another one has named the master
     * @param most how long each is waited for at most
     */
    Roster(Collection<HostAndPort> sentinels, Duration least, Duration most) {
        this.living = new ArrayList<>(sentinels);
        this.least = least;
        this.most = most;
        sentinels.forEach(each -> patience.put(each, most));
    }

    /** Begins a round. */
    void begin() {
        ahead.clear();
        ahead.addAll(living);
        ahead.addAll(silent);
        silentAhead = silent.size();
        isNamed = false;
        isMissed = false;
    }

    /** The next to ask; empty when the round is over. */
    Optional<HostAndPort> next() {
        boolean areSilent = ahead.size() <= silentAhead;
        asked = areSilent && isNamed && isMissed ? Optional.empty() : Optional.ofNullable(ahead.poll());
        return asked;
    }

    /** How long to wait for the one that was next; one that is far away has more time each time. */
    Duration patience() {
        return isNamed ? least : patience.getOrDefault(asked.orElseThrow(), least);
    }

    /**
     * The one that was next has answered.
     *
     * @param isNamed whether it named the master
     */
    void answered(Duration took, boolean isNamed) {
        HostAndPort sentinel = asked.orElseThrow();
        if (silent.remove(sentinel)) {
            living.add(sentinel);
        }
        if (took.compareTo(least) < 0) {
            patience.remove(sentinel);
        }
        this.isNamed |= isNamed;
    }

    /** The one that was next has not answered, or not as a sentinel does. */
    void missed() {
        HostAndPort sentinel = asked.orElseThrow();
        if (!isNamed) {
            Duration more = patience().multipliedBy(2);
            patience.put(sentinel, more.compareTo(most) < 0 ? more : most);
        }
        isMissed |= silent.remove(sentinel);
        living.remove(sentinel);
        silent.add(sentinel);
    }
}
