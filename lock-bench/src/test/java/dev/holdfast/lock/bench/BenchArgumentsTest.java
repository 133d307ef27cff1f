package dev.holdfast.lock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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

class BenchArgumentsTest {

    private static final Path DIRECTORY = Path.of("somewhere");
    private static final List<Candidate> CANDIDATES = Stream.of("holdfast", "redisson", "redisson-fair", "jedis")
            .map(BenchArgumentsTest::candidate)
            .toList();

    @Test
    void parse_whenThereAreNoArguments_choosesEverything() throws Exception {
        BenchArguments arguments = arguments("");

        assertThat(arguments.workload()).isEqualTo(Workload.FULL);
        assertThat(arguments.candidates()).isEqualTo(CANDIDATES);
        assertThat(ids(arguments))
                .containsExactly(
                        "pair",
                        "threads-1",
                        "threads-2",
                        "threads-4",
                        "threads-8",
                        "threads-16",
                        "threads-32",
                        "threads-64",
                        "crowd",
                        "processes",
                        "order",
                        "handover");
        assertThat(soloScenarios(arguments))
                .containsExactly("held-leases", "traffic", "death", "lock-run", "growth", "in-process");
        assertThat(arguments.directory()).isEqualTo(DIRECTORY);
        assertThat(arguments.seed()).isEqualTo(42);
    }

    @Test
    void parse_whenAllOptionsAreGiven_appliesEachOne() throws Exception {
        BenchArguments arguments =
                arguments("--quick --rounds 7 --scenario crowd,pair --only jedis --seed -3 --out here");

        assertThat(arguments.workload()).isEqualTo(Workload.QUICK.withRounds(7));
        assertThat(ids(arguments)).containsExactly("pair", "crowd");
        assertThat(arguments.candidates()).extracting(Candidate::id).containsExactly("jedis");
        assertThat(arguments.seed()).isEqualTo(-3);
        assertThat(arguments.directory()).isEqualTo(Path.of("here"));
    }

    @Test
    void parse_whenWordIsAnId_choosesItAloneAndOtherwiseAllThatBeginWithIt() throws Exception {
        assertThat(arguments("--only redisson").candidates())
                .extracting(Candidate::id)
                .containsExactly("redisson");
        assertThat(arguments("--only redis").candidates())
                .extracting(Candidate::id)
                .containsExactly("redisson", "redisson-fair");
        assertThat(ids(arguments("--quick --scenario threads"))).containsExactly("threads-8", "threads-64");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --loud              | unknown argument: --loud
            --rounds            | --rounds needs a value
            --rounds 0          | --rounds 0: a whole number from 1 to 1000 is allowed
            --rounds many       | --rounds many: a whole number from 1 to 1000 is allowed
            --only zookeeper    | unknown candidate: zookeeper; there are holdfast, redisson, redisson-fair, jedis
            --only jedis,       | --only 'jedis,': ids separated by commas are allowed
            --quick --scenario x | unknown scenario: x; there are pair, threads-8, threads-64, crowd, processes, order, handover, held-leases, traffic, death, lock-run, growth, in-process
            --only jedis --scenario growth | only Holdfast goes through growth, but --only leaves it out
            """)
    void parse_whenArgumentIsWrong_saysWhatIsAllowed(String line, String message) {
        assertThatExceptionOfType(BenchArguments.UsageException.class)
                .isThrownBy(() -> arguments(line))
                .withMessage(message);
    }

    @Test
    void parse_whenScenariosAreMixed_findsComparedAndSoloOnes() throws Exception {
        BenchArguments arguments = arguments("--only holdfast,jedis --scenario pair,death");

        assertThat(ids(arguments)).containsExactly("pair");
        assertThat(soloScenarios(arguments)).containsExactly("death");
        assertThat(ids(arguments("--scenario in-process"))).isEmpty();
    }

    @Test
    void parse_whenHoldfastIsLeftOut_choosesNoSoloScenario() throws Exception {
        assertThat(soloScenarios(arguments("--only jedis"))).isEmpty();
    }

    /** Its server is downloaded when a candidate needs it. */
    @Test
    void parse_whenMariaDbIsNotAskedFor_leavesItsCandidatesOut() throws Exception {
        List<Candidate> all = Candidates.all();
        BenchArguments without = BenchArguments.parse(List.of(), all, Path.of("lock.jar"), DIRECTORY, 42);
        BenchArguments with = BenchArguments.parse(List.of("--mariadb"), all, Path.of("lock.jar"), DIRECTORY, 42);

        assertThat(without.needsMariaDb()).isFalse();
        assertThat(without.candidates()).extracting(Candidate::store).doesNotContain(Store.MARIADB);
        assertThat(with.needsMariaDb()).isTrue();
        assertThat(with.candidates()).isEqualTo(all);
    }

    private static List<String> soloScenarios(BenchArguments arguments) {
        return arguments.soloScenarios().stream().map(SoloScenario::id).toList();
    }

    private static BenchArguments arguments(String line) throws BenchArguments.UsageException {
        return BenchArguments.parse(
                line.isEmpty() ? List.of() : List.of(line.split(" ")), CANDIDATES, Path.of("lock.jar"), DIRECTORY, 42);
    }

    private static List<String> ids(BenchArguments arguments) {
        return arguments.scenarios().stream().map(Scenario::id).toList();
    }

    private static Candidate candidate(String id) {
        return new Candidate(id, id, Store.REDIS, true, "", endpoints -> {
            throw new IllegalStateException("it is never opened");
        });
    }
}
