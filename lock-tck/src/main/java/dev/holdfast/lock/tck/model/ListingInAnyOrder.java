package dev.holdfast.lock.tck.model;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * What a listing must and must not show while commands on its lock are under way, in whatever order a store executes them. Such a
 * listing is no step of an {@link Explanation}: it may show a lease as over, as it has read the clock later than a command that
 * still finds it, or as held, as it has read the clock before the lock.
 */
final class ListingInAnyOrder {

    private final Operation.Listed listing;
    private final List<Operation.Executed> commands;

    private ListingInAnyOrder(Operation.Listed listing, List<Operation> history) {
        this.listing = listing;
        this.commands = history.stream()
                .filter(Operation.Executed.class::isInstance)
                .map(Operation.Executed.class::cast)
                .filter(each -> each.call().invoked() <= listing.call().returned()) // the others come later
                .toList();
    }

    /** Whether a command of this lock was under way. */
    static boolean isBesideACommand(Operation.Listed listing, List<Operation> history) {
        return history.stream()
                .anyMatch(other -> other instanceof Operation.Executed
                        && other.call().invoked() <= listing.call().returned()
                        && listing.call().invoked() <= other.call().returned());
    }

    /** What the listing should have been; empty if some order of the commands allows it. */
    static Optional<String> objection(Operation.Listed listing, List<Operation> history) {
        return new ListingInAnyOrder(listing, history).objection(history);
    }

    private Optional<String> objection(List<Operation> history) {
        List<LockInfo.Holder> shown = listing.shown().map(LockInfo::holders).orElse(List.of());
        List<Operation.Executed> holding = holding();
        for (Operation.Executed each : holding) {
            boolean isShown = shown.stream().anyMatch(holder -> holder.id().equals(each.id()));
            boolean isAlone = shown.stream()
                    .allMatch(holder -> holder.id().equals(each.id())
                            || Share.areCompatible(
                                    List.of(holder.share(), each.command().share())));
            if (!isShown || !isAlone) {
                return Optional.of(
                        "the listed holder must be " + owner(each.id()) + ", which holds the lock all the while");
            }
        }
        for (LockInfo.Holder holder : shown) {
            Optional<String> wrong = wrongHolder(holder, history);
            if (wrong.isPresent()) {
                return wrong;
            }
        }
        boolean isKept = listing.shown().flatMap(LockInfo::minimumHoldUntil).isPresent();
        if (isKept && !exists(each -> isMinimumHold(each.command()))) {
            return Optional.of("no release with a minimum hold was sent, so it must not be listed as kept");
        }
        List<String> waiters = listing.shown().map(LockInfo::waitingOwners).orElse(List.of());
        Optional<String> stranger = stranger(waiters);
        return stranger.isPresent() ? stranger : missing(waiters, holding);
    }

    // The holder

    /** The replies by which ids hold the lock from before the listing until after it; their tokens are known. */
    private List<Operation.Executed> holding() {
        return commands.stream()
                .filter(each -> each.reply() instanceof LockReply.Granted granted
                        && isBefore(each)
                        && !each.call()
                                .time()
                                .plus(granted.remaining())
                                .mayHaveCome(listing.call().time())
                        && !exists(other -> other.id().equals(each.id())
                                && other.command() instanceof LockCommand.Release
                                && !isBefore(other, each)))
                .toList();
    }

    private Optional<String> wrongHolder(LockInfo.Holder shown, List<Operation> history) {
        AcquisitionId id = shown.id();
        boolean isGranted = exists(each -> each.id().equals(id) && each.command() instanceof LockCommand.Acquire)
                && (history.stream().anyMatch(each -> isGranted(each, id, shown.token()))
                        || exists(each -> each.id().equals(id) && !each.isAnswered()));
        if (!isGranted) {
            return Optional.of("the id " + owner(id) + " was never granted the lock with token " + shown.token()
                    + ", so it must not be listed as its holder");
        }
        Optional<Operation.Executed> later = commands.stream()
                .filter(each -> each.reply() instanceof LockReply.Granted granted
                        && granted.token() > shown.token()
                        && !Share.areCompatible(
                                List.of(shown.share(), each.command().share()))
                        && isBefore(each))
                .findFirst();
        if (later.isPresent()) {
            return Optional.of("the lock was granted with a greater token before, so that the one with token "
                    + shown.token() + " is over, and must not be listed");
        }
        boolean isReleased = exists(release -> release.id().equals(id)
                && release.reply().equals(new LockReply.Released(true))
                && isBefore(release)
                && exists(grant -> isGranted(grant, id, shown.token()) && isBefore(grant, release)));
        if (isReleased) {
            return Optional.of(
                    "the id " + owner(id) + " has released the lock before, so it must not be listed as its holder");
        }
        boolean isOver = commands.stream()
                .filter(each -> each.id().equals(id))
                .allMatch(each -> each.isAnswered() && endsBefore(each));
        return isOver
                ? Optional.of("the lease of " + owner(id) + " has ended before, so it must not be listed as its holder")
                : Optional.empty();
    }

    /** Whether the lease that the command may have given or extended has ended. */
    private boolean endsBefore(Operation.Executed each) {
        if (each.command() instanceof LockCommand.Acquire acquire) {
            return each.call()
                    .time()
                    .plus(acquire.lease())
                    .mustHaveCome(listing.call().time());
        } else if (each.command() instanceof LockCommand.Renew renew) {
            return each.call()
                    .time()
                    .plus(renew.lease())
                    .mustHaveCome(listing.call().time());
        }
        return true;
    }

    // The waiters

    /** A waiter that did not ask for a place, or is listed more often than it has ids. */
    private Optional<String> stranger(List<String> waiters) {
        for (String shown : waiters) {
            long ids = commands.stream()
                    .filter(each -> isQueueing(each) && LockModel.isSame(ownerOf(each), shown))
                    .map(Operation.Executed::id)
                    .distinct()
                    .count();
            if (ids < waiters.stream().filter(shown::equals).count()) {
                return Optional.of("no such waiter has asked for a place, so '" + shown + "' must not be listed");
            }
        }
        return Optional.empty();
    }

    /**
     * A waiter that has come to a lock which an id holds since then that excludes it, and has done nothing since; or the order of such
     * waiters.
     */
    private Optional<String> missing(List<String> waiters, List<Operation.Executed> holding) {
        return holding.stream().flatMap(each -> missing(waiters, each).stream()).findFirst();
    }

    private Optional<String> missing(List<String> waiters, Operation.Executed holding) {
        int last = -1;
        for (Operation.Executed waiting : waitingBehind(holding)) {
            List<Integer> places = IntStream.range(0, waiters.size())
                    .filter(at -> LockModel.isSame(ownerOf(waiting), waiters.get(at)))
                    .boxed()
                    .toList();
            if (places.isEmpty()) {
                return Optional.of("the waiter " + owner(waiting.id()) + " has a place, so it must be listed");
            }
            if (places.size() == 1 && isItsFirstCommand(waiting)) {
                if (places.get(0) < last) {
                    return Optional.of(
                            "the waiter " + owner(waiting.id()) + " must be listed after those that came before");
                }
                last = places.get(0);
            }
        }
        return Optional.empty();
    }

    /** By their latest commands. */
    private List<Operation.Executed> waitingBehind(Operation.Executed holding) {
        return commands.stream()
                .filter(each -> each.reply() instanceof LockReply.Queued
                        && isBefore(each)
                        && isBefore(holding, each)
                        && !Share.areCompatible(List.of(
                                holding.command().share(), each.command().share()))
                        && !each.call()
                                .time()
                                .plus(QueueTimes.WAITER_TTL)
                                .mayHaveCome(listing.call().time())
                        && !exists(
                                other -> other.id().equals(each.id()) && !other.equals(each) && !isBefore(other, each)))
                .sorted(Comparator.comparingLong(
                                (Operation.Executed each) -> each.call().invoked())
                        .thenComparingInt(Operation.Executed::position))
                .toList();
    }

    /** Whether it has its place since then, and all others whose commands were sent before had theirs already. */
    private boolean isItsFirstCommand(Operation.Executed waiting) {
        return commands.stream()
                .filter(each -> !each.equals(waiting))
                .allMatch(each -> !each.id().equals(waiting.id())
                        && (isBefore(each, waiting) || isBefore(waiting, each) || !isQueueing(each)));
    }

    // What is known

    private static boolean isGranted(Operation operation, AcquisitionId id, long token) {
        return operation instanceof Operation.Executed executed
                && executed.id().equals(id)
                && executed.reply() instanceof LockReply.Granted granted
                && granted.token() == token;
    }

    private static boolean isMinimumHold(LockCommand command) {
        return command instanceof LockCommand.Release release
                && !release.minimumHold().isZero();
    }

    private static boolean isQueueing(Operation.Executed each) {
        return each.command() instanceof LockCommand.Acquire acquire && acquire.queue();
    }

    private static String ownerOf(Operation.Executed each) {
        return ((LockCommand.Acquire) each.command()).owner();
    }

    private boolean exists(Predicate<Operation.Executed> what) {
        return commands.stream().anyMatch(what);
    }

    /** Whether the command was executed before the listing began: one without a reply may be executed at any time. */
    private boolean isBefore(Operation.Executed each) {
        return each.isAnswered() && each.call().returned() < listing.call().invoked();
    }

    private static boolean isBefore(Operation.Executed one, Operation.Executed other) {
        return one.isAnswered()
                && (one.call().number() == other.call().number()
                        ? one.position() < other.position()
                        : one.call().returned() < other.call().invoked());
    }

    /** The owner text of an id by which a person finds it in the history. */
    private String owner(AcquisitionId id) {
        return commands.stream()
                .filter(each -> each.id().equals(id) && each.command() instanceof LockCommand.Acquire)
                .map(ListingInAnyOrder::ownerOf)
                .map(LockModel::shortened)
                .findFirst()
                .orElseGet(() -> id.toString().substring(0, 8));
    }
}
