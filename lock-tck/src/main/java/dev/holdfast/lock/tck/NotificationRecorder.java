package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Subscribes to the notifications of a store and records them. */
final class NotificationRecorder implements AutoCloseable {

    /** A notification that has not come after this long is late, or will not come. */
    private static final Duration SOON = Duration.ofSeconds(2);

    private final List<Notification> received = new CopyOnWriteArrayList<>();
    private final StoreClient client;
    private final AutoCloseable subscription;

    NotificationRecorder(StoreClient client) {
        this.client = client;
        subscription = client.store().subscribe(notification -> {
            client.trace().heard(notification);
            received.add(notification);
        });
    }

    /** In order of arrival. */
    List<Notification> received() {
        return List.copyOf(received);
    }

    void clear() {
        received.clear();
    }

    boolean receivedAny() {
        return received.contains(Notification.ANY);
    }

    /**
     * Waits for a notification that makes this waiter ask again. To be called after the event.
     *
     * @param event the event that must be notified
     * @throws RuleBroken.TooSlow if the place of the waiter may have expired before any notification could arrive
     */
    void await(Kit kit, String event, LockName name, AcquisitionId id) {
        kit.expectPlaceLasted(event, id);
        OtherReleases others = new OtherReleases(kit, event, id);
        try {
            kit.await("a waiter is notified", () -> receivedFor(name, id) || others.watch());
        } catch (RuleBroken.TooSlow e) {
            throw e;
        } catch (RuleBroken e) {
            List<Notification> came = received.stream()
                    .filter(notification -> !others.names.contains(notification.name()))
                    .toList();
            throw new RuleBroken(
                    event + " must notify the waiter " + StoreClient.owner(id) + " of " + SampleNames.escaped(name)
                            + ", but " + kit.contract.patience() + " later "
                            + (came.isEmpty() ? "no notification has come" : "only these have come: " + came)
                            + (others.inTime ? "; that of a later release of another lock has" : ""),
                    e);
        }
    }

    /** Other locks that are released when a notification is late, to see when notifications arrive at all. */
    private final class OtherReleases {

        private final Kit kit;
        private final String event;
        private final AcquisitionId waiter;
        private final long begin = System.nanoTime();
        private final Set<Optional<LockName>> names = new HashSet<>();
        private @Nullable HeldLock latest;
        private @Nullable AcquisitionId next;
        private boolean inTime;

        OtherReleases(Kit kit, String event, AcquisitionId waiter) {
            this.kit = kit;
            this.event = event;
            this.waiter = waiter;
        }

        /**
         * Returns false: another lock shows nothing of the event.
         *
         * @throws RuleBroken.TooSlow if the first notification came when the place of the waiter may have expired
         */
        boolean watch() {
            if (next == null ? isLate() : !mayHavePlace(next)) {
                releaseAnother();
            }
            if (latest != null && next != null && receivedFor(latest.name(), next)) {
                inTime |= mayHavePlace(waiter);
                if (!inTime) {
                    throw new RuleBroken.TooSlow(
                            event + " and a release of another lock were so long before the next notification that the"
                                    + " place of the waiter " + StoreClient.owner(waiter) + " may have expired");
                }
            }
            return false;
        }

        private boolean isLate() {
            return System.nanoTime() - begin
                    > Durations.min(SOON, kit.contract.patience().dividedBy(4)).toNanos();
        }

        private boolean mayHavePlace(AcquisitionId id) {
            return client.trace().sinceAsked(id).compareTo(QueueTimes.WAITER_TTL) < 0;
        }

        private void releaseAnother() {
            StoreClient patient = client.patient();
            latest = patient.grant(new LockName("another " + Kit.id()), Kit.LONG);
            names.add(Optional.of(latest.name()));
            next = patient.enqueue(latest.name());
            patient.release(latest);
        }
    }

    /** Whether a notification was received that makes this waiter ask again. */
    boolean receivedFor(LockName name, AcquisitionId id) {
        return received.stream()
                .anyMatch(notification -> notification.name().map(name::equals).orElse(true)
                        && notification.id().map(id::equals).orElse(true));
    }

    @Override
    public void close() {
        try {
            subscription.close();
        } catch (Exception e) {
            throw new IllegalStateException("a subscription could not be closed", e);
        }
    }
}
