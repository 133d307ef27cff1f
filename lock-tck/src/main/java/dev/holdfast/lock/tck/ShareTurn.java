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
        WITHDRAWAL_FROM_MIDDLE("the withdrawal of the writer before it, which waited behind a reader that was due,"),
        NEW_FIRST("the withdrawal of the first waiter of a lock that a reader holds"),
        NEW_FIRST_AFTER_DUE("the withdrawal of the first waiter, which was due, of a lock that a reader holds"),
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
            return switch (this) {
                case WITHDRAWAL, NEW_FIRST, NEW_FIRST_AFTER_DUE, MINIMUM_HOLD -> READER;
                case WITHDRAWAL_FROM_FREE, WITHDRAWAL_FROM_MIDDLE, MISSED_WINDOW, RELEASE -> WRITER;
            };
        }

        private List<Share> awaited() {
            return switch (this) {
                case WITHDRAWAL, WITHDRAWAL_FROM_FREE, MISSED_WINDOW, RELEASE -> List.of(WRITER, READER, READER);
                case WITHDRAWAL_FROM_MIDDLE -> List.of(READER, WRITER, READER, READER);
                case NEW_FIRST -> List.of(WRITER, WRITER);
                case NEW_FIRST_AFTER_DUE -> List.of(WRITER, READER, WRITER);
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
            case WITHDRAWAL, NEW_FIRST -> withdraw(client, 0);
            case WITHDRAWAL_FROM_FREE -> {
                client.release(holder);
                withdraw(client, 0);
            }
            case WITHDRAWAL_FROM_MIDDLE -> {
                client.release(holder);
                withdraw(client, 1);
            }
            case NEW_FIRST_AFTER_DUE -> {
                withdraw(client, 0);
                withdraw(client, 1);
            }
            case MISSED_WINDOW -> {
                client.release(holder);
                Kit.pause(Duration.ofNanos(ClaimWindowRules.longer(QueueTimes.CLAIM_WINDOW)));
                client.acquire(name(), Kit.id(), LONG);
            }
            case RELEASE -> {
                client.release(holder);
                client.execute(waiters.get(0));
                withdraw(client, 0);
            }
            case MINIMUM_HOLD -> client.release(holder, LONG, Duration.ZERO);
        }
    }

    /** Ends what this waiter has: its place, or its lease. */
    private void withdraw(StoreClient client, int number) {
        LockCommand.Acquire waiter = waiters.get(number);
        client.release(name(), waiter.id(), waiter.share(), Duration.ZERO, Duration.ZERO);
    }

    /** The waiters that the event must notify. */
    Stream<LockCommand.Acquire> notified() {
        return waiters.stream()
                .skip(
                        switch (event) {
                            case MINIMUM_HOLD -> 0;
                            case WITHDRAWAL, WITHDRAWAL_FROM_FREE, MISSED_WINDOW, RELEASE, NEW_FIRST -> 1;
                            case WITHDRAWAL_FROM_MIDDLE, NEW_FIRST_AFTER_DUE -> 2;
                        });
    }
}
