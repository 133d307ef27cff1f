package dev.holdfast.lock.testing;

import dev.holdfast.lock.spi.Share;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The holds that threads of this process and other processes recorded with {@link Claims}. Checks that two holds of one lock never
 * overlap, unless their shares are compatible, and that a later grant has a greater token; nothing excuses a violation. Thread-safe.
 */
public final class History {

    private static final String SUFFIX = ".claims";

    private final @Nullable Path directory;
    private final Map<Path, Long> read = new HashMap<>();
    private final Map<String, Hold> holds = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final List<String> refused = new ArrayList<>();

    /** A history of threads of this process. */
    public History() {
        this.directory = null;
    }

    /**
     * A history of other processes, and of threads of this one.
     *
     * @param directory for the files of the processes
     */
    public History(Path directory) {
        this.directory = directory;
    }

    /** The file for {@link Claims#to} in a process of this name. */
    public Path fileOf(String process) {
        if (directory == null) {
            throw new IllegalStateException("a history of this process only");
        }
        return directory.resolve(process + SUFFIX);
    }

    /** The claims of a holder in this process, with a unique name. */
    public Claims claimsOf(String holder) {
        return new Claims(line -> take(holder, line), () -> {});
    }

    /** The holds so far. */
    public synchronized List<Hold> holds() {
        readFiles();
        return holds.values().stream()
                .filter(hold -> hold.until() >= hold.from())
                .toList();
    }

    /** The number of holds so far. */
    public synchronized int count() {
        readFiles();
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The number of holds of one lock so far. */
    public synchronized int count(String name) {
        readFiles();
        return counts.getOrDefault(name, 0);
    }

    /** The holds of one holder so far. */
    public List<Hold> holdsOf(String holder) {
        return holds().stream().filter(hold -> hold.holder().equals(holder)).toList();
    }

    /** The violations in the holds so far. */
    public synchronized List<String> violations() {
        List<String> violations = new ArrayList<>(violations(holds()));
        violations.addAll(refused);
        return violations;
    }

    /** The same without exclusion, for a store that may forget a holder, as Redis without the composite may. */
    public List<String> tokenViolations() {
        return tokenViolations(holds());
    }

    /**
     * Checks the holds so far.
     *
     * @param least the least number of holds, as few holds show nothing
     * @throws AssertionError with each violation, or if there are fewer holds
     */
    public void verify(int least) {
        throwIfAny(violations(), least);
    }

    /** The same without exclusion, for a store that may forget a holder, as Redis without the composite may. */
    public void verifyTokens(int least) {
        throwIfAny(tokenViolations(), least);
    }

    /** The violations in these holds: overlaps of one lock, and later grants without a greater token. */
    public static List<String> violations(List<Hold> holds) {
        List<String> violations = new ArrayList<>();
        Map<String, List<Hold>> lasting = new TreeMap<>();
        for (Hold hold : inOrder(holds)) {
            List<Hold> before = lasting.computeIfAbsent(hold.name(), any -> new ArrayList<>());
            before.removeIf(each -> each.until() < hold.from());
            List<Share> shares = new ArrayList<>(List.of(hold.share()));
            before.forEach(each -> shares.add(each.share()));
            if (!Share.areCompatible(shares)) {
                violations.add((before.size() == 1 ? "two holders: " + before.get(0) : "too many holders: " + before)
                        + " and " + hold);
            }
            before.add(hold);
        }
        violations.addAll(tokenViolations(holds));
        return violations;
    }

    /** The same without exclusion, for a store that may forget a holder, as Redis without the composite may. */
    public static List<String> tokenViolations(List<Hold> holds) {
        List<String> violations = new ArrayList<>();
        Map<String, Map<Share, Long>> greatest = new HashMap<>();
        Set<String> shared = new HashSet<>();
        for (Hold hold : inOrder(holds)) {
            Map<Share, Long> ofName = greatest.computeIfAbsent(hold.name(), any -> new HashMap<>());
            ofName.forEach((share, before) -> {
                boolean isOrdered = !Share.areCompatible(List.of(share, hold.share()));
                if (isOrdered && before >= hold.token()) {
                    violations.add("token " + hold.token() + " after " + before + ": " + hold);
                }
            });
            ofName.merge(hold.share(), hold.token(), Math::max);
            if (!hold.share().isExclusive()) {
                shared.add(hold.name());
            }
        }
        violations.addAll(tokenViolationsOfTwoServers(
                holds.stream().filter(hold -> shared.contains(hold.name())).toList()));
        return violations;
    }

    /**
     * The same where two servers may grant the same lock, as the old and the new master may, or where holds may overlap. Then a holder may learn of its grant
     * after another holder learned of a later one, and a lock that is handed off within a process keeps its place in the order. A
     * lock that was asked for once a grant was known has the greater token in any case.
     */
    public static List<String> tokenViolationsOfTwoServers(List<Hold> holds) {
        List<String> violations = new ArrayList<>();
        Map<String, Hold> greatest = new HashMap<>();
        Iterator<Hold> known = inOrder(holds).iterator();
        @Nullable Hold next = known.hasNext() ? known.next() : null;
        for (Hold hold : holds.stream()
                .filter(each -> !each.isHandedOff())
                .sorted(Comparator.comparingLong(Hold::asked))
                .toList()) {
            while (next != null && next.from() < hold.asked()) {
                greatest.merge(next.name(), next, (one, other) -> one.token() > other.token() ? one : other);
                next = known.hasNext() ? known.next() : null;
            }
            @Nullable Hold before = greatest.get(hold.name());
            if (before != null && before.token() >= hold.token()) {
                violations.add("token " + hold.token() + " was asked for after " + before + ": " + hold);
            }
        }
        return violations;
    }

    private static List<Hold> inOrder(List<Hold> holds) {
        return holds.stream().sorted(Comparator.comparingLong(Hold::from)).toList();
    }

    private void throwIfAny(List<String> violations, int least) {
        if (!violations.isEmpty()) {
            throw new AssertionError(violations.size() + " violations:\n" + String.join("\n", violations));
        }
        int seen = holds().size();
        if (seen < least) {
            throw new AssertionError(seen + " holds were recorded, which is too few to judge by; expected " + least);
        }
    }

    private void readFiles() {
        if (directory == null) {
            return;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(SUFFIX)).toList()) {
                readFile(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads whole lines only: the last line of a killed process may be incomplete. */
    private void readFile(Path path) throws IOException {
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
            new String(bytes, 0, end, StandardCharsets.UTF_8).lines().forEach(line -> take(process, line));
        }
    }

    private synchronized void take(String holder, String line) {
        String[] words = line.split(" ", 8);
        String claim = holder + " " + words[1];
        long at = Long.parseLong(words[2]);
        switch (words[0]) {
            case "granted" ->
                holds.put(
                        claim,
                        new Hold(
                                holder,
                                words[7],
                                new Share(Integer.parseInt(words[5]), Integer.parseInt(words[6])),
                                Long.parseLong(words[3]),
                                Long.parseLong(words[4]),
                                at,
                                at - 1));
            case "held" ->
                holds.computeIfPresent(claim, (any, hold) -> {
                    if (hold.until() < hold.from()) {
                        counts.merge(hold.name(), 1, Integer::sum);
                    }
                    return new Hold(holder, hold.name(), hold.share(), hold.token(), hold.asked(), hold.from(), at);
                });
            case "refused" -> refused.add("refused by the fence at " + at + ": " + holds.get(claim));
            default -> throw new IllegalArgumentException(line);
        }
    }
}
