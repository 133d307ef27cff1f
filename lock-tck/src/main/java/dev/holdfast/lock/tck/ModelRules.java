package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Rule.M1;
import static dev.holdfast.lock.tck.Rule.M2;
import static dev.holdfast.lock.tck.Rule.M3;
import static dev.holdfast.lock.tck.Rule.M4;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;

/** M: whatever the commands, some order of them explains the replies. */
interface ModelRules {

    int CLIENTS = 3;

    Duration SETTLED = Duration.ofSeconds(1);

    @Checks(value = M1, slow = true)
    default void m1_randomHistoriesAreExplained(Kit kit) {
        kit.did(M1, new HistoryCheck(kit, clients(kit), CLIENTS).explain(HistoryPlan.Tempo.SHORT));
    }

    @Checks(value = M2, slow = true)
    default void m2_longHistoriesAreExplained(Kit kit) {
        kit.did(
                M2,
                new HistoryCheck(kit, clients(kit), CLIENTS)
                        .explain(HistoryPlan.Tempo.LONG, HistoryPlan.Tempo.LONGEST));
    }

    @Checks(value = M3, exclusive = true)
    default void m3_historiesAcrossARestartAreExplained(Kit kit) {
        Runnable restart = () -> {
            Kit.pause(SETTLED); // a release that is not written yet takes effect later, which breaks no promise
            kit.restart();
        };
        kit.did(M3, new HistoryCheck(kit, clients(kit), 0).explain(restart, HistoryPlan.Tempo.RESTART));
    }

    @Checks(value = M4, slow = true)
    default void m4_historiesWithBrokenConnectionsAreExplained(Kit kit) {
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient broken = kit.clientOf(connection.configuration(), kit.namespace);
        List<StoreClient> clients = new ArrayList<>(clients(kit));
        clients.addAll(List.of(broken, broken)); // it is called as often as two of the others
        AtomicBoolean over = new AtomicBoolean();
        ReadWriteLock outages = new ReentrantReadWriteLock();
        Random random = new Random(kit.contract.seed());
        FutureTask<Void> breaking =
                new FutureTask<>(() -> breakNowAndThen(connection, random, outages.writeLock(), over), null);
        Thread running = ConcurrentCalls.start("breaking a connection", breaking);
        try {
            kit.did(M4, new HistoryCheck(kit, clients, CLIENTS, outages.readLock()).explain(HistoryPlan.Tempo.SHORT));
        } finally {
            over.set(true);
        }
        ConcurrentCalls.result(breaking, running);
    }

    private static List<StoreClient> clients(Kit kit) {
        return Stream.generate(kit::anotherClient).limit(CLIENTS).toList();
    }

    /** @param outage held while the connection is broken */
    private static void breakNowAndThen(
            BreakableConnection connection, Random random, Lock outage, AtomicBoolean over) {
        while (!over.get()) {
            Kit.pause(Duration.ofMillis(20 + random.nextInt(200)));
            outage.lock();
            try {
                if (random.nextBoolean()) {
                    connection.cut();
                } else {
                    connection.silence();
                }
                Kit.pause(
                        HistoryRun.OUTAGE.multipliedBy(20 + random.nextInt(60)).dividedBy(100));
                connection.heal();
            } finally {
                outage.unlock();
            }
        }
    }
}
