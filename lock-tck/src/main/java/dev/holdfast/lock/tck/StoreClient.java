package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.failover.GrantValidityStore;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** An opened store, with the commands that rules execute. A reply that a healthy store does not give breaks the rule. */
final class StoreClient implements AutoCloseable {

    /** Of calls that must be answered: a store with a single connection, on a machine that stands still, takes long for many callers. */
    static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final LockStore store;
    private final Duration patience;
    private final boolean mayRecover;
    private final CallTrace trace;

    /**
     * @param mayRecover whether commands are repeated while the store is unavailable; otherwise the rule is broken
     * @param trace notes all calls
     */
    StoreClient(LockStore store, Duration patience, boolean mayRecover, CallTrace trace) {
        this.store = store;
        this.patience = patience;
        this.mayRecover = mayRecover;
        this.trace = trace;
    }

    LockStore store() {
        return store;
    }

    /**
     * The same store, whose commands are repeated while it is unavailable. Its own time-out counts if the kit breaks its connection, and
     * a machine may stand still for longer.
     */
    StoreClient patient() {
        return new StoreClient(store, patience, true, trace);
    }

    /** The record of its calls. */
    CallTrace trace() {
        return trace;
    }

    List<LockReply> executeAll(List<LockCommand> commands) {
        return executeAll(commands, TIMEOUT);
    }

    List<LockReply> executeAll(List<LockCommand> commands, Duration timeout) {
        long sent = System.nanoTime();
        List<LockReply> replies;
        try {
            replies = store.execute(commands, timeout);
        } catch (RuntimeException e) {
            trace.called(sent, commands, Collections.nCopies(commands.size(), new LockReply.Unavailable(e)));
            throw e;
        }
        if (replies.size() != commands.size()) {
            throw new RuleBroken("a batch of " + commands.size() + " commands got " + replies.size() + " replies: "
                    + replies + "\n  to " + commands);
        }
        trace.called(sent, commands, replies);
        return replies;
    }

    LockReply execute(LockCommand command) {
        long start = System.nanoTime();
        while (mayRecover && System.nanoTime() - start < patience.toNanos()) {
            LockReply reply = tryExecute(command, TIMEOUT);
            if (!(reply instanceof LockReply.Unavailable)) {
                return reply;
            }
            Kit.pause(Kit.RETRY);
        }
        return executeAll(List.of(command)).get(0);
    }

    /** Executes a command on a store that may be unreachable: an exception counts as Unavailable. */
    LockReply tryExecute(LockCommand command, Duration timeout) {
        return tryExecuteAll(List.of(command), timeout).get(0);
    }

    /** The same with a batch: an exception counts as Unavailable for each command. */
    List<LockReply> tryExecuteAll(List<LockCommand> commands, Duration timeout) {
        try {
            return executeAll(commands, timeout);
        } catch (RuntimeException e) {
            return Collections.nCopies(commands.size(), new LockReply.Unavailable(e));
        }
    }

    LockReply acquire(LockName name, AcquisitionId id, Duration length) {
        return execute(acquiring(name, id, length));
    }

    static LockCommand.Acquire acquiring(LockName name, AcquisitionId id, Duration length) {
        return acquiring(name, id, length, 0);
    }

    static LockCommand.Acquire acquiring(LockName name, AcquisitionId id, Duration length, long above) {
        return new LockCommand.Acquire(name, id, length, false, above, owner(id));
    }

    /** An acquire that queues if the lock is not free. */
    static LockCommand.Acquire queueing(LockName name, AcquisitionId id, Duration length) {
        return new LockCommand.Acquire(name, id, length, true, 0, owner(id));
    }

    /** The same acquire for a share. */
    static LockCommand.Acquire withShare(LockCommand.Acquire command, Share share) {
        return new LockCommand.Acquire(
                command.name(),
                command.id(),
                command.lease(),
                command.queue(),
                command.tokenFloor(),
                command.owner(),
                share);
    }

    /** The owner text of an id. */
    static String owner(AcquisitionId id) {
        return "kit " + id.toString().substring(0, 8); // short: a store may keep the beginning only
    }

    /** Acquires a lock that must be free, with a new id. */
    HeldLock grant(LockName name, Duration length) {
        return grant(acquiring(name, Kit.id(), length));
    }

    /** Acquires a share, for which there must be room, with a new id. */
    HeldLock grant(LockName name, Share share, Duration length) {
        return grant(withShare(acquiring(name, Kit.id(), length), share));
    }

    HeldLock grant(LockCommand.Acquire command) {
        long sent = System.nanoTime();
        return held(command, execute(command), sent);
    }

    /** Acquires this number of locks in one batch. Their names begin with the prefix. */
    List<HeldLock> grantAll(String prefix, int number, Duration length) {
        return grantAll(
                IntStream.range(0, number)
                        .mapToObj(each -> new LockName(prefix + " " + each))
                        .toList(),
                length);
    }

    /** Acquires these locks in one batch. */
    List<HeldLock> grantAll(List<LockName> names, Duration length) {
        List<LockCommand> commands = names.stream()
                .<LockCommand>map(name -> acquiring(name, Kit.id(), length))
                .toList();
        long sent = System.nanoTime();
        List<LockReply> replies = executeAll(commands);
        return IntStream.range(0, names.size())
                .mapToObj(each -> held(commands.get(each), replies.get(each), sent))
                .toList();
    }

    /** Queues for a lock that is held or reserved, with a new id. */
    AcquisitionId enqueue(LockName name) {
        AcquisitionId id = Kit.id();
        expectWaiting(name, id);
        return id;
    }

    /** Queues for a share for which there is no room, with a new id. */
    AcquisitionId enqueue(LockName name, Share share) {
        AcquisitionId id = Kit.id();
        expectWaiting(name, id, share);
        return id;
    }

    void expectWaiting(LockName name, AcquisitionId id) {
        expectWaiting(name, id, Share.EXCLUSIVE);
    }

    void expectWaiting(LockName name, AcquisitionId id, Share share) {
        LockCommand.Acquire command = withShare(queueing(name, id, Kit.LONG), share);
        expect(LockReply.Queued.class, command, execute(command));
    }

    /** Acquires a lock that is reserved for this waiter. */
    HeldLock claim(LockName name, AcquisitionId id) {
        return grant(queueing(name, id, Kit.LONG));
    }

    /** Acquires a share that is reserved for this waiter. */
    HeldLock claim(LockName name, AcquisitionId id, Share share) {
        return grant(withShare(queueing(name, id, Kit.LONG), share));
    }

    /** Acquires a lock that becomes free at some time. */
    HeldLock awaitGrant(LockName name, Duration length) {
        return awaitGrant(acquiring(name, Kit.id(), length));
    }

    /** Acquires a lock that is reserved for this waiter at some time. */
    HeldLock awaitClaim(LockName name, AcquisitionId id) {
        return awaitGrant(queueing(name, id, Kit.LONG));
    }

    HeldLock awaitGrant(LockCommand.Acquire command) {
        long start = System.nanoTime();
        while (true) {
            long sent = System.nanoTime();
            LockReply reply = execute(command);
            if (!(reply instanceof LockReply.Busy || reply instanceof LockReply.Queued)) {
                return held(command, reply, sent);
            }
            if (System.nanoTime() - start > patience.toNanos()) {
                throw new RuleBroken("timed out after " + patience + " waiting for a grant; the last reply was " + reply
                        + "\n  to " + command);
            }
            Kit.pause(Duration.ofMillis(5));
        }
    }

    static HeldLock held(LockCommand command, LockReply reply, long sent) {
        LockReply.Granted granted = expect(LockReply.Granted.class, command, reply);
        return new HeldLock(
                command.name(),
                command.id(),
                command.share(),
                granted.token(),
                granted.remaining(),
                sent,
                System.nanoTime());
    }

    void expectBusy(LockName name) {
        expectBusy(name, Kit.id());
    }

    void expectBusy(LockName name, AcquisitionId id) {
        LockCommand.Acquire command = acquiring(name, id, Kit.LONG);
        expect(LockReply.Busy.class, command, execute(command));
    }

    void expectBusy(LockName name, Share share) {
        LockCommand.Acquire command = withShare(acquiring(name, Kit.id(), Kit.LONG), share);
        expect(LockReply.Busy.class, command, execute(command));
    }

    /** Checks in one batch that other ids are refused all of these locks. */
    void expectAllBusy(List<HeldLock> locks) {
        List<LockCommand> commands = locks.stream()
                .<LockCommand>map(each -> acquiring(each.name(), Kit.id(), Kit.LONG))
                .toList();
        List<LockReply> replies = executeAll(commands);
        for (int at = 0; at < commands.size(); at++) {
            expect(LockReply.Busy.class, commands.get(at), replies.get(at));
        }
    }

    void expectGone(LockCommand command) {
        expect(LockReply.Gone.class, command, execute(command));
    }

    /** Checks that this lease has not ended: a repeated acquire gets the same token. */
    void expectHeld(HeldLock held) {
        LockCommand.Acquire command = withShare(acquiring(held.name(), held.id(), Kit.LONG), held.share());
        LockReply.Granted granted = expect(LockReply.Granted.class, command, execute(command));
        if (granted.token() != held.token()) {
            throw new RuleBroken("a repeated acquire of " + SampleNames.escaped(held.name()) + " got token "
                    + granted.token() + ", but the grant had " + held.token());
        }
    }

    LockReply renew(HeldLock held, Duration length) {
        return execute(renewing(held, length));
    }

    LockCommand.Renew renewing(HeldLock held, Duration length) {
        return new LockCommand.Renew(held.name(), held.id(), length, held.share());
    }

    /** The currently known end of the lease for its holder: a grant may depend on more than its own time. */
    long endOf(HeldLock held) {
        DualClockInstant deadline =
                new DualClockInstant(held.validUntil(), Clock.SYSTEM.now().wallNanos());
        GrantValidity tenure =
                store instanceof GrantValidityStore tenured ? tenured.grantValidity() : GrantValidity.UNLIMITED;
        return tenure.end(held.name(), held.id(), deadline).nanos();
    }

    boolean release(HeldLock held) {
        return release(held, Duration.ZERO, Duration.ZERO);
    }

    boolean release(HeldLock held, Duration minimumHold, Duration tombstone) {
        return release(held.name(), held.id(), held.share(), minimumHold, tombstone);
    }

    boolean release(LockName name, AcquisitionId id, Duration minimumHold, Duration tombstone) {
        return release(name, id, Share.EXCLUSIVE, minimumHold, tombstone);
    }

    boolean release(LockName name, AcquisitionId id, Share share, Duration minimumHold, Duration tombstone) {
        LockCommand.Release command = new LockCommand.Release(name, id, minimumHold, tombstone, share);
        return expect(LockReply.Released.class, command, execute(command)).wasHeld();
    }

    Stream<LockInfo> openListing(String prefix) {
        return store.list(prefix, TIMEOUT);
    }

    List<LockInfo> list(String prefix) {
        return list(prefix, TIMEOUT);
    }

    List<LockInfo> list(String prefix, Duration timeout) {
        try (Stream<LockInfo> shown = store.list(prefix, timeout)) {
            return shown.toList();
        }
    }

    /** The listing of this lock, which must be listed. */
    LockInfo find(LockName name) {
        return list(name.value()).stream()
                .filter(shown -> shown.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new RuleBroken(SampleNames.escaped(name) + " is held, kept or waited for, but is not listed"));
    }

    static <A extends LockReply> A expect(Class<A> kind, LockCommand command, LockReply reply) {
        if (!kind.isInstance(reply)) {
            RuleBroken broken = new RuleBroken(
                    "the reply must be " + kind.getSimpleName() + ", but was " + reply + "\n  to " + command);
            if (reply instanceof LockReply.Unavailable unavailable) {
                broken.initCause(unavailable.cause());
            }
            throw broken;
        }
        return kind.cast(reply);
    }

    @Override
    public void close() {
        store.close();
    }
}
