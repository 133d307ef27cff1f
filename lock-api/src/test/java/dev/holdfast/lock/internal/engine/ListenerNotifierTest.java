package dev.holdfast.lock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.internal.Logged;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Events reach a listener in order, its queue is bounded, and dropped events are counted. */
@Isolated("captures the log of all threads")
class ListenerNotifierTest extends ScriptedEvents {

    @Test
    void events_fromSeveralCalls_areDeliveredInOrder() {
        events.add(notes);
        put("one");
        put("two");
        events.tell();
        put("three");
        events.tell();
        events.tell();

        assertThat(threads).as("threads for one listener").hasSize(1);
        runAll();
        assertThat(notes.names).containsExactly("one", "two", "three");
    }

    @Test
    void event_duringADelivery_isDeliveredAfterIt() {
        events.add(new Notes() {
            @Override
            public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
                if (name.equals("one")) {
                    put("two");
                    events.tell();
                    assertThat(threads).as("more threads for the same listener").isEmpty();
                }
                notes.acquireFailed(name, kind, reason, waited);
            }
        });
        put("one");
        events.tell();
        runAll();

        assertThat(notes.names).containsExactly("one", "two");
    }

    @Test
    void queue_ofASlowListener_isBoundedAndDropsAreLogged() {
        events.add(notes);
        for (int number = 0; number < ListenerNotifier.MAX_WAITING + 5; number++) {
            put("event " + number);
        }
        put("loss", true);
        assertThat(Logged.during(events::tell)).contains("WARN").contains("5 events were dropped");
        put("one more");
        assertThat(Logged.during(events::tell))
                .as("warnings within ten seconds")
                .isEmpty();
        now = now.plus(Duration.ofSeconds(10));
        assertThat(Logged.during(events::tell)).contains("1 events were dropped");
        put("yet one more");

        assertThat(Logged.during(this::runAll)).contains("1 events were dropped");
        assertThat(notes.names)
                .hasSize(ListenerNotifier.MAX_WAITING + 1)
                .startsWith("event 0", "event 1")
                .endsWith("event " + (ListenerNotifier.MAX_WAITING - 1), "loss");
        put("later");
        assertThat(Logged.during(events::tell)).isEmpty();
        runAll();
        assertThat(notes.names).endsWith("loss", "later");
    }

    @Test
    void losses_ofASlowListener_areBounded() {
        events.add(notes);
        for (int number = 0; number < 2 * ListenerNotifier.MAX_WITH_RARE; number++) {
            put("loss " + number, true);
        }
        assertThat(Logged.during(events::tell)).contains(ListenerNotifier.MAX_WITH_RARE + " events were dropped");
        runAll();
        assertThat(notes.names).hasSize(ListenerNotifier.MAX_WITH_RARE);
    }
}
