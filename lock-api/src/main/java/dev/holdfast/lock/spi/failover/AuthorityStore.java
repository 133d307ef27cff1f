package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A store that keeps the authority state, and grants in the phases in which that state says so. It is linearizable and never
 * forgets a commit. Each command is executed in one transaction with the check of the authority state, so that no transition
 * can come between the two.
 *
 * <p>Thread-safe and blocking. Every call throws a {@link LockUnavailableException} if the database does not answer; its outcome
 * is then unknown.
 */
public interface AuthorityStore extends AutoCloseable {

    /**
     * Returns the authority state of this namespace, and creates it if there is none: FALLBACK of epoch 1.
     *
     * @param lease the length of the authority lease of a new state
     * @param tokenBase the tokens of a new state are greater than this, than the authority's clock in microseconds and than
     *     every token that the authority remembers
     * @throws LockConfigurationException if there is no state and locks of this namespace are held, busy by a minimum hold or
     *     waited for
     */
    AuthorityState initialize(Duration lease, long tokenBase, Duration timeout);

    /** Reads the authority state of this namespace without joining its members; empty if there is none. For people. */
    Optional<AuthorityReading> peek(Duration timeout);

    /**
     * Reads the authority state as of an instant after the beginning of the call, and records this member. The record makes
     * the reading a commit, so that an authority that cannot commit cannot answer.
     */
    AuthorityReading read(Membership member, Duration timeout);

    /** Removes this member: it is no longer counted. */
    void leave(AcquisitionId member, Duration timeout);

    /** Makes a transition, and returns whether this call made it. If not, the authority state was a different one. */
    boolean transition(Transition transition, Duration timeout);

    /**
     * As {@link dev.holdfast.lock.spi.LockStore#execute}, with tokens above the token base. An Acquire is executed in FALLBACK of
     * this epoch only; a Renew or a Release in DRAINING as well. In any other state the reply to every command is
     * {@link LockReply.Unavailable} with a {@link StaleTermException}.
     */
    List<LockReply> execute(long epoch, List<LockCommand> commands, Duration timeout);

    /**
     * Asserts leases of the epoch before, in DRAINING of this epoch. Those that are more than minimum holds are {@linkplain
     * Share#areCompatible compatible} with each other. A lease that is only a minimum hold may be of any earlier epoch. It counts only
     * beside a single other lease: if it is not compatible with that one, it yields to it if the other has a greater token, and
     * excludes it otherwise. Beside several leases, minimum holds may take more than there is.
     *
     * @return for each lease: {@link LockReply.Granted} with its token if it is in force now, also if it was asserted before;
     *     {@link LockReply.Gone} if leases that do not yield to it are in its way, or the id has a tombstone and the lease is not only a
     *     minimum hold; {@link LockReply.Unavailable} with a {@link StaleTermException} in any other state
     */
    List<LockReply> assertLeases(long epoch, List<TransferredLease> leases, Duration timeout);

    /**
     * A page of the leases, including those that are only minimum holds, in FAILING_BACK of this epoch. It has all leases of each of its
     * names, as of one instant.
     *
     * @param after the page begins after this name, in the order of names; empty for the first page
     * @param limit the least length of a page; only the last one is shorter
     * @throws StaleTermException in any other state
     */
    List<TransferredLease> leases(long epoch, Optional<LockName> after, int limit, Duration timeout);

    /** An upper bound of the tokens that any store has granted in this namespace so far. */
    long highestToken(Duration timeout);

    /** As {@link dev.holdfast.lock.spi.LockStore#subscribe}. */
    AutoCloseable subscribe(Consumer<Notification> listener);

    /** As {@link dev.holdfast.lock.spi.LockStore#list}. */
    Stream<LockInfo> list(String prefix, Duration timeout);

    /** As {@link dev.holdfast.lock.spi.LockStore#diagnose}. */
    List<Finding> diagnose(Duration timeout);

    @Override
    void close();
}
