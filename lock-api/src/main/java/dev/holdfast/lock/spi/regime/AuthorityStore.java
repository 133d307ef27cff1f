package dev.holdfast.lock.spi.regime;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A store that keeps a regime, and grants where the regime says so: linearizable, and never forgets what it committed. Whatever it
 * does for a regime's sake it does in a transaction that no change of the regime can pass.
 *
 * <p>Thread-safe and blocking. Every call throws a {@link LockUnavailableException} if nobody answered, and then its outcome is
 * unknown.
 */
public interface AuthorityStore extends AutoCloseable {

    /**
     * The regime of this namespace; if there is none yet, the first one: FALLBACK of epoch 1.
     *
     * @param lease how long its regime lease is to be
     * @param base its tokens are greater than this, than the authority's clock in microseconds and than every token that the
     *     authority remembers
     * @throws LockConfigurationException if there is none yet and locks of this namespace are held, kept or waited for
     */
    Regime found(Duration lease, long base, Duration timeout);

    /** The regime of this namespace, without any trace of the asking; empty if there is none. For people. */
    Optional<Reading> look(Duration timeout);

    /**
     * The regime, as it was at an instant after the call was begun; and a word of this member, which only an authority that can
     * still commit can take.
     */
    Reading read(Membership member, Duration timeout);

    /** Takes leave: this member is not counted any more. */
    void leave(AcquisitionId member, Duration timeout);

    /** Whether this call made the change. If not, the regime was another. */
    boolean change(Transition transition, Duration timeout);

    /**
     * As {@link dev.holdfast.lock.spi.LockStore#apply}, with tokens above the regime's base. An acquire is carried out in
     * FALLBACK of this epoch only; a renewal or a release in DRAIN as well. In any other regime every step is answered with
     * {@link Answer.Unavailable} for a {@link DeposedException}.
     */
    List<Answer> apply(long epoch, List<Step> steps, Duration timeout);

    /**
     * Asserts grants of the epoch before, in DRAIN of this epoch. What is kept for a minimum hold may be of any epoch before, and
     * gives way to what has a greater token.
     *
     * @return for each: {@link Answer.Granted} with its token if it stands now, as it does if asserted before;
     *     {@link Answer.Gone} if the lock is somebody else's, or the id was released to be remembered, unless it is
     *     asserted as kept;
     *     {@link Answer.Unavailable} for a {@link DeposedException} in any other regime
     */
    List<Answer> assertAll(long epoch, List<Carried> grants, Duration timeout);

    /**
     * What is held or kept, in PREPARE of this epoch.
     *
     * @param after in the order of their names, those after this one; empty for the first page
     * @param most how many at most; fewer only on the last page
     * @throws DeposedException in any other regime
     */
    List<Carried> held(long epoch, Optional<LockName> after, int most, Duration timeout);

    /** The greatest token that was ever granted in this namespace, or may have been, by whomever. */
    long highestToken(Duration timeout);

    /** As {@link dev.holdfast.lock.spi.LockStore#signals}. */
    AutoCloseable signals(Consumer<Signal> to);

    /** As {@link dev.holdfast.lock.spi.LockStore#inspect}. */
    Stream<LockInfo> inspect(String prefix, Duration timeout);

    /** As {@link dev.holdfast.lock.spi.LockStore#examine}. */
    List<Finding> findings(Duration timeout);

    @Override
    void close();
}
