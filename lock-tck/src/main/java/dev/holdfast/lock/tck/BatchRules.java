package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P4_10;
import static dev.holdfast.lock.tck.Rule.P4_11;
import static dev.holdfast.lock.tck.Rule.P4_8;
import static dev.holdfast.lock.tck.Rule.P4_9;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** P4: the commands of a batch get the replies that each would get alone. */
interface BatchRules {

    @Checks(P4_8)
    default void p4_8_aBatchIsAnsweredInOrder(Kit kit) {
        StoreClient client = kit.client();
        client.executeAll(List.of());
        List<HeldLock> held = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            held.add(client.grant(new LockName("lock " + i), LONG));
        }
        Collections.shuffle(held, new Random(kit.contract.seed()));
        List<LockCommand> steps = new ArrayList<>();
        for (HeldLock one : held) {
            steps.add(new LockCommand.Renew(one.name(), one.id(), LONG));
        }
        List<LockReply> answers = client.executeAll(steps);
        for (int i = 0; i < held.size(); i++) {
            LockReply.Granted granted = StoreClient.expect(LockReply.Granted.class, steps.get(i), answers.get(i));
            if (granted.token() != held.get(i).token()) {
                throw new RuleBroken("reply " + i + " of " + held.size() + " has the token of another command: "
                        + granted.token() + " instead of " + held.get(i).token());
            }
        }
        List<LockCommand> mixed = List.of(
                new LockCommand.Release(held.get(0).name(), held.get(0).id(), Duration.ZERO, Duration.ZERO),
                new LockCommand.Renew(held.get(1).name(), Kit.id(), LONG),
                acquiring(held.get(2).name(), Kit.id(), LONG),
                acquiring(JOB, Kit.id(), LONG));
        List<LockReply> differing = client.executeAll(mixed);
        StoreClient.expect(LockReply.Released.class, mixed.get(0), differing.get(0));
        StoreClient.expect(LockReply.Gone.class, mixed.get(1), differing.get(1));
        StoreClient.expect(LockReply.Busy.class, mixed.get(2), differing.get(2));
        StoreClient.expect(LockReply.Granted.class, mixed.get(3), differing.get(3));
    }

    @Checks(P4_9)
    default void p4_9_commandsOnOneNameKeepTheirOrder(Kit kit) {
        StoreClient client = kit.client();
        AcquisitionId first = Kit.id();
        AcquisitionId second = Kit.id();
        LockName other = new LockName("another name");
        List<LockCommand> steps = List.of(
                acquiring(JOB, first, LONG),
                acquiring(other, second, LONG),
                acquiring(JOB, second, LONG),
                new LockCommand.Release(JOB, first, Duration.ZERO, LONG),
                acquiring(JOB, first, LONG),
                new LockCommand.Release(other, second, Duration.ZERO, Duration.ZERO),
                acquiring(JOB, second, LONG),
                new LockCommand.Renew(JOB, second, LONG));
        List<LockReply> answers = client.executeAll(steps);
        long one = StoreClient.expect(LockReply.Granted.class, steps.get(0), answers.get(0))
                .token();
        StoreClient.expect(LockReply.Granted.class, steps.get(1), answers.get(1));
        StoreClient.expect(LockReply.Busy.class, steps.get(2), answers.get(2));
        StoreClient.expect(LockReply.Released.class, steps.get(3), answers.get(3));
        StoreClient.expect(LockReply.Gone.class, steps.get(4), answers.get(4));
        StoreClient.expect(LockReply.Released.class, steps.get(5), answers.get(5));
        long two = StoreClient.expect(LockReply.Granted.class, steps.get(6), answers.get(6))
                .token();
        StoreClient.expect(LockReply.Granted.class, steps.get(7), answers.get(7));
        if (two <= one) {
            throw new RuleBroken(
                    "token " + two + " is not greater than " + one + ", the one before it in the same batch");
        }
    }

    @Checks(P4_10)
    default void p4_10_aFailedCommandDoesNotAffectOthers(Kit kit) {
        StoreClient client = kit.client();
        LockName busy = new LockName("busy");
        client.grant(busy, LONG);
        List<LockCommand> steps = List.of(
                acquiring(new LockName("before"), Kit.id(), LONG),
                acquiring(busy, Kit.id(), LONG),
                acquiring(new LockName("between"), Kit.id(), LONG),
                acquiring(new LockName("impossible"), Kit.id(), LONG, LockReply.Granted.MAX_TOKEN),
                acquiring(new LockName("after"), Kit.id(), LONG));
        List<LockReply> answers = client.executeAll(steps);
        StoreClient.expect(LockReply.Busy.class, steps.get(1), answers.get(1));
        if (answers.get(3) instanceof LockReply.Granted) {
            throw new RuleBroken("no token is greater than 2^53 - 1, but the reply was " + answers.get(3));
        }
        for (int i : new int[] {0, 2, 4}) {
            LockReply.Granted granted = StoreClient.expect(LockReply.Granted.class, steps.get(i), answers.get(i));
            client.expectHeld(
                    new HeldLock(steps.get(i).name(), steps.get(i).id(), granted.token(), granted.remaining(), 0, 0));
        }
    }

    @Checks(P4_11)
    default void p4_11_aBatchMayBeLarge(Kit kit) {
        StoreClient client = kit.client();
        Duration manySteps = Duration.ofSeconds(100);
        List<LockCommand> acquire = new ArrayList<>();
        List<LockCommand> release = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            LockName name = new LockName("one of many " + i);
            AcquisitionId id = Kit.id();
            acquire.add(acquiring(name, id, LONG));
            release.add(new LockCommand.Release(name, id, Duration.ZERO, Duration.ZERO));
        }
        List<LockReply> answers = client.executeAll(acquire, manySteps);
        for (int i = 0; i < answers.size(); i++) {
            StoreClient.expect(LockReply.Granted.class, acquire.get(i), answers.get(i));
        }
        answers = client.executeAll(release, manySteps);
        for (int i = 0; i < answers.size(); i++) {
            if (!StoreClient.expect(LockReply.Released.class, release.get(i), answers.get(i))
                    .wasHeld()) {
                throw new RuleBroken("a large batch granted the lock of command " + i
                        + ", but its release found it not held: " + release.get(i));
            }
        }
    }
}
