package dev.holdfast.lock.tck.model;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.util.Optional;

/** A request of one caller about one lock, with the reply; or another event of the lock. */
public sealed interface Operation {

    /** The lock. */
    LockName name();

    /** The time and the client of the request. */
    Call call();

    /** The position among the operations of the same call, which a store executes in their order. */
    int position();

    /** Whether a reply came: without one, the store executes the command later, or never. */
    boolean isAnswered();

    /**
     * A call of a store.
     *
     * @param number unique in a history
     * @param client the store instance that was called, for people
     * @param invoked before the call, in nanoseconds
     * @param returned after the call, in nanoseconds
     */
    record Call(int number, String client, long invoked, long returned) {

        Span time() {
            return new Span(invoked, returned);
        }
    }

    /** A command and its reply. */
    record Executed(Call call, int position, LockCommand command, LockReply reply) implements Operation {

        @Override
        public LockName name() {
            return command.name();
        }

        @Override
        public boolean isAnswered() {
            return !(reply instanceof LockReply.Unavailable);
        }

        AcquisitionId id() {
            return command.id();
        }
    }

    /**
     * A listing.
     *
     * @param shown the entry of this lock; empty if it was not in the listing
     */
    record Listed(Call call, int position, LockName name, Optional<LockInfo> shown) implements Operation {

        @Override
        public boolean isAnswered() {
            return true;
        }
    }

    /** A restart of the store, which changes nothing. */
    record Restarted(Call call, int position, LockName name) implements Operation {

        @Override
        public boolean isAnswered() {
            return true;
        }
    }
}
