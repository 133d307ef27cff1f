package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Candidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The processes of one candidate. They are started when they are first needed, and kept, with what they have compiled; between
 * two turns the candidate is closed in all of them. After a turn that went wrong they are killed, and others take their place.
 */
final class Team implements AutoCloseable {

    /** For what is not measured: a hang. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Pairs before each turn but the first. */
    private static final int AGAIN = 200;

    private static final int FEWEST_PAIRS = 3;

    /** All processes but the first have little to do, and less to be warmed up for. */
    private static final int OTHERS = 10;

    private final Candidate candidate;
    private final Servers servers;
    private final Effort effort;
    private final List<RunnerProcess> runners = new ArrayList<>();
    private final Set<String> rehearsed = new HashSet<>();

    Team(Candidate candidate, Servers servers, Effort effort) {
        this.candidate = candidate;
        this.servers = servers;
        this.effort = effort;
    }

    /**
     * One turn.
     *
     * @param lock a name that was never used
     */
    Outcome take(Scenario scenario, String lock, Duration limit) throws InterruptedException {
        try {
            List<RunnerProcess> those = open(scenario, lock);
            if (scenario.isRehearsed() && rehearsed.add(scenario.id())) {
                rehearse(scenario, those, lock, limit);
            }
            Reading reading = scenario.measure(those, lock, new Limit(limit));
            for (RunnerProcess runner : those) {
                perform(runner, new Shut());
            }
            return new Outcome.Measured(reading);
        } catch (InterruptedException e) {
            throw e;
        } catch (Limit.Passed e) {
            close();
            return new Outcome.Unfinished(e.why());
        } catch (Exception e) {
            close();
            return new Outcome.Failed(String.valueOf(e.getMessage()));
        }
    }

    private List<RunnerProcess> open(Scenario scenario, String lock) throws Exception {
        int warm = runners.size();
        for (int i = warm; i < scenario.processes(); i++) {
            runners.add(new RunnerProcess(candidate, servers.log(candidate.id())));
        }
        for (int i = 0; i < scenario.processes(); i++) {
            RunnerProcess runner = runners.get(i);
            String other = lock + "-warm-up-" + i;
            int connections = servers.connections(scenario.threads());
            perform(runner, new Open(servers.place(connections)));
            int pairs = i < warm ? AGAIN : i == 0 ? effort.warmUp() : effort.warmUp() / OTHERS;
            perform(runner, new WarmUp(connections, Math.max(FEWEST_PAIRS, pairs / connections), other));
        }
        return runners.subList(0, scenario.processes());
    }

    /** What is only done where many want one lock is compiled by nothing else. */
    private void rehearse(Scenario scenario, List<RunnerProcess> those, String lock, Duration limit) throws Exception {
        Limit enough = new Limit(effort.rehearsal());
        for (int time = 0; enough.left() > 0; time++) {
            Reading unused = scenario.measure(those, lock + "-rehearsal-" + time, new Limit(limit));
        }
    }

    private static void perform(RunnerProcess runner, Order order) throws Exception {
        runner.tell(order);
        runner.await(Answer.Done.class, new Limit(PATIENCE));
    }

    @Override
    public void close() {
        runners.forEach(RunnerProcess::close);
        runners.clear();
        rehearsed.clear();
    }
}
