package dev.holdfast.lock.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keeps secrets out of what people read. Rather too much is masked than too little: a password may hold whatever a URL must
 * not, as blanks, quotes, line breaks, slashes and at signs.
 */
public final class Secrets {

    /** What stands in the place of a secret. */
    public static final String MASK = "****";

    private static final Pattern SECRET = Pattern.compile("pass|pwd|secret|token|credential|key|auth");

    /** Where a URL begins in a text. What is within a URL begins none. */
    private static final Pattern BEGINNING = Pattern.compile(
            "(?i)(?<![^\\s\"'`(\\[{<=,])jdbc:|(?<![^\\s\"'`(\\[{<,])[a-z][a-z0-9+.-]*:(?:[a-z0-9+.:-]*:)?//");

    /** What a user of Oracle's stands in, and a password after it. */
    private static final Pattern ORACLE = Pattern.compile("(?i)jdbc:oracle:[^/@]*/");

    private static final Pattern NAME = Pattern.compile("[^/:@?\\s]*:");

    /** A user and no host: what is after the colon is no port. */
    private static final Pattern NO_PORT = Pattern.compile("(?s)([^/:@?\\[\\]\\s,]*:)(?!\\d{1,5}(?:[/,?;&#]|\\z)).+");

    /** With its name; in what is nothing but a URL, whatever separates it from the value of the one before it. */
    private static final Pattern PARAMETER = Pattern.compile(
            "(?:\\G|[?&;,(]|%(?:3[fFbB]|26))([^=?&;,(%]*+(?:%(?!3[dDfFbB]|26)[^=?&;,(%]*+)*+)(?:=|%3[dD])");

    /** In a text, where not every word before a sign of equality is a parameter: of a URL, or a password anywhere. */
    private static final Pattern PARAMETER_IN_TEXT =
            Pattern.compile("(?:[?&;]|(?<![\\w.-])(?=[\\w.-]*(?i:pass|pwd|secret)))"
                    + "([^=?&;%\\s]*+(?:%(?!3[dD])[^=?&;%\\s]*+)*+)\\s*+(?:=|%3[dD])(?!\\*{4}(?:[&:\\s'\")]|\\z))");

    private static final Pattern NEXT_PARAMETER = Pattern.compile("&\\s*[\\w.-]+\\s*=");

    private Secrets() {}

    /** A text in which URLs may stand, each of which is masked as by {@link #maskedUrl}, up to where the next begins. */
    public static String masked(String text) {
        StringBuilder masked = new StringBuilder();
        Matcher beginning = BEGINNING.matcher(text);
        int from = 0;
        while (from < text.length()) {
            int end = beginning.find() ? beginning.start() : text.length();
            String part = text.substring(from, end);
            masked.append(shown(part, user(part), parameters(part, PARAMETER_IN_TEXT)));
            from = end;
        }
        return masked.toString();
    }

    /**
     * A setting's value, which may be a URL and then nothing else. Masked are what stands before the {@code @}, but for the
     * user's name, and the values of parameters whose names are those of secrets, up to the next parameter.
     */
    public static String maskedUrl(String url) {
        return shown(url, user(url), parameters(url, PARAMETER));
    }

    /** Where what is secret of the user stands: after the first {@code //}, whatever is before it. */
    private static BitSet user(String url) {
        BitSet secret = new BitSet();
        int slashes = url.indexOf("//");
        int at = url.lastIndexOf('@');
        if (slashes >= 0) {
            int start = slashes + 2;
            if (at < start) {
                Matcher noPort = NO_PORT.matcher(url).region(start, url.length());
                secret.set(noPort.matches() ? noPort.end(1) : url.length(), url.length());
            } else {
                Matcher name = NAME.matcher(url).region(start, at);
                secret.set(name.lookingAt() ? name.end() : start, at);
            }
        }
        Matcher oracle = ORACLE.matcher(url);
        if (oracle.find() && oracle.end() < at) {
            secret.set(oracle.end(), at);
        }
        return secret;
    }

    /** Where the values of the parameters stand that are secret. */
    private static BitSet parameters(String url, Pattern pattern) {
        BitSet secret = new BitSet();
        Matcher parameter = pattern.matcher(url);
        Matcher next = NEXT_PARAMETER.matcher(url);
        for (int at = 0; at < url.length() && parameter.find(at); ) {
            at = parameter.end();
            if (SECRET.matcher(decoded(parameter.group(1)).toLowerCase(Locale.ROOT))
                    .find()) {
                int end = next.find(at) ? next.start() : url.length();
                secret.set(at, end);
                at = end;
            }
        }
        return secret;
    }

    private static String shown(String text, BitSet secret, BitSet alsoSecret) {
        secret.or(alsoSecret);
        StringBuilder shown = new StringBuilder();
        for (int at = 0; at < text.length(); ) {
            boolean hidden = secret.get(at);
            int end = hidden ? secret.nextClearBit(at) : secret.nextSetBit(at);
            end = end < 0 ? text.length() : end;
            shown.append(hidden ? MASK : text.substring(at, end));
            at = end;
        }
        return shown.toString();
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) { // is no encoding then
            return name;
        }
    }
}
