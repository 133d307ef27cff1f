package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** For how long the primary in power has not answered this process. That alone proves nothing: it may be this process that is cut off. */
final class Suspicion {

    private @Nullable Moment since;
    private @Nullable Moment lastSent;
    private boolean certain;
    private String why = "";

    /** It has answered something. */
    void answered() {
        since = null;
        lastSent = null;
        certain = false;
    }

    /** A call got no answer. */
    void failed(Moment sent, String because) {
        since = since == null ? sent : since;
        lastSent = sent;
        why = because;
    }

    /** Another server answered: that is certain at once. */
    void foundElsewhere(Moment sent, String evidence) {
        failed(sent, evidence);
        certain = true;
    }

    /** Whether it has lasted for so long that it counts. */
    boolean isGrave(Duration most, Moment now) {
        return since != null && (certain || lasted(now).compareTo(most) >= 0);
    }

    /** Whether a call that was sent after this instant failed, too. */
    boolean wasConfirmedAfter(Moment instant) {
        return lastSent != null && lastSent.nanos() - instant.nanos() > 0;
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
