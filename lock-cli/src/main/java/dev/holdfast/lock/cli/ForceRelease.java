package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.EscapedText;
import dev.holdfast.lock.cli.output.JsonOutput;
import dev.holdfast.lock.cli.output.Messages;
import dev.holdfast.lock.cli.output.TimeText;
import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Takes a lock from its holder: shows the holder and the consequences, asks, releases, and shows the new state. */
final class ForceRelease {

    /** The result. */
    enum Outcome {
        /** The holder that was shown has lost the lock. */
        RELEASED(0),
        /** There was no holder, or no longer one. */
        FREE(0),
        /** A minimum hold keeps the lock. */
        KEPT(ExitStatus.BUSY),
        /** Another process holds the lock by now. */
        CHANGED(ExitStatus.BUSY),
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
    private final LockAdmin admin;
    private final Messages messages;
    private final TimeText times = TimeText.local();

    private Optional<LockInfo> before = Optional.empty();
    private Optional<LockInfo> after = Optional.empty();
    private @Nullable Outcome outcome;

    ForceRelease(String name, LockAdmin admin, Messages messages) {
        this.name = name;
        this.admin = admin;
        this.messages = messages;
    }

    /** Releases the lock if the operator confirms. */
    Outcome execute(Confirmation confirmation) throws IOException {
        before = find();
        after = before;
        Optional<LockInfo.Holder> holder = before.flatMap(LockInfo::holder);
        outcome =
                holder.isPresent() ? takeFrom(holder.get(), before.orElseThrow(), confirmation) : reportWithoutHolder();
        return outcome;
    }

    private Outcome takeFrom(LockInfo.Holder holder, LockInfo shown, Confirmation confirmation) throws IOException {
        messages.print(quotedName() + " is held by " + describe(holder));
        messages.print("the holder learns of the loss at its next renewal, after a third of its lease at most; without"
                + " renewal, only at the end of the lease. Until then two processes may both believe that they hold the"
                + " lock, and only the fencing token distinguishes them: end the holder first");
        if (!confirmation.confirm("Take " + quotedName() + " from " + EscapedText.ofName(holder.owner()) + "?")) {
            messages.print("nothing was released");
            return Outcome.DECLINED;
        }
        if (admin.forceRelease(shown)) {
            messages.print("released " + quotedName() + ", held by " + EscapedText.ofName(holder.owner()));
            reportSuccessor();
            return Outcome.RELEASED;
        }
        after = find();
        Optional<LockInfo.Holder> other = after.flatMap(LockInfo::holder);
        if (other.isPresent()) {
            messages.print(quotedName() + " has another holder by now, and was not released: " + describe(other.get()));
            return Outcome.CHANGED;
        }
        return reportWithoutHolder();
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
        after.flatMap(LockInfo::holder)
                .ifPresentOrElse(
                        next -> messages.print("it is now held by " + describe(next)),
                        () -> after.flatMap(
                                        lock -> lock.waitingOwners().stream().findFirst())
                                .ifPresent(next -> messages.print("next in the queue is " + EscapedText.ofName(next))));
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
        return EscapedText.ofName(holder.owner()) + " since " + times.past(holder.since()) + " until "
                + times.future(holder.until()) + ", fencing token " + holder.fencingToken();
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
