package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/** The latest calls of a rule and the notifications that it received, for the message of a failure. Thread-safe. */
final class CallTrace {

    private static final int EVENTS = 12;

    /** The number of commands of a batch, and of names of locks, that a message lists; the rest are counted. */
    private static final int TOLD = 4;

    private final ReentrantLock guard = new ReentrantLock();
    private final long start = System.nanoTime();
    private final Deque<Event> events = new ArrayDeque<>();
    private final Set<LockName> names = new LinkedHashSet<>();
    private final Map<AcquisitionId, Long> asked = new HashMap<>();

    private sealed interface Event {}

    /** A call, or the same call several times with the latest reply. */
    private record Call(long sent, long answered, List<LockCommand> commands, List<LockReply> replies, int times)
            implements Event {

        /** A caller that polls must not hide earlier calls. */
        boolean isRepeatedBy(Call next) {
            return commands.equals(next.commands) && kinds(replies).equals(kinds(next.replies));
        }

        private static List<Class<?>> kinds(List<LockReply> replies) {
            return replies.stream().<Class<?>>map(LockReply::getClass).toList();
        }
    }

    private record Heard(long at, Notification notification) implements Event {}

    void called(long sent, List<LockCommand> commands, List<LockReply> replies) {
        guard.lock();
        try {
            for (LockCommand command : commands) {
                names.add(command.name());
                if (command instanceof LockCommand.Acquire acquire && acquire.queue()) {
                    asked.put(acquire.id(), sent);
                }
            }
            Call call = new Call(sent, System.nanoTime(), List.copyOf(commands), List.copyOf(replies), 1);
            if (events.peekLast() instanceof Call last && last.isRepeatedBy(call)) {
                events.removeLast();
                call = new Call(last.sent(), call.answered(), call.commands(), call.replies(), last.times() + 1);
            }
            add(call);
        } finally {
            guard.unlock();
        }
    }

    void heard(Notification notification) {
        guard.lock();
        try {
            add(new Heard(System.nanoTime(), notification));
        } finally {
            guard.unlock();
        }
    }

    private void add(Event event) {
        events.addLast(event);
        if (events.size() > EVENTS) {
            events.removeFirst();
        }
    }

    /** The time since the latest acquire of this waiter was sent. */
    Duration sinceAsked(AcquisitionId waiter) {
        guard.lock();
        try {
            return Duration.ofNanos(System.nanoTime() - Objects.requireNonNull(asked.get(waiter)));
        } finally {
            guard.unlock();
        }
    }

    /** What the latest of these calls failed with that got no reply. */
    Optional<Throwable> latestFailure() {
        guard.lock();
        try {
            for (var latest = events.descendingIterator(); latest.hasNext(); ) {
                if (latest.next() instanceof Call call) {
                    for (LockReply reply : call.replies()) {
                        if (reply instanceof LockReply.Unavailable unavailable) {
                            return Optional.of(unavailable.cause());
                        }
                    }
                }
            }
            return Optional.empty();
        } finally {
            guard.unlock();
        }
    }

    /** The names of the locks that were asked about. */
    String names() {
        guard.lock();
        try {
            return shortened(names.stream().map(SampleNames::escaped).toList(), ", ");
        } finally {
            guard.unlock();
        }
    }

    /** Lines to be added to a message; empty if no call was made. */
    String text() {
        guard.lock();
        try {
            CommandText text = new CommandText();
            return events.isEmpty()
                    ? ""
                    : events.stream()
                            .map(event -> line(event, text))
                            .collect(Collectors.joining(
                                    "\n    ", "\n  the latest calls, by the time since the rule began:\n    ", ""));
        } finally {
            guard.unlock();
        }
    }

    private String line(Event event, CommandText text) {
        if (event instanceof Heard heard) {
            Notification notification = heard.notification();
            return CommandText.millis(heard.at() - start) + "  notified: "
                    + (notification.equals(Notification.ANY)
                            ? "ANY"
                            : notification.name().map(SampleNames::escaped).orElse("any lock") + " for "
                                    + notification.id().map(text::named).orElse("any waiter"));
        }
        Call call = (Call) event;
        List<String> commands = new ArrayList<>();
        int answered = Math.min(call.commands().size(), call.replies().size()); // a broken store has lost some
        for (int at = 0; at < answered; at++) {
            LockCommand command = call.commands().get(at);
            commands.add(SampleNames.escaped(command.name()) + ": " + text.asked(command) + " -> "
                    + text.told(call.replies().get(at)));
        }
        return CommandText.millis(call.sent() - start) + " to " + CommandText.millis(call.answered() - start) + "  "
                + shortened(commands, "; ")
                + (call.times() == 1 ? "" : ", " + call.times() + " times");
    }

    private static String shortened(List<String> all, String separator) {
        String told = String.join(separator, all.subList(0, Math.min(TOLD, all.size())));
        return all.size() <= TOLD ? told : told + separator + "… (" + all.size() + " in all)";
    }
}
