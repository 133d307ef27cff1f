package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.Reading;
import org.jspecify.annotations.Nullable;

/** Since when it is known how many members suspect the primary of this epoch. */
final class Agreement {

    private @Nullable Moment most;
    private @Nullable Moment all;

    /** @param isNew whether the regime is another than before */
    void heard(Reading reading, boolean isNew, Moment now) {
        most = since(isNew ? null : most, reading.suspecting() * 2 > reading.members(), now);
        all = since(isNew ? null : all, reading.suspecting() > 0 && reading.suspecting() >= reading.members(), now);
    }

    private static @Nullable Moment since(@Nullable Moment before, boolean isSo, Moment now) {
        return isSo && before != null ? before : isSo ? now : null;
    }

    /** Since when most members suspect it; null if they do not. */
    @Nullable
    Moment ofMost() {
        return most;
    }

    /** Since when each of them does; null if one does not. */
    @Nullable
    Moment ofAll() {
        return all;
    }
}
