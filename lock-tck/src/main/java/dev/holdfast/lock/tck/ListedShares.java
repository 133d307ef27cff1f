package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.ShareRules.READER;
import static dev.holdfast.lock.tck.ShareRules.WRITER;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a listing must show of the shares of a lock. */
final class ListedShares {

    private ListedShares() {}

    /** Several holders with leases of different lengths, and several waiters. */
    static void expectAll(StoreClient client, LockName name) {
        List<HeldLock> holders = new ArrayList<>();
        for (Share share : List.of(new Share(1, 4), READER, new Share(2, 4))) {
            holders.add(client.grant(name, share, LONG.multipliedBy(1 + holders.size())));
            Kit.pause(SHORT);
        }
        List<Share> shares = List.of(new Share(3, 3), WRITER, READER);
        List<LockInfo.Waiter> waiters = shares.stream()
                .map(share -> new LockInfo.Waiter(StoreClient.owner(client.enqueue(name, share)), share))
                .toList();
        LockInfo shown = expectHolders(client, name, holders);
        if (!shown.waiters().equals(waiters)) {
            throw new RuleBroken("the waiters are, in order, " + waiters + ", but listed are " + shown.waiters());
        }
        if (shown.minimumHoldUntil().isPresent()) {
            throw new RuleBroken("a lock without a minimum hold is listed with one: " + shown);
        }
        // How far apart they are says nothing: a failover dates each grant anew, on a machine that may stand still.
        long instants =
                shown.holders().stream().map(LockInfo.Holder::since).distinct().count();
        if (instants != holders.size()) {
            throw new RuleBroken("the shares were granted at least " + SHORT
                    + " one after the other, but some are listed with the same time of the grant: " + shown.holders());
        }
    }

    /** More holders and waiters than a store may read at a time. */
    static void expectCrowd(StoreClient client, LockName name) {
        List<LockCommand.Acquire> holders = crowd(name, false, READER);
        List<LockCommand.Acquire> waiters = crowd(name, true, WRITER);
        client.executeAll(List.copyOf(holders));
        client.executeAll(List.copyOf(waiters));
        LockInfo shown = client.find(name);
        expectOwners(
                holders, shown.holders().stream().map(LockInfo.Holder::owner).toList());
        expectOwners(waiters, shown.waitingOwners());
    }

    private static List<LockCommand.Acquire> crowd(LockName name, boolean queue, Share share) {
        return Stream.generate(Kit::id)
                .limit(Kit.CROWD)
                .map(id -> queue ? StoreClient.queueing(name, id, LONG) : StoreClient.acquiring(name, id, LONG))
                .map(command -> StoreClient.withShare(command, share))
                .toList();
    }

    private static void expectOwners(List<LockCommand.Acquire> commands, List<String> listed) {
        List<String> owners = commands.stream().map(LockCommand.Acquire::owner).toList();
        if (!listed.equals(owners)) {
            throw new RuleBroken(
                    "these hold the lock or wait for it, in order: " + owners + ", but listed are " + listed);
        }
    }

    /** Several minimum holds beside a holder: the one that ends last counts, which is neither that of the first nor of the last. */
    static void expectTheLastMinimumHold(StoreClient client, LockName name) {
        Share one = new Share(1, 4);
        List<Duration> minimumHolds = List.of(LONG, LONG.multipliedBy(3), LONG.multipliedBy(2));
        List<HeldLock> released =
                minimumHolds.stream().map(any -> client.grant(name, one, LONG)).toList();
        HeldLock beside = client.grant(name, one, LONG);
        for (int at = 0; at < released.size(); at++) {
            client.release(released.get(at), minimumHolds.get(at), Duration.ZERO);
        }
        LockInfo shown = expectHolders(client, name, List.of(beside));
        Instant until = shown.minimumHoldUntil()
                .orElseThrow(() ->
                        new RuleBroken("a minimum hold that keeps a share beside a holder is not listed: " + shown));
        Duration left = Duration.between(shown.holders().get(0).since(), until);
        if (left.minus(minimumHolds.get(1)).abs().compareTo(LONG.dividedBy(2)) > 0) {
            throw new RuleBroken("of minimum holds of " + minimumHolds + " the end of the last is to be listed, but "
                    + left + " after the latest grant is: " + shown);
        }
    }

    private static String text(AcquisitionId id, String owner, long token, Share share) {
        return id + " of '" + owner + "' with token " + token + " and " + share;
    }

    /** Returns the listing of this lock, which must have these holders, each with its lease. */
    static LockInfo expectHolders(StoreClient client, LockName name, List<HeldLock> holders) {
        LockInfo shown = client.find(name);
        List<String> expected = holders.stream()
                .map(held -> text(held.id(), StoreClient.owner(held.id()), held.token(), held.share()))
                .toList();
        List<String> listed = shown.holders().stream()
                .map(holder -> text(holder.id(), holder.owner(), holder.token(), holder.share()))
                .toList();
        if (!listed.equals(expected)) {
            throw new RuleBroken(
                    "the holders, in the order of their tokens, are " + expected + ", but listed are " + listed);
        }
        for (int at = 0; at < holders.size(); at++) {
            HeldLock held = holders.get(at);
            LockInfo.Holder holder = shown.holders().get(at);
            Duration length = Duration.between(holder.since(), holder.until());
            // The leases differ by more; a store may keep one for longer while it fails over.
            if (length.minus(held.remaining()).abs().compareTo(LONG.dividedBy(2)) > 0) {
                throw new RuleBroken("a share was granted for " + held.remaining() + ", but is listed with a length of "
                        + length + ": " + holder);
            }
        }
        return shown;
    }
}
