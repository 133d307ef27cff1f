package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A space whose grants may be transferred from and to another store, each with its token and remaining time. */
public final class TransferSpace extends MemorySpace {

    private final Consumer<Notification> listener;
    /** The released grants that are kept for their minimum holds. */
    private final Map<LockName, MemoryLease> kept = new HashMap<>();

    /** The last holder of each name. */
    private final Map<LockName, AcquisitionId> last = new HashMap<>();

    private long above;
    private boolean keptStands;
    private TransferredLease carried;

    /** @param listener receives notifications */
    public TransferSpace(InstantSource clock, Consumer<Notification> listener) {
        super(clock);
        this.listener = listener;
    }

    /** Carries out a step; a grant has the next token above this. */
    public LockReply carryOut(LockCommand command, long highest) {
        above = highest;
        return execute(command);
    }

    /** From now on what is kept is in the way of whatever was granted later. */
    public void keptStands() {
        keptStands = true;
    }

    /**
     * Takes over what another store granted: Granted if it stands now, Gone if the lock has another holder or the id is over. What
     * is only kept gives way to what was granted later; and to say that it is kept says that its lease was given back.
     */
    public LockReply put(TransferredLease grant) {
        carried = grant;
        try {
            return execute(
                    new LockCommand.Acquire(grant.name(), grant.id(), grant.remaining(), false, 0, grant.owner()));
        } finally {
            carried = null;
        }
    }

    /** What is held or kept, by name. */
    public List<TransferredLease> held() {
        Instant now = clock().instant();
        List<TransferredLease> held = new ArrayList<>();
        for (LockInfo info : list("")) {
            info.holder()
                    .ifPresent(holder -> held.add(new TransferredLease(
                            info.name(),
                            holder.id(),
                            holder.token(),
                            Duration.between(holder.since(), now),
                            Duration.between(now, holder.until()),
                            false,
                            holder.owner(),
                            Share.EXCLUSIVE)));
            info.minimumHoldUntil().filter(now::isBefore).ifPresent(until -> {
                MemoryLease grant = kept.get(info.name());
                held.add(new TransferredLease(
                        info.name(),
                        grant.id(),
                        grant.token(),
                        Duration.between(grant.since(), now),
                        Duration.between(now, until),
                        true,
                        grant.owner(),
                        Share.EXCLUSIVE));
            });
        }
        return held;
    }

    @Override
    void notifyListeners(Notification notification) {
        listener.accept(notification);
    }

    @Override
    long nextToken(LockRecord lock, long least, Instant now) {
        return Math.max(above, lock.lastToken) + 1;
    }

    @Override
    LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
        if (carried != null) {
            return take(carried, lock, now);
        }
        LockReply reply = super.acquire(command, lock, now);
        if (reply instanceof LockReply.Granted) {
            last.put(command.name(), command.id());
        }
        return reply;
    }

    private LockReply take(TransferredLease grant, LockRecord lock, Instant now) {
        boolean isBusy = !lock.leases.isEmpty();
        Instant until = now.plus(grant.remaining());
        if (grant.id().equals(last.get(grant.name())) && (isBusy || !grant.minimumHoldOnly())) {
            return again(grant, lock, until, now);
        }
        boolean givesWay = isBusy
                && held(lock).isEmpty()
                && !keptStands
                && kept.get(grant.name()).token() < grant.token();
        if ((isBusy && !givesWay) || (!grant.minimumHoldOnly() && lock.hasTombstone(grant.id(), now))) {
            return new LockReply.Gone();
        }
        MemoryLease taken = new MemoryLease(
                grant.id(),
                grant.owner(),
                Share.EXCLUSIVE,
                grant.token(),
                now.minus(grant.age()),
                grant.remaining(),
                until,
                true);
        lock.lastToken = Math.max(lock.lastToken, grant.token());
        last.put(grant.name(), grant.id());
        if (grant.minimumHoldOnly()) {
            keep(grant.name(), taken, lock, until);
        } else {
            lock.leases.clear();
            lock.leases.add(taken);
        }
        return new LockReply.Granted(grant.token(), grant.remaining());
    }

    /** Of the id that was there last. */
    private LockReply again(TransferredLease grant, LockRecord lock, Instant until, Instant now) {
        Optional<MemoryLease> held = held(lock);
        if (!grant.minimumHoldOnly()) {
            if (held.isEmpty()) {
                return new LockReply.Gone();
            }
            MemoryLease renewed = held.get().renewed(grant.remaining(), until);
            lock.replace(held.get(), renewed);
            return new LockReply.Granted(renewed.token(), Duration.between(now, renewed.until()));
        }
        if (held.isPresent()) {
            keep(grant.name(), held.get(), lock, until);
        } else if (lock.leases.get(0).until().isBefore(until)) {
            keep(grant.name(), kept.get(grant.name()), lock, until);
        }
        return new LockReply.Granted(
                grant.token(), Duration.between(now, lock.leases.get(0).until()));
    }

    private static Optional<MemoryLease> held(LockRecord lock) {
        return lock.leases.stream().filter(MemoryLease::isHeld).findFirst();
    }

    private void keep(LockName key, MemoryLease grant, LockRecord lock, Instant until) {
        lock.leases.clear();
        lock.leases.add(grant.kept(Duration.between(grant.since(), until)));
        lock.addTombstone(grant.id(), until);
        kept.put(key, grant);
    }

    @Override
    LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
        Optional<MemoryLease> grant = held(lock);
        LockReply reply = super.release(command, lock, now);
        if (grant.isPresent() && held(lock).isEmpty() && !lock.leases.isEmpty()) {
            kept.put(command.name(), grant.get());
        }
        return reply;
    }
}
