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

    /** In what is nothing but a URL, even one with blanks and question marks in its password. */
    private static final Pattern USER_INFO_OF_URL =
            Pattern.compile("(?s)\\A([A-Za-z][\\w+.:-]*//(?:[^/:@?\\s]*:)?).*@");

    private Secrets() {}

    /**
     * The text, in which the passwords of URLs are masked: before the {@code @}, and of parameters whose names are those of
     * secrets. Rather too much is masked than too little.
     */
    public static String masked(String text) {
        String masked = USER_INFO_OF_URL.matcher(text).replaceFirst("$1" + MASK + "@");
        return USER_INFO
                .matcher(PARAMETER.matcher(masked).replaceAll("$1" + MASK))
                .replaceAll("$1" + MASK + "@");
    }
}
