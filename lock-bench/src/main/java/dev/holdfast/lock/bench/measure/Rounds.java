package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.measure.Outcome.Unfinished;
import dev.holdfast.lock.bench.peer.Candidate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * All turns of a run. In each round, every scenario is everybody's in turn before the next one begins, in an order that is
 * drawn anew: what changes on a machine while it is measured changes for all alike.
 */
public final class Rounds implements AutoCloseable {

    private final Effort effort;
    private final List<Scenario> scenarios;
    private final List<Candidate> candidates;
    private final Servers servers;
    private final Map<Candidate, Team> teams = new HashMap<>();
    private final Set<String> hopeless = new HashSet<>();
    private final Random random;

    /** @param seed of the order of turns */
    public Rounds(Effort effort, List<Scenario> scenarios, List<Candidate> candidates, Servers servers, long seed) {
        this.effort = effort;
        this.scenarios = scenarios;
        this.candidates = candidates;
        this.servers = servers;
        this.random = new Random(seed);
    }

    /** Measures all, and tells of each turn when it is over. */
    public List<Measurement> measure(Consumer<Measurement> progress) throws InterruptedException {
        List<Measurement> all = new ArrayList<>();
        for (int round = 1; round <= effort.rounds(); round++) {
            for (Scenario scenario : scenarios) {
                if (!scenario.isOf(round)) {
                    continue;
                }
                List<Candidate> turns = new ArrayList<>(candidates);
                turns.removeIf(candidate -> scenario.isForThoseWhoWait() && !candidate.waits());
                Collections.shuffle(turns, random);
                for (Candidate candidate : turns) {
                    Measurement measurement =
                            new Measurement(round, scenario, candidate, turn(round, scenario, candidate));
                    progress.accept(measurement);
                    all.add(measurement);
                }
            }
        }
        return all;
    }

    /** Whoever did not finish once is not waited for again. */
    private Outcome turn(int round, Scenario scenario, Candidate candidate) throws InterruptedException {
        String kind = scenario.id() + "-" + candidate.id();
        if (hopeless.contains(kind)) {
            return new Unfinished("did not finish in an earlier round, not tried again");
        }
        Team team = teams.computeIfAbsent(candidate, each -> new Team(each, servers, effort));
        Outcome outcome = team.take(scenario, "bench-" + kind + "-" + round, effort.limit());
        if (outcome instanceof Unfinished) {
            hopeless.add(kind);
        }
        return outcome;
    }

    @Override
    public void close() {
        teams.values().forEach(Team::close);
    }
}
