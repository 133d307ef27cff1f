package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.Opened;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reign;
import dev.holdfast.lock.testing.Await;
import java.util.List;

/**
 * A reign, and the store that is asked under it.
 *
 * @param store which
 * @param reign under which everything is asked
 */
record Crown(PrimaryStore store, Reign reign) implements AutoCloseable {

    /** Where a reign's mark is. */
    static final String MARK = "holdfast:{test:0}:reign";

    static final long BASE = 1_000;

    /** A store with a reign of this epoch, which is in power. */
    static Crown of(String uri, long epoch) {
        Crown crown = claim(uri, epoch);
        crown.install();
        return crown;
    }

    /** A store with a reign of this epoch, which is not in power, over what is there. */
    static Crown claim(String uri, long epoch) {
        PrimaryStore store = Opened.primary(uri);
        return new Crown(store, new Reign(epoch, store.examine(Steps.CALL).lineage()));
    }

    /** The same store, asked under the reign of another epoch. */
    Crown at(long epoch) {
        return new Crown(store, new Reign(epoch, reign.lineage()));
    }

    void install() {
        store.install(reign, BASE, Steps.CALL);
    }

    Answer ask(Step step) {
        return store.apply(reign, List.of(step), Steps.CALL).get(0);
    }

    /** The answer, which is of this kind. */
    <T extends Answer> T answered(Step step, Class<T> kind) {
        Answer answer = ask(step);
        assertThat(answer).as("the answer to " + step).isInstanceOf(kind);
        return kind.cast(answer);
    }

    /** What is said to speak against the reign, in answer to this step. */
    String evidence(Step step) {
        Throwable why = answered(step, Answer.Unavailable.class).why();
        assertThat(why).as("the answer to " + step).isInstanceOf(DeposedException.class);
        return why.getMessage();
    }

    /** Waits until the server answers on a connection that is not dead. */
    void awaitAnswer() {
        Await.until("the server answers", () -> {
            try {
                return !store.examine(Steps.CALL).lineage().isEmpty();
            } catch (LockUnavailableException e) {
                return false;
            }
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
