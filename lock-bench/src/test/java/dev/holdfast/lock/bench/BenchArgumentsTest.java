package dev.holdfast.lock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.bench.BenchArguments.Selection;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.peer.Candidates;
import dev.holdfast.lock.bench.scenario.Scenario;
import dev.holdfast.lock.bench.scenario.Workload;
import dev.holdfast.lock.bench.solo.SoloScenario;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchArgumentsTest {

    private static final List<Candidate> CANDIDATES = Stream.of("holdfast", "redisson", "redisson-fair", "jedis")
            .map(BenchArgumentsTest::candidate)
            .toList();

    @Test
    void parse_whenThereAreNoArguments_choosesEverything() {
        Selection arguments = select("");

        assertThat(arguments.workload()).isEqualTo(Workload.FULL);
        assertThat(arguments.candidates()).isEqualTo(CANDIDATES);
        assertThat(ids(arguments))
                .containsExactly(
                        "pair",
                        "distant-pair",
                        "threads-1",
                        "threads-2",
                        "threads-4",
                        "threads-8",
                        "threads-16",
                        "threads-32",
                        "threads-64",
                        "crowd",
                        "processes",
                        "cold-processes",
                        "order",
                        "handover",
                        "readers",
                        "permits",
                        "all-permits");
        assertThat(soloScenarios(arguments))
                .containsExactly("held-leases", "soak", "traffic", "death", "lock-run", "growth", "in-process");
    }

    @Test
    void parse_whenAllOptionsAreGiven_appliesEachOne() {
        Selection arguments = select("--quick --rounds 7 --scenario crowd,pair --only jedis --seed -3 --out here");

        assertThat(arguments.workload()).isEqualTo(Workload.QUICK.withRounds(7));
        assertThat(ids(arguments)).containsExactly("pair", "crowd");
        assertThat(arguments.candidates()).extracting(Candidate::id).containsExactly("jedis");
        assertThat(arguments("--seed -3 --out here").seed()).isEqualTo(-3);
        assertThat(arguments("--seed -3 --out here").directory()).isEqualTo(Path.of("here"));
    }

    @Test
    void parse_whenWordIsAnId_choosesItAloneAndOtherwiseAllThatBeginWithIt() {
        assertThat(select("--only redisson").candidates())
                .extracting(Candidate::id)
                .containsExactly("redisson");
        assertThat(select("--only redis").candidates())
                .extracting(Candidate::id)
                .containsExactly("redisson", "redisson-fair");
        assertThat(ids(select("--quick --scenario threads"))).containsExactly("threads-8", "threads-64");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --rounds -1         | --rounds -1: 1 to 1000 is allowed
            --rounds 1001       | --rounds 1001: 1 to 1000 is allowed
            --only zookeeper    | unknown candidate: zookeeper; there are holdfast, redisson, redisson-fair, jedis
            --quick --scenario x | unknown scenario: x; there are pair, distant-pair, threads-8, threads-64, crowd, processes, cold-processes, order, handover, readers, permits, all-permits, held-leases, soak, traffic, death, lock-run, growth, in-process
            --only jedis --scenario growth | only Holdfast goes through growth, but --only leaves it out
            """)
    void parse_whenArgumentIsWrong_saysWhatIsAllowed(String line, String message) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> select(line))
                .withMessage(message);
    }

    @Test
    void parse_whenScenariosAreMixed_findsComparedAndSoloOnes() {
        Selection arguments = select("--only holdfast,jedis --scenario pair,death");

        assertThat(ids(arguments)).containsExactly("pair");
        assertThat(soloScenarios(arguments)).containsExactly("death");
        assertThat(ids(select("--scenario in-process"))).isEmpty();
    }

    @Test
    void parse_whenHoldfastIsLeftOut_choosesNoSoloScenario() {
        assertThat(soloScenarios(select("--only jedis"))).isEmpty();
    }

    /** Its server is downloaded when a candidate needs it. */
    @Test
    void select_whenMariaDbIsNotAskedFor_leavesItsCandidatesOut() {
        List<Candidate> all = Candidates.all();
        Selection without = arguments("").select(all, Path.of("lock.jar"));
        Selection with = arguments("--mariadb").select(all, Path.of("lock.jar"));

        assertThat(without.needsMariaDb()).isFalse();
        assertThat(without.candidates()).extracting(Candidate::store).doesNotContain(Store.MARIADB);
        assertThat(with.needsMariaDb()).isTrue();
        assertThat(with.candidates()).isEqualTo(all);
    }

    private static List<String> soloScenarios(Selection arguments) {
        return arguments.soloScenarios().stream().map(SoloScenario::id).toList();
    }

    private static BenchArguments arguments(String line) {
        BenchArguments arguments = new BenchArguments();
        new CommandLine(arguments).parseArgs(line.isEmpty() ? new String[0] : line.split(" "));
        return arguments;
    }

    private static Selection select(String line) {
        return arguments(line).select(CANDIDATES, Path.of("lock.jar"));
    }

    private static List<String> ids(Selection arguments) {
        return arguments.scenarios().stream().map(Scenario::id).toList();
    }

    private static Candidate candidate(String id) {
        return new Candidate(id, id, Store.REDIS, true, "", endpoints -> {
            throw new IllegalStateException("it is never opened");
        });
    }
}
