package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;

/**
 * A held lock with three waiters. The second one never asks again, and the last one does.
 *
 * @param event after which the last waiter is the first that lives
 */
record DeadWaiter(Event event, HeldLock holder, AcquisitionId first, AcquisitionId last) {

    /** What makes the last waiter the first. */
    enum Event {
        RELEASE("the release, which finds dead waiters before a living one,", false),
        MINIMUM_HOLD("the release with a minimum hold, which finds dead waiters before a living one,", false),
        WITHDRAWAL("the withdrawal of the first waiter of a held lock, where the second is dead,", true),
        WITHDRAWAL_FROM_FREE("the withdrawal of the first waiter of a free lock, where the second is dead,", true),
        SHARED_RELEASE("the release of a share, which finds dead waiters before a living one,", false),
        MISSED_WINDOW("the acquire that passes over the first waiter, where the second is dead,", true),
        SHARED_MISSED_WINDOW(
                "the acquire of a share that passes over the first waiter, where the second is dead,", true);

        private final String text;

        /** Whether the first waiter asks again as well. */
        private final boolean firstLives;

        Event(String text, boolean firstLives) {
            this.text = text;
            this.firstLives = firstLives;
        }

        /** Whether a store with shares alone can show it. */
        boolean needsShares() {
            return this == SHARED_RELEASE || this == SHARED_MISSED_WINDOW;
        }

        /** Whether it needs a lock that has been free for a claim window. */
        boolean passesOver() {
            return this == MISSED_WINDOW || this == SHARED_MISSED_WINDOW;
        }

        /** For the message of a failure. */
        String text() {
            return text;
        }
    }

    /** @param waiting the client of the waiters */
    static DeadWaiter join(StoreClient client, StoreClient waiting, Event event, LockName attempt) {
        LockName name = new LockName(attempt + ", " + event);
        HeldLock holder =
                client.grant(name, event == Event.SHARED_RELEASE ? ShareRules.READER : ShareRules.WRITER, LONG);
        AcquisitionId first = waiting.enqueue(name);
        waiting.enqueue(name);
        return new DeadWaiter(event, holder, first, waiting.enqueue(name));
    }

    LockName name() {
        return holder.name();
    }

    void askAgain(StoreClient waiting) {
        if (event.firstLives) {
            waiting.expectWaiting(name(), first);
        }
        waiting.expectWaiting(name(), last);
    }

    void free(StoreClient client) {
        client.release(holder);
    }

    void cause(StoreClient client) {
        switch (event) {
            case RELEASE, SHARED_RELEASE -> free(client);
            case MINIMUM_HOLD -> client.release(name(), holder.id(), LONG, Duration.ZERO);
            case WITHDRAWAL -> withdrawFirst(client);
            case WITHDRAWAL_FROM_FREE -> {
                free(client);
                withdrawFirst(client);
            }
            case MISSED_WINDOW -> ask(client, ShareRules.WRITER);
            case SHARED_MISSED_WINDOW -> ask(client, ShareRules.READER);
        }
    }

    /** By an id that is not queued. The reply shows nothing: the machine may have stood still until the last waiter was dead. */
    private void ask(StoreClient client, Share share) {
        client.execute(StoreClient.withShare(StoreClient.acquiring(name(), Kit.id(), LONG), share));
    }

    private void withdrawFirst(StoreClient client) {
        client.release(name(), first, Duration.ZERO, Duration.ZERO);
    }
}
