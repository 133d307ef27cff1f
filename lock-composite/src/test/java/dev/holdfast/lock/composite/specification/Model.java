package dev.holdfast.lock.composite.specification;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * {@code src/spec/Failover.tla} within bounds.
 *
 * @param without which of its rules is broken; empty for none
 * @param members the members that want the lock
 * @param lease the authority lease, in ticks
 * @param drain how long DRAINING lasts, in ticks
 * @param epochs how many
 * @param span how many tokens the primary has in one epoch
 * @param lengths how many lengths a renewal may have
 * @param constraint what holds in the states that are looked at; empty for all of them
 */
record Model(
        String without, Members members, int lease, int drain, int epochs, int span, int lengths, String constraint) {

    /**
     * How many members there are, by the shares that they want.
     *
     * @param writers of 1 permit of 1
     * @param readers of 1 of any number
     * @param doubles of 2 of 3
     */
    record Members(int writers, int readers, int doubles) {}

    static final Path SPECIFICATION = Path.of("src", "spec");
    private static final long HANG_MINUTES = 240;

    /** The smallest in which every phase occurs: two members that want the exclusive lock. */
    static final Model SMALL = new Model("", new Members(2, 0, 0), 1, 1, 3, 2, 1, "");

    /** One in which a hold may outlive a tick. */
    static final Model LARGER = SMALL.lease(2);

    Model without(String rule) {
        return new Model(rule, members, lease, drain, epochs, span, lengths, constraint);
    }

    Model members(int writers, int readers, int doubles) {
        return new Model(
                without, new Members(writers, readers, doubles), lease, drain, epochs, span, lengths, constraint);
    }

    Model lease(int ticks) {
        return new Model(without, members, ticks, ticks, epochs, span, lengths, constraint);
    }

    Model drain(int ticks) {
        return new Model(without, members, lease, ticks, epochs, span, lengths, constraint);
    }

    Model epochs(int number) {
        return new Model(without, members, lease, drain, number, span, lengths, constraint);
    }

    Model span(int tokens) {
        return new Model(without, members, lease, drain, epochs, tokens, lengths, constraint);
    }

    /** Where leases may be renewed for so many lengths, and the replies are received in any order. */
    Model lengths(int number) {
        return new Model(without, members, lease, drain, epochs, span, number, constraint);
    }

    /** Where no server fails and no failback is aborted, and no member asks for a minimum hold. */
    Model inCalm() {
        return constrained("Calm Brief");
    }

    /** The same, with minimum holds. */
    Model inCalmWithMinimumHolds() {
        return constrained("Calm");
    }

    /** Where a minimum hold of the first epoch lasts, and no other member acquires before the last. */
    Model keeping() {
        return constrained("Keeping");
    }

    /** Where no server fails and no failback is aborted, and all members acquire in the first epoch and renew nothing. */
    Model withFirstGrants() {
        return constrained("Calm First");
    }

    private Model constrained(String by) {
        return new Model(without, members, lease, drain, epochs, span, lengths, by);
    }

    /** Looks at every state, or those up to the first that breaks one of these invariants. */
    Checked check(String... invariants) throws IOException, InterruptedException {
        return run(List.of(), invariants);
    }

    /** Looks at so many random behaviours. */
    Checked sample(int behaviours, String... invariants) throws IOException, InterruptedException {
        return run(List.of("-simulate", "num=" + behaviours, "-depth", "150"), invariants);
    }

    private Checked run(List<String> how, String... invariants) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target", "specification")), "model");
        Path configuration = Files.writeString(folder.resolve("Failover.cfg"), configuration(invariants));
        Path output = folder.resolve("output.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                isSoonOver() ? "-XX:+UseSerialGC" : "-XX:+UseParallelGC",
                "-XX:TieredStopAtLevel=" + (isSoonOver() ? 1 : 4),
                "-Xmx1g",
                "-Djava.io.tmpdir=" + folder.toAbsolutePath(),
                "-cp",
                System.getProperty("java.class.path"),
                "tlc2.TLC",
                "-workers",
                "2",
                "-metadir",
                folder.toAbsolutePath().toString(),
                "-config",
                configuration.toAbsolutePath().toString(),
                "Failover.tla"));
        command.addAll(command.size() - 1, how);
        Process checker = new ProcessBuilder(command)
                .directory(SPECIFICATION.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!checker.waitFor(HANG_MINUTES, TimeUnit.MINUTES)) {
                throw new AssertionError("The model checker hangs: " + output);
            }
        } finally {
            checker.destroyForcibly();
        }
        return Checked.of(Files.readString(output));
    }

    /**
     * Whether it is over before it pays to compile the checker in full: without a rule the states end at the first that is wrong, and two
     * epochs have few.
     */
    private boolean isSoonOver() {
        return !without.isEmpty() || epochs <= 2;
    }

    private String configuration(String... invariants) {
        return """
                SPECIFICATION Spec
                SYMMETRY Alike
                CONSTANTS
                    Writers = {%s}
                    Readers = {%s}
                    Doubles = {%s}
                    Lease = %d
                    Wait = %d
                    LastEpoch = %d
                    Span = %d
                    Longest = %d
                    Without = "%s"
                INVARIANTS %s
                CHECK_DEADLOCK FALSE
                %s
                """.formatted(
                        names("w", members.writers()),
                        names("r", members.readers()),
                        names("d", members.doubles()),
                        lease,
                        drain,
                        epochs,
                        span,
                        lengths,
                        without,
                        String.join(" ", invariants),
                        constraint.isEmpty() ? "" : "CONSTRAINTS " + constraint);
    }

    private static String names(String letter, int number) {
        return IntStream.rangeClosed(1, number).mapToObj(at -> letter + at).collect(Collectors.joining(", "));
    }
}
