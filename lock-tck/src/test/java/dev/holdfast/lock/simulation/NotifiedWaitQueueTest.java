package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a line makes of the signals of a store. */
class NotifiedWaitQueueTest extends ScriptedWaitQueue {

    @Test
    void aSignalHasItsWaiterAskAndNobodyElse() {
        ask(0, RENEWED);
        AcquisitionId id = scripted.expect(LockCommand.Acquire.class).id();
        scripted.answer(WAITING);

        scripted.signal(Notification.of(JOB, new AcquisitionId(1, 2)));
        scripted.signal(Notification.of(new LockName("other"), id));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.signal(Notification.of(JOB, id));
        assertThat(scripted.isQuiet()).isFalse();
        scripted.answer(WAITING);
        scripted.signal(Notification.ANY);
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void aSignalThatComesBeforeTheAnswerIsNotLost() {
        ask(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        scripted.signal(Notification.ANY);
        scripted.signal(Notification.ANY);
        scripted.answer(WAITING);

        assertThat(scripted.isQuiet()).isFalse();
        scripted.answer(WAITING);
        assertThat(scripted.isQuiet()).as("once").isTrue();
    }

    @Test
    void aLostSignalCostsTimeOnly() {
        ask(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        scripted.pass(Duration.ofMillis(4_999));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.pass(Duration.ofMillis(1));
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void aStoreThatCannotSignalIsTriedAgainNowAndThen() {
        scripted.deafen(true);
        for (int i = 0; i < 20; i++) {
            LockName name = new LockName("job-" + i);
            scripted.engine().acquire(name, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
            scripted.expect(LockCommand.Acquire.class);
            scripted.answer(new LockReply.Queued(Duration.ofHours(1)));
        }
        assertThat(scripted.subscriptions()).isEqualTo(1);
        scripted.pass(Duration.ofSeconds(25));
        assertThat(scripted.subscriptions()).isEqualTo(3);

        scripted.deafen(false);
        scripted.pass(Duration.ofSeconds(10));
        assertThat(scripted.listens()).isTrue();
        scripted.pass(Duration.ofMinutes(1));
        assertThat(scripted.subscriptions()).isEqualTo(4);
    }

    @Test
    void nobodyListensOnceNobodyHasWaitedForAWhile() {
        Waiter waiter = ask(0, RENEWED);
        assertThat(scripted.listens()).isFalse();
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        assertThat(scripted.listens()).isTrue();
        waiter.withdraw();
        scripted.expect(LockCommand.Release.class);
        scripted.answer(new LockReply.Released(false));
        scripted.pass(Duration.ofMinutes(1));

        assertThat(scripted.listens()).isFalse();
    }
}
