package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a few callers about a few locks, and their times, generated from a seed. A plan refers to ids and names by number,
 * so that it can be rerun on other locks, in whole or in part.
 *
 * @param names the ends of the names of its locks; each run puts its own prefix before them
 * @param shares those of the ids, by number, again and again
 * @param lanes the steps of each caller, in order
 */
record HistoryPlan(List<String> names, List<Share> shares, List<List<Step>> lanes, Tempo tempo) {

    /** Names that a sloppy key confuses: by hash code, case, blanks, normal form, separators, line breaks, prefix. */
    private static final List<List<String>> ALIKE = List.of(
            List.of("Aa", "BB", "C#"),
            List.of("job", "Job", "JOB"),
            List.of("a", "a ", "a  "),
            List.of("\u00C5", "A\u030A", "\u212B"),
            List.of("x:y", "x/y", "x.y"),
            List.of("line", "line\n", "line\r\nline"),
            List.of("p", "pp", "p%"),
            List.of("\uD83D\uDD12", "\uD83D\uDD13", "??"),
            List.of("0", "00", "0.0"));

    /** Of ids for one lock: exclusive ones most often, then readers with writers, permits, and all kinds. */
    private static final List<List<Share>> SHARES = List.of(
            List.of(Share.EXCLUSIVE),
            List.of(Share.EXCLUSIVE),
            List.of(Share.shared(), Share.shared(), Share.EXCLUSIVE),
            List.of(new Share(1, 3), new Share(1, 3), new Share(2, 3), new Share(3, 3), new Share(1, 2)),
            List.of(Share.shared(), new Share(1, 3), Share.EXCLUSIVE, new Share(2, 3), Share.shared()));

    /** The number of ids of a lock that are in use at a time. */
    private static final int IDS = 4;

    /** The number of the first id of a crowd, and the size of the crowd. */
    private static final int CROWD = 1_000;

    private static final int CROWD_SIZE = 60;

    /** The greatest distance of a floor above the last token: ten seconds of a clock in microseconds. */
    private static final int FLOOR = 10_000_000;

    /** The id that was granted the lock last, instead of a number. */
    static final int HOLDER = -1;

    /**
     * A call.
     *
     * @param client the number of the client that is called
     * @param pause before the call
     * @param actions one command each, sent in one batch; or a listing
     */
    record Step(int client, Pause pause, List<Action> actions) {}

    /**
     * Waits this long, or until this long after the latest known end of that kind.
     *
     * @param end what to wait for; null for nothing but the time
     * @param name the number of the lock that ends
     * @param offset from the end
     */
    record Pause(@Nullable End end, int name, Duration offset) {}

    /** The states that end as time passes. */
    enum End {
        LEASE,
        MINIMUM_HOLD,
        CLAIM_WINDOW,
        TOMBSTONE,
        PLACE
    }

    /** A part of a call. */
    sealed interface Action {}

    record Acquire(int name, int id, Duration lease, boolean queue, long aboveLast) implements Action {}

    record Renew(int name, int id, Duration lease) implements Action {}

    record Release(int name, int id, Duration minimumHold, Duration tombstone) implements Action {}

    /** A command that was sent before, once more. */
    record Again(int number) implements Action {}

    /** A listing of all locks of the plan. */
    record ListAll() implements Action {}

    /**
     * The times of a plan.
     *
     * @param steps of each lane
     * @param leases of acquires and renewals, and their fractions
     * @param idle the longest pause that waits for nothing
     * @param ends what other pauses wait for; nothing pauses if there are none
     * @param limit the most that the pauses of a lane take in total
     * @param own whether an id belongs to one client, as in an engine; otherwise any client sends its commands
     */
    record Tempo(int steps, List<Duration> leases, Duration idle, List<End> ends, Duration limit, boolean own) {

        /** No pauses: shows how fast a store is when many call it. */
        static final Tempo HASTY = new Tempo(
                12,
                List.of(Duration.ofMillis(60), Duration.ofMillis(150), Kit.LONG),
                Duration.ZERO,
                List.of(),
                Duration.ZERO,
                false);

        /** Ends of leases, minimum holds and tombstones within two or three seconds. */
        static final Tempo SHORT = new Tempo(
                24,
                List.of(Duration.ofMillis(60), Duration.ofMillis(150), Duration.ofMillis(400), Kit.LONG),
                Duration.ofMillis(30),
                List.of(End.LEASE, End.LEASE, End.LEASE, End.MINIMUM_HOLD, End.TOMBSTONE),
                Duration.ofMillis(2500),
                false);

        /** The same, and missed claim windows and other states that last for seconds. */
        static final Tempo LONG = new Tempo(
                14,
                List.of(Duration.ofMillis(300), Duration.ofSeconds(1), Duration.ofSeconds(6), Kit.LONG),
                Duration.ofMillis(400),
                List.of(End.LEASE, End.CLAIM_WINDOW, End.CLAIM_WINDOW, End.TOMBSTONE),
                Duration.ofSeconds(7),
                false);

        /** The same, and places whose waiters die. */
        static final Tempo LONGEST = new Tempo(
                14,
                LONG.leases(),
                LONG.idle(),
                List.of(End.LEASE, End.CLAIM_WINDOW, End.PLACE),
                Duration.ofSeconds(40),
                false);

        /** A few commands before and after a restart, which some leases outlast. */
        static final Tempo RESTART = new Tempo(
                14,
                List.of(Duration.ofMillis(200), Duration.ofSeconds(4), Kit.LONG, Kit.LONG),
                Duration.ofMillis(10),
                List.of(End.LEASE, End.MINIMUM_HOLD, End.TOMBSTONE),
                Duration.ofSeconds(1),
                true);

        /** Whether a pause may outlast the place of a waiter, so that waiters expire in any order. */
        boolean outlastsPlaces() {
            return limit.compareTo(QueueTimes.WAITER_TTL) > 0;
        }
    }

    static HistoryPlan random(Random random, int clients, boolean lists, boolean shares, Tempo tempo) {
        List<String> names = ALIKE.get(random.nextInt(ALIKE.size()));
        List<Share> ofIds = SHARES.get(shares ? random.nextInt(SHARES.size()) : 0);
        int lanes = 1 + random.nextInt(3);
        List<List<Step>> all = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++) {
            List<Step> steps = new ArrayList<>();
            for (int at = 0; at < tempo.steps(); at++) {
                steps.add(step(random, clients, lists, names.size(), at, tempo));
            }
            all.add(List.copyOf(steps));
        }
        return new HistoryPlan(names, ofIds, List.copyOf(all), tempo);
    }

    private static Step step(Random random, int clients, boolean lists, int names, int at, Tempo tempo) {
        int client = random.nextInt(clients);
        if (lists && random.nextInt(10) == 0) {
            return new Step(client, pause(random, names, tempo), List.of(new ListAll()));
        }
        if (random.nextInt(30) == 0) {
            return new Step(client, pause(random, names, tempo), crowd(random, tempo));
        }
        List<Action> actions = new ArrayList<>();
        for (int left = random.nextInt(5) == 0 ? 2 + random.nextInt(3) : 1; left > 0; left--) {
            actions.add(action(random, names, at, tempo));
        }
        return new Step(client, pause(random, names, tempo), List.copyOf(actions));
    }

    /** More waiters or tombstones of the first lock than a store may be designed for; or all these ids ask. */
    private static List<Action> crowd(Random random, Tempo tempo) {
        int kind =
                random.nextInt(tempo.outlastsPlaces() ? 2 : 3); // later on such waiters could have expired in any order
        List<Action> actions = new ArrayList<>();
        for (int id = CROWD; id < CROWD + CROWD_SIZE; id++) {
            actions.add(
                    switch (kind) {
                        case 0 -> new Release(0, id, Duration.ZERO, Kit.LONG);
                        case 1 -> new Acquire(0, id, Duration.ofMillis(100), false, 0);
                        default -> new Acquire(0, id, Kit.LONG, true, 0);
                    });
        }
        return List.copyOf(actions);
    }

    private static Pause pause(Random random, int names, Tempo tempo) {
        if (tempo.ends().isEmpty()) {
            return new Pause(null, 0, Duration.ZERO);
        }
        int name = name(random, names);
        return switch (random.nextInt(8)) {
            case 0, 1 ->
                new Pause(
                        null, 0, tempo.idle().multipliedBy(random.nextInt(100)).dividedBy(100));
            case 2, 3, 4 ->
                new Pause(
                        tempo.ends().get(random.nextInt(tempo.ends().size())),
                        name,
                        Duration.ofMillis(random.nextInt(56) - 8));
            default -> new Pause(null, 0, Duration.ZERO);
        };
    }

    /** Half of the actions are about the first lock, so that they meet. */
    private static int name(Random random, int names) {
        return random.nextBoolean() ? 0 : random.nextInt(names);
    }

    private static Action action(Random random, int names, int at, Tempo tempo) {
        int name = name(random, names);
        int id = at / 5 + random.nextInt(IDS); // there are always new ids
        Duration lease =
                tempo.leases().get(random.nextInt(tempo.leases().size())).plusNanos(random.nextInt(1_000_000));
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6, 7 ->
                new Acquire(name, id, lease, random.nextBoolean(), random.nextInt(5) == 0 ? random.nextInt(FLOOR) : 0);
            case 8 -> new Acquire(name, HOLDER, lease, random.nextBoolean(), 0);
            case 9, 10, 11 -> new Renew(name, HOLDER, lease);
            case 12 -> new Renew(name, id, lease);
            case 13, 14 -> new Release(name, HOLDER, orNone(random, lease, 3), orNone(random, lease, 2));
            case 15, 16 -> new Release(name, id, orNone(random, lease, 4), orNone(random, lease, 2));
            default -> new Again(random.nextInt(1_000));
        };
    }

    private static Duration orNone(Random random, Duration duration, int oneIn) {
        return random.nextInt(oneIn) == 0 ? duration : Duration.ZERO;
    }

    /** The number of calls. */
    int size() {
        return lanes.stream().mapToInt(List::size).sum();
    }
}
