package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Code of applications and stores runs outside the lock of a name, because it may block or wait for another thread. */
class CallsOutsideOfLocksTest extends ScriptedCaller {

    private final List<Boolean> unlocked = new ArrayList<>();

    @Test
    void acquireCallback_whileItRuns_leavesTheNameUnlocked() {
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, result -> checkUnlocked());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);

        assertThat(unlocked).containsExactly(true);
    }

    @Test
    void releaseCallback_whileItRuns_leavesTheNameUnlocked() {
        granted().release(Lane.CALLER, Duration.ZERO, result -> checkUnlocked());
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(true));

        assertThat(unlocked).containsExactly(true);
    }

    @Test
    void lossListener_whileItRuns_leavesTheNameUnlocked() {
        granted().onLoss(loss -> checkUnlocked());
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Gone());

        assertThat(unlocked).containsExactly(true);
    }

    /** Another thread acquires and either ends, or parks because the name is locked. */
    private void checkUnlocked() {
        Thread other = new Thread(
                () -> scripted.engine().acquire(JOB, RENEWED, WaitPolicy.once(CALL), Lane.BACKGROUND, result -> {}));
        other.setDaemon(true);
        other.start();
        while (other.isAlive() && other.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        unlocked.add(!other.isAlive());
    }
}
