package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P2_1;
import static dev.holdfast.lock.tck.Rule.P2_10;
import static dev.holdfast.lock.tck.Rule.P2_2;
import static dev.holdfast.lock.tck.Rule.P2_3;
import static dev.holdfast.lock.tck.Rule.P2_4;
import static dev.holdfast.lock.tck.Rule.P2_5;
import static dev.holdfast.lock.tck.Rule.P2_6;
import static dev.holdfast.lock.tck.Rule.P2_7;
import static dev.holdfast.lock.tck.Rule.P2_8;
import static dev.holdfast.lock.tck.Rule.P2_9;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.List;

/** P2: tokens increase, whatever happens between grants. */
interface TokenRules {

    /** One hour ahead of the store's clock, in microseconds. */
    long AHEAD = 3_600_000_000L;

    @Checks(P2_1)
    default void p2_1_tokensIncreaseAcrossReleases(Kit kit) {
        StoreClient client = kit.client();
        long last = 0;
        for (int i = 0; i < 50; i++) {
            HeldLock held = client.grant(JOB, LONG);
            last = increasing(last, held, "after a release");
            client.release(held);
        }
    }

    @Checks(P2_2)
    default void p2_2_tokensIncreaseAcrossExpiry(Kit kit) {
        StoreClient client = kit.client();
        HeldLock first = client.grant(JOB, SHORT);
        HeldLock second = client.awaitGrant(JOB, SHORT);
        increasing(first.token(), second, "after an expiry");
        increasing(second.token(), client.awaitGrant(JOB, LONG), "after a second expiry");
    }

    @Checks(P2_3)
    default void p2_3_tokensIncreaseWhenTheStoreIsReopened(Kit kit) {
        StoreClient before = kit.anotherClient();
        long last = tokenAhead(before);
        before.close();
        increasing(last, kit.anotherClient().grant(JOB, LONG), "the store was closed and opened again");
    }

    @Checks(value = P2_4, exclusive = true)
    default void p2_4_tokensIncreaseAcrossARestart(Kit kit) {
        StoreClient before = kit.client();
        HeldLock first = before.grant(JOB, LONG);
        before.release(first);
        HeldLock ahead = before.grant(acquiring(JOB, Kit.id(), SHORT, first.token() + AHEAD));

        kit.restart();

        // A restart may lose a release, which costs only time; so this lease is left to expire.
        increasing(ahead.token(), kit.patientClient().awaitGrant(JOB, LONG), "after a restart");
    }

    @Checks(P2_5)
    default void p2_5_tokensIncreaseAcrossPruning(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(new LockName("in use"), LONG);
        kit.expectKept(List.of(held));
        long last = tokenAhead(client, SHORT);
        kit.awaitPruning(1);
        client.release(held);
        kit.awaitPruning(0);
        increasing(last, client.grant(JOB, LONG), "the idle name was pruned, and later one with a smaller token");
    }

    @Checks(P2_6)
    default void p2_6_tokensIncreaseWhileTheClockIsBehind(Kit kit) {
        long last = tokenAhead(kit.client());
        HeldLock next = kit.client().grant(JOB, LONG);
        increasing(last, next, "after a grant whose token was an hour ahead of the clock");
    }

    @Checks(value = P2_7, exclusive = true)
    default void p2_7_tokensIncreaseWhenTheClockStepsBack(Kit kit) {
        HeldLock first = kit.client().grant(JOB, LONG);
        kit.client().release(first);
        kit.contract.stepClockBack(kit.namespace, Duration.ofHours(1));
        increasing(first.token(), kit.client().grant(JOB, LONG), "the store's clock was set back");
    }

    @Checks(P2_8)
    default void p2_8_tokensAreGreaterThanBothFloors(Kit kit) {
        StoreClient client = kit.client();
        HeldLock first = client.grant(JOB, LONG);
        client.release(first);

        long above = first.token() + AHEAD;
        HeldLock second = client.grant(acquiring(JOB, Kit.id(), LONG, above));
        increasing(above, second, "the token floor was " + above);
        client.release(second);

        increasing(second.token(), client.grant(acquiring(JOB, Kit.id(), LONG, 7)), "the token floor was 7");

        LockName lapsed = new LockName("lapsed");
        HeldLock expired = client.grant(lapsed, Duration.ofMillis(50));
        Kit.pause(Duration.ofMillis(100));
        long later = expired.token() + AHEAD;
        HeldLock next = client.grant(acquiring(lapsed, Kit.id(), LONG, later));
        increasing(later, next, "the token floor was " + later + ", and the lease before had expired");
    }

    @Checks(P2_9)
    default void p2_9_theTokenOfAGrantStaysTheSame(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        client.expectHeld(held);
        LockCommand.Renew renew = new LockCommand.Renew(JOB, held.id(), LONG);
        long renewed = StoreClient.expect(LockReply.Granted.class, renew, client.execute(renew))
                .token();
        if (renewed != held.token()) {
            throw new RuleBroken("a renewal got token " + renewed + ", but the grant had " + held.token());
        }
        client.expectHeld(held);
    }

    @Checks(P2_10)
    default void p2_10_noTokenExceedsTheMaximum(Kit kit) {
        StoreClient client = kit.client();
        client.release(JOB, client.grant(JOB, LONG).id(), Duration.ZERO, LONG); // so that the name is known
        AcquisitionId id = Kit.id();
        for (long above : new long[] {LockReply.Granted.MAX_TOKEN, Long.MAX_VALUE}) {
            for (boolean queue : new boolean[] {false, true}) {
                LockCommand.Acquire command = new LockCommand.Acquire(JOB, id, LONG, queue, above, "too great");
                LockReply reply = client.tryExecute(command, Duration.ofSeconds(10));
                if (!(reply instanceof LockReply.Unavailable)) {
                    throw new RuleBroken("no token is greater than 2^53 - 1, but with the floor " + above
                            + " the reply was " + reply);
                }
            }
        }
        client.release(client.grant(JOB, LONG)); // another id, for which the lock is free
        client.release(client.grant(acquiring(JOB, id, LONG)));
        if (client.store().capabilities().contains(Capability.QUEUE)) {
            kit.withinClaimWindow(name -> expectPlaceIsKept(client, name, ShareRules.WRITER));
        }
        if (client.store().capabilities().contains(Capability.SHARES)) {
            kit.withinClaimWindow(
                    job -> expectPlaceIsKept(client, new LockName(job + " for a share"), ShareRules.READER));
        }
    }

    /** A waiter that is refused for want of a token stays the first. */
    private static void expectPlaceIsKept(StoreClient client, LockName name, Share share) {
        HeldLock holder = client.grant(name, LONG);
        AcquisitionId first = client.enqueue(name, share);
        client.release(holder);
        LockCommand.Acquire tooGreat =
                new LockCommand.Acquire(name, first, LONG, true, LockReply.Granted.MAX_TOKEN, "too great", share);
        LockReply reply = client.tryExecute(tooGreat, Duration.ofSeconds(10));
        if (!(reply instanceof LockReply.Unavailable)) {
            throw new RuleBroken("no token is greater than 2^53 - 1, but the reply to a waiter was " + reply);
        }
        client.expectBusy(name);
        client.claim(name, first, share);
    }

    /** Leaves the lock free, with a last token that the store's clock reaches in an hour. */
    private static long tokenAhead(StoreClient client) {
        return tokenAhead(client, LONG);
    }

    private static long tokenAhead(StoreClient client, Duration lease) {
        HeldLock first = client.grant(JOB, lease);
        client.release(first);
        HeldLock ahead = client.grant(acquiring(JOB, Kit.id(), lease, first.token() + AHEAD));
        client.release(ahead);
        return ahead.token();
    }

    private static long increasing(long last, HeldLock next, String after) {
        if (next.token() <= last) {
            throw new RuleBroken("token " + next.token() + " is not greater than " + last + ": " + after);
        }
        return next.token();
    }
}
