package dev.holdfast.lock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.tck.model.Explanation;
import dev.holdfast.lock.tck.model.Operation;
import dev.holdfast.lock.testing.RandomHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A random history whose replies the model of the kit has to explain as well, which sees a store from outside only: what it demanded
 * beyond the contract would fail a healthy store of a stranger.
 */
public final class ExplainedHistory {

    private ExplainedHistory() {}

    /** Runs a history, and judges it twice. */
    public static RandomHistory run(long seed, RandomHistory.Subject store) {
        Recorder recorder = new Recorder();
        RandomHistory commands = new RandomHistory(seed, store, recorder);
        commands.run();
        recorder.operations.forEach((name, history) -> {
            try {
                assertThat(Explanation.missing(history, true).map(wrong -> told(history, wrong)))
                        .as("the kit's model on %s of %s", name, commands)
                        .isEmpty();
            } catch (Explanation.Undecided tooManyEndsAtOnce) {
                // no verdict: each of a crowd of waiters may be dead by then, or not
            }
        });
        return commands;
    }

    private static String told(List<Operation> history, Explanation.Contradiction wrong) {
        return history.stream()
                .map(Operation.Executed.class::cast)
                .map(each -> String.format(
                        Locale.ROOT,
                        "%n%.3f ms: %s -> %s%s",
                        each.call().invoked() / 1e6,
                        each.command(),
                        each.reply(),
                        wrong.refusals().stream()
                                .filter(refusal -> refusal.operation().equals(each))
                                .map(refusal -> " BUT " + refusal.demand())
                                .collect(Collectors.joining())))
                .collect(Collectors.joining());
    }

    private static final class Recorder implements RandomHistory.Observer {

        /** Between two calls at the same instant, so that they keep their order. */
        private static final long APART = 1_000;

        private final Map<LockName, List<Operation>> operations = new LinkedHashMap<>();
        private int calls;

        @Override
        public void executed(Duration at, List<LockCommand> commands, List<LockReply> replies) {
            long nanos = at.toNanos() + ++calls * APART;
            Operation.Call call = new Operation.Call(calls, "the store", nanos, nanos);
            for (int position = 0; position < commands.size(); position++) {
                LockCommand command = commands.get(position);
                operations
                        .computeIfAbsent(command.name(), any -> new ArrayList<>())
                        .add(new Operation.Executed(call, position, command, replies.get(position)));
            }
        }
    }
}
