package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The pending acquires of one queue: how many there are, when each is sent, and on which thread. Changed under the lock of the name
 * only.
 */
final class AcquireRequests {

    private final WaitQueue queue;
    private final Engine engine;
    private final List<PendingAcquire> requests = new ArrayList<>(1);
    /** Null until a release could carry the next acquire. */
    private @Nullable OptimisticAcquire optimistic;

    private long answers;

    AcquireRequests(Engine engine, WaitQueue queue) {
        this.engine = engine;
        this.queue = queue;
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    /** How many replies or timeouts there have been. */
    long answers() {
        return answers;
    }

    // --- How many there are.

    void adjust(Lane lane, DeferredActions actions) {
        adjust(lane, queue.hasWaiters() ? queue.first().callTimeout(actions.now()) : Duration.ZERO, actions);
    }

    /** Adds or removes requests until there are as many as the queue wants. The newest is removed first. */
    void adjust(Lane lane, Duration timeout, DeferredActions actions) {
        int wanted = queue.requestsWanted();
        while (requests.size() > wanted) {
            remove(requests.size() - 1, actions);
        }
        while (requests.size() < wanted) {
            PendingAcquire request =
                    new PendingAcquire(engine, queue, this, queue.first().options(), actions.now());
            requests.add(request);
            send(request, lane, timeout, actions);
        }
    }

    /** Removes the request in this place, if there is one. */
    void remove(int place, DeferredActions actions) {
        if (place < requests.size()) {
            requests.remove(place).withdraw(actions);
        }
    }

    /** Removes a request whose id belongs to a lease from now on. */
    void removeGranted(PendingAcquire request, DeferredActions actions) {
        requests.remove(request);
        request.end(actions);
    }

    // --- When they are sent.

    private void send(PendingAcquire request, Lane lane, Duration timeout, DeferredActions actions) {
        request.send(lane, queue.first().options(), queue.wantsPlace(), timeout, actions);
    }

    void sendAgain(PendingAcquire request, DeferredActions actions) {
        send(request, Lane.BACKGROUND, queue.first().callTimeout(actions.now()), actions);
    }

    /** Gives each paused request a timer, in case an earlier one could not be set. */
    void ensureRetries(DeferredActions actions) {
        requests.forEach(request -> request.ensureRetry(actions));
    }

    void timerFailed() {
        requests.forEach(PendingAcquire::timerFailed);
    }

    /** The timer of a request fired. */
    void retryIsDue(PendingAcquire request) {
        DeferredActions actions = queue.begin();
        try {
            if (request.isPaused()) {
                request.retryTimerFired();
                sendAgain(request, actions);
            }
        } finally {
            actions.run();
        }
    }

    /** The store notifies of a change; for which id, if it says so. */
    void notified(Optional<AcquisitionId> id) {
        DeferredActions actions = queue.begin();
        try {
            for (PendingAcquire request : List.copyOf(requests)) {
                if (id.isEmpty() || id.get().equals(request.id())) {
                    if (request.isPaused()) {
                        actions.acquireByWaiter(request, queue.first());
                    } else {
                        request.sendAgainAfterAnswer();
                    }
                }
            }
        } finally {
            actions.run();
        }
    }

    /** Sends the request again: on the thread of the first waiter if that thread is idle, else in the background. */
    void acquireByWaiter(PendingAcquire request, Waiter first) {
        if (!first.lendThread(() -> sendUnlessSent(request, first), engine.now())) {
            sendUnlessSent(request, null);
        }
    }

    /** @param lender the waiter whose thread this is; null for a thread that must not wait for the answer */
    private void sendUnlessSent(PendingAcquire request, @Nullable Waiter lender) {
        DeferredActions actions = queue.begin();
        try {
            if (!request.isPaused()) {
                return;
            }
            if (lender != null && queue.contains(lender) && lender.hasTimeForCall(actions.now())) {
                send(request, Lane.CALLER, lender.callTimeout(actions.now()), actions);
            } else {
                sendAgain(request, actions);
            }
        } finally {
            actions.run();
        }
    }

    /**
     * Chooses the request that travels in the same call as the release of the lease. Without hand-offs the next waiter has a place in
     * the store already: it asks in the same call if that has succeeded lately, and else waits for the notification.
     */
    void chooseNext() {
        if (!requests.isEmpty()) {
            optimistic = optimistic == null ? new OptimisticAcquire() : optimistic;
            optimistic.choose(requests.get(0));
        }
    }

    private @Nullable PendingAcquire chosen() {
        return optimistic == null ? null : optimistic.toSend();
    }

    /**
     * Which thread sends the release of the lease that these requests wait behind. Not the caller's, whose interrupt would break it,
     * if the next request travels in the same call: the chosen one, or a new one.
     */
    Lane laneOfRelease(Lane callers) {
        return requests.isEmpty() || chosen() != null ? Lane.BACKGROUND : callers;
    }

    /** The lease is over, and its release is sent. */
    void leaseEnded(Lane lane, DeferredActions actions) {
        adjust(lane, actions);
        PendingAcquire request = chosen();
        if (request != null) {
            sendAgain(request, actions);
        }
    }

    // --- What the store answers.

    /** The store answered a request, or did not in time. */
    void answered(PendingAcquire request, StoreResponse response) {
        DeferredActions actions = queue.begin();
        try {
            if (optimistic != null) {
                optimistic.answered(request, response.reply() instanceof LockReply.Granted);
            }
            request.record(response.reply());
            if (request.isOver()) {
                request.releaseId(Lane.CLEANUP, actions);
                return;
            }
            answers++;
            try {
                queue.answered(request, response, actions);
            } finally {
                request.ensureRetry(actions);
            }
        } finally {
            actions.run();
        }
    }

    /** Whether the store has said that others come first. */
    boolean anyRefused() {
        return requests.stream().anyMatch(PendingAcquire::isRefused);
    }

    /** Whether an attempt has gone unanswered for so long that the end of this wait counts as an outage. */
    boolean areUnansweredAtEndOf(Waiter waiter, DualClockInstant now) {
        return requests.stream()
                .anyMatch(request -> request.isUnansweredFor(waiter.outageAfter(request.isRefused(), now), now));
    }

    /** When the oldest attempt began that is under way; null if none is. */
    @Nullable
    DualClockInstant oldestAttempt(DualClockInstant now) {
        DualClockInstant oldest = null;
        for (PendingAcquire request : requests) {
            DualClockInstant attempt = request.attemptedAt();
            if (request.isSent() && (oldest == null || attempt.until(now).compareTo(oldest.until(now)) > 0)) {
                oldest = attempt;
            }
        }
        return oldest;
    }
}
