package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A space whose grants may be transferred from and to another store, each with its token, share and remaining time. */
public final class TransferSpace extends MemorySpace {

    private final Consumer<Notification> listener;
    private final Map<LockName, LockRecord> used = new TreeMap<>();
    /** The ids that have a lease here, or had one until it ended by itself, and the share of each. */
    private final Map<AcquisitionId, Share> known = new HashMap<>();

    private long above;
    private boolean keptStands;
    private @Nullable TransferredLease carried;
    private Share carriedShare = Share.EXCLUSIVE;

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
     * Takes over what another store granted: Granted if it stands now, Gone if it is not compatible with the leases that are here, or the
     * id is over. A minimum hold counts only beside one that it could not be there together with, and gives way to it if that was
     * granted later. To say that a grant is kept says that its lease was given back.
     */
    public LockReply put(TransferredLease grant) {
        return put(grant, grant.share());
    }

    /** The same, but the grant counts as this share. */
    public LockReply put(TransferredLease grant, Share counted) {
        carried = grant;
        carriedShare = counted;
        try {
            return execute(new LockCommand.Acquire(
                    grant.name(), grant.id(), grant.remaining(), false, 0, grant.owner(), grant.share()));
        } finally {
            carried = null;
        }
    }

    /** What is held or kept, by name. */
    public List<TransferredLease> held() {
        return used.keySet().stream().flatMap(name -> held(name).stream()).toList();
    }

    /** What is held or kept of one lock. */
    public List<TransferredLease> held(LockName name) {
        Instant now = clock().instant();
        LockRecord lock = used.get(name);
        return lock == null
                ? List.of()
                : lock.leases.stream()
                        .filter(lease -> !lease.isExpired(now))
                        .map(lease -> new TransferredLease(
                                name,
                                lease.id(),
                                lease.token(),
                                Duration.between(lease.since(), now),
                                Duration.between(now, lease.until()),
                                !lease.isHeld(),
                                lease.owner(),
                                lease.share()))
                        .toList();
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
        used.put(command.name(), lock);
        LockReply reply = carried == null ? super.acquire(command, lock, now) : take(carried, lock, now);
        if (reply instanceof LockReply.Granted) {
            known.put(command.id(), command.share());
        }
        return reply;
    }

    @Override
    LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
        requireSameShare(command);
        return super.renew(command, lock, now);
    }

    @Override
    LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
        requireSameShare(command);
        known.remove(command.id()); // a tombstone tells that it was released
        return super.release(command, lock, now);
    }

    /** A store may look for a lease in another place if its share is another. */
    private void requireSameShare(LockCommand command) {
        Share own = known.getOrDefault(command.id(), command.share());
        if (!own.equals(command.share())) {
            throw new AssertionError(command + " is about a lease with the share " + own);
        }
    }

    private static @Nullable MemoryLease own(AcquisitionId id, LockRecord lock) {
        return lock.leases.stream()
                .filter(lease -> lease.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    private LockReply take(TransferredLease grant, LockRecord lock, Instant now) {
        MemoryLease own = own(grant.id(), lock);
        MemoryLease asserted = lease(grant, carriedShare, now);
        if (own != null) {
            return again(own, asserted, lock, now);
        } else if (!grant.minimumHoldOnly() && (known.containsKey(grant.id()) || lock.hasTombstone(grant.id(), now))) {
            return new LockReply.Gone();
        }
        List<MemoryLease> opposed = lock.leases.stream()
                .filter(other -> !Share.areCompatible(List.of(other.share(), asserted.share())))
                .toList();
        if (!isAdmitted(asserted, opposed, lock)) {
            return new LockReply.Gone();
        }
        lock.leases.removeAll(opposed);
        lock.leases.add(asserted);
        lock.leases.sort(Comparator.comparing(MemoryLease::token));
        lock.lastToken = Math.max(lock.lastToken, grant.token());
        if (grant.minimumHoldOnly()) {
            lock.addTombstone(grant.id(), asserted.until());
        }
        return new LockReply.Granted(grant.token(), grant.remaining());
    }

    private static MemoryLease lease(TransferredLease grant, Share share, Instant now) {
        return new MemoryLease(
                grant.id(),
                grant.owner(),
                share,
                grant.token(),
                now.minus(grant.age()),
                grant.remaining(),
                now.plus(grant.remaining()),
                !grant.minimumHoldOnly());
    }

    private boolean isAdmitted(MemoryLease asserted, List<MemoryLease> opposed, LockRecord lock) {
        boolean givesWay =
                opposed.stream().allMatch(other -> !other.isHeld() && other.token() < asserted.token() && !keptStands);
        List<Share> held = lock.leases.stream()
                .filter(MemoryLease::isHeld)
                .map(MemoryLease::share)
                .toList();
        return givesWay
                && (!asserted.isHeld()
                        || TakenPermits.of(held).plus(asserted.share()).areCompatible());
    }

    /** Of an id that is here. */
    private static LockReply again(MemoryLease own, MemoryLease asserted, LockRecord lock, Instant now) {
        if (!own.isHeld() && asserted.isHeld()) {
            return new LockReply.Gone();
        }
        MemoryLease stands = own.isHeld() == asserted.isHeld()
                ? own.renewed(asserted.length(), asserted.until())
                : own.kept(Duration.between(own.since(), asserted.until()));
        lock.replace(own, stands);
        if (!stands.isHeld()) {
            lock.addTombstone(own.id(), stands.until());
        }
        return new LockReply.Granted(own.token(), Duration.between(now, stands.until()));
    }
}
