package dev.holdfast.lock.spring.integration;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** A node that wants to lead, and records for how long its lease as the leader is held. */
final class LeaderNode implements AutoCloseable {

    static final String ROLE = "leader";

    private final Locks locks;
    private final LockRegistryLeaderInitiator initiator;
    private final Claims claims;
    private final Map<Lease, Long> leaderships = new ConcurrentHashMap<>();

    LeaderNode(String name, Properties configuration, History history) {
        this(name, configuration, history.claimsOf(name));
    }

    LeaderNode(String name, Properties configuration, Claims claims) {
        this.locks = LocksOpener.open(configuration);
        this.claims = claims;
        HoldfastLockRegistry registry = new HoldfastLockRegistry(locks);
        this.initiator = new LockRegistryLeaderInitiator(registry, new AbstractCandidate(name, ROLE) {
            @Override
            public void onGranted(Context context) {
                Lease lease = registry.currentLease(ROLE).orElseThrow();
                leaderships.put(lease, claims.granted(lease));
            }

            @Override
            public void onRevoked(Context context) {}
        });
        initiator.setHeartBeatMillis(50);
        initiator.start();
    }

    /** Whether it leads by a lease that is held, which is recorded. */
    boolean leads() {
        boolean isHeld = false;
        for (Map.Entry<Lease, Long> each : leaderships.entrySet()) {
            isHeld |= claims.isHeld(each.getValue(), each.getKey());
        }
        return isHeld && !isRevoked();
    }

    /** Whether Spring Integration says that it does not lead. */
    boolean isRevoked() {
        return !initiator.getContext().isLeader();
    }

    void yieldLeadership() {
        initiator.getContext().yield();
    }

    void stop() {
        initiator.stop();
    }

    @Override
    public void close() {
        initiator.stop();
        locks.close();
    }
}
