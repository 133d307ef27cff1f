package dev.holdfast.lock.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.demo.Timeline.AuthorityChange;
import dev.holdfast.lock.bench.demo.Timeline.Fault;
import dev.holdfast.lock.bench.demo.Timeline.Holding;
import dev.holdfast.lock.bench.demo.Timeline.Side;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {

    private static final Holding PLAIN_ADA = holding(Side.PLAIN, "ada", 0, 10, 1, "redis", true);
    private static final Holding PLAIN_BOB = holding(Side.PLAIN, "bob", 3, 12, 2, "redis", false);
    private static final Holding ADA = holding(Side.COMPOSITE, "ada", 0, 7, 1, "redis", false);
    private static final Holding BOB = holding(Side.COMPOSITE, "bob", 7, 18, 2, "jdbc", false);

    @Test
    void timeline_whenPlainRedisHasTwoHoldersAndTheCompositeOne_isAsExpected() {
        Timeline timeline = timeline(PLAIN_ADA, PLAIN_BOB, ADA, BOB);

        assertThat(timeline.isAsExpected()).isTrue();
        assertThat(timeline.verdict())
                .contains(
                        "plain Redis: TWO HELD THE LOCK AT ONCE, for 7.0 s",
                        "composite: never did two hold the lock at once",
                        "composite: ada kept its lock through the failover, and every token was greater than the one before");
        List<String> chart = TimelineChart.of(timeline);
        assertThat(chart).allMatch(line -> line.length() <= TimelineRecorder.WIDTH);
        assertThat(chart)
                .filteredOn(line -> line.startsWith("  two at once"))
                .satisfiesExactly(
                        plain -> assertThat(plain).contains("!!!!!"),
                        composite -> assertThat(composite).contains("(never)"));
    }

    @Test
    void timeline_whenAnythingElseHappens_isNotAsExpected() {
        assertThat(isAsExpected(PLAIN_ADA, holding(Side.PLAIN, "bob", 10, 12, 2, "redis", false), ADA, BOB))
                .as("plain Redis had one holder")
                .isFalse();
        assertThat(isAsExpected(PLAIN_ADA, PLAIN_BOB, ADA, holding(Side.COMPOSITE, "bob", 6, 18, 2, "jdbc", false)))
                .as("the composite had two")
                .isFalse();
        assertThat(isAsExpected(PLAIN_ADA, PLAIN_BOB, holding(Side.COMPOSITE, "ada", 0, 7, 1, "redis", true), BOB))
                .as("the composite's holder lost its lock")
                .isFalse();
        assertThat(isAsExpected(PLAIN_ADA, PLAIN_BOB, holding(Side.COMPOSITE, "ada", 0, 4, 1, "redis", false), BOB))
                .as("the composite had no holder when the other store began to grant")
                .isFalse();
        assertThat(isAsExpected(PLAIN_ADA, PLAIN_BOB, ADA, holding(Side.COMPOSITE, "bob", 7, 18, 1, "jdbc", false)))
                .as("a token did not increase")
                .isFalse();
    }

    private static boolean isAsExpected(Holding... holdings) {
        return timeline(holdings).isAsExpected();
    }

    private static Timeline timeline(Holding... holdings) {
        return new Timeline(
                0,
                seconds(20),
                new ArrayList<>(List.of(holdings)),
                List.of(
                        new AuthorityChange("redis", 0),
                        new AuthorityChange(Timeline.NO_STORE, seconds(2)),
                        new AuthorityChange("jdbc", seconds(5)),
                        new AuthorityChange("redis", seconds(17))),
                List.of(new Fault('K', "the master is killed", seconds(2))));
    }

    private static Holding holding(
            Side side, String holder, int from, int to, long token, String grantedBy, boolean isLost) {
        return new Holding(side, holder, 0, seconds(from), seconds(to), token, grantedBy, isLost);
    }

    private static long seconds(int seconds) {
        return seconds * 1_000_000_000L;
    }
}
