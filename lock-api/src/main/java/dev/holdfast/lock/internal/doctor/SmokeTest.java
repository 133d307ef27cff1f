package dev.holdfast.lock.internal.doctor;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.Durations;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Takes one lock through its life cycle on the store, under a random name: this needs all rights that an application needs. */
final class SmokeTest {

    private static final String OWNER = "lock doctor";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration CLOCKS_AGREE = Duration.ofSeconds(1);
    /** The limit of the wait for a notification, or the timeout of a call if that is longer. */
    private static final Duration NOTIFICATION_TIMEOUT = Duration.ofSeconds(5);

    private final LockStore store;
    private final Duration timeout;
    private final Duration notificationTimeout;
    private final SecureRandom random = new SecureRandom();
    private final LockName name;
    private final AcquisitionId first;
    private final AcquisitionId second;
    private final List<Finding> findings = new ArrayList<>();

    SmokeTest(LockStore store, Duration timeout) {
        this.store = store;
        this.timeout = timeout;
        this.notificationTimeout = Durations.max(NOTIFICATION_TIMEOUT, timeout);
        this.name = new LockName("holdfast-doctor-" + newId());
        this.first = newId();
        this.second = newId();
    }

    private AcquisitionId newId() {
        return new AcquisitionId(random.nextLong(), random.nextLong());
    }

    /** A command failed, so that the remaining steps make no sense. */
    private static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;

        private final String advice;

        Failed(String message, String advice) {
            super(message);
            this.advice = advice;
        }
    }

    List<Finding> run() {
        try {
            commands();
        } catch (Failed e) {
            findings.add(Finding.error("commands", String.valueOf(e.getMessage()), e.advice));
            forget();
        }
        return findings;
    }

    private void commands() throws Failed {
        Instant before = Instant.now();
        expect(LockReply.Granted.class, acquire(first, false));
        Instant after = Instant.now();
        findings.add(Finding.ok("connection", "the store answers"));
        long start = System.nanoTime();
        expect(LockReply.Granted.class, new LockCommand.Renew(name, first, LEASE));
        Duration call = Duration.ofNanos(System.nanoTime() - start);
        clock(before, after);
        boolean queues = store.capabilities().contains(Capability.QUEUE);
        expect(queues ? LockReply.Queued.class : LockReply.Busy.class, acquire(second, true));
        if (!queues) {
            findings.add(Finding.note(
                    "waiting",
                    "the store has no queue: waiters of several processes are served in no particular order, and poll",
                    ""));
            release(first);
        } else if (store.capabilities().contains(Capability.NOTIFICATIONS)) {
            handOverByNotification();
        } else {
            findings.add(
                    Finding.note("waiting", "the store does not notify the waiter whose turn it is: waiters poll", ""));
            release(first);
        }
        expect(LockReply.Granted.class, acquire(second, true));
        release(second);
        findings.add(Finding.ok(
                "commands",
                "a lock was acquired, renewed, waited for, handed over and released; a call takes " + millis(call)));
    }

    private void handOverByNotification() throws Failed {
        BlockingQueue<Notification> notifications = new LinkedBlockingQueue<>();
        AutoCloseable subscription;
        try {
            subscription = store.subscribe(notifications::add);
        } catch (RuntimeException e) {
            warnUnnotified("subscribing failed: " + Doctor.message(e));
            release(first);
            return;
        }
        try (subscription) {
            boolean listens = isNotified(notifications, Notification.ANY::equals);
            release(first);
            long start = System.nanoTime();
            if (!listens) {
                warnUnnotified("the subscription did not begin within " + notificationTimeout.toSeconds() + " s");
            } else if (isNotified(notifications, this::isTurn)) {
                Duration told = Duration.ofNanos(System.nanoTime() - start);
                findings.add(Finding.ok("notifications", "a waiter is notified of its turn within " + millis(told)));
            } else {
                findings.add(Finding.warning(
                        "notifications",
                        "a waiter was not notified of its turn within " + notificationTimeout.toSeconds()
                                + " s: waiters get the lock some seconds after it became free",
                        "connect without a pooler that holds back notifications of the server: use the URL of the"
                                + " server itself, or the pooler's session mode"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed("interrupted", "");
        } catch (Failed e) {
            throw e;
        } catch (Exception e) {
            findings.add(Finding.warning(
                    "notifications", "ending the subscription failed: " + Doctor.message(e), Doctor.REACH));
        }
    }

    private void warnUnnotified(String found) {
        findings.add(Finding.warning(
                "notifications",
                found + ": waiters get the lock some seconds after it became free",
                "check that this user may open one more connection, and listen on it"));
    }

    private boolean isTurn(Notification notification) {
        return notification.name().map(name::equals).orElse(true)
                && notification.id().map(second::equals).orElse(true);
    }

    private boolean isNotified(BlockingQueue<Notification> notifications, Predicate<Notification> what)
            throws InterruptedException {
        long end = System.nanoTime() + notificationTimeout.toNanos();
        for (long left = notificationTimeout.toNanos(); left > 0; left = end - System.nanoTime()) {
            Notification notification = notifications.poll(left, TimeUnit.NANOSECONDS);
            if (notification != null && what.test(notification)) {
                return true;
            }
        }
        return false;
    }

    /** The store dates what it grants, and so shows its clock. */
    private void clock(Instant before, Instant after) throws Failed {
        if (!store.capabilities().contains(Capability.LIST)) {
            findings.add(Finding.note("clock", "the store lists no locks, so that its clock cannot be read", ""));
            return;
        }
        Instant since = since();
        Duration ahead = since.isBefore(before)
                ? Duration.between(before, since)
                : since.isAfter(after) ? Duration.between(after, since) : Duration.ZERO;
        String difference = ahead.isZero()
                ? "the store's clock and this machine's show the same time"
                : "the store's clock is " + millis(ahead.abs()) + (ahead.isNegative() ? " behind" : " ahead of")
                        + " this machine's";
        if (ahead.abs().compareTo(CLOCKS_AGREE) <= 0) {
            findings.add(Finding.ok("clock", difference));
        } else {
            findings.add(Finding.note(
                    "clock",
                    difference + "; leases do not depend on it, but jobs that machines start by their own clocks do",
                    "synchronize the clocks, or give such a job a minimum hold that is longer than the difference"));
        }
    }

    private Instant since() throws Failed {
        try (Stream<LockInfo> shown = store.list(name.value(), timeout)) {
            return shown.findFirst()
                    .flatMap(LockInfo::holder)
                    .map(LockInfo.Holder::since)
                    .orElseThrow(() -> wrong("a lock that was just acquired is not shown"));
        } catch (RuntimeException e) {
            throw new Failed("looking at a lock failed: " + Doctor.message(e), Doctor.REACH);
        }
    }

    private LockCommand acquire(AcquisitionId id, boolean queue) {
        return new LockCommand.Acquire(name, id, LEASE, queue, 0, OWNER);
    }

    private void release(AcquisitionId id) throws Failed {
        expect(LockReply.Released.class, new LockCommand.Release(name, id, Duration.ZERO, Duration.ZERO));
    }

    private void expect(Class<? extends LockReply> expected, LockCommand command) throws Failed {
        String what = "the command " + command.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        LockReply reply;
        try {
            reply = store.execute(List.of(command), timeout).get(0);
        } catch (RuntimeException e) {
            throw unanswered(what, e);
        }
        if (reply instanceof LockReply.Unavailable unavailable) {
            throw unanswered(what, unavailable.cause());
        }
        if (!expected.isInstance(reply)) {
            throw wrong(what + " was answered with " + reply + " instead of " + expected.getSimpleName());
        }
    }

    private static Failed unanswered(String what, Throwable why) {
        return new Failed(
                what + " failed: " + Doctor.message(why),
                "if it was refused, see that this user of the store has all the rights that the store's documentation"
                        + " names; else " + Doctor.REACH);
    }

    private static Failed wrong(String what) {
        return new Failed(what, "this is a fault of the store: run the test kit against it");
    }

    /** Releases what a failed test may have left, including by a command that is still on its way. */
    private void forget() {
        List<LockCommand> commands = List.of(
                new LockCommand.Release(name, second, Duration.ZERO, LEASE),
                new LockCommand.Release(name, first, Duration.ZERO, LEASE));
        boolean isForgotten;
        try {
            isForgotten = store.execute(commands, timeout).stream().allMatch(LockReply.Released.class::isInstance);
        } catch (RuntimeException e) {
            isForgotten = false; // like the command before it, which has been reported
        }
        if (!isForgotten) {
            findings.add(Finding.note(
                    "commands",
                    "the smoke test may have left the lock '" + name + "': it ends after " + LEASE.toSeconds() + " s",
                    ""));
        }
    }

    private static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
    }
}
