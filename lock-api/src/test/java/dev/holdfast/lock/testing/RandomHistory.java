package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Random commands for shares of all kinds of a few locks, in stepped time, whose replies, listings and notifications are compared with
 * those of a {@link LockModel}: commands that are repeated, late, out of order and in batches, leases and waiters that end unnoticed,
 * minimum holds, tombstones, and floors of tokens. The same on each store.
 */
public final class RandomHistory {

    private static final int STEPS = 70;
    private static final int CROWD = 40;
    private static final long LONG = 60_000;

    private final Random random;
    private final Subject store;
    private final Observer observer;
    private final List<String> told = new ArrayList<>();
    private final Map<LockName, Lock> locks = new LinkedHashMap<>();
    /** Whether a command follows each end of a lease or a place in a queue at once. */
    private final boolean isNoted;

    private final int mostOfBatch;
    private final int queueing;
    private final Instant start;
    private Instant now;
    private int ids;

    /** A store in stepped time. */
    public interface Subject {

        List<LockReply> execute(List<LockCommand> commands);

        /** Steps the clock. */
        void pass(Duration time);

        /** The time at the beginning. */
        Instant now();

        /** What the store lists of a lock; empty if nothing. */
        Optional<ListedLock> listed(LockName name);

        /** What was notified since the last call; empty if the store does not say so at once. */
        Optional<Set<Notification>> notified();

        /** The time after a waiter's last request within which another one need not be noted. */
        default Duration refresh() {
            return Duration.ZERO;
        }

        /** Removes what is no longer needed, as a store may at any time. */
        default void prune() {}
    }

    /** Sees each call of the store. */
    @FunctionalInterface
    public interface Observer {
        /**
         * The store has executed commands.
         *
         * @param at since the beginning, when it did
         */
        void executed(Duration at, List<LockCommand> commands, List<LockReply> replies);
    }

    private static final class Lock {
        private final LockModel model = new LockModel();
        private final List<Share> kinds;
        private final List<AcquisitionId> ids = new ArrayList<>();
        private final Map<AcquisitionId, Share> shares = new HashMap<>();

        private Lock(List<Share> kinds) {
            this.kinds = kinds;
        }
    }

    /**
     * Makes a history.
     *
     * @param store without locks
     */
    public RandomHistory(long seed, Subject store, Observer observer) {
        this.random = new Random(seed);
        this.store = store;
        this.observer = observer;
        start = store.now();
        now = start;
        isNoted = random.nextInt(3) == 0;
        mostOfBatch = pick(1, 1, 2, 6);
        queueing = pick(2, 6, 20);
        int names = pick(1, 1, 2, 3);
        for (int name = 0; name < names; name++) {
            Lock lock = new Lock(kinds());
            int many = pick(4, 8, 8, 14, 14, 40);
            for (int at = 0; at < many; at++) {
                add(lock);
            }
            locks.put(new LockName("job " + name), lock);
        }
    }

    private void add(Lock lock) {
        AcquisitionId id = new AcquisitionId(1, ++ids);
        lock.ids.add(id);
        lock.shares.put(id, lock.kinds.get(random.nextInt(lock.kinds.size())));
    }

    private List<Share> kinds() {
        return switch (random.nextInt(6)) {
            case 0 -> List.of(Share.EXCLUSIVE, Share.shared(), Share.shared(), Share.shared());
            case 1 -> List.of(new Share(1, 3), new Share(1, 3), new Share(2, 3), new Share(3, 3));
            case 2 -> List.of(new Share(1, 2), new Share(1, 4), new Share(2, 4), Share.EXCLUSIVE);
            case 3 -> List.of(Share.EXCLUSIVE, Share.EXCLUSIVE, Share.EXCLUSIVE, new Share(1, 2));
            case 4 -> List.of(Share.EXCLUSIVE, Share.shared(), new Share(1, 2), new Share(2, 5), new Share(5, 5));
            default -> {
                List<Share> any = new ArrayList<>();
                for (int at = 0; at < 6; at++) {
                    int limit = 1 + random.nextInt(7);
                    any.add(new Share(1 + random.nextInt(limit), limit));
                }
                yield any;
            }
        };
    }

    /** Runs it to the end, when nothing is listed any more. */
    public void run() {
        locks.forEach((name, lock) -> gather(name, lock));
        for (int at = 0; at < STEPS; at++) {
            pass(pick(0L, 0L, 0L, 1L, 300L, 700L, 1_999L, 2_000L, 5_000L, 16_000L, (long) random.nextInt(3_000)));
            if (random.nextInt(20) == 0) {
                store.prune();
            }
            call(commands());
        }
        pass(10 * LONG);
        locks.keySet().forEach(name -> {
            call(List.of(stranger(name)));
            assertThat(store.listed(name)).as("what is left after %s", this).isEmpty();
        });
    }

    /** A crowd waits for the lock. */
    private void gather(LockName name, Lock lock) {
        if (lock.ids.size() >= CROWD) {
            for (AcquisitionId id : List.copyOf(lock.ids)) {
                call(List.of(acquire(name, lock, id)));
            }
        }
    }

    @SafeVarargs
    private <T> T pick(T... values) {
        return values[random.nextInt(values.length)];
    }

    private void pass(long millis) {
        Instant until = now.plusMillis(millis);
        while (isNoted) {
            Optional<LockName> next = locks.entrySet().stream()
                    .filter(each -> each.getValue()
                            .model
                            .nextEnd()
                            .filter(end -> !end.isAfter(until))
                            .isPresent())
                    .min((one, other) -> one.getValue()
                            .model
                            .nextEnd()
                            .orElseThrow()
                            .compareTo(other.getValue().model.nextEnd().orElseThrow()))
                    .map(Map.Entry::getKey);
            if (next.isEmpty()) {
                break;
            }
            LockModel model = locks.get(next.get()).model;
            step(model.nextEnd().orElseThrow());
            model.pass(now);
            if (model.hasWaiters()) {
                call(List.of(stranger(next.get())));
            }
        }
        step(until);
    }

    private void step(Instant to) {
        Duration time = Duration.between(now, to);
        if (!time.isZero()) {
            store.pass(time);
            now = to;
        }
    }

    /** A release that ends nothing. */
    private LockCommand stranger(LockName name) {
        return new LockCommand.Release(
                name,
                new AcquisitionId(9, 9),
                Duration.ZERO,
                Duration.ZERO,
                random.nextBoolean() ? Share.shared() : Share.EXCLUSIVE);
    }

    /** Several on one lock only if the model says what each of them does: a listing comes after all of them. */
    private List<LockCommand> commands() {
        List<LockCommand> commands = new ArrayList<>();
        Set<LockName> uncertain = new HashSet<>();
        for (int left = 1 + random.nextInt(mostOfBatch); left > 0; left--) {
            LockName name = pick(locks.keySet().toArray(LockName[]::new));
            Lock lock = locks.get(name);
            LockCommand command = command(name, lock);
            if (uncertain.contains(name) || isUnnoted(command)) {
                continue;
            }
            lock.model.pass(now);
            if (!lock.model.isCertain(command, now)) {
                uncertain.add(name);
                commands.removeIf(each -> each.name().equals(name));
            }
            commands.add(command);
            if (command instanceof LockCommand.Release && random.nextInt(3) == 0) {
                left++; // another one may follow in the same call
            }
        }
        return commands;
    }

    /** Whether the store may or may not note that a waiter has asked. */
    private boolean isUnnoted(LockCommand command) {
        if (!(command instanceof LockCommand.Acquire) || store.refresh().isZero()) {
            return false;
        }
        Optional<Instant> seen = locks.get(command.name()).model.seen(command.id());
        return seen.isPresent()
                && seen.get().isBefore(now)
                && !seen.get().plus(store.refresh()).isBefore(now);
    }

    private LockCommand command(LockName name, Lock lock) {
        AcquisitionId id = lock.ids.get(random.nextInt(lock.ids.size()));
        Share share = lock.shares.get(id);
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3, 4 -> acquire(name, lock, id);
            case 5 -> new LockCommand.Renew(name, id, length(), share);
            default ->
                new LockCommand.Release(
                        name,
                        id,
                        Duration.ofMillis(pick(0L, 0L, 0L, 4_000L, 20_000L)),
                        Duration.ofMillis(pick(0L, 0L, 0L, 7_000L)),
                        share);
        };
    }

    private LockCommand acquire(LockName name, Lock lock, AcquisitionId id) {
        return new LockCommand.Acquire(
                name,
                id,
                length(),
                random.nextInt(queueing) > 0,
                floor(lock),
                ListedLock.owner(id),
                lock.shares.get(id));
    }

    private Duration length() {
        return Duration.ofMillis(pick(1_000L, 3_000L, 8_000L, LONG, LONG));
    }

    private long floor(Lock lock) {
        return random.nextInt(6) == 0 ? lock.model.lastToken() + pick(0, 1, 2, 1_000_000) : 0;
    }

    private void call(List<LockCommand> commands) {
        if (commands.isEmpty()) {
            return;
        }
        Set<LockName> names = commands.stream().map(LockCommand::name).collect(Collectors.toSet());
        names.forEach(name -> locks.get(name).model.pass(now));
        List<LockReply> replies = store.execute(commands);
        observer.executed(Duration.between(start, now), commands, replies);
        for (int at = 0; at < commands.size(); at++) {
            told.add((at == 0 ? "after " + Duration.between(start, now) + ": " : "    and ") + told(commands.get(at))
                    + ": " + replies.get(at));
        }
        Map<LockName, ListedLock> listed = new HashMap<>();
        for (LockName name : names) {
            listed.put(name, store.listed(name).orElse(ListedLock.NONE));
        }
        for (int at = 0; at < commands.size(); at++) {
            check(commands, replies.get(at), at, listed);
        }
        for (LockName name : names) {
            assertThat(listed.get(name))
                    .as("what is listed after %s", this)
                    .isEqualTo(locks.get(name).model.listed());
        }
        store.notified().ifPresent(notified -> names.forEach(name -> check(name, notified, commands)));
        for (LockName name : names) {
            locks.get(name).model.endCall();
            replaceSome(locks.get(name));
        }
    }

    private static String told(LockCommand command) {
        String what;
        if (command instanceof LockCommand.Acquire acquire) {
            what = (acquire.queue() ? "queues for " : "asks for ")
                    + acquire.lease()
                    + (acquire.tokenFloor() > 0 ? " above " + acquire.tokenFloor() : "");
        } else if (command instanceof LockCommand.Renew renew) {
            what = "renews for " + renew.lease();
        } else {
            LockCommand.Release release = (LockCommand.Release) command;
            what = "releases"
                    + (release.minimumHold().isZero() ? "" : ", kept for " + release.minimumHold())
                    + (release.tombstone().isZero() ? "" : ", gone for " + release.tombstone());
        }
        return "#" + command.id().low() + " (" + command.share() + ") of " + command.name() + " " + what;
    }

    private void check(List<LockCommand> commands, LockReply reply, int at, Map<LockName, ListedLock> listed) {
        LockCommand command = commands.get(at);
        if (reply instanceof LockReply.Unavailable unavailable) { // no verdict on a guard that was left out
            throw new IllegalStateException("no reply to " + command + " in " + this, unavailable.cause());
        }
        boolean isLast =
                commands.stream().skip(at + 1).noneMatch(each -> each.name().equals(command.name()));
        List<AcquisitionId> left = isLast ? listed.get(command.name()).waiters() : null;
        try {
            locks.get(command.name()).model.execute(command, reply, left, now);
        } catch (AssertionError e) {
            throw new AssertionError("the reply " + reply + " to " + command + ", the last of " + this, e);
        }
    }

    private void check(LockName name, Set<Notification> all, List<LockCommand> commands) {
        Set<AcquisitionId> notified = all.stream()
                .filter(each -> each.name().equals(Optional.of(name)))
                .map(each -> each.id().orElseThrow())
                .collect(Collectors.toSet());
        LockModel model = locks.get(name).model;
        Set<AcquisitionId> missing = model.toNotify();
        commands.stream()
                .filter(LockCommand.Acquire.class::isInstance)
                .forEach(each -> missing.remove(each.id())); // it asks in the same call
        missing.removeAll(notified);
        assertThat(missing).as("not notified after %s", this).isEmpty();
        if (commands.size() == 1) {
            notified.removeAll(model.mayBeNotified());
            assertThat(notified).as("notified without need after %s", this).isEmpty();
        }
    }

    /** Some of the ids that are not used any more make room for others. */
    private void replaceSome(Lock lock) {
        for (AcquisitionId id : List.copyOf(lock.ids)) {
            if (lock.model.hasEnded(id) && random.nextInt(3) == 0) {
                lock.ids.remove(id);
                add(lock);
            }
        }
    }

    /** Lists a lock of a store that lists. */
    public static Optional<ListedLock> listedBy(Stream<LockInfo> locks, LockName name) {
        return locks.filter(each -> each.name().equals(name)).findFirst().map(ListedLock::of);
    }

    @Override
    public String toString() {
        return String.join("\n", told) + "\nby the model "
                + locks.values().stream()
                        .map(each -> each.model.toString(start))
                        .toList();
    }
}
