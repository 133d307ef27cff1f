package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P9_1;
import static dev.holdfast.lock.tck.Rule.P9_2;
import static dev.holdfast.lock.tck.Rule.P9_3;
import static dev.holdfast.lock.tck.Rule.P9_4;
import static dev.holdfast.lock.tck.Rule.P9_5;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** P9: no resource is exhausted, and nothing is left behind. */
interface ResourceRules {

    @Checks(P9_1)
    default void p9_1_commandsExhaustNoResource(Kit kit) {
        StoreClient client = kit.client();
        LockName busy = new LockName("busy");
        client.grant(busy, LONG);
        for (int i = 0; i < 400; i++) {
            client.release(client.grant(JOB, LONG));
            client.expectBusy(busy);
            client.tryExecute(acquiring(JOB, Kit.id(), LONG, LockReply.Granted.MAX_TOKEN), Duration.ofSeconds(10));
        }
        client.release(client.grant(JOB, LONG));
        if (client.store().capabilities().contains(Capability.LIST)) {
            for (int i = 0; i < 60; i++) {
                try (Stream<LockInfo> shown = client.openListing("")) {
                    shown.iterator().next(); // and no more than that
                }
            }
        }
    }

    @Checks(P9_2)
    default void p9_2_nothingIsKeptAboutIdleNames(Kit kit) {
        StoreClient client = kit.client();
        expectCounting(kit, client);
        Duration moment = Duration.ofMillis(100);
        for (int i = 0; i < 50; i++) {
            client.release(client.grant(new LockName("released " + i), LONG));
            client.grant(new LockName("expired " + i), moment);
            HeldLock kept = client.grant(new LockName("kept " + i), LONG);
            client.release(kept.name(), kept.id(), moment, Duration.ZERO);
            client.release(new LockName("doubtful " + i), Kit.id(), Duration.ZERO, moment);
            LockName withdrawn = new LockName("withdrawn " + i);
            HeldLock holder = client.grant(withdrawn, LONG);
            AcquisitionId waiter = Kit.id();
            client.execute(StoreClient.queueing(withdrawn, waiter, LONG));
            client.release(holder);
            client.release(withdrawn, waiter, Duration.ZERO, Duration.ZERO);
            client.renew(new HeldLock(new LockName("renewed " + i), Kit.id(), 1, LONG, 0, 0), LONG);
        }
        Kit.pause(moment.plus(Kit.TOLERANCE));
        expectNothingIsKept(kit, client);
    }

    @Checks(value = P9_3, slow = true)
    default void p9_3_deadWaitersLeaveNothingBehind(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        expectCounting(kit, client);
        for (int i = 0; i < 50; i++) {
            HeldLock holder = client.grant(new LockName("released " + i), LONG);
            client.enqueue(holder.name());
            client.release(holder);
            HeldLock expiring = client.grant(new LockName("expired " + i), Kit.SHORT);
            client.execute(StoreClient.queueing(expiring.name(), Kit.id(), Kit.SHORT));
        }
        Kit.pause(QueueTimes.WAITER_TTL.plus(Kit.TOLERANCE));
        if (client.store().capabilities().contains(Capability.LIST)) {
            List<LockInfo> shown = client.list("");
            if (!shown.isEmpty()) {
                throw new RuleBroken("all waiters are dead, but the listing has " + shown);
            }
        }
        expectNothingIsKept(kit, client);
    }

    /** In a separate process, as other tests start threads meanwhile. */
    @Checks(P9_5)
    default void p9_5_aClosedStoreLeavesNoThread(Kit kit, @TempDir Path directory) throws Exception {
        ProcessRules.skipUnlessShared(kit);
        Properties configuration = kit.forLocks(kit.contract.configuration(), LONG);
        ChildProcess child = kit.closeAfterwards(new ChildProcess(directory, 0, configuration, "reopen"));
        String left = child.expect(ChildMain.LEFT).substring(ChildMain.LEFT.length());
        if (!left.isBlank()) {
            throw new RuleBroken("a store was opened and closed " + ChildMain.OPENINGS
                    + " times, and these threads are left:" + left);
        }
    }

    /** Checks that only the one name in use is kept. */
    private static void expectNothingIsKept(Kit kit, StoreClient client) {
        HeldLock held = client.grant(JOB, LONG);
        kit.awaitPruning(1);
        client.expectHeld(held);
    }

    /** Checks that names in use are counted, as a count that is always zero would pass. */
    private static void expectCounting(Kit kit, StoreClient client) {
        List<HeldLock> inUse = IntStream.range(0, 3)
                .mapToObj(number -> client.grant(new LockName("in use " + number), Kit.A_MINUTE))
                .toList();
        kit.expectKept(inUse);
        inUse.forEach(client::release);
    }

    @Checks(P9_4)
    default void p9_4_pruningDropsNothingInUse(Kit kit) {
        StoreClient client = kit.client();
        kit.contract.prune(kit.namespace);
        LockInEachState.isUnchangedBy(() -> kit.contract.prune(kit.namespace), kit, client);
    }
}
