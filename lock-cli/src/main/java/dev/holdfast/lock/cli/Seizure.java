package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.text.ForeignText;
import dev.holdfast.lock.cli.text.Times;
import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One lock is taken from its holder: looks, says what that means, asks, takes, and looks again. */
final class Seizure {

    /** What came of it. */
    enum Outcome {
        /** The holder that was shown has it no more. */
        TAKEN(0),
        /** Nobody held it, or not any more. */
        FREE(0),
        /** A minimum hold keeps it. */
        KEPT(ExitStatus.BUSY),
        /** Another one holds it by now. */
        CHANGED(ExitStatus.BUSY),
        /** The answer was no. */
        DECLINED(ExitStatus.BUSY);

        private final int status;

        Outcome(int status) {
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /** Who decides. */
    interface Consent {
        boolean isGiven(String question) throws IOException;
    }

    private final String name;
    private final LockAdmin admin;
    private final Messages messages;
    private final Times times = new Times(InstantSource.system(), ZoneId.systemDefault());

    private Optional<LockInfo> before = Optional.empty();
    private Optional<LockInfo> after = Optional.empty();
    private @Nullable Outcome outcome;

    Seizure(String name, LockAdmin admin, Messages messages) {
        this.name = name;
        this.admin = admin;
        this.messages = messages;
    }

    /** Takes it, if that is agreed to. */
    Outcome by(Consent consent) throws IOException {
        before = look();
        after = before;
        Optional<LockInfo.Holder> holder = before.flatMap(LockInfo::holder);
        outcome = holder.isPresent() ? from(holder.get(), before.orElseThrow(), consent) : fromNobody();
        return outcome;
    }

    private Outcome from(LockInfo.Holder holder, LockInfo shown, Consent consent) throws IOException {
        messages.say(shownName() + " is held by " + described(holder));
        messages.say(
                "its holder learns of it only at its next renewal, after a third of its lease at most, and of a lease"
                        + " that is not renewed only at its end; until then two may believe that they hold the lock, and only the fencing token tells them apart: end the"
                        + " holder first");
        if (!consent.isGiven("Take " + shownName() + " from " + ForeignText.of(holder.owner()) + "?")) {
            messages.say("nothing was taken");
            return Outcome.DECLINED;
        }
        if (admin.forceRelease(shown)) {
            messages.say("took " + shownName() + " from " + ForeignText.of(holder.owner()));
            lookAgain();
            return Outcome.TAKEN;
        }
        after = look();
        Optional<LockInfo.Holder> other = after.flatMap(LockInfo::holder);
        if (other.isPresent()) {
            messages.say(shownName() + " has another holder by now, and nothing was taken from it: "
                    + described(other.get()));
            return Outcome.CHANGED;
        }
        return fromNobody();
    }

    private Outcome fromNobody() {
        Optional<Instant> kept = after.flatMap(LockInfo::keptUntil);
        if (kept.isPresent()) {
            messages.say(shownName() + " is held by nobody, but a minimum hold keeps it until "
                    + times.future(kept.get()) + ": it cannot be taken");
            return Outcome.KEPT;
        }
        messages.say("nobody holds " + shownName());
        sayWhoIsNext();
        return Outcome.FREE;
    }

    /** The lock is taken, whatever becomes of this look. */
    private void lookAgain() {
        try {
            after = look();
            sayWhoIsNext();
        } catch (LockUnavailableException e) {
            after = Optional.empty();
            messages.say("who is next is not known: " + e.getMessage());
        }
    }

    private void sayWhoIsNext() {
        after.flatMap(LockInfo::holder)
                .ifPresentOrElse(
                        next -> messages.say("it is held by " + described(next) + " now"),
                        () -> after.flatMap(lock -> lock.waiters().stream().findFirst())
                                .ifPresent(next -> messages.say("next in the queue is " + ForeignText.of(next))));
    }

    /** The name itself comes before all others that start with it. */
    private Optional<LockInfo> look() {
        try (Stream<LockInfo> locks = admin.locks(name)) {
            return locks.findFirst().filter(lock -> lock.name().value().equals(name));
        }
    }

    private String shownName() {
        return "'" + ForeignText.of(name) + "'";
    }

    private String described(LockInfo.Holder holder) {
        return ForeignText.of(holder.owner()) + " since " + times.past(holder.since()) + " until "
                + times.future(holder.until()) + ", fencing token " + holder.fencingToken();
    }

    /** What came of it, for programs. */
    void write(JsonWriter json) throws IOException {
        json.beginObject();
        json.name("name").value(name);
        json.name("outcome").value(requireNonNull(outcome).name().toLowerCase(Locale.ROOT));
        json.name("before");
        LockJson.write(json, before);
        json.name("after");
        LockJson.write(json, after);
        json.endObject();
    }
}
