package dev.holdfast.samples.zookeeper;

import static dev.holdfast.samples.zookeeper.ZooKeeperConnection.await;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.SimpleLockStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.support.StoreQueue;
import dev.holdfast.samples.zookeeper.Slot.Entry;
import dev.holdfast.samples.zookeeper.Slot.State;
import dev.holdfast.samples.zookeeper.ZooKeeperConnection.Content;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Locks in ZooKeeper. A namespace has one node, and a fixed number of slots below it, in which the locks are spread by the hash of
 * their names. A command reads a slot with its version, decides, and writes the slot if it still has that version; otherwise it
 * starts again. So it has its locks to itself without a transaction. Slots are never deleted: the versions and tokens of a
 * deleted node would start again.
 */
final class ZooKeeperLockStore extends SimpleLockStore {

    /** Part of the format: another number puts the locks elsewhere. With more slots fewer commands start again. */
    private static final int SLOTS = 256;

    /** There are no notifications: the first waiter, and a caller without a place, retry soon. The others keep their places. */
    private static final Duration RETRY = Duration.ofMillis(20);

    private static final int PARALLEL_CALLS = 16;

    private final ZooKeeperConnection connection;
    private final String root;

    ZooKeeperLockStore(ZooKeeperConnection connection, Namespace namespace) {
        this.connection = connection;
        this.root = root(namespace);
    }

    /** The prefix is for the namespaces {@code .} and {@code ..}, which are not allowed as names of nodes. */
    static String root(Namespace namespace) {
        return "/holdfast-" + namespace;
    }

    /** Creates the node of the namespace if it does not exist. */
    void create(Duration timeout) throws Exception {
        await(connection.create(root, ""), Deadline.in(timeout));
    }

    /**
     * Drops expired entries, as a slot may never be written to again. All requests are under way at once. A slot that cannot be
     * read stays as it is: it makes its own locks unavailable, and no others.
     *
     * @throws KeeperException.NoNodeException if the node of the namespace does not exist
     */
    void sweep(Duration timeout) throws Exception {
        Deadline deadline = Deadline.in(timeout);
        long now = await(connection.touch(root), deadline).getMtime();
        Map<String, CompletableFuture<Content>> reads = new HashMap<>();
        for (String slot : await(connection.children(root), deadline)) {
            reads.put(root + "/" + slot, connection.read(root + "/" + slot));
        }
        List<CompletableFuture<Boolean>> writes = new ArrayList<>();
        for (Map.Entry<String, CompletableFuture<Content>> read : reads.entrySet()) {
            Content content = await(read.getValue(), deadline);
            Optional<Slot> slot = Slot.tryParse(content.text(), now).filter(Slot::isChanged);
            if (slot.isPresent()) {
                writes.add(connection.replace(read.getKey(), slot.get().text(), content.version()));
            }
        }
        for (CompletableFuture<Boolean> write : writes) {
            await(write, deadline); // a command that has replaced the slot has dropped the same
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.QUEUE);
    }

    /** The commands share one connection, and none waits for the reply to another. */
    @Override
    public int parallelCalls() {
        return PARALLEL_CALLS;
    }

    @Override
    protected LockReply acquire(LockCommand.Acquire command, Duration timeout) throws Exception {
        return decide(command.name(), timeout, (slot, now) -> {
            // A repeated acquire: the same grant with the time that remains, or Gone for a released id.
            Optional<Entry> own = slot.find(command.name(), command.id());
            if (own.isPresent()) {
                return own.get().state() == State.HELD ? granted(own.get(), now) : new LockReply.Gone();
            }
            StoreQueue queue = slot.queue(command.name());
            if (!queue.admit(command.id(), command.share(), slot.taken(command.name()), Instant.ofEpochMilli(now))) {
                Instant freeAt = slot.busy(command.name())
                        .map(other -> Instant.ofEpochMilli(other.until()))
                        .orElse(null);
                return refused(command, queue, freeAt, now);
            }
            queue.removeGranted(command.id());
            long token = slot.nextToken(command.tokenFloor(), now);
            Entry grant = Entry.of(
                    command,
                    State.HELD,
                    token,
                    now,
                    now + Slot.TICK + command.lease().toMillis());
            slot.add(grant);
            return granted(grant, now);
        });
    }

    /** @param freeAt when the lock will be free; null if it is, and reserved for another id */
    private static LockReply refused(
            LockCommand.Acquire command, StoreQueue queue, @Nullable Instant freeAt, long now) {
        Instant time = Instant.ofEpochMilli(now);
        if (!command.queue()) {
            return new LockReply.Busy(freeAt == null ? RETRY : Durations.min(Duration.between(time, freeAt), RETRY));
        }
        queue.join(command.id(), "", command.share(), time);
        Duration retryAfter = queue.retryAfter(command.id(), freeAt, time);
        boolean isFirst = command.id().equals(queue.first());
        return new LockReply.Queued(isFirst ? Durations.min(retryAfter, RETRY) : retryAfter);
    }

    @Override
    protected LockReply renew(LockCommand.Renew command, Duration timeout) throws Exception {
        return decide(command.name(), timeout, (slot, now) -> {
            Optional<Entry> grant = slot.held(command.name(), command.id());
            if (grant.isEmpty()) {
                return new LockReply.Gone();
            }
            Entry held = grant.get();
            long until = now + Slot.TICK + command.lease().toMillis();
            if (until <= held.until()) {
                return granted(held, now); // a renewal never shortens a lease
            }
            Entry renewed = Entry.of(command, State.HELD, held.token(), held.since(), until);
            slot.remove(held);
            slot.add(renewed);
            return granted(renewed, now);
        });
    }

    @Override
    protected LockReply release(LockCommand.Release command, Duration timeout) throws Exception {
        return decide(command.name(), timeout, (slot, now) -> {
            Optional<Entry> grant = slot.held(command.name(), command.id());
            grant.ifPresent(held -> {
                slot.remove(held);
                // The minimum hold counts from the grant. A kept lock has no holder, and becomes free by itself.
                long until = held.since() + roundedUp(command.minimumHold());
                if (until > now) {
                    slot.add(Entry.of(command, State.KEPT, held.token(), held.since(), until));
                }
            });
            slot.queue(command.name()).withdraw(command.id());
            // The tombstone is written even if nothing was held: the acquire of this id may still be on its way.
            if (!command.tombstone().isZero()) {
                slot.add(Entry.of(command, State.TOMBSTONE, 0, now, now + roundedUp(command.tombstone())));
            }
            return new LockReply.Released(grant.isPresent());
        });
    }

    /** By the server's clock the grant lasts for the time in the reply, even if the next tick is about to begin. */
    private static LockReply granted(Entry grant, long now) {
        return new LockReply.Granted(grant.token(), Duration.ofMillis(grant.until() - now - Slot.TICK));
    }

    private static long roundedUp(Duration duration) {
        return duration.isZero() ? 0 : Slot.TICK + duration.plusNanos(999_999).toMillis();
    }

    /** Decides by the content of a slot and the time, changes the slot, and replies. Called again if the slot changed meanwhile. */
    private interface Decision {
        LockReply decide(Slot slot, long now);
    }

    private LockReply decide(LockName name, Duration timeout, Decision decision) throws Exception {
        Deadline deadline = Deadline.in(timeout);
        String path = root + "/" + Math.floorMod(name.value().hashCode(), SLOTS);
        while (true) {
            // Both are under way at once, and executed in this order: the slot is not older than the time. A read
            // alone may be answered by a server that is behind; after a write of the same session it is not.
            CompletableFuture<Stat> clock = connection.touch(root);
            CompletableFuture<Content> read = connection.read(path);
            long now = await(clock, deadline).getMtime();
            Content content = await(read, deadline);

            Slot slot = Slot.parse(content.text(), now);
            LockReply reply = decision.decide(slot, now);
            slot.settle(name, reply, now);
            if (!slot.isChanged() || await(connection.replace(path, slot.text(), content.version()), deadline)) {
                return reply;
            }
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
