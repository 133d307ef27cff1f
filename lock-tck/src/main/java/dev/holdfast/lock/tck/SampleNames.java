package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.LockName;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Names that stores are known to confuse or to fail on. */
final class SampleNames {

    private static final String LOCK = "\uD83D\uDD12";
    private static final String OPEN_LOCK = "\uD83D\uDD13";
    private static final String LAST_CODE_POINT = "\uDBFF\uDFFF";

    /** Names that look alike, each of a lock of its own. */
    static final List<LockName> ALIKE = names(
            "job",
            "Job",
            "JOB",
            "job ",
            "job  ",
            " job",
            "job\t",
            "job\n",
            "job\u00A0",
            "job\u200B",
            "\uFEFFjob",
            "jo",
            "jobs",
            "job%",
            "j_b",
            "j%",
            "j*",
            "j?b",
            "j[o]b",
            "\uFF4A\uFF4F\uFF42",
            "j\u00F6b", // one code point
            "jo\u0308b", // o and a combining diaeresis
            "j\u00D6b",
            "\u212B", // Angstrom, which normalizes to A with a ring
            "\u00C5",
            "A\u030A",
            "stra\u00DFe",
            "strasse",
            "i",
            "I",
            "\u0131",
            "\u0130",
            "\u017F",
            "s",
            "1",
            "01",
            "1.0",
            "1e0",
            LOCK,
            OPEN_LOCK,
            "?",
            "??",
            "\uFFFD",
            "a".repeat(255),
            "a".repeat(254),
            "a".repeat(254) + "b",
            "a".repeat(254) + "A",
            LOCK.repeat(255),
            LOCK.repeat(254),
            LOCK.repeat(254) + OPEN_LOCK);

    /** Names with characters that have a meaning elsewhere. */
    static final List<LockName> UNUSUAL = names(
            " ",
            "\n",
            "\r\n",
            "\u0001",
            "\u007F",
            "'",
            "''",
            "\"",
            "\\",
            "\\'",
            "\\0",
            "%",
            "_",
            "*",
            "[a-z]",
            ":name",
            "$1",
            "?1",
            "#{job}",
            "{job}",
            "${job}",
            "a:b:c",
            "a/../b",
            "'; DROP TABLE lock; --",
            "NULL",
            "null",
            "true",
            "-1",
            "\u202Eboj",
            LAST_CODE_POINT,
            LAST_CODE_POINT.repeat(255),
            "\uFFFF",
            "\u00FC".repeat(255));

    /** Names of which some begin with others, and whose order depends on how it is made. */
    static final List<LockName> BEGINNING_ALIKE = names(
            "a",
            "a%",
            "a%b",
            "a*",
            "aB",
            "a[b]",
            "a\\",
            "a_",
            "a_b",
            "ab",
            "abc",
            "b",
            "\uE000",
            "\uFFFD",
            "\uD83D\uDE00",
            LAST_CODE_POINT,
            LAST_CODE_POINT.repeat(2),
            "a".repeat(255),
            LOCK.repeat(255));

    private SampleNames() {}

    private static List<LockName> names(String... values) {
        return Stream.of(values).map(LockName::new).toList();
    }

    /** The name as text in which every character can be told apart. */
    static String escaped(LockName name) {
        StringBuilder text = new StringBuilder("\"");
        name.value().codePoints().limit(40).forEach(codePoint -> {
            if (codePoint >= ' ' && codePoint < 0x7F) {
                text.appendCodePoint(codePoint);
            } else {
                text.append(String.format(Locale.ROOT, "\\u{%X}", codePoint));
            }
        });
        int length = name.value().codePointCount(0, name.value().length());
        return text.append('"')
                .append(length > 40 ? "… (" + length + " code points)" : "")
                .toString();
    }
}
