package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.LockConfigurationException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a properties file as {@link Properties} does, with the line of each key. Refuses what Properties would change silently:
 * text that is not UTF-8, a duplicate key, and a single backslash. No message contains a value.
 */
final class PropertiesText {

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private static final Pattern LINE_END = Pattern.compile("\r\n|[\r\n]");
    private static final Pattern ONE_KEY = Pattern.compile("[^=:\\s\\\\]+");
    private static final Pattern SETTING = Pattern.compile("lock\\.[a-z.-]+\\s*[=:].*");

    /** A backslash that begins none of the escapes that a value may need. */
    private static final Pattern STRAY =
            Pattern.compile("[^\\\\]*+(?:\\\\(?:[\\\\:=#! \"']|u[0-9A-Fa-f]{4})[^\\\\]*+)*+\\\\.");

    private final String origin;
    private final String[] lines;
    private final Map<String, Entry> entries = new TreeMap<>();

    /** A value and the number of its line, from 1. */
    record Entry(String value, int line) {}

    private PropertiesText(String origin, String text) {
        this.origin = origin;
        this.lines = LINE_END.split(text, -1);
    }

    /**
     * The value of each key.
     *
     * @param origin what was read, for people
     * @throws LockConfigurationException which names the origin and the line
     */
    static Map<String, Entry> read(byte[] bytes, String origin) {
        PropertiesText text = new PropertiesText(origin, decode(bytes, origin));
        text.read();
        return text.entries;
    }

    private static String decode(byte[] bytes, String origin) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer from = ByteBuffer.wrap(bytes);
        CharBuffer to = CharBuffer.allocate(bytes.length);
        boolean isText = !decoder.decode(from, to, true).isError();
        to.flip();
        if (!isText) {
            throw new LockConfigurationException(origin + ", line " + LINE_END.split(to, -1).length
                    + ", contains bytes that are not UTF-8: save it as UTF-8");
        }
        String text = to.toString();
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    private void read() {
        int at = 0;
        while (at < lines.length) {
            int line = at + 1;
            StringBuilder logical = new StringBuilder();
            boolean goesOn = !isComment(lines[at]);
            while (goesOn) {
                String natural = withoutIndent(lines[at]);
                goesOn = isContinued(natural);
                requireNoStrayBackslash(logical.isEmpty() ? natural : logical.toString(), natural, at + 1);
                logical.append(goesOn ? natural.substring(0, natural.length() - 1) : natural);
                if (goesOn) {
                    at++;
                    requireContinuation(logical.toString(), at);
                }
            }
            at++;
            if (!logical.isEmpty()) {
                put(logical.toString(), line);
            }
        }
    }

    private void put(String logical, int line) {
        Properties one = new Properties();
        try {
            one.load(new StringReader(logical));
        } catch (IOException e) {
            throw new AssertionError("a text in memory cannot be read", e);
        }
        one.forEach((name, value) -> {
            String key = name.toString();
            Entry before = entries.put(key, new Entry(value.toString(), line));
            if (before != null) {
                throw new LockConfigurationException(key + " is set twice in the " + origin + ", on lines "
                        + before.line() + " and " + line + ": remove one of them");
            }
        });
    }

    private void requireNoStrayBackslash(String start, String natural, int line) {
        if (STRAY.matcher(natural).lookingAt()) {
            throw new LockConfigurationException(key(start) + " (" + origin + ", line " + line + ") contains a single"
                    + " backslash, which a properties file takes for the beginning of an escape: write \\\\ for a backslash,"
                    + " as in C:\\\\temp, or / in a path, and \\u0009 for a tab");
        }
    }

    /** @param start of the setting, before the line at this index */
    private void requireContinuation(String start, int at) {
        String next = at < lines.length ? withoutIndent(lines[at]) : "";
        if (next.isEmpty() || isComment(next) || SETTING.matcher(next).matches()) {
            throw new LockConfigurationException(key(start) + " (" + origin + ", line " + at + ") ends with a single"
                    + " backslash, which joins it with the next line: write \\\\ for a backslash, or / in a path");
        }
    }

    private static String key(String start) {
        Matcher key = ONE_KEY.matcher(start);
        return key.lookingAt() ? key.group() : "a key";
    }

    private static boolean isComment(String line) {
        String text = withoutIndent(line);
        return text.startsWith("#") || text.startsWith("!");
    }

    private static boolean isContinued(String natural) {
        int backslashes = 0;
        while (backslashes < natural.length() && natural.charAt(natural.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    private static String withoutIndent(String line) {
        int start = 0;
        while (start < line.length() && " \t\f".indexOf(line.charAt(start)) >= 0) {
            start++;
        }
        return line.substring(start);
    }
}
