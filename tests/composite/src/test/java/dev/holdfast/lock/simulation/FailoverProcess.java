package dev.holdfast.lock.simulation;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.composite.protocol.BrokenRule;
import dev.holdfast.lock.composite.protocol.Member;
import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.EngineContext;
import dev.holdfast.lock.internal.state.TurnLimits;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.helpers.NOPLogger;

/** One process of a composite: an engine, a member, and what carries out the commands of the one and the tasks of the other. */
final class FailoverProcess extends Machine {

    private final FailoverWorld world;
    private final Member member;
    private final Engine engine;
    private final StoreLinks links;
    private final MemberTasks tasks;
    private final RoutedCommands commands;
    private final RelayedNotifications notifications;
    /** The server to which it is connected. */
    private RedisNode node;

    private long troubledUntil;
    private long strandedIn;
    private long strandedSince;

    FailoverProcess(FailoverWorld world, RedisNode node) {
        super(world.time, world.random);
        this.world = world;
        this.node = node;
        AcquisitionId id = new AcquisitionId(random.nextLong(), random.nextLong());
        this.member = world.mutant.rule.newMember(id, world.timing, new Listener());
        this.links = new StoreLinks(world, this);
        this.tasks = new MemberTasks(world, this, member, links);
        this.commands = new RoutedCommands(world, this, member, links, tasks);
        this.notifications = new RelayedNotifications(world, this, member);
        EngineContext outside = new EngineContext(
                this::now,
                this::after,
                (lane, requests) -> requests.forEach(request -> commands.execute(lane, request)),
                new MembersGrants(),
                notifications::subscribe,
                this::soon,
                this::soon,
                random::nextLong,
                NOPLogger.NOP_LOGGER);
        this.engine = new Engine(
                outside,
                "simulated",
                "the simulated store",
                Set.of(Capability.values()),
                TurnLimits.on(Duration.ZERO, OptionalInt.of(world.handoff)),
                0);
        tasks.start();
    }

    private final class Listener implements Member.Listener {
        @Override
        public void failover(FailoverEvent event) {}

        @Override
        public void transition(FailoverPhase phase) {
            soon(notifications::resubscribe);
        }

        @Override
        public void leasesShortened() {
            soon(engine::tickAll);
        }
    }

    private final class MembersGrants implements GrantValidity {
        @Override
        public DualClockInstant end(LockName name, AcquisitionId id, DualClockInstant deadline) {
            return member.end(name, id, deadline, now());
        }

        @Override
        public boolean isSettled(LockName name, AcquisitionId id) {
            return member.isSettled(name, id, now());
        }
    }

    Engine engine() {
        return engine;
    }

    StoreLinks links() {
        return links;
    }

    /** How many leases and ids its member knows. */
    int known() {
        return BrokenRule.known(member);
    }

    /** Another server is the one to be asked. */
    void connect(RedisNode other) {
        node = other;
        run(notifications::resubscribe);
    }

    RedisNode node() {
        return node;
    }

    /** More may be known of the authority state. */
    void retryRefused() {
        commands.retryRefused();
    }

    // -- trouble

    /** When something went wrong here last that goes wrong for this process alone, or with the authority. */
    long troubledUntil() {
        return troubledUntil;
    }

    /** Something goes wrong that is no failover. */
    void troubled() {
        troubledUntil =
                Math.max(troubledUntil, time.now() + world.timing.lease().toNanos());
    }

    /**
     * It is this process's trouble if the primary in power serves other processes, but not this one, or if they cannot tell: then
     * they do not drain it within the time on which the shortest lease relies.
     */
    void noteReplyOfPrimary(LockReply reply, long since) {
        if (!(reply instanceof LockReply.Unavailable)
                || strandedIn != world.authority.state().epoch()) {
            strandedIn = world.authority.state().epoch();
            strandedSince = reply instanceof LockReply.Unavailable ? since : time.now();
        }
        if (time.now() - strandedSince > world.timing.detection().toNanos()) {
            troubled();
        }
    }

    /** Nothing happens here for so long once it has asked the primary for a lock, and before it knows the answer. */
    void stopWithinAnAcquire(long nanos, boolean suspended) {
        commands.whenAcquiring(() -> stop(nanos, suspended));
    }

    @Override
    void stop(long nanos, boolean suspended) {
        super.stop(nanos, suspended);
        // What was on its way when it stopped is answered or given up some time later, and nothing else is asked until
        // then. Timers are late by what the clock by which they go has lost, each time.
        troubledUntil = Math.max(troubledUntil, time.now())
                + (suspended ? 2 * nanos : nanos)
                + world.timing.lease().toNanos();
    }
}
