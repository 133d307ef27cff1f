package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The latest release of one name that was sent while its caller went on, until the store has replied, or has not in time. A request may
 * share its call, or overtake it in another one.
 */
final class ReleaseUnderWay {

    /** Null while there is none. */
    private StateTransition.@Nullable SentRelease sent;
    /** No request was sent behind it, which would overtake it if it were sent in another call. */
    private boolean mayRejoin;

    boolean lasts() {
        return sent != null;
    }

    void begin(StateTransition.SentRelease release, boolean isAlone) {
        sent = release;
        mayRejoin = isAlone;
    }

    /** @return false if a later one has taken its place */
    boolean end(StateTransition.SentRelease release) {
        if (sent != release) {
            return false;
        }
        sent = null;
        return true;
    }

    /** Sends it in the call of the next request, if that is possible; else that request may overtake it. */
    boolean isOvertakenByNext(Lane lane, Duration timeout, StateTransition transition) {
        return sent != null && !(mayRejoin && transition.sendAhead(sent, lane, timeout));
    }
}
