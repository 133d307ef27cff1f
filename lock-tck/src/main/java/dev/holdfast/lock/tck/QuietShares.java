package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.ShareRules.ONE_OF_TWO;
import static dev.holdfast.lock.tck.ShareRules.READER;
import static dev.holdfast.lock.tck.ShareRules.WRITER;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A holder that dies, waiters that die as well, and a waiter behind them. Nothing is asked until the claim windows of the dead waiters
 * have passed, counted from when the lease of the holder ended.
 *
 * @param released what another holder has until all wait
 */
record QuietShares(Optional<Share> released, Share held, List<Share> dead, Share next) {

    private static final Share ONE_OF_THREE = new Share(1, 3);
    private static final Share TWO_OF_THREE = new Share(2, 3);

    /** In each the holder is in the way of dead waiters, and these are in the way of the last one; where a share is released, of the second. */
    static final List<QuietShares> ALL = List.of(
            new QuietShares(Optional.empty(), WRITER, List.of(READER, READER), WRITER),
            new QuietShares(Optional.empty(), READER, List.of(WRITER), READER),
            new QuietShares(Optional.empty(), ONE_OF_TWO, List.of(TWO_OF_THREE), TWO_OF_THREE),
            new QuietShares(Optional.of(ONE_OF_THREE), TWO_OF_THREE, List.of(ONE_OF_THREE, ONE_OF_THREE), WRITER));

    /** Whether the machine was quick enough to show that the acquire of a newcomer passes over the dead waiters. */
    boolean arePassedOver(StoreClient client, LockName name) {
        LockCommand.Acquire waiter = acquire(StoreClient.queueing(name, Kit.id(), LONG), next);
        long sent = System.nanoTime();
        List<LockReply> joined = client.executeAll(commands(name, waiter));
        long over =
                System.nanoTime() + ClaimWindowRules.longer(SHORT) + ClaimWindowRules.longer(QueueTimes.CLAIM_WINDOW);
        if (joined.stream().filter(LockReply.Queued.class::isInstance).count() <= dead.size()) {
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
        AcquisitionId leaving = Kit.id();
        released.ifPresent(share -> commands.add(acquire(StoreClient.acquiring(name, leaving, LONG), share)));
        commands.add(acquire(StoreClient.acquiring(name, Kit.id(), SHORT), held));
        dead.forEach(share -> commands.add(acquire(StoreClient.queueing(name, Kit.id(), LONG), share)));
        commands.add(waiter);
        released.ifPresent(
                share -> commands.add(new LockCommand.Release(name, leaving, Duration.ZERO, Duration.ZERO, share)));
        return commands;
    }

    private static LockCommand.Acquire acquire(LockCommand.Acquire command, Share share) {
        return StoreClient.withShare(command, share);
    }
}
