package org.example.lock.files;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.SimpleLockStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.example.lock.files.Entry.State;

/**
 * Locks as files in a directory. Each command has the directory to itself from its first read to its last write, so it is
 * atomic for all threads and processes.
 */
final class DirectoryLockStore extends SimpleLockStore {

    /** There are no notifications: a caller that finds the lock busy retries soon. */
    private static final Duration RETRY = Duration.ofMillis(20);

    private static final int GRANTS_PER_SWEEP = 1_000;

    private final Path path;
    private final AtomicLong grants = new AtomicLong();
    private volatile boolean closed;

    DirectoryLockStore(Path path) {
        this.path = path;
    }

    @Override
    protected LockReply acquire(LockCommand.Acquire command, Duration timeout) throws Exception {
        try (LockDirectory directory = enter(timeout)) {
            Instant now = directory.now(); // after the wait, in which a lease may have begun or ended
            List<Entry> entries = directory.read(command.name(), now);

            // A repeated acquire: the same grant with the time that remains, or Gone for a released id.
            Optional<Entry> own = find(entries, command.id());
            if (own.isPresent()) {
                return own.get().state() == State.HELD ? granted(own.get(), now) : new LockReply.Gone();
            }
            Optional<Entry> other = entries.stream()
                    .filter(entry -> entry.state() != State.TOMBSTONE)
                    .findFirst();
            if (other.isPresent()) {
                Duration left = Duration.between(now, other.get().until());
                return new LockReply.Busy(left.compareTo(RETRY) < 0 ? left : RETRY);
            }

            // The token is on the disk before the grant: a crash in between loses the token, but never grants it twice.
            long token = directory.nextToken(command.tokenFloor(), now);
            Entry grant = new Entry(State.HELD, command.id(), token, now, now.plus(command.lease()));
            entries.add(grant);
            directory.write(command.name(), entries);
            if (grants.incrementAndGet() % GRANTS_PER_SWEEP == 0) {
                directory.sweep(now);
            }
            return granted(grant, now);
        }
    }

    @Override
    protected LockReply renew(LockCommand.Renew command, Duration timeout) throws Exception {
        try (LockDirectory directory = enter(timeout)) {
            Instant now = directory.now();
            List<Entry> entries = directory.read(command.name(), now);
            Optional<Entry> grant = find(entries, command.id()).filter(entry -> entry.state() == State.HELD);
            if (grant.isEmpty()) {
                return new LockReply.Gone();
            }
            Instant until = now.plus(command.lease());
            if (until.isBefore(grant.get().until())) {
                return granted(grant.get(), now); // a renewal never shortens a lease
            }
            Entry renewed = grant.get().with(State.HELD, until);
            entries.set(entries.indexOf(grant.get()), renewed);
            directory.write(command.name(), entries);
            return granted(renewed, now);
        }
    }

    @Override
    protected LockReply release(LockCommand.Release command, Duration timeout) throws Exception {
        try (LockDirectory directory = enter(timeout)) {
            Instant now = directory.now();
            List<Entry> entries = directory.read(command.name(), now);
            Optional<Entry> grant = find(entries, command.id()).filter(entry -> entry.state() == State.HELD);
            grant.ifPresent(entries::remove);

            // The minimum hold counts from the grant. A kept lock has no holder, and becomes free by itself.
            grant.map(held -> held.with(State.KEPT, held.since().plus(command.minimumHold())))
                    .filter(kept -> kept.until().isAfter(now))
                    .ifPresent(entries::add);
            // The tombstone is written even if nothing was held: the acquire of this id may still be on its way.
            if (!command.tombstone().isZero()) {
                entries.add(new Entry(State.TOMBSTONE, command.id(), 0, now, now.plus(command.tombstone())));
            }
            directory.write(command.name(), entries);
            return new LockReply.Released(grant.isPresent());
        }
    }

    private static Optional<Entry> find(List<Entry> entries, AcquisitionId id) {
        return entries.stream().filter(entry -> entry.id().equals(id)).findFirst();
    }

    private static LockReply granted(Entry grant, Instant now) {
        Duration left = Duration.between(now, grant.until()).minus(LockDirectory.CLOCK_DELAY);
        return new LockReply.Granted(grant.token(), left.isNegative() ? Duration.ZERO : left);
    }

    private LockDirectory enter(Duration timeout) throws Exception {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
        return LockDirectory.enter(path, timeout);
    }

    @Override
    public void close() {
        closed = true; // no resource is open between two commands
    }
}
