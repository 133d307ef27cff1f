package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P1_15;
import static dev.holdfast.lock.tck.Rule.P1_16;
import static dev.holdfast.lock.tck.Rule.P7_12;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
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
        int processes = 3;
        int each = 15;
        Properties configuration = kit.forLocks(kit.contract.configuration(), LONG);
        List<Child> children = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            children.add(kit.closeAfterwards(new Child(directory, i, configuration, "count", Integer.toString(each))));
        }
        for (Child child : children) {
            child.expect(Worker.READY);
        }
        for (Child child : children) {
            child.start();
        }
        Holds holds = new Holds();
        for (Child child : children) {
            child.rest().stream().map(Holds.Hold::parse).forEach(holds::add);
        }
        holds.verify(processes * each);
    }

    @Checks(P1_16)
    default void p1_16_aKilledHolderKeepsTheLockForItsLease(Kit kit, @TempDir Path directory) throws Exception {
        skipUnlessShared(kit);
        Properties configuration = kit.forLocks(kit.contract.configuration(), Duration.ofSeconds(2));
        Client client = kit.client();
        Child child = kit.closeAfterwards(new Child(directory, 0, configuration, "hold"));
        String[] held = child.expect(Worker.HELD).split(" ", -1);
        long token = Long.parseLong(held[1]);
        long until = Long.parseLong(held[2]);

        child.kill();
        Held next = client.awaitGrant(JOB, LONG);

        long early = until - System.currentTimeMillis();
        if (early > 2) { // a thousandth of the lease
            throw new Broken("the lock of a killed process was free " + early + " ms before its lease was over");
        }
        if (next.token() <= token >> Byte.SIZE) {
            throw new Broken(
                    "after a killed holder with store token " + (token >> Byte.SIZE) + " came token " + next.token());
        }
    }

    @Checks(P7_12)
    default void p7_12_aKilledWaiterIsPassedOver(Kit kit, @TempDir Path directory) throws Exception {
        skipUnlessShared(kit);
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        Held holder = client.grant(JOB, LONG);
        Properties configuration = kit.forLocks(kit.contract.configuration(), LONG);
        Child child = kit.closeAfterwards(new Child(directory, 0, configuration, "queue"));
        child.expect(Worker.QUEUED);
        AcquisitionId next = client.queue(JOB);

        child.kill();

        Held held = ReservationRules.awaitPassing(client, holder, next);
        client.expectHeld(held);
    }

    private static void skipUnlessShared(Kit kit) {
        if (!kit.contract.sharedBetweenProcesses()) {
            throw LockStoreContract.notPossible("processes do not share this store, says sharedBetweenProcesses()");
        }
    }
}
