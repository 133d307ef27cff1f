package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.tck.model.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

/** Carries out a {@link HistoryPlan} on locks of its own, and records each call with its times. */
final class HistoryRun {

    /** Short enough that a silent connection does not stop a plan. */
    private static final Duration BRIEF = Duration.ofMillis(500);
    /** Long enough for a slow machine to open a connection. */
    private static final Duration PATIENT = Duration.ofSeconds(8);

    /** Longer than the outages of a connection that a rule breaks from time to time. */
    static final Duration OUTAGE = Duration.ofMillis(150);

    private final HistoryPlan plan;
    private final List<StoreClient> clients;
    private final int reliable;
    private final Lock calm;
    private final String prefix;
    private final List<KnownLock> locks;
    private final Collection<Operation> operations = new ConcurrentLinkedQueue<>();

    private final AtomicInteger calls = new AtomicInteger();
    private final long start = System.nanoTime();
    private final HalfTime halfTime;

    /**
     * @param clients the stores that are called, by their numbers in the plan
     * @param reliable the number of them, the first ones, that must always reply
     * @param calm held while a plan waits until a store is back: one that is broken again and again may be too slow to connect between
     * @param prefix of the names of the locks; those of another run have another one
     * @param halfTime where each lane waits before its second half
     */
    HistoryRun(HistoryPlan plan, List<StoreClient> clients, int reliable, Lock calm, String prefix, HalfTime halfTime) {
        this.plan = plan;
        this.halfTime = halfTime;
        this.clients = clients;
        this.reliable = reliable;
        this.calm = calm;
        this.prefix = prefix;
        this.locks = plan.names().stream()
                .map(end -> new KnownLock(new LockName(prefix + end), plan.shares()))
                .toList();
    }

    /** Carries out all lanes at the same time, and returns the recorded history of each lock. */
    List<List<Operation>> record() {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (List<HistoryPlan.Step> lane : plan.lanes()) {
            FutureTask<Void> task = new FutureTask<>(() -> takeAll(lane), null);
            tasks.add(task);
            threads.add(ConcurrentCalls.start("history", task));
        }
        for (int i = 0; i < tasks.size(); i++) {
            ConcurrentCalls.result(tasks.get(i), threads.get(i));
        }
        halfTime.restarted().ifPresent(this::add);
        return locks.stream().map(this::historyOf).toList();
    }

    private List<Operation> historyOf(KnownLock lock) {
        return operations.stream().filter(each -> each.name().equals(lock.name)).toList();
    }

    private void add(HalfTime.Restarted restarted) {
        Operation.Call call = new Operation.Call(
                calls.incrementAndGet(), "the store", restarted.from() - start, restarted.to() - start);
        locks.forEach(lock -> operations.add(new Operation.Restarted(call, 0, lock.name)));
    }

    private void takeAll(List<HistoryPlan.Step> lane) {
        boolean done = false;
        long patience = plan.tempo().limit().toNanos();
        try {
            for (int at = 0; at < lane.size(); at++) {
                if (at == lane.size() / 2 && !halfTime.await()) {
                    return;
                }
                patience -= pause(lane.get(at).pause(), patience);
                take(lane.get(at));
            }
            done = true;
        } finally {
            if (!done) {
                halfTime.cancel();
            }
        }
    }

    private void take(HistoryPlan.Step step) {
        if (step.actions().get(0) instanceof HistoryPlan.ListAll) {
            list(step.client());
        } else {
            call(
                    step.client(),
                    step.actions().stream()
                            .map(action -> command(action, step.client()))
                            .toList());
        }
    }

    /** Returns the nanoseconds of the pause, which are at most these. */
    private long pause(HistoryPlan.Pause pause, long patience) {
        long left = pause.offset().toNanos();
        if (pause.end() != null) {
            Long end = locks.get(pause.name()).end(pause.end());
            left = end == null ? 0 : end - System.nanoTime() + left;
        }
        if (left <= 0 || left > patience) {
            return 0;
        }
        Kit.pause(Duration.ofNanos(left));
        return left;
    }

    private LockCommand command(HistoryPlan.Action action, int client) {
        int sender = plan.tempo().own() ? client : 0;
        if (action instanceof HistoryPlan.Acquire acquire) {
            KnownLock lock = locks.get(acquire.name());
            AcquisitionId id = lock.id(acquire.id(), sender);
            long floor = acquire.aboveLast() == 0 ? 0 : lock.lastToken() + acquire.aboveLast();
            return new LockCommand.Acquire(
                    lock.name, id, acquire.lease(), acquire.queue(), floor, owner(id), lock.share(id));
        } else if (action instanceof HistoryPlan.Renew renew) {
            KnownLock lock = locks.get(renew.name());
            AcquisitionId id = lock.id(renew.id(), sender);
            return new LockCommand.Renew(lock.name, id, renew.lease(), lock.share(id));
        } else if (action instanceof HistoryPlan.Release release) {
            KnownLock lock = locks.get(release.name());
            AcquisitionId id = lock.id(release.id(), sender);
            return new LockCommand.Release(lock.name, id, release.minimumHold(), release.tombstone(), lock.share(id));
        } else if (action instanceof HistoryPlan.Again again) {
            return locks.get(0).sentBefore(again.number(), sender);
        }
        throw new IllegalArgumentException("not a command: " + action);
    }

    /** Mostly one of its own, so that a listing shows which waiter it is; of any length, and the same for several ids. */
    private static String owner(AcquisitionId id) {
        return switch (Math.floorMod(id.hashCode(), 6)) {
            case 0 -> "kit";
            case 1 -> StoreClient.owner(id) + " of kit".repeat(300);
            default -> StoreClient.owner(id);
        };
    }

    /** A call without a reply is repeated after a short outage, as an engine does. */
    private void call(int client, List<LockCommand> commands) {
        if (!isAnswered(client, commands)) {
            Kit.pause(OUTAGE);
            if (!isAnswered(client, commands)) {
                calm.lock();
                try {
                    awaitAvailable(clients.get(client));
                } finally {
                    calm.unlock();
                }
            }
        }
    }

    private boolean isAnswered(int client, List<LockCommand> commands) {
        int sender = plan.tempo().own() ? client : 0;
        commands.forEach(command -> lockOf(command).sends(command, sender));
        int number = calls.incrementAndGet();
        long invoked = now();
        List<LockReply> replies = client < reliable
                ? clients.get(client).executeAll(commands)
                : clients.get(client).tryExecuteAll(commands, BRIEF);
        Operation.Call call = new Operation.Call(number, "client " + client, invoked, now());
        for (int at = 0; at < commands.size(); at++) {
            Operation.Executed executed = new Operation.Executed(call, at, commands.get(at), replies.get(at));
            operations.add(executed);
            if (client < reliable) {
                expectAnswered(executed);
            }
            lockOf(commands.get(at)).replied(commands.get(at), replies.get(at), sender);
        }
        return replies.stream().noneMatch(LockReply.Unavailable.class::isInstance);
    }

    /** Even beside other commands of the same id: each is atomic, so the store knows its outcome. */
    private static void expectAnswered(Operation.Executed command) {
        if (command.reply() instanceof LockReply.Unavailable unavailable) {
            throw new RuleBroken(
                    "a store whose connection is well replied " + unavailable + "\n  to " + command.command(),
                    unavailable.cause());
        }
    }

    /** A plan waits until the store is back, so that its calls do not all fall into one outage. */
    private void awaitAvailable(StoreClient client) {
        LockCommand probe = new LockCommand.Renew(new LockName("probe"), Kit.id(), Kit.SHORT);
        long end = System.nanoTime() + Kit.REPEAT_LIMIT.toNanos();
        Duration timeout = BRIEF;
        while (client.tryExecute(probe, timeout) instanceof LockReply.Unavailable unavailable) {
            if (System.nanoTime() - end > 0) {
                throw new RuleBroken(
                        "the store is still unavailable after " + Kit.REPEAT_LIMIT + ": it replied " + unavailable
                                + "\n  to " + probe,
                        unavailable.cause());
            }
            Kit.pause(Kit.RETRY);
            timeout = timeout.compareTo(PATIENT) < 0 ? timeout.multipliedBy(2) : timeout;
        }
    }

    private void list(int client) {
        if (client >= reliable) {
            return; // OperatorRules check a listing without a connection
        }
        int number = calls.incrementAndGet();
        long invoked = now();
        List<LockInfo> shown = clients.get(client).list(prefix);
        Operation.Call call = new Operation.Call(number, "client " + client, invoked, now());
        for (int at = 0; at < locks.size(); at++) {
            LockName name = locks.get(at).name;
            operations.add(new Operation.Listed(
                    call,
                    at,
                    name,
                    shown.stream().filter(info -> info.name().equals(name)).findFirst()));
        }
    }

    private long now() {
        return System.nanoTime() - start;
    }

    private KnownLock lockOf(LockCommand command) {
        return locks.stream()
                .filter(lock -> lock.name.equals(command.name()))
                .findFirst()
                .orElseThrow();
    }
}
