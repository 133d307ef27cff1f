package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P10_1;
import static dev.holdfast.lock.tck.Rule.P10_2;
import static dev.holdfast.lock.tck.Rule.P10_3;
import static dev.holdfast.lock.tck.Rule.P10_4;
import static dev.holdfast.lock.tck.Rule.P10_6;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** P10: a renewal extends a lease, and never revives one. */
interface RenewalRules {

    @Checks(P10_1)
    default void p10_1_aRenewalExtends(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = renewedInTime(client);
        List<HeldLock> many = manyRenewedInTime(client);
        Kit.pause(SHORT.plus(SHORT));

        client.expectBusy(held.name());
        client.expectHeld(held);
        client.expectAllBusy(many);

        LockName other = new LockName("renewed for a moment");
        HeldLock brief = client.grant(other, LONG.dividedBy(1000));
        LockCommand.Renew renew = new LockCommand.Renew(other, brief.id(), SHORT.multipliedBy(2));
        long sent = System.nanoTime();
        if (client.execute(renew) instanceof LockReply.Granted renewed) {
            long early = sent
                    + Kit.slewed(renewed.remaining())
                    - client.awaitGrant(other, LONG).received();
            if (early > 0) {
                throw new RuleBroken("a lease that was renewed, with " + renewed.remaining() + " remaining, was ended,"
                        + " and the lock granted to another id " + Duration.ofNanos(early) + " before its end");
            }
        }

        LockName twice = new LockName("renewed at once");
        HeldLock held2 = client.grant(twice, LONG);
        client.renew(held2, LONG);
        LockCommand.Acquire again = StoreClient.acquiring(twice, held2.id(), LONG);
        Duration remaining = StoreClient.expect(LockReply.Granted.class, again, client.execute(again))
                .remaining();
        if (remaining.compareTo(LONG) > 0) {
            throw new RuleBroken("a lease was renewed twice for " + LONG + ", and has " + remaining + " remaining");
        }
    }

    /** Repeats the grant if the machine was too slow to renew within the lease. */
    private static HeldLock renewedInTime(StoreClient client) {
        for (int attempt = 0; ; attempt++) {
            HeldLock held = client.grant(new LockName("renewed " + attempt), SHORT);
            LockReply reply = client.renew(held, LONG);
            if (reply instanceof LockReply.Granted granted) {
                if (granted.remaining().compareTo(LONG.dividedBy(2)) < 0
                        || granted.remaining().compareTo(LONG) > 0) {
                    throw new RuleBroken(
                            "a lease was just renewed for " + LONG + " and has " + granted.remaining() + " remaining");
                }
                return held;
            }
            if (System.nanoTime() < held.validUntil() || attempt == 20) {
                throw new RuleBroken("the renewal of a lease that has not expired was answered " + reply);
            }
        }
    }

    /** Those of many leases that were renewed before their end, which a machine that is too slow may miss at first. */
    private static List<HeldLock> manyRenewedInTime(StoreClient client) {
        List<HeldLock> renewed = new ArrayList<>();
        for (int attempt = 0; renewed.isEmpty() && attempt < 20; attempt++) {
            List<HeldLock> leases = client.grantAll("one of many " + attempt, Kit.SAMPLE, SHORT);
            List<LockReply> replies = client.executeAll(leases.stream()
                    .<LockCommand>map(lease -> client.renewing(lease, LONG))
                    .toList());
            for (int at = 0; at < replies.size(); at++) {
                if (replies.get(at) instanceof LockReply.Granted) {
                    renewed.add(leases.get(at));
                }
            }
        }
        return renewed;
    }

    @Checks(P10_2)
    default void p10_2_aRenewalNeverRevivesALease(Kit kit) {
        StoreClient client = kit.client();
        Duration moment = Duration.ofMillis(50);
        HeldLock held = client.grant(JOB, moment);
        Kit.pause(moment.plus(moment));

        client.expectGone(new LockCommand.Renew(JOB, held.id(), LONG));
        HeldLock next = client.grant(JOB, LONG);
        client.expectGone(new LockCommand.Renew(JOB, held.id(), LONG));
        client.expectHeld(next);
    }

    @Checks(P10_3)
    default void p10_3_aRenewalAfterTheReleaseChangesNothing(Kit kit) {
        StoreClient client = kit.client();
        for (Duration tombstone : new Duration[] {Duration.ZERO, LONG}) {
            HeldLock held = client.grant(JOB, LONG);
            client.release(JOB, held.id(), Duration.ZERO, tombstone);
            client.expectGone(new LockCommand.Renew(JOB, held.id(), LONG));
            client.release(client.grant(JOB, LONG));
        }
        client.expectGone(new LockCommand.Renew(JOB, Kit.id(), LONG));
        client.grant(JOB, LONG);
    }

    @Checks(P10_6)
    default void p10_6_aRenewalNeverShortensALease(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        LockCommand.Renew renew = new LockCommand.Renew(JOB, held.id(), SHORT);
        Duration remaining = StoreClient.expect(LockReply.Granted.class, renew, client.execute(renew))
                .remaining();
        if (remaining.compareTo(LONG.dividedBy(2)) < 0) {
            throw new RuleBroken(
                    "a lease of " + LONG + " was renewed for " + SHORT + " and has " + remaining + " remaining");
        }
        Kit.pause(SHORT.plus(SHORT));
        client.expectHeld(held);
    }

    @Checks(P10_4)
    default void p10_4_aRenewalExtendsOnlyItsOwnLease(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = heldAsAnotherRenews(client);
        client.awaitGrant(held.name(), LONG);
        client.expectGone(new LockCommand.Renew(held.name(), held.id(), LONG));
    }

    /** Repeats the grant if the machine was too slow for a second command within the lease. */
    private static HeldLock heldAsAnotherRenews(StoreClient client) {
        for (int attempt = 0; ; attempt++) {
            HeldLock held = client.grant(new LockName("held " + attempt), SHORT);
            client.expectGone(new LockCommand.Renew(held.name(), Kit.id(), LONG));
            if (System.nanoTime() < held.validUntil()) {
                return held;
            }
            if (attempt == 20) {
                throw new RuleBroken("every attempt took longer than " + SHORT + " for two commands");
            }
        }
    }
}
