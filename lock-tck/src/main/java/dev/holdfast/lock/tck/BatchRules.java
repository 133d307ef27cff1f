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
        List<HeldLock> held = grantForDifferentTimes(client);
        Collections.shuffle(held, new Random(kit.contract.seed()));
        List<LockCommand> commands = new ArrayList<>();
        for (int i = 0; i < held.size(); i++) {
            commands.add(client.renewing(held.get(i), LONG.multipliedBy(50 + i)));
        }
        List<LockReply> replies = client.executeAll(commands);
        for (int i = 0; i < held.size(); i++) {
            LockReply.Granted granted = StoreClient.expect(LockReply.Granted.class, commands.get(i), replies.get(i));
            expectOwnLength(commands.get(i), granted, LONG.multipliedBy(50 + i));
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

    /** By one batch. */
    private static List<HeldLock> grantForDifferentTimes(StoreClient client) {
        List<LockCommand> commands = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            commands.add(acquiring(new LockName("lock " + i), Kit.id(), LONG.multipliedBy(20 - i)));
        }
        long sent = System.nanoTime();
        List<LockReply> replies = client.executeAll(commands);
        List<HeldLock> held = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            LockReply.Granted granted = StoreClient.expect(LockReply.Granted.class, commands.get(i), replies.get(i));
            expectOwnLength(commands.get(i), granted, LONG.multipliedBy(20 - i));
            held.add(StoreClient.held(commands.get(i), granted, sent));
        }
        return held;
    }

    private static void expectOwnLength(LockCommand command, LockReply.Granted granted, Duration length) {
        if (granted.remaining().compareTo(length) > 0
                || granted.remaining().compareTo(length.minus(LONG.dividedBy(2))) < 0) {
            throw new RuleBroken("beside commands for other lengths the remaining time must be that of the command, "
                    + length + ", but it is " + granted.remaining() + "\n  for " + command);
        }
    }

    @Checks(P4_9)
    default void p4_9_commandsOnOneNameKeepTheirOrder(Kit kit) {
        StoreClient client = kit.client();
        AcquisitionId first = Kit.id();
        AcquisitionId second = Kit.id();
        LockName other = new LockName("another name");
        List<LockCommand> commands = List.of(
                acquiring(JOB, first, LONG),
                acquiring(other, second, LONG),
                acquiring(JOB, second, LONG),
                new LockCommand.Release(JOB, first, Duration.ZERO, LONG),
                acquiring(JOB, first, LONG),
                new LockCommand.Release(other, second, Duration.ZERO, Duration.ZERO),
                acquiring(JOB, second, LONG),
                new LockCommand.Renew(JOB, second, LONG),
                acquiring(JOB, first, LONG));
        List<LockReply> replies = client.executeAll(commands);
        long one = StoreClient.expect(LockReply.Granted.class, commands.get(0), replies.get(0))
                .token();
        StoreClient.expect(LockReply.Granted.class, commands.get(1), replies.get(1));
        StoreClient.expect(LockReply.Busy.class, commands.get(2), replies.get(2));
        StoreClient.expect(LockReply.Released.class, commands.get(3), replies.get(3));
        StoreClient.expect(LockReply.Gone.class, commands.get(4), replies.get(4));
        StoreClient.expect(LockReply.Released.class, commands.get(5), replies.get(5));
        long two = StoreClient.expect(LockReply.Granted.class, commands.get(6), replies.get(6))
                .token();
        StoreClient.expect(LockReply.Granted.class, commands.get(7), replies.get(7));
        StoreClient.expect(LockReply.Gone.class, commands.get(8), replies.get(8));
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
        List<LockCommand> commands = List.of(
                acquiring(new LockName("before"), Kit.id(), LONG),
                acquiring(busy, Kit.id(), LONG),
                acquiring(new LockName("between"), Kit.id(), LONG),
                acquiring(new LockName("impossible"), Kit.id(), LONG, LockReply.Granted.MAX_TOKEN),
                acquiring(new LockName("after"), Kit.id(), LONG));
        List<LockReply> replies = client.executeAll(commands);
        StoreClient.expect(LockReply.Busy.class, commands.get(1), replies.get(1));
        if (replies.get(3) instanceof LockReply.Granted) {
            throw new RuleBroken("no token is greater than 2^53 - 1, but the reply was " + replies.get(3));
        }
        for (int i : new int[] {0, 2, 4}) {
            LockReply.Granted granted = StoreClient.expect(LockReply.Granted.class, commands.get(i), replies.get(i));
            client.expectHeld(new HeldLock(
                    commands.get(i).name(), commands.get(i).id(), granted.token(), granted.remaining(), 0, 0));
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
        List<LockReply> replies = client.executeAll(acquire, manySteps);
        for (int i = 0; i < replies.size(); i++) {
            StoreClient.expect(LockReply.Granted.class, acquire.get(i), replies.get(i));
        }
        release.add(500, acquiring(new LockName("impossible"), Kit.id(), LONG, LockReply.Granted.MAX_TOKEN));
        replies = client.executeAll(release, manySteps);
        for (int i = 0; i < replies.size(); i++) {
            if (i == 500) {
                continue;
            }
            if (!StoreClient.expect(LockReply.Released.class, release.get(i), replies.get(i))
                    .wasHeld()) {
                throw new RuleBroken("a large batch granted the lock of command " + i
                        + ", but its release found it not held: " + release.get(i));
            }
        }
        expectOrder(client);
    }

    /** The locks of a large batch are handed on within it, one command on each name after the other. */
    private static void expectOrder(StoreClient client) {
        int names = 50;
        AcquisitionId first = Kit.id();
        AcquisitionId second = Kit.id();
        List<LockCommand> commands = new ArrayList<>();
        for (int step = 0; step < 4; step++) {
            for (int i = 0; i < names; i++) {
                LockName name = new LockName("handed on " + i);
                commands.add(
                        step == 2
                                ? new LockCommand.Release(name, first, Duration.ZERO, LONG)
                                : acquiring(name, step == 0 ? first : second, LONG));
            }
        }
        List<LockReply> replies = client.executeAll(commands);
        List<Class<? extends LockReply>> kinds = List.of(
                LockReply.Granted.class, LockReply.Busy.class, LockReply.Released.class, LockReply.Granted.class);
        for (int i = 0; i < commands.size(); i++) {
            StoreClient.expect(kinds.get(i / names), commands.get(i), replies.get(i));
        }
    }
}
