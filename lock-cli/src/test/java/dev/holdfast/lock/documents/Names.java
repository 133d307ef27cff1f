package dev.holdfast.lock.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks up names that documents set in code type; each check returns those that the product does not have. */
final class Names {

    private static final Pattern MESSAGE =
            Pattern.compile("^\\| `([^`]+)` \\| (WARN|ERROR|INFO) \\|", Pattern.MULTILINE);
    private static final Set<String> FILES = Set.of("lock.properties", "lock.jar", "lock.db");

    private final Set<String> keys = Checks.keys().keySet();
    private final String main;
    private final Set<String> packages;
    private final Set<String> types;

    Names() throws IOException {
        main = (sources(".java", "/src/main/") + sources(".sql", "/src/main/"))
                .replaceAll("\"\\s*\\+\\s*\"", ""); // a message may go over several lines
        String all = sources(".java", "/src/");
        packages = declared("^package ([\\w.]+);", all);
        types = declared("\\b(?:class|interface|record|enum) (\\w+)", all);
    }

    private static String sources(String end, String where) throws IOException {
        return Document.filesBelow(Document.ROOT, end)
                .filter(file -> file.toString().contains(where))
                .map(Document::textOf)
                .collect(Collectors.joining());
    }

    private static Set<String> declared(String declaration, String sources) {
        return Pattern.compile(declaration, Pattern.MULTILINE)
                .matcher(sources)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    /** Configuration keys, with a value or without. */
    List<String> unknownKeys(Document document) {
        return unknown(
                document,
                words(document, "lock\\.[a-z]+[a-z.-]*(=.*)?").map(word -> word.replaceFirst("=.*", "")),
                key -> keys.contains(key) || FILES.contains(key) || key.startsWith("lock.test."));
    }

    /** Packages and loggers. */
    List<String> unknownPackages(Document document) {
        return unknown(
                document,
                words(document, "dev\\.holdfast\\.lock(\\.[a-z]+)*"),
                name -> packages.contains(name) || main.contains("\"" + name + "\""));
    }

    /** Tables of PostgreSQL. */
    List<String> unknownTables(Document document) {
        return unknown(document, words(document, "holdfast_[a-z_]+"), main::contains);
    }

    /** Constants of enums. */
    List<String> unknownConstants(Document document) {
        return unknown(document, words(document, "[A-Z]+_[A-Z_]+"), main::contains);
    }

    /** Types, but for one of the JDK. */
    List<String> unknownTypes(Document document) {
        return unknown(
                document, words(document, "[A-Z][a-z]\\w+"), type -> types.contains(type) || type.equals("DataSource"));
    }

    /** Parts of log messages, in rows of tables; an ellipsis stands for what differs. */
    List<String> unknownMessages(Document document) {
        Stream<String> parts = MESSAGE.matcher(document.text())
                .results()
                .map((MatchResult row) -> row.group(1))
                .flatMap(message -> Stream.of(message.split("…", -1)))
                .map(part -> part.replace("\\|", "|").strip());
        return unknown(document, parts, main::contains);
    }

    /** Scripts that make the tables by hand, which this document has to name. */
    static List<String> missingScripts(Document document) throws IOException {
        Path scripts = Document.ROOT.resolve("lock-jdbc/src/main/resources/dev/holdfast/lock/jdbc/postgresql");
        try (Stream<Path> files = Files.list(scripts)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("V\\d.*|functions\\.sql")
                            && !document.text().contains(name))
                    .toList();
        }
    }

    private static Stream<String> words(Document document, String whole) {
        return document.words().filter(word -> word.matches(whole));
    }

    private static List<String> unknown(Document document, Stream<String> names, Predicate<String> isKnown) {
        return names.distinct()
                .filter(isKnown.negate())
                .map(name -> Document.ROOT.relativize(document.file()) + ": " + name)
                .toList();
    }
}
