package dev.holdfast.lock.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a script says: a resource file, in which a line {@code -- include <file>} stands for another. What is in the folder
 * {@code reign} is left out where there is no reign, and what is in {@code alone} where there is one.
 */
final class ScriptText {

    private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include (\\S+)\n");

    private static final String UNDER_REIGN = "reign/";
    private static final String ALONE = "alone/";

    /** What only readers of the resource files need: now and then a script travels. No text in one goes over several lines. */
    private static final Pattern FOR_READERS = Pattern.compile("(?m)^ *(?:--.*\n)?");

    private ScriptText() {}

    /** As it is sent. */
    static String of(String file, boolean isUnderReign) {
        return FOR_READERS.matcher(whole(file, isUnderReign)).replaceAll("");
    }

    private static String whole(String file, boolean isUnderReign) {
        String leftOut = isUnderReign ? ALONE : UNDER_REIGN;
        return INCLUDE.matcher(read(file)).replaceAll(include -> {
            String included = include.group(1);
            return included.startsWith(leftOut) ? "" : Matcher.quoteReplacement(whole(included, isUnderReign));
        });
    }

    private static String read(String file) {
        try (InputStream in = ScriptText.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("there is no resource " + file + " beside " + ScriptText.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
