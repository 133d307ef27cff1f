package dev.holdfast.lock.locks;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.ForwardingLockStore;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The reference store. It records commands, ends leases early, and makes commands for single names fail. */
public final class WatchedStore extends ForwardingLockStore {

    /** A command and its timeout. */
    public record Sent(LockCommand command, Duration timeout) {}

    private final List<Sent> sent = new CopyOnWriteArrayList<>();
    private final Map<LockName, AcquisitionId> granted = new ConcurrentHashMap<>();
    private final Map<LockName, RuntimeException> cut = new ConcurrentHashMap<>();
    private final Map<LockName, CountDownLatch> slowReleases = new ConcurrentHashMap<>();
    private final Map<LockName, Runnable> beforeAcquires = new ConcurrentHashMap<>();
    private final AtomicInteger failing = new AtomicInteger();

    public WatchedStore(InstantSource clock) {
        super(new MemorySpace(clock).open());
    }

    /** The acquires so far, of these names or of all. */
    public Stream<Sent> acquires(String... names) {
        return sent.stream()
                .filter(one -> one.command() instanceof LockCommand.Acquire)
                .filter(one -> names.length == 0
                        || List.of(names).contains(one.command().name().value()));
    }

    public long renewals(String name) {
        return sent.stream()
                .filter(one -> one.command() instanceof LockCommand.Renew
                        && one.command().name().value().equals(name))
                .count();
    }

    public long releases(String name) {
        return sent.stream()
                .filter(one -> one.command() instanceof LockCommand.Release
                        && one.command().name().value().equals(name))
                .count();
    }

    /** Ends the last lease granted for this name; its holder does not know yet. */
    public void end(String name) {
        LockName lock = new LockName(name);
        super.execute(
                List.of(new LockCommand.Release(lock, granted.get(lock), Duration.ZERO, Duration.ZERO)),
                Duration.ofSeconds(1));
    }

    /** Fails every command for this name from now on. */
    public void cut(String name) {
        cut(name, new IllegalStateException("cut off"));
    }

    /** The same for this reason. */
    void cut(String name, RuntimeException why) {
        cut.put(new LockName(name), why);
    }

    public void heal(String name) {
        cut.remove(new LockName(name));
    }

    /** Releases of these names hang until counted down. */
    public CountDownLatch holdUpReleases(String... names) {
        CountDownLatch latch = new CountDownLatch(1);
        Stream.of(names).forEach(name -> slowReleases.put(new LockName(name), latch));
        return latch;
    }

    /** The next calls, as many as this, throw an error before they begin. */
    public void failCalls(int number) {
        failing.set(number);
    }

    @Override
    public int parallelCalls() {
        if (failing.get() > 0 && failing.getAndDecrement() > 0) {
            throw new OutOfMemoryError("there is no memory for a call, on purpose");
        }
        return super.parallelCalls();
    }

    /** Runs the task before each acquire of this name. */
    public void beforeAcquire(String name, Runnable task) {
        beforeAcquires.put(new LockName(name), task);
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        List<LockReply> replies = new ArrayList<>();
        for (LockCommand command : commands) {
            sent.add(new Sent(command, timeout));
            replies.add(reply(command, timeout));
        }
        return replies;
    }

    private LockReply reply(LockCommand command, Duration timeout) {
        if (command instanceof LockCommand.Release && slowReleases.containsKey(command.name())) {
            Await.opened(slowReleases.get(command.name()));
        }
        if (command instanceof LockCommand.Acquire && beforeAcquires.containsKey(command.name())) {
            beforeAcquires.get(command.name()).run();
        }
        RuntimeException why = cut.get(command.name());
        if (why != null) {
            return new LockReply.Unavailable(why);
        }
        LockReply reply = super.execute(List.of(command), timeout).get(0);
        if (command instanceof LockCommand.Acquire && reply instanceof LockReply.Granted) {
            granted.put(command.name(), command.id());
        }
        return reply;
    }
}
