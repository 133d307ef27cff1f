package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.internal.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** For how long the primary in power has not answered this process. That alone proves nothing: it may be this process that is cut off. */
final class Suspicion {

    private @Nullable Moment since;
    private @Nullable Moment last;
    private boolean certain;
    private boolean refused;
    private String why = "";

    /** It has answered something. */
    void answered() {
        since = null;
        last = null;
        certain = false;
        refused = false;
    }

    /** A call got no answer, or none that is of use to this process. */
    void failed(Moment sent, Moment now, Throwable because) {
        failed(sent, now, String.valueOf(because.getMessage()));
        refused = because instanceof LockConfigurationException
                || because.getCause() instanceof LockConfigurationException;
    }

    private void failed(Moment sent, Moment now, String because) {
        since = since == null ? sent : since;
        last = now;
        why = because;
        refused = false;
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

    /** Whether it is there, but does not let this process in, or cannot be used as this process is set up. */
    boolean isRefused() {
        return refused;
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
