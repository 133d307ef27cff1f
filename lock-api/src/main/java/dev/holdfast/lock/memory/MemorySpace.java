package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the memory stores of one namespace share. A test that controls time makes a space of its own:
 *
 * <pre>{@code
 * MemorySpace space = new MemorySpace(clock);
 * Locks locks = Locks.open(space.open(), new Properties());
 * }</pre>
 *
 * <p>This is the reference implementation of {@link LockCommand} and {@link LockReply}, to be read beside their javadoc. Only tests of
 * the conformance kit extend it.
 *
 * <p>Thread-safe: executes one command at a time.
 */
public class MemorySpace {

    private static final Map<Namespace, MemorySpace> SPACES = new ConcurrentHashMap<>();

    /** The pause of a caller that does not queue: short, as a command costs next to nothing here. */
    private static final Duration RETRY = Duration.ofMillis(5);

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<LockName, LockRecord> records = new HashMap<>();
    private final NavigableSet<LockRecord.Expiry> schedule = new TreeSet<>();
    private final Set<Consumer<Notification>> listeners = new CopyOnWriteArraySet<>();
    private volatile InstantSource clock;

    /** The greatest token of all records that were dropped. */
    private long tokenFloor;

    /** Makes a space of its own, shared by the stores that {@link #open} makes, with a clock that never steps. */
    public MemorySpace() {
        this(steadyClock());
    }

    /**
     * Makes a space of its own, shared by the stores that {@link #open} makes.
     *
     * @param clock decides when leases end
     */
    public MemorySpace(InstantSource clock) {
        this.clock = clock;
    }

    /** The space that {@code lock.provider=memory} uses for this namespace. It lasts as long as the process. */
    public static MemorySpace of(Namespace namespace) {
        return SPACES.computeIfAbsent(namespace, anyName -> new MemorySpace());
    }

    /** Starts at the wall clock and then follows {@link System#nanoTime}, so that it never steps. */
    private static InstantSource steadyClock() {
        Instant start = Instant.now();
        long startNanos = System.nanoTime();
        return () -> start.plusNanos(System.nanoTime() - startNanos);
    }

    /** Opens a store of these locks. Closing the store leaves them as they are. */
    public LockStore open() {
        return new MemoryLockStore(this);
    }

    /** Replaces the clock. */
    public void useClock(InstantSource otherClock) {
        clock = otherClock;
    }

    /** The clock that decides when leases end. */
    public InstantSource clock() {
        return clock;
    }

    /**
     * Forgets every lease, minimum hold and waiter, for a test that starts over. Tokens go on rising. A held lease is lost at its
     * next renewal, and waiters ask again.
     */
    public void clear() {
        mutex.lock();
        try {
            records.values().forEach(lock -> tokenFloor = Math.max(tokenFloor, lock.lastToken));
            records.clear();
            schedule.clear();
        } finally {
            mutex.unlock();
        }
        notifyListeners(Notification.ANY);
    }

    /** The number of names for which anything is kept: a lease, a minimum hold, a waiter or a tombstone. */
    public int namesInUse() {
        mutex.lock();
        try {
            expireDue(clock.instant());
            return records.size();
        } finally {
            mutex.unlock();
        }
    }

    /** The locks that are held, kept or waited for at this instant, and whose names begin with the prefix. */
    List<LockInfo> list(String prefix) {
        mutex.lock();
        try {
            Instant now = clock.instant();
            expireDue(now);
            return records.entrySet().stream()
                    .filter(each -> each.getKey().value().startsWith(prefix))
                    .filter(each -> each.getValue().isVisible())
                    .map(each -> each.getValue().toLockInfo(each.getKey()))
                    .sorted(Comparator.comparing(LockInfo::name))
                    .toList();
        } finally {
            mutex.unlock();
        }
    }

    /** Notifies this listener until the subscription is closed. */
    AutoCloseable subscribe(Consumer<Notification> listener) {
        Consumer<Notification> subscription =
                notification -> listener.accept(notification); // one listener may subscribe twice
        listeners.add(subscription);
        subscription.accept(Notification.ANY);
        return () -> listeners.remove(subscription);
    }

    LockReply execute(LockCommand command) {
        LockReply reply;
        List<AcquisitionId> next = List.of();
        mutex.lock();
        try {
            Instant now = clock.instant();
            expireDue(now);
            LockRecord lock = records.computeIfAbsent(command.name(), anyName -> new LockRecord(newQueue()));
            try {
                expireLeases(lock, now);
                reply = execute(command, lock, now);
                next = settle(command, reply, lock, now);
            } finally {
                scheduleOrDrop(command.name(), lock, now);
            }
        } finally {
            mutex.unlock();
        }
        next.forEach(waiter -> notifyListeners(Notification.of(command.name(), waiter)));
        return reply;
    }

    /** Returns the waiters to notify. */
    List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
        boolean isKept = reply.equals(new LockReply.Released(true))
                && lock.leases.stream().anyMatch(lease -> isSame(lease.id(), command.id()));
        return lock.queue.settle(reply, isKept, lock.taken(), now);
    }

    StoreQueue newQueue() {
        return new StoreQueue();
    }

    void notifyListeners(Notification notification) {
        listeners.forEach(listener -> listener.accept(notification));
    }

    private LockReply execute(LockCommand command, LockRecord lock, Instant now) {
        if (command instanceof LockCommand.Acquire acquire) {
            return acquire(acquire, lock, now);
        } else if (command instanceof LockCommand.Renew renew) {
            return renew(renew, lock, now);
        } else {
            return release((LockCommand.Release) command, lock, now);
        }
    }

    LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
        MemoryLease own = leaseOf(command.id(), lock);
        if (own != null) {
            return new LockReply.Granted(own.token(), remaining(own, now));
        }
        if (lock.hasTombstone(command.id(), now)) {
            return new LockReply.Gone();
        }
        if (!lock.queue.admit(command.id(), command.share(), lock.taken(), now)) {
            return refuse(command, lock, now);
        }
        long floor =
                Math.min(command.tokenFloor(), LockReply.Granted.MAX_TOKEN); // so that adding to it cannot overflow
        long token = nextToken(lock, floor, now);
        if (token > LockReply.Granted.MAX_TOKEN) {
            throw new IllegalStateException("no token is left above " + Math.max(command.tokenFloor(), lock.lastToken));
        }
        lock.lastToken = token;
        lock.queue.removeGranted(command.id());
        lock.leases.add(new MemoryLease(
                command.id(),
                command.owner(),
                command.share(),
                token,
                now,
                command.lease(),
                endOf(now, command.lease()),
                true));
        return new LockReply.Granted(token, command.lease());
    }

    LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
        MemoryLease lease = leaseOf(command.id(), lock);
        if (lease == null) {
            return new LockReply.Gone();
        }
        MemoryLease renewed = lease.renewed(command.lease(), endOf(now, command.lease()));
        lock.replace(lease, renewed);
        return new LockReply.Granted(renewed.token(), remaining(renewed, now));
    }

    LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
        MemoryLease lease = leaseOf(command.id(), lock);
        if (lease != null) {
            MemoryLease kept = lease.kept(command.minimumHold());
            if (kept.isExpired(now)) {
                lock.leases.remove(lease);
            } else {
                lock.replace(lease, kept);
                lock.addTombstone(command.id(), kept.until());
            }
        }
        lock.queue.withdraw(command.id());
        if (!command.tombstone().isZero()) {
            lock.addTombstone(command.id(), now.plus(command.tombstone()));
        }
        return new LockReply.Released(lease != null);
    }

    private @Nullable MemoryLease leaseOf(AcquisitionId id, LockRecord lock) {
        return lock.leases.stream()
                .filter(lease -> lease.isHeld() && isSame(lease.id(), id))
                .findFirst()
                .orElse(null);
    }

    /** Ends the leases and minimum holds that have expired, in the order of their ends. */
    void expireLeases(LockRecord lock, Instant now) {
        lock.leases.stream()
                .filter(lease -> lease.isExpired(now))
                .sorted(Comparator.comparing(MemoryLease::until))
                .toList()
                .forEach(lease -> expire(lease, lock));
    }

    /** Ends an expired lease, and keeps a tombstone for one more lease length; or a minimum hold. */
    void expire(MemoryLease lease, LockRecord lock) {
        lock.leases.remove(lease);
        if (lease.isHeld()) {
            lock.addTombstone(lease.id(), lease.until().plus(lease.length()));
        }
        lock.queue.openClaimWindows(lock.taken(), freeSince(lease, lock));
    }

    /** When the share of an expired lease or minimum hold became free. */
    Instant freeSince(MemoryLease expired, LockRecord lock) {
        return expired.until();
    }

    /** Greater than every earlier token of this name, also after the record was dropped or the clock stepped back. */
    long nextToken(LockRecord lock, long above, Instant now) {
        long least = Math.max(Math.max(lock.lastToken, above), tokenFloor) + 1;
        return Math.max(least, ChronoUnit.MICROS.between(Instant.EPOCH, now));
    }

    Instant endOf(Instant now, Duration length) {
        return now.plus(length);
    }

    Duration remaining(MemoryLease lease, Instant now) {
        return Duration.between(now, lease.until());
    }

    boolean isSame(AcquisitionId holder, AcquisitionId asking) {
        return holder.equals(asking);
    }

    /** Busy, or a place in the queue if the command asks for one; a waiter that asks again keeps its place. */
    private static LockReply refuse(LockCommand.Acquire command, LockRecord lock, Instant now) {
        Instant free = lock.freeAt(command.share());
        if (!command.queue()) {
            Duration left = free == null ? RETRY : Duration.between(now, free);
            return new LockReply.Busy(left.isNegative() ? RETRY : Durations.min(left, RETRY));
        }
        lock.queue.join(command.id(), command.owner(), command.share(), now);
        return new LockReply.Queued(lock.queue.retryAfter(command.id(), free, now));
    }

    /** Updates the records of which some part has expired. */
    private void expireDue(Instant now) {
        while (!schedule.isEmpty() && !now.isBefore(schedule.first().at())) {
            LockName due = schedule.first().name();
            LockRecord lock = Objects.requireNonNull(records.get(due));
            expireLeases(lock, now);
            scheduleOrDrop(due, lock, now);
        }
    }

    private void scheduleOrDrop(LockName name, LockRecord lock, Instant now) {
        lock.dropExpired(now);
        if (lock.expiry != null) {
            schedule.remove(lock.expiry);
            lock.expiry = null;
        }
        if (lock.isIdle()) {
            tokenFloor = Math.max(tokenFloor, lock.lastToken);
            records.remove(name);
        } else {
            lock.expiry = new LockRecord.Expiry(lock.nextExpiry(), name);
            schedule.add(lock.expiry);
        }
    }
}
