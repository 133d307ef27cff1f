package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P1_15;
import static dev.holdfast.lock.tck.Rule.P1_16;
import static dev.holdfast.lock.tck.Rule.P1_21;
import static dev.holdfast.lock.tck.Rule.P7_12;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.io.TempDir;

/** P1 and P7 between processes. */
interface ProcessRules {

    @Checks(P1_15)
    default void p1_15_processesNeverOverlap(Kit kit, @TempDir Path directory) throws Exception {
        skipUnlessShared(kit);
        int processes = 2;
        int each = 20;
        Properties configuration = kit.forLocks(kit.contract.configuration(), LONG);
        List<ChildProcess> children = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            children.add(kit.closeAfterwards(
                    new ChildProcess(directory, i, configuration, "count", Integer.toString(each))));
        }
        for (ChildProcess child : children) {
            child.expect(ChildMain.READY);
        }
        for (ChildProcess child : children) {
            child.start();
        }
        HoldHistory holds = new HoldHistory();
        for (ChildProcess child : children) {
            child.rest().stream().map(HoldHistory.Hold::parse).forEach(holds::add);
        }
        holds.verify(processes * each);
    }

    @Checks(P1_16)
    default void p1_16_aKilledHolderKeepsTheLockForItsLease(Kit kit, @TempDir Path directory) throws Exception {
        skipUnlessShared(kit);
        Properties configuration = kit.forLocks(kit.contract.configuration(), Duration.ofSeconds(2));
        StoreClient client = kit.client();
        ChildProcess child = kit.closeAfterwards(new ChildProcess(directory, 0, configuration, "hold"));
        String[] held = child.expect(ChildMain.HELD).split(" ", -1);
        long token = Long.parseLong(held[1]);
        long until = Long.parseLong(held[2]);

        child.kill();
        HeldLock next = client.awaitGrant(JOB, LONG);

        long early = until - System.currentTimeMillis();
        if (early > 2) { // a thousandth of the lease
            throw new RuleBroken("the lock of a killed process was free " + early + " ms before the end of the lease");
        }
        if (next.token() <= token >> Byte.SIZE) {
            throw new RuleBroken("token " + next.token() + " is not greater than that of the killed holder, "
                    + (token >> Byte.SIZE));
        }
    }

    /** A client whose clock is ahead takes held locks for expired, and its own leases never end; one behind, the reverse. */
    @Checks(P1_21)
    default void p1_21_aClientsClockDecidesNothing(Kit kit, @TempDir Path directory) throws Exception {
        skipUnlessShared(kit);
        StoreClient client = kit.client();
        ShiftedClient ahead = ShiftedClient.start(kit, directory, 0, Duration.ofHours(1));
        ShiftedClient behind = ShiftedClient.start(kit, directory, 1, Duration.ofHours(-1));
        ahead.verify(client);
        behind.verify(client);
    }

    @Checks(P7_12)
    default void p7_12_aKilledWaiterIsPassedOver(Kit kit, @TempDir Path directory) throws Exception {
        skipUnlessShared(kit);
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        Properties configuration = kit.forLocks(kit.contract.configuration(), LONG);
        kit.withinWaiterTtl(name -> {
            HeldLock holder = client.grant(name, LONG);
            queueAndKill(directory, configuration, name);
            AcquisitionId next = client.enqueue(name);

            HeldLock held = ClaimWindowRules.awaitPassing(client, holder, next);
            client.expectHeld(held);
        });
    }

    private static void queueAndKill(Path directory, Properties configuration, LockName name) {
        try (ChildProcess child = new ChildProcess(directory, 0, configuration, "queue", name.value())) {
            child.expect(ChildMain.QUEUED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void skipUnlessShared(Kit kit) {
        if (!kit.contract.sharedBetweenProcesses()) {
            throw LockStoreContract.notPossible("processes do not share this store: sharedBetweenProcesses() is false");
        }
    }
}
