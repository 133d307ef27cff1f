package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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

    /** Writes these leases, one page per call. The calls may be sent any number of times. */
    public List<ScriptCall> transfer(List<TransferredLease> leases) {
        List<ScriptCall> calls = new ArrayList<>();
        for (int from = 0; from < leases.size(); from += PAGE) {
            calls.add(page(leases.subList(from, Math.min(from + PAGE, leases.size()))));
        }
        return calls;
    }

    private ScriptCall page(List<TransferredLease> leases) {
        List<byte[]> lockKeys = new ArrayList<>();
        List<byte[]> arguments = new ArrayList<>();
        for (TransferredLease lease : leases) {
            lockKeys.add(keys.lock(lease.name()));
            arguments.add(
                    ScriptValues.text((lease.minimumHoldOnly() ? "k " : "h ") + lease.id() + " " + lease.token()));
            arguments.add(ScriptValues.micros(lease.age()));
            arguments.add(ScriptValues.number(withSlack(lease.remaining())));
            arguments.add(ScriptValues.owner(lease.owner()));
        }
        lockKeys.add(keys.term());
        return ScriptCall.of(Script.TRANSFER, keys, leases.size(), lockKeys, arguments);
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
