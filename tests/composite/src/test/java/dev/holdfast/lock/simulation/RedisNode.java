package dev.holdfast.lock.simulation;

import static dev.holdfast.lock.simulation.FailoverMutant.HIDES_ITS_CLOCK;
import static dev.holdfast.lock.simulation.FailoverMutant.INSTALL_RUNS_TWICE;
import static dev.holdfast.lock.simulation.FailoverMutant.NO_RECORD_CHECK;
import static dev.holdfast.lock.simulation.FailoverMutant.NO_REPLICATION_ID_CHECK;
import static dev.holdfast.lock.simulation.FailoverMutant.NO_ROLE_CHECK;

import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** One server of the primary's: a master, or a replica that has got some of what its master wrote. */
final class RedisNode implements PrimaryStore {

    private final String name;
    private final InstantSource clock;
    private final Listeners signals = new Listeners();
    private final FailoverMutant mutant;
    private final List<RedisNode> replicas = new ArrayList<>();
    /** What the master wrote and this replica has not got yet. */
    private final Deque<RedisData.Written> pending = new ArrayDeque<>();

    private RedisData data;
    private RedisNode master;
    private String replicationId;
    private int replicationIds;
    /** The latest install, once more. */
    private Runnable repeatedInstall = () -> {};

    private boolean down;
    private Duration ahead = Duration.ZERO;

    /** An empty master. */
    RedisNode(String name, InstantSource clock, FailoverMutant mutant) {
        this.name = name;
        this.clock = clock;
        this.mutant = mutant;
        this.data = empty();
        newReplicationId();
    }

    private RedisData empty() {
        return new RedisData(this::time, signals::tell);
    }

    private void newReplicationId() {
        replicationId = name + "-" + replicationIds++;
    }

    private Instant time() {
        return clock.instant().plus(ahead);
    }

    boolean isMaster() {
        return master == null;
    }

    boolean isDown() {
        return down;
    }

    void goDown() {
        down = true;
    }

    void comeUp() {
        down = false;
    }

    /** Its clock is set ahead. */
    void step(Duration by) {
        ahead = ahead.plus(by);
    }

    /** What is left of the grant that ends first; empty if there is none. */
    Optional<Duration> shortest() {
        return data.keys(data.recordedEpoch()).held().stream()
                .map(TransferredLease::remaining)
                .min(Duration::compareTo);
    }

    int namesInUse() {
        return data.recordedEpoch() == 0 ? 0 : data.keys(data.recordedEpoch()).namesInUse();
    }

    /** How many writes of its master's this replica has not got yet. */
    int lag() {
        return pending.size();
    }

    /** Gets so many of them. */
    void catchUp(int writes) {
        for (int i = 0; i < writes && !pending.isEmpty(); i++) {
            data.repeat(pending.remove());
        }
    }

    /** Is a master from now on, with what it has got. */
    void promote() {
        master.replicas.remove(this);
        master = null;
        pending.clear();
        newReplicationId();
    }

    /** Is a replica of that one from now on, and what it had is gone. */
    void follow(RedisNode other) {
        if (master != null) {
            master.replicas.remove(this);
        }
        master = other;
        other.replicas.add(this);
        resynchronize();
        replicas.clear();
    }

    private void resynchronize() {
        pending.clear();
        data = empty();
        master.data.copyTo(data);
        replicationId = master.replicationId;
    }

    /** Starts again with nothing. */
    void restartEmpty() {
        data = empty();
        newReplicationId();
        replicas.forEach(RedisNode::resynchronize);
    }

    /** FLUSHALL. */
    void flush() {
        data.flush();
        write(Long.MAX_VALUE, RedisData::flush);
        if (mutant == INSTALL_RUNS_TWICE) {
            repeatedInstall.run();
        }
    }

    private void write(long epoch, RedisData.Write write) {
        RedisData.Written written = data.written(epoch, write);
        replicas.forEach(replica -> {
            replica.pending.add(written);
            if (replica.pending.size() > 20) {
                replica.catchUp(10);
            }
        });
    }

    @Override
    public int parallelCalls() {
        return 8;
    }

    @Override
    public List<LockReply> execute(PrimaryTerm term, List<LockCommand> commands, Duration timeout) {
        return commands.stream().map(command -> apply(term, command)).toList();
    }

    private LockReply apply(PrimaryTerm term, LockCommand command) {
        try {
            requireInPower(term);
            if (command instanceof LockCommand.Acquire && data.isExhausted(AuthorityState.TOKENS_PER_EPOCH)) {
                throw new StaleTermException("no token is left");
            }
        } catch (StaleTermException e) {
            return new LockReply.Unavailable(e);
        }
        LockReply reply = data.carryOut(term.epoch(), command);
        if (!(reply instanceof LockReply.Busy) && !(reply instanceof LockReply.Gone)) {
            write(term.epoch(), other -> other.carryOut(term.epoch(), command));
        }
        return reply;
    }

    private void requireInPower(PrimaryTerm term) {
        requirePlace(term);
        if (data.recordedEpoch() != term.epoch() && mutant != NO_RECORD_CHECK) {
            throw new StaleTermException("the record is of epoch " + data.recordedEpoch());
        }
    }

    private void requirePlace(PrimaryTerm term) {
        if (!isMaster() && mutant != NO_ROLE_CHECK) {
            throw new StaleTermException("it is a replica", true);
        } else if (!replicationId.equals(term.replicationId()) && mutant != NO_REPLICATION_ID_CHECK) {
            throw new StaleTermException("its replication id is " + replicationId, true);
        }
    }

    @Override
    public PrimaryHealth health(Duration timeout) {
        Instant shown = mutant == HIDES_ITS_CLOCK ? clock.instant() : time();
        long micros = Duration.between(Instant.EPOCH, shown).toNanos() / 1_000;
        Optional<String> objection =
                isMaster() || mutant == NO_ROLE_CHECK ? Optional.empty() : Optional.of("it is a replica");
        return new PrimaryHealth(
                replicationId, isMaster() || mutant == NO_ROLE_CHECK, data.recordedEpoch(), micros, 0, objection);
    }

    @Override
    public void installTerm(PrimaryTerm term, long base, Duration timeout) {
        requirePlace(term);
        if (data.recordedEpoch() >= term.epoch()) {
            throw new StaleTermException("the record is of epoch " + data.recordedEpoch());
        }
        data.install(term.epoch(), base);
        write(term.epoch(), other -> other.install(term.epoch(), base));
        repeatedInstall = () -> data.install(term.epoch(), base);
    }

    @Override
    public void copyLeases(PrimaryTerm term, List<TransferredLease> grants, Duration timeout) {
        requireInPower(term);
        RedisData.Write write = other -> mutant.copied(grants)
                .forEach(grant -> other.keys(term.epoch()).put(grant, mutant.copied(grant.share())));
        write.to(data);
        write(term.epoch(), write);
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> to) {
        return signals.add(to);
    }

    @Override
    public Stream<LockInfo> list(PrimaryTerm term, String prefix, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
