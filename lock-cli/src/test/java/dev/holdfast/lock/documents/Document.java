package dev.holdfast.lock.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Markdown file.
 *
 * @param file where it is, absolute
 * @param text what it says
 */
record Document(Path file, String text) {

    /** The folder of the checkout. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern FENCED =
            Pattern.compile("^( *)```(\\S*)\\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern HEADING = Pattern.compile("^#{1,6} (.+)$", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,]\\d+)*");
    private static final Pattern OUTLINE = Pattern.compile("^(?:#{1,6} |\\| |- )", Pattern.MULTILINE);

    /**
     * Fenced code.
     *
     * @param where file and line, for messages
     * @param language the word after the fence; empty if there is none
     */
    record Block(String where, String language, String text) {}

    /** All documents of the checkout. */
    static List<Document> all() throws IOException {
        return filesBelow(ROOT, ".md").map(Document::read).toList();
    }

    /** Those whose blocks are checked: not the modules' own, which the modules check. */
    static List<Document> withBlocks() throws IOException {
        return all().stream()
                .filter(document -> !ROOT.relativize(document.file()).toString().startsWith("lock-"))
                .toList();
    }

    /** One document of the checkout. */
    static Document named(String name) {
        return read(ROOT.resolve(name));
    }

    /** Sources of the checkout that end so; folders are skipped whose files builds beside this one make and delete. */
    static Stream<Path> filesBelow(Path folder, String end) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
                String name = each.getFileName().toString();
                boolean isSkipped = !each.equals(folder) && (name.equals("target") || name.startsWith("."));
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) {
                if (each.toString().endsWith(end)) {
                    found.add(each);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found.stream().sorted();
    }

    static String textOf(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Document read(Path file) {
        return new Document(file, textOf(file));
    }

    List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        for (Matcher found = FENCED.matcher(text); found.find(); ) {
            long line = text.substring(0, found.start()).lines().count() + 1;
            String code = found.group(3).replaceAll("(?m)^" + found.group(1), "");
            blocks.add(new Block(ROOT.relativize(file) + ":" + line, found.group(2), code));
        }
        return blocks;
    }

    Stream<Block> blocks(String language) {
        return blocks().stream().filter(block -> block.language().equals(language));
    }

    /** What links to headings of this document may name, as GitHub derives it. */
    Set<String> anchors() {
        Set<String> anchors = new HashSet<>();
        for (Matcher heading = HEADING.matcher(prose()); heading.find(); ) {
            String words = heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
            String anchor = words.toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            for (int number = 1; !anchors.add(anchor); number++) {
                anchor = anchor.replaceFirst("-\\d+$", "") + "-" + number;
            }
        }
        return anchors;
    }

    /** Words in code type outside of blocks. */
    Stream<String> words() {
        return CODE.matcher(prose()).results().map(found -> found.group(1));
    }

    /** The targets of links, in their order. */
    List<String> links() {
        return LINK.matcher(CODE.matcher(prose()).replaceAll(""))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** The numbers in the prose, in their order: not those in code or in the targets of links. */
    List<String> numbers() {
        String text = LINK.matcher(CODE.matcher(prose()).replaceAll("")).replaceAll("]");
        return NUMBER.matcher(text).results().map(MatchResult::group).toList();
    }

    /** The headings' levels and the rows of tables, in their order, without the words. */
    List<String> outline() {
        return OUTLINE.matcher(prose()).results().map(MatchResult::group).toList();
    }

    /** Links within the checkout that lead nowhere. */
    List<String> brokenLinks() {
        return links().stream()
                .filter(link -> !link.matches("[a-z]+:.*") && !leadsSomewhere(link))
                .map(link -> ROOT.relativize(file) + ": " + link)
                .toList();
    }

    private boolean leadsSomewhere(String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]).normalize();
        if (parts.length == 1) {
            return Files.exists(target);
        }
        return target.equals(file)
                ? anchors().contains(parts[1])
                : Files.isRegularFile(target) && read(target).anchors().contains(parts[1]);
    }

    private String prose() {
        return FENCED.matcher(text).replaceAll("");
    }
}
