package dev.holdfast.lock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.bench.alone.Observation;
import dev.holdfast.lock.bench.measure.Effort;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {

    private static final Path DIRECTORY = Path.of("somewhere");
    private static final List<Candidate> CANDIDATES = Stream.of("holdfast", "redisson", "redisson-fair", "jedis")
            .map(ArgumentsTest::candidate)
            .toList();

    @Test
    void withoutAnyAllIsMeasured() throws Exception {
        Arguments arguments = arguments("");

        assertThat(arguments.effort()).isEqualTo(Effort.FULL);
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
        assertThat(observations(arguments))
                .containsExactly("held-leases", "traffic", "death", "lock-run", "growth", "in-process");
        assertThat(arguments.directory()).isEqualTo(DIRECTORY);
        assertThat(arguments.seed()).isEqualTo(42);
    }

    @Test
    void eachOfThemCounts() throws Exception {
        Arguments arguments = arguments("--quick --rounds 7 --scenario crowd,pair --only jedis --seed -3 --out here");

        assertThat(arguments.effort()).isEqualTo(Effort.QUICK.withRounds(7));
        assertThat(ids(arguments)).containsExactly("pair", "crowd");
        assertThat(arguments.candidates()).extracting(Candidate::id).containsExactly("jedis");
        assertThat(arguments.seed()).isEqualTo(-3);
        assertThat(arguments.directory()).isEqualTo(Path.of("here"));
    }

    @Test
    void anIdIsOneAndABeginningAreAll() throws Exception {
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
            --rounds            | nothing follows --rounds
            --rounds 0          | --rounds 0: a whole number from 1 to 1000 is allowed
            --rounds many       | --rounds many: a whole number from 1 to 1000 is allowed
            --only zookeeper    | unknown candidate: zookeeper; there are holdfast, redisson, redisson-fair, jedis
            --only jedis,       | --only 'jedis,': ids with commas between them are allowed
            --quick --scenario x | unknown scenario: x; there are pair, threads-8, threads-64, crowd, processes, order, handover, held-leases, traffic, death, lock-run, growth, in-process
            --only jedis --scenario growth | Holdfast alone goes through growth, and is not among --only
            """)
    void whatIsWrongIsToldWithWhatIsAllowed(String line, String message) {
        assertThatExceptionOfType(Arguments.Wrong.class)
                .isThrownBy(() -> arguments(line))
                .withMessage(message);
    }

    @Test
    void scenariosAndWhatHoldfastGoesThroughAloneAreNamedAlike() throws Exception {
        Arguments arguments = arguments("--only holdfast,jedis --scenario pair,death");

        assertThat(ids(arguments)).containsExactly("pair");
        assertThat(observations(arguments)).containsExactly("death");
        assertThat(ids(arguments("--scenario in-process"))).isEmpty();
    }

    @Test
    void withoutHoldfastNothingIsOfItAlone() throws Exception {
        assertThat(observations(arguments("--only jedis"))).isEmpty();
    }

    private static List<String> observations(Arguments arguments) {
        return arguments.observations().stream().map(Observation::id).toList();
    }

    private static Arguments arguments(String line) throws Arguments.Wrong {
        return Arguments.read(
                line.isEmpty() ? List.of() : List.of(line.split(" ")), CANDIDATES, Path.of("lock.jar"), DIRECTORY, 42);
    }

    private static List<String> ids(Arguments arguments) {
        return arguments.scenarios().stream().map(Scenario::id).toList();
    }

    private static Candidate candidate(String id) {
        return new Candidate(id, id, Store.REDIS, id.equals("holdfast"), true, "", place -> {
            throw new IllegalStateException("only named");
        });
    }
}
