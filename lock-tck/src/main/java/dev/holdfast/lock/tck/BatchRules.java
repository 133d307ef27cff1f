package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P4_10;
import static dev.holdfast.lock.tck.Rule.P4_11;
import static dev.holdfast.lock.tck.Rule.P4_8;
import static dev.holdfast.lock.tck.Rule.P4_9;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
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
        List<Step> steps = new ArrayList<>();
        for (HeldLock one : held) {
            steps.add(new Step.Renew(one.name(), one.id(), LONG));
        }
        List<Answer> answers = client.executeAll(steps);
        for (int i = 0; i < held.size(); i++) {
            Answer.Granted granted = StoreClient.expect(Answer.Granted.class, steps.get(i), answers.get(i));
            if (granted.token() != held.get(i).token()) {
                throw new RuleBroken("reply " + i + " of " + held.size() + " has the token of another command: "
                        + granted.token() + " instead of " + held.get(i).token());
            }
        }
        List<Step> mixed = List.of(
                new Step.Release(held.get(0).name(), held.get(0).id(), Duration.ZERO, Duration.ZERO),
                new Step.Renew(held.get(1).name(), Kit.id(), LONG),
                acquiring(held.get(2).name(), Kit.id(), LONG),
                acquiring(JOB, Kit.id(), LONG));
        List<Answer> differing = client.executeAll(mixed);
        StoreClient.expect(Answer.Released.class, mixed.get(0), differing.get(0));
        StoreClient.expect(Answer.Gone.class, mixed.get(1), differing.get(1));
        StoreClient.expect(Answer.Busy.class, mixed.get(2), differing.get(2));
        StoreClient.expect(Answer.Granted.class, mixed.get(3), differing.get(3));
    }

    @Checks(P4_9)
    default void p4_9_commandsOnOneNameKeepTheirOrder(Kit kit) {
        StoreClient client = kit.client();
        AcquisitionId first = Kit.id();
        AcquisitionId second = Kit.id();
        LockName other = new LockName("another name");
        List<Step> steps = List.of(
                acquiring(JOB, first, LONG),
                acquiring(other, second, LONG),
                acquiring(JOB, second, LONG),
                new Step.Release(JOB, first, Duration.ZERO, LONG),
                acquiring(JOB, first, LONG),
                new Step.Release(other, second, Duration.ZERO, Duration.ZERO),
                acquiring(JOB, second, LONG),
                new Step.Renew(JOB, second, LONG));
        List<Answer> answers = client.executeAll(steps);
        long one = StoreClient.expect(Answer.Granted.class, steps.get(0), answers.get(0))
                .token();
        StoreClient.expect(Answer.Granted.class, steps.get(1), answers.get(1));
        StoreClient.expect(Answer.Busy.class, steps.get(2), answers.get(2));
        StoreClient.expect(Answer.Released.class, steps.get(3), answers.get(3));
        StoreClient.expect(Answer.Gone.class, steps.get(4), answers.get(4));
        StoreClient.expect(Answer.Released.class, steps.get(5), answers.get(5));
        long two = StoreClient.expect(Answer.Granted.class, steps.get(6), answers.get(6))
                .token();
        StoreClient.expect(Answer.Granted.class, steps.get(7), answers.get(7));
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
        List<Step> steps = List.of(
                acquiring(new LockName("before"), Kit.id(), LONG),
                acquiring(busy, Kit.id(), LONG),
                acquiring(new LockName("between"), Kit.id(), LONG),
                acquiring(new LockName("impossible"), Kit.id(), LONG, Answer.Granted.MAX_TOKEN),
                acquiring(new LockName("after"), Kit.id(), LONG));
        List<Answer> answers = client.executeAll(steps);
        StoreClient.expect(Answer.Busy.class, steps.get(1), answers.get(1));
        if (answers.get(3) instanceof Answer.Granted) {
            throw new RuleBroken("no token is greater than 2^53 - 1, but the reply was " + answers.get(3));
        }
        for (int i : new int[] {0, 2, 4}) {
            Answer.Granted granted = StoreClient.expect(Answer.Granted.class, steps.get(i), answers.get(i));
            client.expectHeld(
                    new HeldLock(steps.get(i).name(), steps.get(i).id(), granted.token(), granted.remaining(), 0, 0));
        }
    }

    @Checks(P4_11)
    default void p4_11_aBatchMayBeLarge(Kit kit) {
        StoreClient client = kit.client();
        Duration manySteps = Duration.ofSeconds(100);
        List<Step> acquire = new ArrayList<>();
        List<Step> release = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            LockName name = new LockName("one of many " + i);
            AcquisitionId id = Kit.id();
            acquire.add(acquiring(name, id, LONG));
            release.add(new Step.Release(name, id, Duration.ZERO, Duration.ZERO));
        }
        List<Answer> answers = client.executeAll(acquire, manySteps);
        for (int i = 0; i < answers.size(); i++) {
            StoreClient.expect(Answer.Granted.class, acquire.get(i), answers.get(i));
        }
        answers = client.executeAll(release, manySteps);
        for (int i = 0; i < answers.size(); i++) {
            if (!StoreClient.expect(Answer.Released.class, release.get(i), answers.get(i))
                    .wasHeld()) {
                throw new RuleBroken("a large batch granted the lock of command " + i
                        + ", but its release found it not held: " + release.get(i));
            }
        }
    }
}
