package dev.holdfast.lock.documents;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A line that the product logs, or a row of a table that describes one.
 *
 * @param level {@code WARN}, {@code INFO} or {@code ERROR}
 * @param logger without the beginning that all have
 * @param message with an ellipsis for what differs
 */
record LogLine(String level, String logger, String message) {

    private static final String LOGGERS = "dev.holdfast.lock.";
    private static final Pattern CALL = Pattern.compile("\\b(?:log|LOG)\\s*\\.\\s*(info|warn|error)\\(\\s*");
    /** Other ways to write a line, which this would not find. */
    private static final Pattern UNKNOWN =
            Pattern.compile("\\.at(?:Info|Warn|Error)\\(|System\\.(?:Logger|getLogger)\\b|\\bLogger\\.getLogger\\("
                    + "|getLogger\\([^()]*\\)\\s*\\.(?:info|warn|error)\\("
                    + "|\\b(?!(?:log|LOGGER) )\\w+ = LoggerFactory\\.getLogger");

    private static final Pattern LOGGER = Pattern.compile("getLogger\\((?:\"([\\w.]+)\"|(\\w+)\\.class)\\)");
    private static final Pattern ROW =
            Pattern.compile("^\\| `([^`]+)` \\| (WARN|INFO|ERROR) \\| `([\\w.]+)` \\|", Pattern.MULTILINE);

    /** Not published: they log for those that change Holdfast. */
    private static final Pattern UNPUBLISHED = Pattern.compile("(lock-bench|lock-tck|samples|lock)/.*");

    /** Every line of the main code of the modules that are published, at INFO and above. */
    static List<LogLine> ofMainCode() throws IOException {
        List<LogLine> lines = new ArrayList<>();
        for (Path file : Document.filesBelow(Document.ROOT, ".java").toList()) {
            String path = Document.ROOT.relativize(file).toString();
            if (path.contains("/src/main/") && !UNPUBLISHED.matcher(path).matches()) {
                lines.addAll(ofSource(path, Document.textOf(file)));
            }
        }
        return lines;
    }

    /** The lines of one source file. */
    static List<LogLine> ofSource(String path, String source) {
        if (UNKNOWN.matcher(source).find()) {
            throw new IllegalArgumentException(path + " logs in a way that is not checked: use an SLF4J logger 'log'");
        }
        List<LogLine> lines = new ArrayList<>();
        for (Matcher call = CALL.matcher(source); call.find(); ) {
            String level = call.group(1).toUpperCase(Locale.ROOT);
            for (String message : messages(source, call.end())) {
                lines.add(new LogLine(level, logger(path, source), message));
            }
        }
        return lines;
    }

    /** The rows of tables that begin with message, level and logger. */
    static List<LogLine> ofRows(Document document) {
        return ROW.matcher(document.text())
                .results()
                .map(row -> new LogLine(row.group(2), row.group(3), row.group(1).replace("\\|", "|")))
                .toList();
    }

    private static String logger(String path, String source) {
        Matcher logger = LOGGER.matcher(source);
        if (!logger.find()) {
            throw new IllegalArgumentException(path + " logs, but makes no logger");
        }
        String name = logger.group(1) != null ? logger.group(1) : packageOf(source) + "." + logger.group(2);
        return name.substring(LOGGERS.length());
    }

    private static String packageOf(String source) {
        Matcher declaration = Pattern.compile("(?m)^package ([\\w.]+);").matcher(source);
        return declaration.find() ? declaration.group(1) : "";
    }

    /** The message at this place; if it is a parameter, the messages that the file passes for it. */
    private static List<String> messages(String source, int at) {
        String message = message(source, at);
        if (!message.equals("…")) {
            return List.of(message);
        }
        Matcher parameter = Pattern.compile("(\\w+)\\(String (\\w+)").matcher(source);
        while (parameter.find()) {
            if (source.startsWith(parameter.group(2), at)) {
                return Pattern.compile("\\b" + parameter.group(1) + "\\(\\s*(?=\")")
                        .matcher(source)
                        .results()
                        .map(call -> message(source, call.end()))
                        .toList();
            }
        }
        throw new IllegalArgumentException("no message is found at: " + source.substring(at, at + 80));
    }

    /** The first argument of a call: its literals, and an ellipsis for what is between them. */
    private static String message(String source, int begin) {
        StringBuilder message = new StringBuilder();
        boolean inLiteral = false;
        int depth = 0;
        for (int at = begin; at < source.length(); at++) {
            char next = source.charAt(at);
            if (inLiteral && next == '\\') {
                at++;
                message.append(source.charAt(at));
            } else if (next == '"') {
                inLiteral = !inLiteral;
            } else if (inLiteral) {
                message.append(next);
            } else if (depth == 0 && (next == ',' || next == ')')) {
                break;
            } else {
                depth += next == '(' ? 1 : next == ')' ? -1 : 0;
                if (Character.isJavaIdentifierPart(next) && !message.toString().endsWith("…")) {
                    message.append('…');
                }
            }
        }
        return message.toString().replace("{}", "…");
    }

    /** Whether this row describes that line: its parts are in the line, in their order. */
    boolean describes(LogLine line) {
        String parts = Stream.of(message.split("…", -1))
                .map(part -> Pattern.quote(part.strip()))
                .reduce((one, other) -> one + ".*" + other)
                .orElseThrow();
        return level.equals(line.level)
                && logger.equals(line.logger)
                && Pattern.compile(parts).matcher(line.message).find();
    }
}
