package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.tck.internal.ClockAgent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** A process whose clock is wrong, and the effects of its commands that another process must see. */
final class ShiftedClient {

    /** Printed by the process if all replies were right, with the fields that {@link #verify} needs. */
    private static final String DONE = "done";

    private static final String BROKEN = "broken";

    /** An id that the process releases with a tombstone, and that nothing was granted to. */
    private static final AcquisitionId BURIED = new AcquisitionId(1, 2);

    private final String clock;
    private final String prefix;
    private final ChildProcess process;
    private final long tokenBefore;

    private ShiftedClient(String clock, String prefix, ChildProcess process, long tokenBefore) {
        this.clock = clock;
        this.prefix = prefix;
        this.process = process;
        this.tokenBefore = tokenBefore;
    }

    /** Acquires the locks that the process must find held, and starts it. */
    static ShiftedClient start(Kit kit, Path directory, int number, Duration shift) throws IOException {
        StoreClient client = kit.client();
        String prefix = shift.isNegative() ? "behind " : "ahead ";
        client.grant(new LockName(prefix + "held"), Kit.LONG);
        HeldLock first = client.grant(new LockName(prefix + "token"), Kit.LONG);
        client.release(first);
        Properties configuration = kit.forLocks(kit.contract.configuration(), Kit.LONG);
        ChildProcess process = kit.closeAfterwards(new ChildProcess(
                directory, number, configuration, List.of(ClockAgent.option(directory, shift)), "commands", prefix));
        return new ShiftedClient(
                "a client whose clock is " + shift.abs() + " " + prefix.strip(), prefix, process, first.token());
    }

    /** The commands of the process. The result is a line for {@link #verify}. */
    static String execute(StoreClient client, String prefix) {
        try {
            client.expectBusy(new LockName(prefix + "held"));
            HeldLock own = client.grant(new LockName(prefix + "own"), Kit.LONG);
            LockCommand.Renew renewal = client.renewing(own, Kit.LONG);
            StoreClient.expect(LockReply.Granted.class, renewal, client.execute(renewal));
            client.expectHeld(own);
            HeldLock kept = client.grant(new LockName(prefix + "kept"), Kit.LONG);
            client.release(kept.name(), kept.id(), Kit.LONG, Duration.ZERO);
            client.release(new LockName(prefix + "buried"), BURIED, Duration.ZERO, Kit.LONG);
            HeldLock token = client.grant(new LockName(prefix + "token"), Kit.LONG);
            client.release(token);
            HeldLock brief = client.grant(new LockName(prefix + "brief"), Kit.SHORT);
            return DONE + " " + token.token() + " " + brief.token();
        } catch (RuleBroken e) {
            return BROKEN + " " + String.valueOf(e.getMessage()).replace("\n", " ");
        }
    }

    /** Waits for the commands, and checks their effect. */
    void verify(StoreClient client) throws IOException {
        String line = process.expect("");
        if (line.startsWith(BROKEN)) {
            throw new RuleBroken(
                    "for " + clock + ": " + line.substring(BROKEN.length()).strip());
        }
        String[] tokens = line.split(" ", -1);
        long token = Long.parseLong(tokens[1]);
        try {
            client.expectBusy(new LockName(prefix + "own"));
            client.expectBusy(new LockName(prefix + "kept"));
            client.expectGone(StoreClient.acquiring(new LockName(prefix + "buried"), BURIED, Kit.LONG));
            expectGreater(tokenBefore, token);
            expectGreater(
                    token,
                    client.grant(new LockName(prefix + "token"), Kit.LONG).token());
            expectGreater(
                    Long.parseLong(tokens[2]),
                    client.awaitGrant(new LockName(prefix + "brief"), Kit.LONG).token());
        } catch (RuleBroken e) {
            throw new RuleBroken("after the commands of " + clock + ": " + e.getMessage(), e);
        }
    }

    private static void expectGreater(long before, long after) {
        if (after <= before) {
            throw new RuleBroken("token " + after + " is not greater than the last token, " + before);
        }
    }
}
