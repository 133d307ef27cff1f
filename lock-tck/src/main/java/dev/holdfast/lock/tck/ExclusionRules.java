package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Client.acquiring;
import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P1_1;
import static dev.holdfast.lock.tck.Rule.P1_2;
import static dev.holdfast.lock.tck.Rule.P1_3;
import static dev.holdfast.lock.tck.Rule.P1_4;
import static dev.holdfast.lock.tck.Rule.P1_5;
import static dev.holdfast.lock.tck.Rule.P1_6;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** P1: at most one holder of a name, and names that are told apart exactly. */
interface ExclusionRules {

    @Checks(P1_1)
    default void p1_1_aHeldLockRefusesEveryOtherId(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, LONG);

        client.expectBusy(JOB);
        client.expectBusy(JOB);
        if (!client.store().capabilities().contains(Capability.QUEUE)) {
            Step.Acquire waiting = Client.queueing(JOB, Kit.id(), LONG);
            Client.expect(Answer.Busy.class, waiting, client.ask(waiting));
        }
        client.expectHeld(held);
        client.release(held);
        Held next = client.grant(JOB, LONG);
        client.expectBusy(JOB, held.id());
        client.expectHeld(next);
    }

    @Checks(P1_2)
    default void p1_2_namesAreComparedExactly(Kit kit) {
        Client client = kit.client();
        List<Held> all = new ArrayList<>();
        for (LockName name : Names.ALIKE) {
            Step.Acquire step = acquiring(name, Kit.id(), LONG);
            Answer answer = client.ask(step);
            if (answer instanceof Answer.Busy) {
                throw new Broken("a lock is busy because another one is held whose name is merely alike: "
                        + Names.escaped(name));
            }
            Answer.Granted granted = Client.expect(Answer.Granted.class, step, answer);
            all.add(new Held(name, step.id(), granted.token(), granted.remaining(), 0, 0));
        }
        all.forEach(client::expectHeld);
        for (Held held : all) {
            if (!client.release(held)) {
                throw new Broken("the release of a lock whose name is merely alike ended this one: "
                        + Names.escaped(held.name()));
            }
        }
    }

    @Checks(P1_3)
    default void p1_3_everyAllowedNameCanBeUsed(Kit kit) {
        Client client = kit.client();
        for (LockName name : Names.UNUSUAL) {
            try {
                Held held = client.grant(name, LONG);
                client.expectBusy(name);
                Client.expect(Answer.Granted.class, new Step.Renew(name, held.id(), LONG), client.renew(held, LONG));
                if (!client.release(held)) {
                    throw new Broken("a held lock was released, but the answer says that it was not held");
                }
                client.release(client.grant(name, LONG));
            } catch (RuntimeException | Broken e) {
                Broken broken = new Broken("with the name " + Names.escaped(name) + ": " + e.getMessage());
                broken.initCause(e);
                throw broken;
            }
        }
    }

    @Checks(P1_4)
    default void p1_4_namespacesAreIndependent(Kit kit) {
        Namespace plain = kit.namespace;
        List<Held> all = new ArrayList<>();
        List<Client> clients = new ArrayList<>();
        // Many would be the same text if namespace and name were only put one after the other, or with a dot in
        // between.
        String[][] places = {
            {"", "job"},
            {".a", "job"},
            {"", "a.job"},
            {"", ".a.job"},
            {"", ".ajob"},
            {"", "-ajob"},
            {"", "_ajob"},
            {"-a", "job"},
            {"", "a-job"},
            {"_a", "job"},
            {"", "a_job"},
            {".A", "job"},
            {"x".repeat(64 - plain.value().length()), "job"},
            {"x".repeat(63 - plain.value().length()), "job"},
            {"x".repeat(63 - plain.value().length()) + "y", "job"},
        };
        for (String[] place : places) {
            Client client = kit.clientIn(new Namespace(plain + place[0]));
            clients.add(client);
            all.add(client.grant(new LockName(place[1]), LONG));
        }
        for (int i = 0; i < all.size(); i++) {
            clients.get(i).expectHeld(all.get(i));
            if (!clients.get(i).release(all.get(i))) {
                throw new Broken("a release in another namespace ended this lock");
            }
        }
    }

    @Checks(P1_5)
    default void p1_5_everyStoreSeesTheSameLocks(Kit kit) {
        Client one = kit.client();
        Client other = kit.anotherClient();

        Set<Capability> first = one.store().capabilities();
        for (Client later : List.of(other, one, other)) {
            if (!later.store().capabilities().equals(first)) {
                throw new Broken("what a store can do is always the same, but it said " + first + " and "
                        + later.store().capabilities());
            }
        }
        Held held = one.grant(JOB, LONG);
        other.expectBusy(JOB);
        other.expectHeld(held);
        if (!other.release(held)) {
            throw new Broken("a second store does not know what was granted by the first");
        }
        other.grant(JOB, LONG);
        one.expectBusy(JOB);
    }

    @Checks(P1_6)
    default void p1_6_ofManyAtOnceExactlyOneIsGranted(Kit kit) {
        int threads = 8;
        Client client = kit.client();
        Client other = kit.anotherClient();
        for (int round = 0; round < 20; round++) {
            LockName name = new LockName("round " + round);
            List<Step.Acquire> steps = IntStream.range(0, threads)
                    .mapToObj(any -> acquiring(name, Kit.id(), LONG))
                    .toList();
            List<Answer> answers = Together.run(threads, i -> (i % 2 == 0 ? client : other).ask(steps.get(i)));
            long granted =
                    answers.stream().filter(Answer.Granted.class::isInstance).count();
            long busy = answers.stream().filter(Answer.Busy.class::isInstance).count();
            if (granted != 1 || busy != threads - 1) {
                throw new Broken(
                        threads + " threads asked for one free lock at once, one must be granted and the others"
                                + " busy: " + answers);
            }
            for (int i = 0; i < threads; i++) {
                Answer again = client.ask(steps.get(i));
                if (answers.get(i) instanceof Answer.Granted != again instanceof Answer.Granted) {
                    throw new Broken(
                            "the answer " + answers.get(i) + " was for another thread: asked again it is " + again);
                }
            }
        }
    }
}
