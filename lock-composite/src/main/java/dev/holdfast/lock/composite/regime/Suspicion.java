package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** For how long the primary in power has not answered this process. That alone proves nothing: it may be this process that is cut off. */
final class Suspicion {

    private @Nullable Moment since;
    private @Nullable Moment last;
    private boolean certain;
    private String why = "";

    /** It has answered something. */
    void answered() {
        since = null;
        last = null;
        certain = false;
    }

    /** A call got no answer. */
    void failed(Moment sent, Moment now, String because) {
        since = since == null ? sent : since;
        last = now;
        why = because;
    }

    /** Another server answered: that is certain at once. */
    void foundElsewhere(Moment sent, Moment now, String evidence) {
        failed(sent, now, evidence);
        certain = true;
    }

    /** Whether it has lasted for so long that it counts. */
    boolean isGrave(Duration most, Moment now) {
        return since != null && (certain || lasted(now).compareTo(most) >= 0);
    }

    /** Whether another failure was learned of after this instant. */
    boolean wentOnAfter(Moment instant) {
        return last != null && last.nanos() - instant.nanos() > 0;
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
