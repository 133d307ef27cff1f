package dev.holdfast.lock.composite.faults;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What all processes claimed to hold, from the files of their {@link Claims}, which may still grow. */
final class History {

    private static final String SUFFIX = ".claims";

    private final Path directory;
    private final Map<Path, Long> read = new HashMap<>();
    private final Map<String, Hold> holds = new HashMap<>();
    private final List<String> refused = new ArrayList<>();

    /** @param directory where the files are, and will be */
    History(Path directory) {
        this.directory = directory;
    }

    /** The file of one process. */
    Path fileOf(String process) {
        return directory.resolve(process + SUFFIX);
    }

    /** What was claimed so far. */
    List<Hold> holds() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(SUFFIX)).toList()) {
                read(file);
            }
        }
        return holds.values().stream()
                .filter(hold -> hold.until() >= hold.from())
                .toList();
    }

    /** What one process claimed so far. */
    List<Hold> holdsOf(String process) throws IOException {
        return holds().stream().filter(hold -> hold.process().equals(process)).toList();
    }

    /** What is wrong with what was claimed so far; empty if nothing is. */
    List<String> violations() throws IOException {
        List<String> violations = new ArrayList<>(violations(holds()));
        violations.addAll(refused);
        return violations;
    }

    /** What is wrong with these: that two held the same, or that a later grant has no greater token. */
    static List<String> violations(List<Hold> holds) {
        List<String> violations = new ArrayList<>();
        Map<String, Hold> latest = new TreeMap<>();
        Map<String, Long> greatest = new HashMap<>();
        for (Hold hold :
                holds.stream().sorted(Comparator.comparingLong(Hold::from)).toList()) {
            @Nullable Hold before = latest.get(hold.name());
            if (before != null && hold.from() <= before.until()) {
                violations.add("two holders: " + before + " and " + hold);
            }
            if (greatest.getOrDefault(hold.name(), 0L) >= hold.token()) {
                violations.add("token " + hold.token() + " after " + greatest.get(hold.name()) + ": " + hold);
            }
            greatest.merge(hold.name(), hold.token(), Math::max);
            latest.merge(hold.name(), hold, (one, other) -> one.until() > other.until() ? one : other);
        }
        return violations;
    }

    /** Whole lines only: a process that is killed leaves the last one as it is. */
    private void read(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long from = read.getOrDefault(path, 0L);
            byte[] bytes = new byte[Math.toIntExact(file.length() - from)];
            file.seek(from);
            file.readFully(bytes);
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') {
                end--;
            }
            read.put(path, from + end);
            String process = path.getFileName().toString().replace(SUFFIX, "");
            new String(bytes, 0, end, StandardCharsets.UTF_8)
                    .lines()
                    .forEach(line -> take(process, line.split(" ", 5)));
        }
    }

    private void take(String process, String[] words) {
        String claim = process + " " + words[1];
        long at = Long.parseLong(words[2]);
        switch (words[0]) {
            case "granted" -> holds.put(claim, new Hold(process, words[4], Long.parseLong(words[3]), at, at - 1));
            case "held" ->
                holds.computeIfPresent(
                        claim, (any, hold) -> new Hold(process, hold.name(), hold.token(), hold.from(), at));
            case "refused" -> refused.add("refused by the fence at " + at + ": " + holds.get(claim));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }
}
