package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.ForwardingLockStore;
import java.time.Duration;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Delegates to a store, and records commands, replies and notifications. Thread-safe. */
class RecordingStore extends ForwardingLockStore {

    private final CallTrace trace;
    private final Deque<Call> calls = new ConcurrentLinkedDeque<>();
    private final List<Notification> notifications = new CopyOnWriteArrayList<>();
    private final AtomicInteger acquires = new AtomicInteger();

    /**
     * A command and its reply.
     *
     * @param sent {@link System#nanoTime} before the command was sent
     * @param answered the same after the reply was received
     */
    record Call(LockCommand command, LockReply reply, long sent, long answered) {

        boolean isRenewalOf(AcquisitionId id) {
            return command instanceof LockCommand.Renew && command.id().equals(id);
        }
    }

    /** @param trace notes all calls as well */
    RecordingStore(LockStore store, CallTrace trace) {
        super(store);
        this.trace = trace;
    }

    /** All calls, in the order of the replies. */
    List<Call> calls() {
        return List.copyOf(calls);
    }

    /** The latest acquire that was granted. */
    Call lastGrant() {
        for (var latest = calls.descendingIterator(); latest.hasNext(); ) {
            Call call = latest.next();
            if (call.command() instanceof LockCommand.Acquire && call.reply() instanceof LockReply.Granted) {
                return call;
            }
        }
        throw new RuleBroken("a lease was acquired, but the store has granted nothing");
    }

    /** The time left of the lease that was renewed last. */
    Duration lastRenewal() {
        for (var latest = calls.descendingIterator(); latest.hasNext(); ) {
            Call call = latest.next();
            if (call.command() instanceof LockCommand.Renew && call.reply() instanceof LockReply.Granted granted) {
                return granted.remaining();
            }
        }
        throw new RuleBroken("a lease was extended, but the store has renewed nothing");
    }

    /** Whether an acquire of this name was ever queued. */
    boolean hasQueued(LockName name) {
        return calls.stream()
                .anyMatch(call -> call.reply() instanceof LockReply.Queued
                        && call.command().name().equals(name));
    }

    /** The number of acquires that were sent. */
    int acquireCount() {
        return acquires.get();
    }

    /** The notifications received so far, in their order. */
    List<Notification> notifications() {
        return List.copyOf(notifications);
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        acquires.addAndGet((int)
                commands.stream().filter(LockCommand.Acquire.class::isInstance).count());
        long sent = System.nanoTime();
        List<LockReply> replies;
        try {
            replies = super.execute(commands, timeout);
        } catch (RuntimeException e) {
            long failed = System.nanoTime();
            commands.forEach(command -> calls.add(new Call(command, new LockReply.Unavailable(e), sent, failed)));
            trace.called(sent, commands, Collections.nCopies(commands.size(), new LockReply.Unavailable(e)));
            throw e;
        }
        long answered = System.nanoTime();
        trace.called(sent, commands, replies);
        for (int i = 0; i < replies.size(); i++) {
            calls.add(new Call(commands.get(i), replies.get(i), sent, answered));
        }
        return replies;
    }

    /** None: the rules ask for leases of each length that a store grants, also where the engine would refuse them. */
    @Override
    public Duration shortestLease() {
        return Duration.ZERO;
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        return super.subscribe(notification -> {
            notifications.add(notification);
            trace.heard(notification);
            listener.accept(notification);
        });
    }
}
