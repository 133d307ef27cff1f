package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** For how long the primary has not answered this process. That alone proves nothing: it may be this process that is cut off. */
final class Suspicion {

    private @Nullable Moment since;
    private String why = "";

    /** It has answered something. */
    void answered() {
        since = null;
    }

    /** A call got no answer. */
    void failed(Moment sent, Throwable because) {
        since = since == null ? sent : since;
        why = String.valueOf(because.getMessage());
    }

    boolean isFailing() {
        return since != null;
    }

    /** For how long already; zero if it answers. */
    Duration lasted(Moment now) {
        return since == null ? Duration.ZERO : since.until(now);
    }

    /** What the last failure was. */
    String why() {
        return why;
    }
}
