package dev.holdfast.lock.spi;

import java.util.regex.Pattern;

/** Keeps secrets out of what people read. */
public final class Secrets {

    /** What stands in the place of a secret. */
    public static final String MASK = "****";

    private static final Pattern PARAMETER =
            Pattern.compile("(?i)([?&;][^=&;\\s]*(?:pass|pwd|secret|token|credential|key|auth)[^=&;\\s]*=)[^&\\s]*");

    /** Up to the last @: a password may hold whatever a URL must not. */
    private static final Pattern USER_INFO = Pattern.compile("(//(?:[^/:@?\\s]*:)?)[^?\\s]*@");

    private Secrets() {}

    /**
     * The text, in which the passwords of URLs are masked: before the {@code @}, and of parameters whose names are those of
     * secrets. Rather too much is masked than too little.
     */
    public static String masked(String text) {
        return USER_INFO
                .matcher(PARAMETER.matcher(text).replaceAll("$1" + MASK))
                .replaceAll("$1" + MASK + "@");
    }
}
