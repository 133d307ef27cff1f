package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.ShareRules.READER;
import static dev.holdfast.lock.tck.ShareRules.WRITER;

import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
    }

    /** Returns the listing of this lock, which must have these holders, each with its lease. */
    static LockInfo expectHolders(StoreClient client, LockName name, List<HeldLock> holders) {
        LockInfo shown = client.find(name);
        List<String> expected = holders.stream()
                .map(held -> held.id() + " with token " + held.token() + " and " + held.share())
                .toList();
        List<String> listed = shown.holders().stream()
                .map(holder -> holder.id() + " with token " + holder.token() + " and " + holder.share())
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
