package dev.holdfast.lock.spi.support;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** A failure and its causes in one sentence for operators: the root cause first, wrappers and pools after it. */
public final class CauseText {

    private static final Pattern END = Pattern.compile("[.:;,\\s]+$");

    /** The remainder of a message that only repeats its cause: the name of a type. */
    private static final Pattern TYPE = Pattern.compile("[\\w$]+(\\.[\\w$]+)+");

    private CauseText() {}

    /**
     * The messages of the failure, its causes and their suppressed failures, each once, the innermost first: {@code Connection
     * refused (the connection attempt failed; the pool timed out after 250ms)}. The type of a failure stands for its message if
     * none of them has one. The text is not redacted.
     */
    public static String of(Throwable failure) {
        List<String> reasons = new ArrayList<>();
        add(failure, reasons, Collections.newSetFromMap(new IdentityHashMap<>()));
        if (reasons.isEmpty()) {
            return failure.getClass().getSimpleName();
        }
        String first = reasons.get(0);
        return reasons.size() == 1 ? first : first + " (" + String.join("; ", reasons.subList(1, reasons.size())) + ")";
    }

    private static void add(Throwable failure, List<String> reasons, Set<Throwable> seen) {
        if (!seen.add(failure)) {
            return;
        }
        if (failure.getCause() != null) {
            add(failure.getCause(), reasons, seen);
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            add(suppressed, reasons, seen);
        }
        String reason = reason(failure);
        for (String each : reasons) {
            reason = END.matcher(reason.replace(each, "")).replaceAll("");
        }
        if (!isSaid(reason, reasons) && !TYPE.matcher(reason).matches()) {
            reasons.add(reason);
        }
    }

    private static boolean isSaid(String reason, List<String> reasons) {
        return reason.isEmpty() || reasons.stream().anyMatch(each -> each.contains(reason));
    }

    /** The message, after the type where it is only a name, such as an unknown host; empty without a message. */
    private static String reason(Throwable failure) {
        String message = failure.getMessage() == null
                ? ""
                : END.matcher(failure.getMessage()).replaceAll("");
        return message.isEmpty() || message.contains(" ")
                ? message
                : failure.getClass().getSimpleName() + ": " + message;
    }
}
