package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Stalls;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Failing nodes of a Cluster, under holders and waiters. A replica may not have received the latest grants, so that two may hold a
 * lock of a failed node for a while, which plain Redis does not promise to prevent: there tokens are judged, exclusion is not.
 */
@Tag("second-build")
class ClusterFailoverTest {

    /** A caller that waits gives up a store that has not answered for so long. */
    private static final Duration OUTAGE = Duration.ofSeconds(10);

    private static Cluster cluster;

    @BeforeAll
    static void start() {
        cluster = Cluster.start("cluster-require-full-coverage no"); // else one node that fails takes down all
    }

    @AfterAll
    static void stop() {
        if (cluster != null) { // else there is no cluster to be had
            cluster.close();
        }
    }

    @Test
    void frozenNode_failedOver_delaysItsOwnLocksOnly() throws Exception {
        RedisServer frozen = cluster.masters().get(1);
        History itsOwn = new History();
        Failovers failovers = new Failovers(itsOwn);
        String probe = SlotNames.namesAt(cluster, frozen, 1).get(0);
        History ofOthers = new History();
        List<String> others = cluster.masters().stream()
                .filter(each -> each != frozen)
                .flatMap(each -> SlotNames.namesAt(cluster, each, 1).stream())
                .toList();
        String heldOn = SlotNames.namesAt(cluster, cluster.masters().get(0), 1).get(0);
        try (Locks one = Application.open(cluster.uri());
                Locks other = Application.open(cluster.uri());
                Locks oneOnIts =
                        openBriefly(); // a release that the replica has not heard of comes to an end with its lease
                Locks otherOnIts = openBriefly();
                Contenders onIts = new Contenders(itsOwn, SlotNames.namesAt(cluster, frozen, 1), 1);
                Contenders onOthers = new Contenders(ofOthers, others, 2);
                LongHolders holders = new LongHolders(ofOthers, heldOn);
                Stalls stalls = new Stalls()) {
            onIts.begin("one", oneOnIts, 1);
            onIts.begin("other", otherOnIts, 1);
            onOthers.begin("one", one, 2);
            onOthers.begin("other", other, 2);
            holders.begin("one", one);
            holders.begin("other", other);
            onIts.awaitProgress("at first");
            onOthers.awaitProgress("at first");

            try {
                failovers.make(oneOnIts, probe, () -> {
                    frozen.freeze();
                    for (int round = 0; round < 3; round++) {
                        onOthers.awaitProgress("in round " + round + " beside the frozen node");
                    }
                    cluster.takeOverFrom(frozen);
                });
                onIts.awaitProgress("by the replica");
                onOthers.awaitProgress("after the replica took over");
            } finally {
                frozen.thaw();
                cluster.awaitOk();
            }

            onIts.awaitProgress("after the node came back");
            onIts.end();
            onOthers.end();
            holders.end();
            failovers.verifyTokens(12);
            ofOthers.verify(40);
            if (stalls.total().compareTo(OUTAGE) < 0) { // otherwise the machine may have been the outage
                assertThat(onOthers.unavailable()).isEmpty();
                assertThat(holders.unavailable()).isEmpty();
            }
            assertThat(holders.lost())
                    .as("leases of other nodes that were lost")
                    .isZero();
        }
    }

    @Test
    void killedNode_failedOver_locksContinueOnReplica() throws Exception {
        RedisServer killed = cluster.masters().get(0);
        List<String> names = SlotNames.namesAt(cluster, killed, 2);
        History history = new History();
        Failovers failovers = new Failovers(history);
        String probe = SlotNames.namesAt(cluster, killed, 1).get(0);
        try (Locks one = openBriefly(); // as above
                Locks other = openBriefly();
                Contenders contenders = new Contenders(history, names, 3)) {
            contenders.begin("one", one, 2);
            contenders.begin("other", other, 2);
            contenders.awaitProgress("at first");

            failovers.make(one, probe, () -> cluster.failOver(killed));
            contenders.awaitProgress("by the replica");
            killed.start();
            cluster.awaitOk();
            contenders.awaitProgress("after the node came back");
            contenders.end();
            failovers.verifyTokens(24);
        }
    }

    private static Locks openBriefly() {
        return Application.open(cluster.uri(), "lock.lease", "5s", "lock.call-timeout", "5s");
    }
}
