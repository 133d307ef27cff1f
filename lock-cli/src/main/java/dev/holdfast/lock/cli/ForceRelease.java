package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.EscapedText;
import dev.holdfast.lock.cli.output.JsonOutput;
import dev.holdfast.lock.cli.output.Messages;
import dev.holdfast.lock.cli.output.OwnerText;
import dev.holdfast.lock.cli.output.TimeText;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Takes a lock from one holder: shows it and the consequences, asks, releases, and shows the new state. */
final class ForceRelease {

    /** The result. */
    enum Outcome {
        /** The holder that was shown has lost the lock. */
        RELEASED(0),
        /** There was no holder, or no longer one. */
        FREE(0),
        /** A minimum hold keeps the lock. */
        KEPT(ExitStatus.BUSY),
        /** Only other processes hold the lock by now. */
        CHANGED(ExitStatus.BUSY),
        /** There are several holders, and no token says which one is meant. */
        AMBIGUOUS(ExitStatus.USAGE),
        /** The operator said no. */
        DECLINED(ExitStatus.BUSY);

        private final int exitStatus;

        Outcome(int exitStatus) {
            this.exitStatus = exitStatus;
        }

        int exitStatus() {
            return exitStatus;
        }
    }

    /** Asks for consent. */
    @FunctionalInterface
    interface Confirmation {
        boolean confirm(String question) throws IOException;
    }

    private final String name;
    private final Optional<Long> token;
    private final LockAdmin admin;
    private final Messages messages;
    private final TimeText times = TimeText.local();

    private Optional<LockInfo> before = Optional.empty();
    private Optional<LockInfo> after = Optional.empty();
    private @Nullable Outcome outcome;

    /** @param token the fencing token of the holder; empty for the only one */
    ForceRelease(String name, Optional<Long> token, LockAdmin admin, Messages messages) {
        this.name = name;
        this.token = token;
        this.admin = admin;
        this.messages = messages;
    }

    /** Releases the lock if the operator confirms. */
    Outcome execute(Confirmation confirmation) throws IOException {
        before = find();
        after = before;
        List<LockInfo.Holder> holders = holders(before);
        List<LockInfo.Holder> meant = holders.stream()
                .filter(holder -> token.isEmpty() || holder.fencingToken() == token.get())
                .toList();
        if (holders.isEmpty()) {
            outcome = reportWithoutHolder();
        } else if (meant.size() == 1) {
            outcome = takeFrom(meant.get(0), confirmation);
        } else {
            outcome = meant.isEmpty() ? Outcome.CHANGED : Outcome.AMBIGUOUS;
            messages.print(quotedName()
                    + (meant.isEmpty()
                            ? " has no holder with the fencing token " + token.orElseThrow() + ", and was not released:"
                            : " has " + meant.size() + " holders: name one by --token; nothing was released:"));
            holders.forEach(holder -> messages.print(describe(holder)));
        }
        return outcome;
    }

    private static List<LockInfo.Holder> holders(Optional<LockInfo> lock) {
        return lock.map(LockInfo::holders).orElse(List.of());
    }

    private Outcome takeFrom(LockInfo.Holder holder, Confirmation confirmation) throws IOException {
        messages.print(quotedName() + " is held by " + describe(holder));
        messages.print("the holder learns of the loss at its next renewal, after a third of its lease at most; without"
                + " renewal, only at the end of the lease. Until then two processes may both believe that they hold the"
                + " lock, and only the fencing token distinguishes them: end the holder first");
        if (!confirmation.confirm("Take " + quotedName() + " from " + EscapedText.ofName(holder.owner()) + "?")) {
            messages.print("nothing was released");
            return Outcome.DECLINED;
        }
        if (admin.forceRelease(new LockName(name), holder)) {
            messages.print("released " + quotedName() + ", held by " + EscapedText.ofName(holder.owner()));
            reportSuccessor();
            return Outcome.RELEASED;
        }
        after = find();
        if (holders(after).isEmpty()) {
            return reportWithoutHolder();
        }
        messages.print(quotedName() + " has another holder by now, and was not released:");
        holders(after).forEach(other -> messages.print(describe(other)));
        return Outcome.CHANGED;
    }

    private Outcome reportWithoutHolder() {
        Optional<Instant> kept = after.flatMap(LockInfo::minimumHoldUntil);
        if (kept.isPresent()) {
            messages.print(quotedName() + " has no holder, but a minimum hold keeps it until "
                    + times.future(kept.get()) + ": it cannot be released");
            return Outcome.KEPT;
        }
        messages.print(quotedName() + " has no holder");
        printNext();
        return Outcome.FREE;
    }

    /** Reports the next holder or waiter. The lock has been released, even if the store does not answer this time. */
    private void reportSuccessor() {
        try {
            after = find();
            printNext();
        } catch (LockUnavailableException e) {
            after = Optional.empty();
            messages.print("the next holder is unknown: " + e.getMessage());
        }
    }

    private void printNext() {
        for (LockInfo.Holder next : holders(after)) {
            messages.print((isKnown(next) ? "it is still held by " : "it is now held by ") + describe(next));
        }
        if (holders(after).isEmpty()) {
            after.flatMap(lock -> lock.waiters().stream().findFirst())
                    .ifPresent(next -> messages.print("next in the queue is " + OwnerText.of(next)));
        }
    }

    private boolean isKnown(LockInfo.Holder holder) {
        return holders(before).stream().anyMatch(shown -> shown.id().equals(holder.id()));
    }

    /** The lock's state. Its name is listed before all others that start with it. */
    private Optional<LockInfo> find() {
        try (Stream<LockInfo> locks = admin.locks(name)) {
            return locks.findFirst().filter(lock -> lock.name().value().equals(name));
        }
    }

    private String quotedName() {
        return "'" + EscapedText.ofName(name) + "'";
    }

    private String describe(LockInfo.Holder holder) {
        return OwnerText.of(holder) + " since " + times.past(holder.since()) + " until " + times.future(holder.until())
                + ", fencing token " + holder.fencingToken();
    }

    /** Writes the result, for programs. */
    void writeTo(JsonWriter json) throws IOException {
        json.beginObject();
        json.name("name").value(name);
        json.name("outcome").value(requireNonNull(outcome).name().toLowerCase(Locale.ROOT));
        json.name("before");
        JsonOutput.writeLock(json, before);
        json.name("after");
        JsonOutput.writeLock(json, after);
        json.endObject();
    }
}
