package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        Files.writeString(file, "granted 1 100 7 98 job of all\ngranted 2 101 8 101 lost on its way\nheld 1 10");

        assertThat(history.holds()).as("nothing was held for certain").isEmpty();

        Files.writeString(
                file, "granted 1 100 7 98 job of all\ngranted 2 101 8 101 lost on its way\nheld 1 102\nheld 1 104\n");

        assertThat(history.holdsOf("a")).containsExactly(new Hold("a", "job of all", 7, 98, 100, 104));
        assertThat(history.violations()).isEmpty();
    }

    @Test
    void refusalByTheFence_isAViolation() throws IOException {
        History history = new History(directory);
        Files.writeString(history.fileOf("a"), "granted 1 100 7 99 job\nheld 1 102\nrefused 1 103\n");

        assertThat(history.violations())
                .singleElement()
                .asString()
                .startsWith("refused by the fence at 103: Hold[holder=a");
    }

    @Test
    void verify_withTooFewHolds_fails() throws IOException {
        History history = new History(directory);
        Files.writeString(history.fileOf("a"), "granted 1 100 7 99 job\nheld 1 102\ngranted 2 103 8 103 job\n");

        history.verify(1);
        assertThatThrownBy(() -> history.verify(2))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 holds were recorded");
    }
}
