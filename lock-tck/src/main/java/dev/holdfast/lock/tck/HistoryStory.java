package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.tck.model.Explanation;
import dev.holdfast.lock.tck.model.Operation;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Describes a history that the model does not explain: the commands, the replies, and the replies that the model allows. */
final class HistoryStory {

    /** The length of an owner's text that distinguishes it from others. */
    private static final int OWNER = 16;

    private final CommandText text = new CommandText();
    private final List<Operation> history;
    private final Explanation.Contradiction contradiction;

    private HistoryStory(List<Operation> history, Explanation.Contradiction contradiction) {
        this.contradiction = contradiction;
        long last = contradiction.refusals().stream()
                .mapToLong(each -> each.operation().call().returned())
                .max()
                .orElse(Long.MAX_VALUE);
        this.history = history.stream()
                .filter(each -> each.call().invoked() <= last)
                .sorted(Comparator.comparingLong((Operation each) -> each.call().invoked())
                        .thenComparingInt(Operation::position))
                .toList();
    }

    /** The history of one lock up to the wrong reply, with times in milliseconds. */
    static String of(List<Operation> history, Explanation.Contradiction contradiction) {
        return new HistoryStory(history, contradiction).text();
    }

    private String text() {
        String lines = history.stream().map(this::line).collect(Collectors.joining("\n    "));
        String refusals = contradiction.refusals().stream()
                .map(each -> "  to '" + asked(each.operation()) + "' at "
                        + CommandText.millis(each.operation().call().invoked()) + ": " + each.demand() + ", but was "
                        + told(each.operation()))
                .distinct()
                .collect(Collectors.joining("\n"));
        return "no order of these operations on "
                + SampleNames.escaped(history.get(0).name())
                + " explains the replies\n    " + lines + "\n  where the explanation ends:\n" + refusals;
    }

    private String line(Operation operation) {
        Operation.Call call = operation.call();
        if (operation instanceof Operation.Restarted) {
            return CommandText.millis(call.invoked()) + " to " + CommandText.millis(call.returned())
                    + "  the store is restarted";
        }
        return String.format(
                Locale.ROOT,
                "%s to %s  %s  %s -> %s",
                CommandText.millis(call.invoked()),
                CommandText.millis(call.returned()),
                call.client(),
                asked(operation),
                told(operation));
    }

    private String asked(Operation operation) {
        if (!(operation instanceof Operation.Executed executed)) {
            return "list";
        }
        return text.asked(executed.command());
    }

    private String told(Operation operation) {
        if (operation instanceof Operation.Executed executed) {
            return text.told(executed.reply());
        }
        return told(((Operation.Listed) operation).shown());
    }

    private String told(Optional<LockInfo> shown) {
        return shown.map(info -> "holder "
                        + info.holder()
                                .map(holder -> text.named(holder.id()) + " with token " + holder.token())
                                .orElse("none")
                        + (info.minimumHoldUntil().isPresent() ? ", kept" : "")
                        + ", waiters " + shortened(info.waitingOwners()))
                .orElse("not listed");
    }

    private static List<String> shortened(List<String> owners) {
        return owners.stream()
                .map(owner -> owner.length() <= OWNER ? owner : owner.substring(0, OWNER) + "…")
                .toList();
    }
}
