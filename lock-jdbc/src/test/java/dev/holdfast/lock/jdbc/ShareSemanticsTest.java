package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Shares of all kinds on one lock, in stepped time, compared with {@link SharesModel}. The same on each database. */
abstract class ShareSemanticsTest extends NotificationSemanticsTest {

    private static final int SCALE = Integer.getInteger("lock.test.scale", 1);

    private static final int STEPS = 250;

    private static final List<Share> SHARES = List.of(
            Share.EXCLUSIVE,
            Share.shared(),
            Share.shared(),
            new Share(1, 2),
            new Share(2, 3),
            new Share(3, 3),
            new Share(1, 4));

    private static final List<Duration> PAUSES = List.of(
            Duration.ZERO,
            Duration.ZERO,
            Duration.ofMillis(100),
            Duration.ofMillis(700),
            QueueTimes.CLAIM_WINDOW,
            QueueTimes.CLAIM_WINDOW.plusMillis(1),
            Duration.ofSeconds(5),
            QueueTimes.WAITER_TTL);

    private static final List<Duration> LEASES =
            List.of(Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(9), Duration.ofSeconds(40));

    /** The ids that take part in a history, and what they want. */
    private static final class Party {
        private final AcquisitionId id = id();
        private final Share share;

        private Party(Share share) {
            this.share = share;
        }
    }

    /**
     * Whether the store polls for turns, which takes too long to be awaited here. Such a store writes the time of a waiter's request at
     * most once a second, and its listings go by the stepped clock, too.
     */
    abstract boolean polls();

    static LongStream seeds() {
        Long one = Long.getLong("lock.test.seed");
        return one != null
                ? LongStream.of(one)
                : LongStream.concat(LongStream.rangeClosed(1, SCALE), new Random().longs(SCALE));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shares_inAnyHistory_areRepliedToAsByTheModel(long seed) throws Exception {
        Random random = new Random(seed);
        LockName name = new LockName("shares of seed " + seed);
        SharesModel model = new SharesModel(polls() ? Duration.ofSeconds(1) : Duration.ZERO);
        List<Party> parties = new ArrayList<>();
        List<String> story = new ArrayList<>();
        long lastToken = 0;
        ReceivedNotifications heard = new ReceivedNotifications();
        try (AutoCloseable subscription = store().subscribe(heard)) {
            assertThat(subscription).isNotNull();
            heard.awaitAny();
            for (int step = 0; step < STEPS; step++) {
                Duration pause = any(PAUSES, random);
                if (!pause.isZero()) {
                    pass(pause);
                }
                Instant now = now();
                parties.removeIf(each -> model.mayBeForgotten(each.id, LEASES.get(0), now));
                LockCommand command = command(name, parties, random);
                int before = heard.count();
                boolean wasOut = model.isOut(command.id());
                LockReply expected = model.execute(command, now);
                LockReply reply = ask(store(), command);
                story.add("+" + pause + " " + command + " -> " + reply);
                assertThat(withoutToken(reply))
                        .as("again with -Dlock.test.seed=%d: to the last of%n%s", seed, String.join("\n", story))
                        .isEqualTo(expected);
                if (reply instanceof LockReply.Granted granted && !wasOut) {
                    assertThat(granted.token())
                            .as("again with -Dlock.test.seed=%d", seed)
                            .isGreaterThan(lastToken);
                    lastToken = granted.token();
                }
                if (command instanceof LockCommand.Release release
                        && release.tombstone().isZero()
                        && !model.isKept(command.id())) { // else a store may still know the id
                    parties.removeIf(each -> each.id.equals(command.id()));
                }
                if (!polls()) {
                    awaitTurns(heard, before, name, model.madeDue(), story);
                }
                if (step % 10 == 0 && polls()) {
                    assertThat(listing(name))
                            .as("again with -Dlock.test.seed=%d: after%n%s", seed, String.join("\n", story))
                            .isEqualTo(model.listing());
                }
            }
        }
    }

    private static LockCommand command(LockName name, List<Party> parties, Random random) {
        int what = random.nextInt(10);
        if (parties.size() < 2 || (what < 3 && parties.size() < 9)) {
            parties.add(new Party(any(SHARES, random)));
            return acquire(name, parties.get(parties.size() - 1), random);
        }
        Party party = any(parties, random);
        if (what < 7) {
            return acquire(name, party, random);
        } else if (what < 8) {
            return new LockCommand.Renew(name, party.id, any(LEASES, random), party.share);
        }
        Duration hold =
                any(List.of(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(2), Duration.ofSeconds(20)), random);
        Duration tombstone = any(List.of(Duration.ZERO, Duration.ofSeconds(30)), random);
        return new LockCommand.Release(name, party.id, hold, tombstone, party.share);
    }

    private static LockCommand acquire(LockName name, Party party, Random random) {
        return new LockCommand.Acquire(
                name, party.id, any(LEASES, random), random.nextInt(5) > 0, 0, "a test", party.share);
    }

    private static <T> T any(List<T> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }

    private static LockReply withoutToken(LockReply reply) {
        if (reply instanceof LockReply.Granted granted) {
            return new LockReply.Granted(1, granted.remaining());
        }
        return reply instanceof LockReply.Busy ? new LockReply.Busy(Duration.ZERO) : reply;
    }

    private static void awaitTurns(
            ReceivedNotifications heard, int before, LockName name, List<AcquisitionId> due, List<String> story) {
        for (AcquisitionId each : due) {
            Await.until(
                    "the turn of " + each + " after\n" + String.join("\n", story),
                    () -> heard.all().stream().skip(before).anyMatch(Notification.of(name, each)::equals));
        }
    }

    private String listing(LockName name) {
        List<LockInfo> found = store().list(name.value(), Commands.CALL).toList();
        if (found.isEmpty()) {
            return new SharesModel(Duration.ZERO).listing();
        }
        LockInfo lock = found.get(0);
        return lock.holders().stream()
                        .sorted(Comparator.comparing(LockInfo.Holder::token))
                        .map(each -> each.id() + " with " + each.share() + " until " + each.until())
                        .toList()
                + ", kept until " + lock.minimumHoldUntil() + ", waiting for "
                + lock.waiters().stream().map(LockInfo.Waiter::share).toList();
    }
}
