package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.Rule;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the kit says to an author whose store is broken: the lock, what was sent, what was promised, and what came. */
@Tag("first-build")
@Execution(ExecutionMode.CONCURRENT) // each waits for what a mutant never does
class FailureMessagesTest {

    @Test
    void notificationThatDoesNotCome_isToldWithItsEventAndWaiterAndTheCalls() {
        assertThat(messageOf(Mutant.NOTIFIES_OF_RELEASES_ONLY, Rule.P8_2))
                .containsPattern(
                        "the withdrawal of the first waiter, kit [0-9a-f]{8}, of a held lock must notify the waiter"
                                + " kit [0-9a-f]{8} of \"job 1\", but PT5S later no notification has come")
                .containsPattern("\n  the latest calls, by the time since the rule began:\n")
                .containsPattern(
                        "\"job 1\": acquire by #1 \\(kit [0-9a-f]{8}\\) for 300000.0 ms -> Granted, token \\d+")
                .containsPattern("\"job 1\": release by #2 \\(kit [0-9a-f]{8}\\) -> Released, wasHeld = false");
    }

    @Test
    void nameThatIsKept_isToldWithItsNamespace() {
        assertThat(messageOf(Mutant.KEEPS_IDLE_NAMES, Rule.P9_2))
                .containsPattern(
                        "in the namespace tck-[0-9a-f]{16} the rule used the locks \".+, of which 1 is in use, but"
                                + " namesKept\\(\\) is \\d+ after prune\\(\\) was called \\d+ times");
    }

    @Test
    void callWithoutAReply_isToldWithItsCause() {
        assertThat(messageOf(Mutant.SMALL_BATCHES_ONLY, Rule.P4_11)).contains("-> no reply: ");
    }

    /** Of a caller that polls, the call is told once. */
    @Test
    void repeatedCall_isToldOnceWithItsNumber() {
        assertThat(messageOf(Mutant.NEVER_EXPIRES, Rule.P1_8))
                .containsPattern("-> Busy, retry after [0-9.]+ ms, \\d+ times");
    }

    private static String messageOf(Mutant mutant, Rule rule) {
        return Verdicts.of(mutant, Set.of(rule)).message(rule);
    }
}
