package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A store that grants on behalf of an authority: fast, but it may forget. In the same atomic operation in which it grants, renews
 * or releases, it verifies that the term of the command is in force: that the server is a master, that its replication history
 * is that of the term, and that the record of the term, which holds the token counter, exists. Only {@link #installTerm} writes the
 * record.
 *
 * <p>Thread-safe and blocking. Every call throws a {@link RuntimeException} if its outcome is unknown.
 */
public interface PrimaryStore extends AutoCloseable {

    /**
     * As {@link dev.holdfast.lock.spi.LockStore#execute}, among the leases of this term only. The reply to a command of a term that
     * is not in force is {@link LockReply.Unavailable} with a {@link StaleTermException}, and so is the reply to an Acquire for
     * which the term has no token left.
     */
    List<LockReply> execute(PrimaryTerm term, List<LockCommand> commands, Duration timeout);

    /** As {@link dev.holdfast.lock.spi.LockStore#parallelCalls}. */
    default int parallelCalls() {
        return 1;
    }

    /** The health of the server that is the master now. */
    PrimaryHealth health(Duration timeout);

    /**
     * Writes the record of a term in place of any earlier one. No command of the term is sent before the authority has activated
     * the primary. Sent to the server at most once, also after a failure.
     *
     * @param tokenBase the tokens of the term are greater than this, by {@link AuthorityState#TOKENS_PER_EPOCH} at most
     * @throws StaleTermException if the replication history is another, the server is not a master, or a term of this epoch or
     *     a later one was installed; the record was certainly not written then
     */
    void installTerm(PrimaryTerm term, long tokenBase, Duration timeout);

    /**
     * Writes leases under a term that was installed and is not yet in force. Each lasts at least for its remaining time from now
     * on. A server that forgets the leases forgets the record as well.
     *
     * @throws StaleTermException if the record of the term does not exist, as for {@link #execute}
     */
    void copyLeases(PrimaryTerm term, List<TransferredLease> leases, Duration timeout);

    /** As {@link dev.holdfast.lock.spi.LockStore#subscribe}. */
    AutoCloseable subscribe(Consumer<Notification> listener);

    /** As {@link dev.holdfast.lock.spi.LockStore#list}, among the leases of this term only. */
    Stream<LockInfo> list(PrimaryTerm term, String prefix, Duration timeout);

    /**
     * As {@link dev.holdfast.lock.spi.LockStore#diagnose}.
     *
     * @throws LockUnavailableException if the store does not answer
     */
    List<Finding> diagnose(Duration timeout);

    @Override
    void close();
}
