package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A store whose call never returns fails its rule, with the stack of the call, and does not keep the run from ending. */
class HangingCallsTest {

    @TempDir
    Path directory;

    private KitLauncher kit;

    @BeforeEach
    void makeLauncher() {
        HangingProvider.HANGING.drainPermits();
        kit = new KitLauncher(directory, false);
    }

    @Test
    void call_thatIgnoresTimeoutAndInterrupts_failsItsRuleWithTheStack() {
        assertThat(onlyFailure(Executing.class))
                .startsWith("P1.1 broken: a call to the store is still running after PT0.1S, and ignores interrupts: ")
                .contains("thread 'kit P1.1' is ", "HangingProvider$HangingStore.ignoreInterrupts")
                .contains(Rule.P1_1.demand(), Rule.P1_1.advice());
    }

    @Test
    void call_thatEndsByAnInterruptOnly_failsItsRuleWithTheStack() {
        assertThat(onlyFailure(Waiting.class))
                .startsWith("P1.1 broken: a call to the store is still running after PT0.1S: thread")
                .contains("HangingProvider$HangingStore.awaitInterrupt");
    }

    @Test
    void close_thatNeverReturns_failsItsRuleWithTheStack() {
        assertThat(onlyFailure(Closing.class))
                .startsWith("P1.1 broken: a call to the store is still running after PT0.1S, and ignores interrupts: ")
                .contains("HangingProvider$HangingStore.close");
        assertThat(kit.textReport(Closing.class)).contains("1 failed", "P1.1 broken: a call to the store");
    }

    @Test
    void run_afterThreeHangingCalls_endsWithTheOtherRulesNotRun() {
        TestExecutionSummary summary = kit.run(Executing.class, Rule.P1_1, Rule.P1_7, Rule.P2_1, Rule.P4_1, Rule.P10_2);

        assertThat(summary.getTestsFailedCount()).isEqualTo(3);
        assertThat(summary.getTestsSkippedCount()).isEqualTo(2);
        assertThat(kit.textReport(Executing.class))
                .contains("3 failed", "3 calls to the store hang: the run was ended early");
    }

    private String onlyFailure(Class<?> contract) {
        TestExecutionSummary summary = kit.run(contract, Rule.P1_1);
        assertThat(summary.getFailures()).hasSize(1);
        return summary.getFailures().get(0).getException().getMessage();
    }

    /** Run by the tests above only. */
    abstract static class Hanging extends LockStoreContract {

        private final HangingProvider.Call call;

        Hanging(HangingProvider.Call call) {
            this.call = call;
        }

        @Override
        protected Properties configuration() {
            Properties properties = new Properties();
            properties.setProperty("lock.provider", "hanging");
            properties.setProperty(HangingProvider.CALL.name(), call.name());
            return properties;
        }

        /** Counts from when the call hangs, so that a slow machine does not matter. */
        @Override
        Duration hangLimit() {
            HangingProvider.HANGING.acquireUninterruptibly();
            return Duration.ofMillis(100);
        }

        @Override
        Duration hangGrace() {
            return call == HangingProvider.Call.EXECUTE_UNTIL_INTERRUPTED
                    ? Duration.ofMinutes(1)
                    : Duration.ofMillis(100);
        }
    }

    static final class Executing extends Hanging {
        Executing() {
            super(HangingProvider.Call.EXECUTE);
        }
    }

    static final class Waiting extends Hanging {
        Waiting() {
            super(HangingProvider.Call.EXECUTE_UNTIL_INTERRUPTED);
        }
    }

    static final class Closing extends Hanging {
        Closing() {
            super(HangingProvider.Call.CLOSE);
        }
    }
}
