package dev.holdfast.lock.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.Logged;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Alarms that may run a little early share timers. They never run late, nor after they are cancelled. */
@Isolated("captures the log of all threads")
class CoalescingTimerTest {

    private static final long SLACK = 1 << 20;

    private final TreeMap<Long, List<Runnable>> timers = new TreeMap<>();
    private final List<String> ran = new ArrayList<>();
    private final CoalescingTimer timer = new CoalescingTimer(() -> new DualClockInstant(this.now, 0), this::after);
    private long now = -5 * SLACK - 7; // a clock may begin anywhere
    private boolean isExhausted;

    private Timers.Timer after(Duration delay, Runnable task) {
        if (isExhausted) {
            throw new IllegalStateException("no timer is available");
        }
        List<Runnable> then = timers.computeIfAbsent(now + delay.toNanos(), any -> new ArrayList<>());
        then.add(task);
        return () -> then.remove(task);
    }

    private void passUntil(long end) {
        while (!timers.isEmpty() && timers.firstKey() <= end) {
            now = Math.max(now, timers.firstKey());
            timers.pollFirstEntry().getValue().forEach(Runnable::run);
        }
        now = end;
    }

    private CoalescingTimer.Alarm alarm(String name) {
        return alarm(() -> ran.add(name));
    }

    private CoalescingTimer.Alarm alarm(Runnable task) {
        return timer.new Alarm() {
            @Override
            public void run() {
                task.run();
            }
        };
    }

    private void set(CoalescingTimer.Alarm alarm, long delay) {
        alarm.set(Duration.ofNanos(delay), SLACK, new DualClockInstant(now, 0));
    }

    @Test
    void alarm_withAnyDelay_runsWithinTheSlackBeforeItsTime() {
        Random random = new Random(7);
        for (int turn = 0; turn < 1_000; turn++) {
            long delay = random.nextLong(-SLACK, 10 * SLACK);
            long due = now + Math.max(0, delay);
            CoalescingTimer.Alarm alarm = alarm("it");
            set(alarm, delay);

            passUntil(due - SLACK);
            assertThat(ran).as("much earlier than %s", delay).isEmpty();
            passUntil(due);
            assertThat(ran).as("after %s", delay).hasSize(1);

            ran.clear();
            now += random.nextLong(SLACK);
        }
    }

    @Test
    void alarms_ofAboutTheSameTime_shareATimer() {
        for (int at = 0; at < 100; at++) {
            set(alarm("it"), 100 * SLACK + at);
        }

        assertThat(timers).hasSizeBetween(1, 2);
        passUntil(now + 101 * SLACK);
        assertThat(ran).hasSize(100);
    }

    @Test
    void alarm_cancelledOrRescheduled_doesNotRunAtItsOldTime() {
        List<CoalescingTimer.Alarm> alarms = new ArrayList<>();
        for (int at = 0; at < 6; at++) {
            alarms.add(alarm("alarm " + at));
            set(alarms.get(at), 8 * SLACK);
        }
        alarms.get(0).cancel();
        alarms.get(5).cancel();
        alarms.get(5).cancel();
        set(alarms.get(2), 20 * SLACK);

        passUntil(now + 8 * SLACK);
        assertThat(ran).containsExactlyInAnyOrder("alarm 1", "alarm 3", "alarm 4");
        ran.clear();
        passUntil(now + 12 * SLACK);
        assertThat(ran).containsExactly("alarm 2");
    }

    @Test
    void alarms_setAndCancelled_leaveNoTimers() {
        for (int at = 0; at < 60_000; at++) {
            CoalescingTimer.Alarm alarm = alarm("alarm " + at);
            set(alarm, Duration.ofDays(1).toNanos() + at * SLACK);
            alarm.cancel();

            assertThat(timer.size()).as("rounds").isLessThan(10);
        }
        assertThat(timersSet()).as("timers").isLessThan(10);

        passUntil(now + Duration.ofSeconds(1).toNanos());
        assertThat(timer.size()).as("rounds").isZero();
        assertThat(timersSet()).as("timers").isZero();
    }

    @Test
    void alarm_setWhereAnotherWasCancelled_runs() {
        CoalescingTimer.Alarm other = alarm("other");
        set(other, Duration.ofSeconds(3).toNanos());
        other.cancel();
        set(alarm("soon after"), Duration.ofSeconds(3).toNanos());
        passUntil(now + Duration.ofSeconds(2).toNanos());
        set(alarm("much later"), Duration.ofSeconds(1).toNanos());

        passUntil(now + Duration.ofSeconds(1).toNanos());
        assertThat(ran).containsExactlyInAnyOrder("soon after", "much later");
        passUntil(now + Duration.ofSeconds(1).toNanos());
        assertThat(timersSet()).as("timers").isZero();
    }

    private int timersSet() {
        return timers.values().stream().mapToInt(List::size).sum();
    }

    @Test
    void alarm_cancelledByAnotherOfItsRound_doesNotRun() {
        CoalescingTimer.Alarm one = alarm("one");
        CoalescingTimer.Alarm other = alarm(() -> {
            ran.add("other");
            one.cancel();
        });
        set(one, 8 * SLACK);
        set(other, 8 * SLACK);

        passUntil(now + 8 * SLACK);
        assertThat(ran).containsExactly("other");
    }

    @Test
    void alarm_thatFails_doesNotKeepOthersFromRunning() {
        for (int at = 0; at < 3; at++) {
            set(alarm("it"), 8 * SLACK);
            set(
                    alarm(() -> {
                        throw new IllegalStateException("on purpose");
                    }),
                    8 * SLACK);
        }

        assertThat(Logged.during(() -> passUntil(now + 8 * SLACK))).contains("a timer task failed");
        assertThat(ran).hasSize(3);
    }

    @Test
    void round_ofManyAlarms_letsOtherTimersRunInBetween() {
        for (int at = 0; at < 1_000; at++) {
            set(alarm("it"), 8 * SLACK);
        }
        long due = timers.firstKey();
        after(Duration.ofNanos(due + 1 - now), () -> ran.add("something else"));

        passUntil(due + 1);
        assertThat(ran).contains("something else").hasSizeLessThan(1_000);
        passUntil(due + Duration.ofSeconds(1).toNanos());
        assertThat(ran).hasSize(1_001);
    }

    @Test
    void round_endedByAnError_runsTheRemainingAlarmsLater() {
        CoalescingTimer.Alarm dying = alarm(() -> {
            throw new IllegalStateException("on purpose", new Throwable() {
                private static final long serialVersionUID = 1;

                @Override
                public String getMessage() {
                    throw new StackOverflowError("the logging of it fails as well, on purpose");
                }
            });
        });
        set(alarm("it"), 8 * SLACK);
        set(dying, 8 * SLACK);
        long due = timers.firstKey();

        assertThat(Logged.during(() -> assertThatThrownBy(() -> passUntil(due)).isInstanceOf(StackOverflowError.class)))
                .contains("a timer task failed");
        passUntil(due + Duration.ofSeconds(1).toNanos());
        assertThat(ran).containsExactly("it");
    }

    @Test
    void set_afterNoTimerCouldBeSet_setsOneAgain() {
        isExhausted = true;
        assertThatThrownBy(() -> set(alarm("one"), 8 * SLACK)).hasMessage("no timer is available");
        isExhausted = false;
        set(alarm("other"), 8 * SLACK);

        passUntil(now + 8 * SLACK);
        assertThat(ran).containsExactly("other");
    }
}
