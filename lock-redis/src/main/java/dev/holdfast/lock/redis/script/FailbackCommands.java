package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The script calls of a failback: transfer the leases, and activate the primary term. */
public final class FailbackCommands {

    /** Few enough for one script to hardly delay other clients. */
    private static final int PAGE = 200;

    /**
     * Slack for clocks that run at different rates: a transferred lease may last too long, which is harmless, but never too
     * briefly.
     */
    private static final long SLACK_MILLIS = 1_000;

    private static final long SLACK_SHARE = 500;

    private final KeyLayout keys;

    /** @param keys of the primary term */
    public FailbackCommands(KeyLayout keys) {
        this.keys = keys;
    }

    /** Writes these leases, one page per call; the shares of each lock have pages of their own. The calls may be sent any number of times. */
    public List<ScriptCall> transfer(List<TransferredLease> leases) {
        List<TransferredLease> exclusive = new ArrayList<>();
        Map<LockName, List<TransferredLease>> shares = new LinkedHashMap<>();
        for (TransferredLease lease : leases) {
            (lease.share().isExclusive() ? exclusive : shares.computeIfAbsent(lease.name(), any -> new ArrayList<>()))
                    .add(lease);
        }
        List<ScriptCall> calls = pages(exclusive, this::exclusive);
        shares.values().forEach(ofLock -> calls.addAll(pages(ofLock, this::shares)));
        return calls;
    }

    private static List<ScriptCall> pages(
            List<TransferredLease> leases, Function<List<TransferredLease>, ScriptCall> call) {
        List<ScriptCall> calls = new ArrayList<>();
        for (int from = 0; from < leases.size(); from += PAGE) {
            calls.add(call.apply(leases.subList(from, Math.min(from + PAGE, leases.size()))));
        }
        return calls;
    }

    private ScriptCall exclusive(List<TransferredLease> leases) {
        List<byte[]> lockKeys = new ArrayList<>();
        List<byte[]> arguments = new ArrayList<>();
        for (TransferredLease lease : leases) {
            lockKeys.add(keys.lock(lease.name()));
            arguments.add(ScriptValues.text(state(lease) + lease.id() + " " + lease.token()));
            addTimesAndOwner(lease, arguments);
        }
        lockKeys.add(keys.term());
        return ScriptCall.of(Script.TRANSFER, keys, leases.size(), lockKeys, arguments);
    }

    /** @param leases of one lock */
    private ScriptCall shares(List<TransferredLease> leases) {
        List<byte[]> arguments = new ArrayList<>();
        for (TransferredLease lease : leases) {
            arguments.add(ScriptValues.id(lease.id()));
            arguments.add(ScriptValues.text(state(lease) + lease.token() + " "
                    + lease.share().permits() + " " + lease.share().limit()));
            addTimesAndOwner(lease, arguments);
        }
        TransferredLease any = leases.get(0);
        return ScriptCall.of(Script.SHARE_TRANSFER, keys, 1, keys.of(any.name(), any.id()), arguments);
    }

    private static String state(TransferredLease lease) {
        return lease.minimumHoldOnly() ? "k " : "h ";
    }

    private static void addTimesAndOwner(TransferredLease lease, List<byte[]> arguments) {
        arguments.add(ScriptValues.micros(lease.age()));
        arguments.add(ScriptValues.number(withSlack(lease.remaining())));
        arguments.add(ScriptValues.owner(lease.owner()));
    }

    private static long withSlack(Duration remaining) {
        long millis = ScriptValues.wholeMillis(remaining);
        return millis + millis / SLACK_SHARE + SLACK_MILLIS;
    }

    /** Writes the record of the term. */
    public ScriptCall activate(long base) {
        return ScriptCall.of(Script.ACTIVATE, keys, 0, List.of(keys.term()), List.of(ScriptValues.number(base)));
    }
}
