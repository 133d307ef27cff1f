package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.server.Sentinels;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A reign ends where another master takes over, and the next one begins there. */
@Execution(ExecutionMode.CONCURRENT)
class SentinelReignTest {

    @Test
    void afterAFailoverWhateverIsAskedUnderTheReignIsEvidenceAgainstIt() {
        try (Sentinels sentinels = Sentinels.start();
                Crown crown = Crown.of(sentinels.uri(), 3)) {
            AcquisitionId id = Steps.id();
            crown.answered(Steps.acquire("job", id), Answer.Granted.class);

            sentinels.failOver();

            Await.until("the new master is asked", () -> isDeposed(crown, Steps.renew("job", id)));
            assertThat(crown.evidence(Steps.acquire("job", Steps.id()))).contains("lineage");
            assertThat(crown.evidence(Steps.acquire("other", Steps.id()))).contains("lineage");
            assertThat(crown.evidence(Steps.release("job", id))).contains("lineage");

            try (Crown next = Crown.of(sentinels.uri(), 5)) {
                assertThat(next.reign().lineage()).isNotEqualTo(crown.reign().lineage());
                next.answered(Steps.acquire("job", Steps.id()), Answer.Granted.class);
                assertThat(crown.evidence(Steps.renew("job", id))).contains("lineage");
            }
        }
    }

    /** Until it is, the only other answer is none: never that the lock is lost, or another's. */
    private static boolean isDeposed(Crown crown, Step step) {
        List<Answer> answers;
        try {
            answers = crown.store().apply(crown.reign(), List.of(step), Steps.CALL);
        } catch (LockUnavailableException e) {
            return false;
        }
        assertThat(answers).singleElement().isInstanceOf(Answer.Unavailable.class);
        return ((Answer.Unavailable) answers.get(0)).why() instanceof DeposedException;
    }
}
