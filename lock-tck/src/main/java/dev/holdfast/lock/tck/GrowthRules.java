package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Client.acquiring;
import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P9_1;
import static dev.holdfast.lock.tck.Rule.P9_2;
import static dev.holdfast.lock.tck.Rule.P9_3;
import static dev.holdfast.lock.tck.Rule.P9_4;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.QueueTimes;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** P9: nothing is used up, nothing is left behind. */
interface GrowthRules {

    @Checks(P9_1)
    default void p9_1_nothingIsUsedUp(Kit kit) {
        Client client = kit.client();
        LockName busy = new LockName("busy");
        client.grant(busy, LONG);
        for (int i = 0; i < 400; i++) {
            client.release(client.grant(JOB, LONG));
            client.expectBusy(busy);
            client.attempt(acquiring(JOB, Kit.id(), LONG, Answer.Granted.MAX_TOKEN), Duration.ofSeconds(10));
        }
        client.release(client.grant(JOB, LONG));
    }

    @Checks(P9_2)
    default void p9_2_nothingIsKeptAboutIdleNames(Kit kit) {
        Client client = kit.client();
        expectCounting(kit, client);
        Duration moment = Duration.ofMillis(100);
        for (int i = 0; i < 50; i++) {
            client.release(client.grant(new LockName("released " + i), LONG));
            client.grant(new LockName("expired " + i), moment);
            Held kept = client.grant(new LockName("kept " + i), LONG);
            client.release(kept.name(), kept.id(), moment, Duration.ZERO);
            client.release(new LockName("doubtful " + i), Kit.id(), Duration.ZERO, moment);
            LockName withdrawn = new LockName("withdrawn " + i);
            Held holder = client.grant(withdrawn, LONG);
            AcquisitionId waiter = Kit.id();
            client.ask(Client.queueing(withdrawn, waiter, LONG));
            client.release(holder);
            client.release(withdrawn, waiter, Duration.ZERO, Duration.ZERO);
            client.renew(new Held(new LockName("renewed " + i), Kit.id(), 1, LONG, 0, 0), LONG);
        }
        expectNothingIsKept(kit, client);
    }

    @Lengthy
    @Checks(P9_3)
    default void p9_3_deadWaitersLeaveNothingBehind(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        expectCounting(kit, client);
        for (int i = 0; i < 50; i++) {
            Held holder = client.grant(new LockName("released " + i), LONG);
            client.queue(holder.name());
            client.release(holder);
            Held expiring = client.grant(new LockName("expired " + i), Kit.SHORT);
            client.ask(Client.queueing(expiring.name(), Kit.id(), Kit.SHORT));
        }
        Kit.pause(QueueTimes.TICKET);
        if (client.store().capabilities().contains(Capability.INSPECT)) {
            List<LockInfo> shown = client.lookAt("");
            if (!shown.isEmpty()) {
                throw new Broken("whoever waited is dead, but shown are " + shown);
            }
        }
        expectNothingIsKept(kit, client);
    }

    /** But about the one name in use. */
    private static void expectNothingIsKept(Kit kit, Client client) {
        Held held = client.grant(JOB, LONG);
        kit.awaitPruning(1);
        client.expectHeld(held);
    }

    /** Names in use are counted: what is never counted is never too many. */
    private static void expectCounting(Kit kit, Client client) {
        List<Held> inUse = IntStream.range(0, 3)
                .mapToObj(number -> client.grant(new LockName("in use " + number), Kit.SHORT.multipliedBy(10)))
                .toList();
        kit.expectKept(inUse);
        inUse.forEach(client::release);
    }

    @Checks(P9_4)
    default void p9_4_pruningDropsNothingInUse(Kit kit) {
        Client client = kit.client();
        kit.contract.prune(kit.namespace);
        boolean queues = client.store().capabilities().contains(Capability.QUEUE);
        kit.withinAReservation(prefix -> {
            Held held = client.grant(new LockName(prefix + " held"), LONG);
            LockName kept = new LockName(prefix + " kept");
            client.release(kept, client.grant(kept, LONG).id(), LONG, Duration.ZERO);
            LockName remembered = new LockName(prefix + " remembered");
            AcquisitionId late = Kit.id();
            client.release(remembered, late, Duration.ZERO, LONG);
            LockName free = new LockName(prefix + " promised");
            Held holder = client.grant(free, LONG);
            AcquisitionId waiter = queues ? client.queue(free) : Kit.id();
            client.release(holder);

            kit.contract.prune(kit.namespace);

            client.expectHeld(held);
            client.expectBusy(held.name());
            client.expectBusy(kept);
            client.expectGone(acquiring(remembered, late, LONG));
            if (queues) {
                client.expectBusy(free);
                client.take(free, waiter);
            }
        });
    }
}
