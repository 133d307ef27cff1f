package dev.holdfast.lock.cli.output;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Share;

/** Holders and waiters for people: {@code 4711@web-3}, with {@code (shared)} or {@code (2 of 4)} behind it unless exclusive. */
public final class OwnerText {

    private OwnerText() {}

    /** A holder. */
    public static String of(LockInfo.Holder holder) {
        return of(holder.owner(), holder.share());
    }

    /** A waiter. */
    public static String of(LockInfo.Waiter waiter) {
        return of(waiter.owner(), waiter.share());
    }

    private static String of(String owner, Share share) {
        String shown = EscapedText.ofName(owner);
        if (share.isExclusive()) {
            return shown;
        }
        return shown + (share.kind() == LeaseKind.SHARED ? " (shared)" : " (" + share + ")");
    }
}
