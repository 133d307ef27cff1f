package dev.holdfast.lock.cli.output;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Share;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Holders and waiters for people: {@code 4711@web-3}, with {@code (shared)} or {@code (2 of 4)} behind it unless exclusive. */
public final class OwnerText {

    /** What Holdfast names a process; a store of another author may have other texts. */
    private static final Pattern PARTS = Pattern.compile("(?:(?<application>[^/@]+)/)?(?<process>\\d+)@(?<host>.+)");

    private OwnerText() {}

    /** A holder. */
    public static String of(LockInfo.Holder holder) {
        return of(holder.owner(), holder.share());
    }

    /** A waiter. */
    public static String of(LockInfo.Waiter waiter) {
        return of(waiter.owner(), waiter.share());
    }

    /** A holder in words: {@code process 4711 on web-3, of shop}, with its share as above. */
    public static String inWords(LockInfo.Holder holder) {
        Matcher parts = PARTS.matcher(holder.owner());
        if (!parts.matches()) {
            return of(holder);
        }
        String application = parts.group("application");
        return "process " + parts.group("process") + " on " + EscapedText.ofName(parts.group("host"))
                + (application == null ? "" : ", of " + EscapedText.ofName(application))
                + share(holder.share());
    }

    private static String of(String owner, Share share) {
        return EscapedText.ofName(owner) + share(share);
    }

    private static String share(Share share) {
        if (share.isExclusive()) {
            return "";
        }
        return share.kind() == LeaseKind.SHARED ? " (shared)" : " (" + share + ")";
    }
}
