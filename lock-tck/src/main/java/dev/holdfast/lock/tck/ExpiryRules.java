package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P1_17;
import static dev.holdfast.lock.tck.Rule.P1_19;
import static dev.holdfast.lock.tck.Rule.P1_20;
import static dev.holdfast.lock.tck.Rule.P1_7;
import static dev.holdfast.lock.tck.Rule.P1_8;
import static dev.holdfast.lock.tck.Rule.P1_9;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** P1: a lease lasts as long as the store replied, and not for ever. */
interface ExpiryRules {

    @Checks(P1_7)
    default void p1_7_aGrantLastsAtLeastAsLongAsReplied(Kit kit) {
        StoreClient client = kit.client();
        List<HeldLock> many = client.grantAll("one of many", Kit.SAMPLE, Duration.ofSeconds(3));
        for (Duration length : new Duration[] {SHORT.multipliedBy(2), SHORT, Duration.ofNanos(250_999_999)}) {
            LockName name = new LockName("for " + length);
            HeldLock held = client.grant(name, length);
            HeldLock next = client.awaitGrant(name, LONG);
            long early = held.validUntil() - next.received();
            if (early > 0) {
                throw new RuleBroken("a lease with " + held.remaining()
                        + " remaining was ended, and the lock granted to another id, " + Duration.ofNanos(early)
                        + " before its end");
            }
        }
        expectNoneEndsEarly(client, many);
    }

    /** Acquires these locks with other ids until each is granted. */
    private static void expectNoneEndsEarly(StoreClient client, List<HeldLock> leases) {
        List<HeldLock> left = new ArrayList<>(leases);
        while (!left.isEmpty()) {
            List<LockReply> replies = client.executeAll(left.stream()
                    .<LockCommand>map(lease -> acquiring(lease.name(), Kit.id(), LONG))
                    .toList());
            long received = System.nanoTime();
            List<HeldLock> busy = new ArrayList<>();
            for (int at = 0; at < replies.size(); at++) {
                HeldLock lease = left.get(at);
                if (!(replies.get(at) instanceof LockReply.Granted)) {
                    busy.add(lease);
                } else if (received < lease.validUntil()) {
                    throw new RuleBroken("of " + leases.size() + " leases one with " + lease.remaining()
                            + " remaining was ended, and the lock granted to another id, "
                            + Duration.ofNanos(lease.validUntil() - received) + " before its end");
                }
            }
            left = busy;
            Kit.pause(Kit.TOLERANCE);
        }
    }

    @Checks(P1_8)
    default void p1_8_aLeaseEndsByItself(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, SHORT);
        // A repeated acquire is not a renewal, whatever length it asks for.
        LockReply again = client.execute(acquiring(JOB, held.id(), LONG));
        if (again instanceof LockReply.Granted granted && granted.token() != held.token()) {
            client.release(held); // the lease had ended and was forgotten, and this is a new one
        }
        client.awaitGrant(JOB, LONG);

        LockName brief = new LockName("brief");
        client.grant(brief, Duration.ofNanos(1));
        client.awaitGrant(brief, LONG);

        LockName renewed = new LockName("renewed");
        HeldLock once = client.grant(renewed, SHORT);
        if (client.renew(once, SHORT) instanceof LockReply.Granted granted) {
            Kit.pause(granted.remaining().plus(Kit.TOLERANCE));
        }
        client.grant(renewed, LONG);
    }

    @Checks(P1_9)
    default void p1_9_remainingIsTheTimeLeft(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        if (held.remaining().compareTo(LONG) > 0 || held.remaining().compareTo(LONG.dividedBy(2)) < 0) {
            throw new RuleBroken("a lease of " + LONG + " was just granted with " + held.remaining() + " remaining");
        }
        Kit.pause(Duration.ofMillis(300));

        Duration rounding = Duration.ofMillis(100);
        expectTimeLeft(client, held, acquiring(JOB, held.id(), LONG.multipliedBy(2)), rounding);
        expectTimeLeft(client, held, client.renewing(held, SHORT), rounding); // for less than is left

        LockName other = new LockName("renewed");
        HeldLock before = client.grant(other, LONG);
        LockCommand longer = client.renewing(before, LONG.multipliedBy(2));
        long sent = System.nanoTime();
        Duration left = StoreClient.expect(LockReply.Granted.class, longer, client.execute(longer))
                .remaining();
        HeldLock renewed = new HeldLock(other, before.id(), before.token(), left, sent, System.nanoTime());
        expectTimeLeft(client, renewed, acquiring(other, before.id(), LONG), LONG.dividedBy(50));

        LockCommand.Acquire shorter = acquiring(JOB, held.id(), SHORT);
        StoreClient.expect(LockReply.Granted.class, shorter, client.execute(shorter));
        Kit.pause(SHORT.plus(SHORT));
        client.expectBusy(JOB);
        client.expectHeld(held);
    }

    /** Checks the remaining time in the reply to a repeated acquire, or to a renewal that does not extend the lease. */
    private static void expectTimeLeft(StoreClient client, HeldLock held, LockCommand command, Duration tolerance) {
        long passed = System.nanoTime() - held.received();
        LockReply.Granted granted = StoreClient.expect(LockReply.Granted.class, command, client.execute(command));
        long answered = System.nanoTime() - held.sent();
        Duration longest = held.remaining().minusNanos(passed).plus(tolerance);
        // A store may deduct a margin from a reply, for clocks that differ or a lease that has moved to another server.
        Duration shortest = held.remaining().multipliedBy(3).dividedBy(4).minusNanos(answered);
        if (granted.remaining().compareTo(longest) > 0 || granted.remaining().compareTo(shortest) < 0) {
            throw new RuleBroken(Duration.ofNanos(passed) + " after a grant with " + held.remaining()
                    + " remaining, the reply was that " + granted.remaining() + " remain\n  to " + command);
        }
    }

    @Checks(P1_19)
    default void p1_19_aRefusedCallerRetriesInTime(Kit kit) {
        StoreClient client = kit.client();
        for (Duration length : List.of(SHORT.multipliedBy(2), LONG)) {
            HeldLock held = client.grant(new LockName("for " + length), length);
            expectAdvice(client, held.name(), held.remaining());
        }
        LockName kept = new LockName("kept");
        HeldLock released = client.grant(kept, LONG);
        Duration minimum = LONG.multipliedBy(2);
        client.release(kept, released.id(), minimum, Duration.ZERO);
        expectAdvice(client, kept, minimum);
    }

    private static void expectAdvice(StoreClient client, LockName name, Duration left) {
        LockReply reply = client.execute(acquiring(name, Kit.id(), LONG));
        if (reply instanceof LockReply.Busy busy && busy.retryAfter().compareTo(left) > 0) {
            throw new RuleBroken("a lock is busy for " + left + " at most, but a caller was told to retry after "
                    + busy.retryAfter());
        }
    }

    @Checks(P1_20)
    default void p1_20_durationsOfYearsWork(Kit kit) {
        StoreClient client = kit.client();
        Duration longest = DurationLimits.MAX.dividedBy(2);
        expectLeaseOf(client, longest, ShareRules.WRITER);
        if (client.store().capabilities().contains(Capability.SHARES)) {
            expectLeaseOf(client, longest, ShareRules.READER);
        }
        AcquisitionId late = Kit.id();
        LockName other = new LockName("another name");
        client.release(other, late, longest, longest);
        client.expectGone(acquiring(other, late, LONG));
        client.release(client.grant(other, LONG));
    }

    private static void expectLeaseOf(StoreClient client, Duration length, Share share) {
        HeldLock held = client.grant(new LockName("held for years with " + share), share, length);
        expectNearly(length, held.remaining());
        LockCommand again = StoreClient.withShare(acquiring(held.name(), held.id(), length), share);
        StoreClient.expect(
                LockReply.Granted.class,
                again,
                client.executeAll(List.of(again), length).get(0)); // as the timeout, too
        client.expectBusy(held.name());
        client.release(held, length, length);
        client.expectBusy(held.name());

        HeldLock brief = client.grant(new LockName("renewed for years with " + share), share, LONG);
        LockCommand renew = client.renewing(brief, length);
        for (int time = 0; time < 2; time++) {
            expectNearly(
                    length,
                    StoreClient.expect(LockReply.Granted.class, renew, client.execute(renew))
                            .remaining());
        }
    }

    private static void expectNearly(Duration length, Duration remaining) {
        if (remaining.minus(length).abs().compareTo(length.dividedBy(100)) > 0) {
            throw new RuleBroken("a lease of " + length + " has " + remaining + " remaining");
        }
    }

    /** A restart that outlasted what the grant depends on, so that the lease ended for its holder first, shows nothing. */
    @Checks(value = P1_17, exclusive = true)
    default void p1_17_aGrantSurvivesARestart(Kit kit) {
        StoreClient before = kit.patientClient();
        long start = System.nanoTime();
        while (true) {
            HeldLock held = before.grant(JOB, LONG);

            kit.restart();

            StoreClient after = kit.patientClient();
            LockCommand.Acquire others = acquiring(JOB, Kit.id(), LONG);
            LockReply reply = after.execute(others);
            long answered = System.nanoTime();
            boolean wasTooSlow = reply instanceof LockReply.Granted && before.endOf(held) - answered < 0;
            if (!wasTooSlow || System.nanoTime() - start > Kit.SLOW_LIMIT.toNanos()) {
                StoreClient.expect(LockReply.Busy.class, others, reply);
                after.expectHeld(held);
                return;
            }
            after.release(JOB, others.id(), Duration.ZERO, Duration.ZERO);
        }
    }
}
