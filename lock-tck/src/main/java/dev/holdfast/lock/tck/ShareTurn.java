package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A lock with waiters for shares, and an event that must notify some of them.
 *
 * @param waiters the acquires of the waiters, in order of arrival
 */
record ShareTurn(Event event, HeldLock holder, List<LockCommand.Acquire> waiters) {

    private static final Share READER = Share.shared();
    private static final Share WRITER = Share.EXCLUSIVE;

    /** What makes the last waiters due, or the last one the first. */
    enum Event {
        WITHDRAWAL("the withdrawal of the writer before it"),
        WITHDRAWAL_FROM_FREE("the withdrawal of the writer before it, which was due,"),
        MISSED_WINDOW("the acquire that passes over the writer before it, which was due,"),
        RELEASE("the release of the writer that waited before it"),
        NEW_FIRST("the withdrawal of the first waiter of a lock that a reader holds"),
        MINIMUM_HOLD("the release of a reader with a minimum hold");

        private final String text;

        Event(String text) {
            this.text = text;
        }

        /** For the message of a failure. */
        String text() {
            return text;
        }

        private Share held() {
            return this == WITHDRAWAL || this == NEW_FIRST || this == MINIMUM_HOLD ? READER : WRITER;
        }

        private List<Share> awaited() {
            return switch (this) {
                case WITHDRAWAL, WITHDRAWAL_FROM_FREE, MISSED_WINDOW, RELEASE -> List.of(WRITER, READER, READER);
                case NEW_FIRST -> List.of(WRITER, WRITER);
                case MINIMUM_HOLD -> List.of(WRITER);
            };
        }
    }

    static ShareTurn join(StoreClient client, Event event, LockName attempt) {
        LockName name = new LockName(attempt + ", " + event);
        HeldLock holder = client.grant(name, event.held(), LONG);
        List<LockCommand.Acquire> waiters = event.awaited().stream()
                .map(share -> StoreClient.withShare(StoreClient.queueing(name, Kit.id(), LONG), share))
                .toList();
        client.executeAll(List.copyOf(waiters));
        return new ShareTurn(event, holder, waiters);
    }

    LockName name() {
        return holder.name();
    }

    void cause(StoreClient client) {
        switch (event) {
            case WITHDRAWAL, NEW_FIRST -> releaseFirst(client);
            case WITHDRAWAL_FROM_FREE -> {
                client.release(holder);
                releaseFirst(client);
            }
            case MISSED_WINDOW -> {
                client.release(holder);
                Kit.pause(Duration.ofNanos(ClaimWindowRules.longer(QueueTimes.CLAIM_WINDOW)));
                client.acquire(name(), Kit.id(), LONG);
            }
            case RELEASE -> {
                client.release(holder);
                client.execute(waiters.get(0));
                releaseFirst(client);
            }
            case MINIMUM_HOLD -> client.release(holder, LONG, Duration.ZERO);
        }
    }

    private void releaseFirst(StoreClient client) {
        LockCommand.Acquire first = waiters.get(0);
        client.release(name(), first.id(), first.share(), Duration.ZERO, Duration.ZERO);
    }

    /** The waiters that the event must notify: all but one that has left. */
    Stream<LockCommand.Acquire> notified() {
        return waiters.stream().skip(event == Event.MINIMUM_HOLD ? 0 : 1);
    }
}
