package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Watches every held lease and every outcome, and reports the promise that is broken. */
final class Checker {

    private final VirtualTime time;
    private final boolean watchesStates;
    private final List<HeldLease> holds = new ArrayList<>();
    /** The greatest token of each share of each name. */
    private final Map<LockName, Map<Share, Long>> tokens = new HashMap<>();

    private AssertionError found;

    /**
     * Creates a checker without leases.
     *
     * @param watchesStates whether a lease ends when its state says so; else it ends when its holder is notified of the loss
     */
    Checker(VirtualTime time, boolean watchesStates) {
        this.time = time;
        this.watchesStates = watchesStates;
    }

    boolean watchesStates() {
        return watchesStates;
    }

    /** The shares of the valid leases of a lock. */
    List<Share> validShares(LockName name) {
        return holds.stream()
                .filter(hold -> hold.name.equals(name) && hold.isValid())
                .map(hold -> hold.share)
                .toList();
    }

    /** Of shares that may be held together, the replies may come in any order. */
    HeldLease held(Machine process, LockName name, LeaseHolder lease, Share share) {
        long token = lease.fencingToken();
        List<Share> shares = new ArrayList<>(List.of(share));
        for (HeldLease other : holds) {
            if (other.name.equals(name) && other.isValid()) {
                shares.add(other.share);
                that(
                        Share.areCompatible(shares),
                        "P1: '%s' was granted with token %d while token %d is still valid; the shares are %s",
                        name,
                        token,
                        other.lease.fencingToken(),
                        shares);
            }
        }
        Map<Share, Long> ofName = tokens.computeIfAbsent(name, any -> new HashMap<>());
        ofName.forEach((other, before) -> that(
                token > before || Share.areCompatible(List.of(other, share)),
                "P2: '%s' was granted with token %d after %d",
                name,
                token,
                before));
        ofName.merge(share, token, Math::max);
        HeldLease hold = new HeldLease(process, name, lease, share);
        holds.add(hold);
        lease.onLoss(loss -> hold.lost());
        return hold;
    }

    /** The lease with this store token ends at the store. */
    void over(LockName name, long token) {
        for (HeldLease hold : holds) {
            that(
                    !hold.name.equals(name)
                            || hold.lease.fencingToken() / LockReply.Granted.HOLDERS_PER_GRANT != token
                            || !hold.isValid(),
                    "P1: '%s' is still held with token %d, whose lease is over at the store",
                    name,
                    hold.lease.fencingToken());
        }
    }

    boolean isHeldBy(Machine process, LockName name) {
        return holds.stream().anyMatch(hold -> hold.process == process && hold.name.equals(name));
    }

    boolean nothingHeld() {
        return holds.isEmpty();
    }

    void died(Machine process) {
        holds.removeIf(hold -> hold.process == process);
    }

    /** After the first violation every check fails with that violation. */
    void that(boolean condition, String what, Object... arguments) {
        note(condition, what, arguments);
        if (found != null) {
            throw found;
        }
    }

    /** The same without throwing, for listeners: the next check throws. */
    void note(boolean condition, String what, Object... arguments) {
        if (!condition && found == null) {
            found = new AssertionError(
                    String.format("after %,d ms: ", time.now() / 1_000_000) + String.format(what, arguments));
        }
    }

    /** A lease that the application holds. */
    final class HeldLease {

        private final Machine process;
        private final LockName name;
        private final LeaseHolder lease;
        private final Share share;
        private boolean releasing;
        private boolean released;
        private boolean lost;

        private HeldLease(Machine process, LockName name, LeaseHolder lease, Share share) {
            this.process = process;
            this.name = name;
            this.lease = lease;
            this.share = share;
        }

        private boolean isValid() {
            if (releasing) {
                return false;
            }
            if (!watchesStates) {
                return true;
            }
            LeaseState state = lease.state();
            return state == LeaseState.HELD || state == LeaseState.UNCONFIRMED;
        }

        /** The holder stops working under the lease. */
        void releasing() {
            releasing = true;
        }

        void released() {
            that(!lost, "P3: the release of '%s' found it held, though the holder was told of its loss", name);
            released = true;
            holds.remove(this);
        }

        private void lost() {
            note(!lost, "P3: the loss of '%s' was told twice", name);
            note(!released, "P3: the loss of '%s' was told after its release", name);
            lost = true;
            holds.remove(this);
        }
    }
}
