package dev.holdfast.lock.simulation;

import dev.holdfast.lock.composite.protocol.Member;
import dev.holdfast.lock.composite.protocol.RoutedBatch;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Sends the commands of an engine to the store that grants, as the composite's router does: that one waits on its caller's thread,
 * which nothing in virtual time may.
 */
final class RoutedCommands {

    private static final Duration SHORTEST_CALL = Duration.ofMillis(1);
    private static final long THREAD_HANGS = 4_000_000_000L;

    private final FailoverWorld world;
    private final FailoverProcess process;
    private final Member member;
    private final StoreLinks links;
    private final MemberTasks tasks;
    /** When each id was asked for first. */
    private final Map<AcquisitionId, Long> asked = new HashMap<>();

    private final List<Refused> refused = new ArrayList<>();

    private Runnable whenAcquiring = () -> {};

    /** A command that was not carried out, and how to route it again. */
    private record Refused(RoutedBatch batch, LockReply reply, Runnable again) {}

    RoutedCommands(FailoverWorld world, FailoverProcess process, Member member, StoreLinks links, MemberTasks tasks) {
        this.world = world;
        this.process = process;
        this.member = member;
        this.links = links;
        this.tasks = tasks;
    }

    /** Runs this once it has asked the primary for a lock, and before it knows the answer. */
    void whenAcquiring(Runnable action) {
        whenAcquiring = action;
    }

    void execute(Lane lane, StoreRequest request) {
        if (!request.take()) {
            return;
        }
        DualClockInstant sent = process.now();
        asked.putIfAbsent(request.command().id(), world.time.now());
        boolean isExtension = request.command() instanceof LockCommand.Renew && lane != Lane.RENEWAL;
        long hangs = isExtension && world.random.nextInt(4) == 0 ? world.random.nextLong(THREAD_HANGS) : 0;
        attempt(request, hangs, sent, sent.plus(request.timeout()));
    }

    /** A command that was not carried out is routed again once more is known of the authority state, while there is time. */
    private void attempt(StoreRequest request, long hangs, DualClockInstant sent, DualClockInstant deadline) {
        ask(request.command(), hangs, left(deadline), (batch, reply) -> {
            if (!RoutedBatch.isRetryable(reply)) {
                reply(request, sent, reply);
                return;
            }
            Refused entry = new Refused(batch, reply, () -> attempt(request, hangs, sent, deadline));
            refused.add(entry);
            retryRefused();
            process.after(left(deadline), () -> {
                if (refused.remove(entry)) {
                    reply(request, sent, reply);
                }
            });
        });
    }

    /** More may be known of the authority state. */
    void retryRefused() {
        for (Refused entry : List.copyOf(refused)) {
            if (member.hasNewsSince(entry.batch, List.of(entry.reply))) {
                refused.remove(entry);
                process.soon(entry.again);
            }
        }
    }

    private Duration left(DualClockInstant deadline) {
        return Durations.max(process.now().until(deadline), SHORTEST_CALL);
    }

    /** @param hangs for how long the thread that asks gets no processor once the reply has arrived: it takes the reply that late */
    private void ask(LockCommand command, long hangs, Duration timeout, BiConsumer<RoutedBatch, LockReply> listener) {
        RoutedBatch batch = member.route(List.of(command), process.now());
        if (member.isUrgent()) {
            process.soon(tasks::start);
        }
        DualClockInstant sent = process.now();
        if (batch.sent().isEmpty()) {
            LockReply reply = member.settle(batch, List.of(), sent, sent).get(0);
            process.soon(() -> listener.accept(batch, reply));
            return;
        }
        long sentAt = world.time.now();
        BiConsumer<List<LockReply>, RuntimeException> take = (replies, failure) -> {
            LockReply reply = replies == null ? new LockReply.Unavailable(failure) : replies.get(0);
            if (batch.isForPrimary()) {
                process.noteReplyOfPrimary(reply, sentAt);
            }
            LockReply settled =
                    member.settle(batch, List.of(reply), sent, process.now()).get(0);
            if (settled instanceof LockReply.Granted granted && command instanceof LockCommand.Acquire) {
                world.watch.granted(command.name(), command.id(), granted.token(), asked.get(command.id()));
            }
            listener.accept(batch, settled);
            if (member.isUrgent()) {
                tasks.start();
            }
        };
        BiConsumer<List<LockReply>, RuntimeException> settle = hangs == 0
                ? take
                : (replies, failure) -> world.time.after(hangs, () -> process.run(() -> take.accept(replies, failure)));
        if (batch.isForPrimary()) {
            RedisNode server = process.node();
            links.toPrimary(
                    server,
                    timeout,
                    true,
                    () -> server.execute(batch.authorityState().primaryTerm(), batch.sent(), timeout),
                    settle);
            if (command instanceof LockCommand.Acquire) {
                Runnable action = whenAcquiring;
                whenAcquiring = () -> {};
                action.run();
            }
        } else {
            links.toAuthority(
                    timeout,
                    true,
                    () -> world.authority.execute(batch.authorityState().epoch(), batch.sent(), timeout),
                    settle);
        }
    }

    private void reply(StoreRequest request, DualClockInstant sent, LockReply reply) {
        if (reply instanceof LockReply.Released released && request.command() instanceof LockCommand.Release release) {
            world.watch.over(release.name(), release.id(), released.wasHeld());
        }
        request.callback().accept(new StoreReply(sent, reply));
    }
}
