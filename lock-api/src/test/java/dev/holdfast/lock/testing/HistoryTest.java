package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A history reports violations, and only those. */
class HistoryTest {

    @TempDir
    Path directory;

    @Test
    void holds_oneAfterAnother_areNoViolation() {
        assertThat(History.violations(List.of(
                        new Hold("b", "job", 2, 20, 29),
                        new Hold("a", "job", 1, 10, 19),
                        new Hold("a", "other", 1, 15, 25))))
                .isEmpty();
    }

    @Test
    void overlappingHolds_areFoundBehindShorterOnes() {
        assertThat(History.violations(List.of(
                        new Hold("a", "job", 1, 10, 40),
                        new Hold("b", "job", 2, 20, 25),
                        new Hold("c", "job", 3, 30, 31))))
                .hasSize(2)
                .allMatch(violation -> violation.startsWith("two holders: Hold[holder=a"));
    }

    @Test
    void overlappingHolds_withSharesThatFitTogether_areNoViolation() {
        Hold reader = shared("a", Share.shared(), 1, 10, 40);
        Hold other = shared("b", Share.shared(), 2, 20, 50);
        Hold writer = new Hold("c", "job", 3, 30, 31);

        assertThat(History.violations(List.of(reader, other))).isEmpty();
        assertThat(History.violations(List.of(reader, other, writer)))
                .singleElement()
                .asString()
                .startsWith("too many holders: [Hold[holder=a");
    }

    @Test
    void overlappingHolds_areJudgedByTheLeastLimitAtEachInstant() {
        Hold two = shared("a", new Share(2, 4), 1, 10, 20);
        Hold one = shared("b", new Share(1, 3), 2, 15, 40);
        Hold another = shared("c", new Share(2, 4), 3, 21, 30);
        Hold oneTooMany = shared("d", new Share(1, 4), 4, 25, 26);

        assertThat(History.violations(List.of(two, one, another))).isEmpty();
        assertThat(History.violations(List.of(two, one, another, oneTooMany))).hasSize(1);
    }

    @Test
    void tokensOfSharesThatOverlap_countInTheOrderOfRequests() {
        Hold early = shared("a", Share.shared(), 5 << 8, 10, 40);
        Hold crossing = new Hold("b", "job", Share.shared(), 4 << 8, 9, 11, 40);
        Hold later = new Hold("c", "job", Share.shared(), 3 << 8, 12, 13, 40);
        Hold writer = new Hold("d", "job", 2 << 8, 41, 50);

        assertThat(History.violations(List.of(early, crossing))).isEmpty();
        assertThat(History.violations(List.of(early, crossing, later)))
                .singleElement()
                .asString()
                .contains("was asked for after");
        assertThat(History.tokenViolations(List.of(early, writer))).isNotEmpty();
    }

    private static Hold shared(String holder, Share share, long token, long from, long until) {
        return new Hold(holder, "job", share, token, from, from, until);
    }

    @Test
    void tokensThatDoNotIncrease_areFound() {
        assertThat(History.violations(List.of(
                        new Hold("a", "job", 5, 10, 11),
                        new Hold("b", "job", 3, 20, 21),
                        new Hold("c", "job", 4, 30, 31))))
                .hasSize(2)
                .allMatch(violation -> violation.contains(" after 5: "));
    }

    @Test
    void tokensOfTwoServers_countInTheOrderOfRequests() {
        Hold ofOldServer = new Hold("a", "job", 5 << 8, 10, 20, 30);
        Hold learnedLater = new Hold("b", "job", 4 << 8, 15, 25, 26);
        Hold handedOff = new Hold("a", "job", (5 << 8) + 1, 40, 50, 60);
        Hold ofNewServer = new Hold("c", "job", 6 << 8, 21, 22, 30);
        Hold ofOther = new Hold("c", "other", 1 << 8, 41, 42, 43);

        assertThat(History.tokenViolationsOfTwoServers(
                        List.of(ofOldServer, learnedLater, handedOff, ofNewServer, ofOther)))
                .isEmpty();

        Hold askedLater = new Hold("b", "job", 4 << 8, 21, 25, 26);
        assertThat(History.tokenViolationsOfTwoServers(List.of(ofOldServer, askedLater, handedOff)))
                .singleElement()
                .asString()
                .isEqualTo("token " + (4 << 8) + " was asked for after " + ofOldServer + ": " + askedLater);
    }

    @Test
    void growingFile_isReadWithoutItsUnfinishedLine() throws IOException {
        History history = new History(directory);
        Path file = history.fileOf("a");
        Files.writeString(
                file, "granted 1 100 7 98 1 1 job of all\ngranted 2 101 8 101 1 1 lost on its way\nheld 1 10");

        assertThat(history.holds()).as("nothing was held for certain").isEmpty();

        Files.writeString(
                file,
                "granted 1 100 7 98 1 1 job of all\ngranted 2 101 8 101 1 1 lost on its way\nheld 1 102\nheld 1 104\n");

        assertThat(history.holdsOf("a")).containsExactly(new Hold("a", "job of all", 7, 98, 100, 104));
        assertThat(history.violations()).isEmpty();
    }

    /** As the thread of a leader is when its lease is lost. */
    @Test
    void claims_ofAnInterruptedThread_areRecordedLikeAllLaterOnes() throws IOException {
        History history = new History(directory);
        try (Claims claims = Claims.to(history.fileOf("interrupted"))) {
            Thread.currentThread().interrupt();
            try {
                assertThat(claims.isHeld(claims.granted("job", 1), () -> true)).isTrue();
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(claims.isHeld(claims.granted("job", 2), () -> true)).isTrue();
        }
        assertThat(history.holdsOf("interrupted")).extracting(Hold::token).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void refusalByTheFence_isAViolation() throws IOException {
        History history = new History(directory);
        Files.writeString(history.fileOf("a"), "granted 1 100 7 99 1 1 job\nheld 1 102\nrefused 1 103\n");

        assertThat(history.violations())
                .singleElement()
                .asString()
                .startsWith("refused by the fence at 103: Hold[holder=a");
    }

    @Test
    void verify_withTooFewHolds_fails() throws IOException {
        History history = new History(directory);
        Files.writeString(history.fileOf("a"), "granted 1 100 7 99 1 1 job\nheld 1 102\ngranted 2 103 8 103 1 1 job\n");

        history.verify(1);
        assertThatThrownBy(() -> history.verify(2))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 holds were recorded");
    }
}
