package dev.holdfast.lock.locks;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The reference store, which tells what it was asked, ends leases of its own accord, and falls silent about single names. */
final class WatchedStore implements LockStore {

    /** A step, and how long its answer could take. */
    record Asked(LockCommand command, Duration timeout) {}

    private final LockStore store;
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final Map<LockName, AcquisitionId> granted = new ConcurrentHashMap<>();
    private final Set<LockName> cut = ConcurrentHashMap.newKeySet();
    private final Map<LockName, CountDownLatch> slowReleases = new ConcurrentHashMap<>();
    private final Map<LockName, Runnable> meanwhile = new ConcurrentHashMap<>();

    WatchedStore(InstantSource clock) {
        store = new MemorySpace(clock).open();
    }

    /** Every attempt to acquire so far; of one name, or of all. */
    Stream<Asked> acquires(String... names) {
        return asked.stream()
                .filter(one -> one.command() instanceof LockCommand.Acquire)
                .filter(one -> names.length == 0
                        || List.of(names).contains(one.command().name().value()));
    }

    long renewals(String name) {
        return asked.stream()
                .filter(one -> one.command() instanceof LockCommand.Renew
                        && one.command().name().value().equals(name))
                .count();
    }

    long releases(String name) {
        return asked.stream()
                .filter(one -> one.command() instanceof LockCommand.Release
                        && one.command().name().value().equals(name))
                .count();
    }

    /** Ends the last lease that was granted of this name; its holder does not know yet. */
    void end(String name) {
        LockName lock = new LockName(name);
        store.execute(
                List.of(new LockCommand.Release(lock, granted.get(lock), Duration.ZERO, Duration.ZERO)),
                Duration.ofSeconds(1));
    }

    /** Answers nothing more that is asked about this name. */
    void cut(String name) {
        cut.add(new LockName(name));
    }

    void heal(String name) {
        cut.remove(new LockName(name));
    }

    /** Releases of these names hang until counted down. */
    CountDownLatch holdUpReleases(String... names) {
        CountDownLatch latch = new CountDownLatch(1);
        Stream.of(names).forEach(name -> slowReleases.put(new LockName(name), latch));
        return latch;
    }

    /** Has this run when the lock is asked for, before it is. */
    void whenAskedFor(String name, Runnable whatToDo) {
        meanwhile.put(new LockName(name), whatToDo);
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        List<LockReply> replies = new ArrayList<>();
        for (LockCommand command : commands) {
            asked.add(new Asked(command, timeout));
            replies.add(answer(command, timeout));
        }
        return replies;
    }

    private LockReply answer(LockCommand command, Duration timeout) {
        if (command instanceof LockCommand.Release && slowReleases.containsKey(command.name())) {
            Await.opened(slowReleases.get(command.name()));
        }
        if (command instanceof LockCommand.Acquire && meanwhile.containsKey(command.name())) {
            meanwhile.get(command.name()).run();
        }
        if (cut.contains(command.name())) {
            return new LockReply.Unavailable(new IllegalStateException("cut off"));
        }
        LockReply reply = store.execute(List.of(command), timeout).get(0);
        if (command instanceof LockCommand.Acquire && reply instanceof LockReply.Granted) {
            granted.put(command.name(), command.id());
        }
        return reply;
    }

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> to) {
        return store.subscribe(to);
    }

    @Override
    public void close() {
        store.close();
    }
}
