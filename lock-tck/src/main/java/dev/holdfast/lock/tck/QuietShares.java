package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.ShareRules.ONE_OF_TWO;
import static dev.holdfast.lock.tck.ShareRules.READER;
import static dev.holdfast.lock.tck.ShareRules.WRITER;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A holder that dies, waiters that die as well, and a waiter behind them. Nothing is asked until the claim windows of the dead waiters
 * have passed, counted from when the lease of the holder ended.
 */
record QuietShares(Share held, List<Share> dead, Share next) {

    /** In each the holder is in the way of the dead waiters, and these are in the way of the last one. */
    static final List<QuietShares> ALL = List.of(
            new QuietShares(WRITER, List.of(READER, READER), WRITER),
            new QuietShares(READER, List.of(WRITER), READER),
            new QuietShares(ONE_OF_TWO, List.of(new Share(2, 3)), new Share(2, 3)));

    /** Whether the machine was quick enough to show that the acquire of a newcomer passes over the dead waiters. */
    boolean arePassedOver(StoreClient client, LockName name) {
        LockCommand.Acquire waiter = acquire(StoreClient.queueing(name, Kit.id(), LONG), next);
        long sent = System.nanoTime();
        List<LockReply> joined = client.executeAll(commands(name, waiter));
        long over =
                System.nanoTime() + ClaimWindowRules.longer(SHORT) + ClaimWindowRules.longer(QueueTimes.CLAIM_WINDOW);
        if (!joined.stream().skip(1).allMatch(LockReply.Queued.class::isInstance)) {
            return false; // the lease has ended meanwhile
        }
        Kit.pause(Duration.ofNanos(Math.max(0, over - System.nanoTime())));
        LockCommand newcomer = StoreClient.acquiring(name, Kit.id(), LONG);
        long asked = System.nanoTime();
        List<LockReply> replies = client.executeAll(List.of(newcomer, waiter));
        long now = System.nanoTime();
        if (now - asked >= Kit.slewed(QueueTimes.CLAIM_WINDOW) || now - sent >= Kit.slewed(QueueTimes.WAITER_TTL)) {
            return false;
        }
        StoreClient.expect(LockReply.Busy.class, newcomer, replies.get(0));
        StoreClient.expect(LockReply.Granted.class, waiter, replies.get(1));
        return true;
    }

    private List<LockCommand> commands(LockName name, LockCommand waiter) {
        List<LockCommand> commands = new ArrayList<>();
        commands.add(acquire(StoreClient.acquiring(name, Kit.id(), SHORT), held));
        dead.forEach(share -> commands.add(acquire(StoreClient.queueing(name, Kit.id(), LONG), share)));
        commands.add(waiter);
        return commands;
    }

    private static LockCommand.Acquire acquire(LockCommand.Acquire command, Share share) {
        return StoreClient.withShare(command, share);
    }
}
