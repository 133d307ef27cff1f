package dev.holdfast.lock.spi.regime;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A store that grants on an authority's behalf: fast, and liable to forget. In the same atomic step in which it grants, renews or
 * releases, it makes sure that the reign it is asked under is the one in power: that it is a master, of the same lineage, and that
 * the reign's mark, which holds the counter of its tokens, is still there. Nothing but {@link #install} makes the mark.
 *
 * <p>Thread-safe and blocking. Every call throws a {@link RuntimeException} if its outcome is unknown.
 */
public interface PrimaryStore extends AutoCloseable {

    /**
     * As {@link dev.holdfast.lock.spi.LockStore#apply}, among the grants of this reign only. A step under a reign that is not in
     * power is answered with {@link Answer.Unavailable} for a {@link DeposedException}, and so is a grant for which the reign
     * has no token left.
     */
    List<Answer> apply(Reign reign, List<Step> steps, Duration timeout);

    /** Looks at the server that grants now. */
    Health examine(Duration timeout);

    /**
     * Puts a reign in the place of any earlier one: leaves its mark. Nobody asks for anything under it before it is in power.
     * Sent to the server no more than once, whatever happens.
     *
     * @param base its tokens are greater than this, by {@link Regime#TOKENS} at most
     * @throws DeposedException if the lineage is another, the server no master, or a reign of this epoch or a later one was
     *     installed; in this case for certain nothing was done
     */
    void install(Reign reign, long base, Duration timeout);

    /**
     * Writes grants under a reign that was installed and is not yet in power; they last for what remains from now on, or longer.
     * What forgets them forgets the mark as well.
     *
     * @throws DeposedException if the reign's mark is not there, as for {@link #apply}
     */
    void copy(Reign reign, List<Carried> grants, Duration timeout);

    /** As {@link dev.holdfast.lock.spi.LockStore#signals}. */
    AutoCloseable signals(Consumer<Signal> to);

    /** As {@link dev.holdfast.lock.spi.LockStore#inspect}, among the grants of this reign only. */
    Stream<LockInfo> inspect(Reign reign, String prefix, Duration timeout);

    /**
     * As {@link dev.holdfast.lock.spi.LockStore#examine}.
     *
     * @throws LockUnavailableException if the store does not answer
     */
    List<Finding> findings(Duration timeout);

    @Override
    void close();
}
