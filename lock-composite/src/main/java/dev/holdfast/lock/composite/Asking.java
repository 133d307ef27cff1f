package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.regime.Member;
import dev.holdfast.lock.composite.regime.Route;
import dev.holdfast.lock.composite.regime.UncertainException;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Steps on their way: to where the member routes them, and back through it. What is refused because another regime has come is
 * asked again under that one, while there is time; and so is what nobody knew where to ask. Thread-safe.
 */
final class Asking {

    private final Seat seat;
    private final PrimaryStore primary;
    private final AuthorityStore authority;

    Asking(Seat seat, PrimaryStore primary, AuthorityStore authority) {
        this.seat = seat;
        this.primary = primary;
        this.authority = authority;
    }

    List<Answer> apply(List<Step> steps, Deadline deadline) {
        Answer[] answers = new Answer[steps.size()];
        List<Integer> open = IntStream.range(0, steps.size()).boxed().toList();
        while (!open.isEmpty()) {
            Routed routed = routed(open.stream().map(steps::get).toList());
            Iterator<Answer> next = carryOut(routed, left(deadline)).iterator();
            open.forEach(at -> answers[at] = next.next());
            open = open.stream()
                    .filter(at -> is(answers[at], DeposedException.class) || is(answers[at], UncertainException.class))
                    .toList();
            boolean isUncertain = open.stream().anyMatch(at -> is(answers[at], UncertainException.class));
            if (!open.isEmpty() && !seat.await(member -> isWorthAsking(member, routed, isUncertain), left(deadline))) {
                break;
            }
        }
        return Arrays.asList(answers);
    }

    /**
     * Where steps go, by the regime that was known.
     *
     * @param changes how often another one had become known by then
     * @param readings how often the authority had answered by then, or failed to
     */
    private record Routed(List<Step> steps, List<Route> routes, long changes, long readings) {}

    private Routed routed(List<Step> steps) {
        return seat.with(
                (member, now) -> new Routed(steps, routes(steps, member, now), member.changes(), member.readings()));
    }

    /** What comes after a step that is to be asked again waits for it, if it is about the same lock. */
    private static List<Route> routes(List<Step> steps, Member member, Moment now) {
        Map<LockName, Route> waiting = new HashMap<>();
        List<Route> routes = new ArrayList<>(steps.size());
        for (Step step : steps) {
            Route before = waiting.get(step.name());
            Route route = before == null ? member.route(step, now) : before;
            if (route instanceof Route.Answered answered && is(answered.answer(), UncertainException.class)) {
                waiting.put(step.name(), route);
            }
            routes.add(route);
        }
        return routes;
    }

    private static boolean is(Answer answer, Class<? extends Exception> why) {
        return answer instanceof Answer.Unavailable unavailable && why.isInstance(unavailable.why());
    }

    private static boolean isWorthAsking(Member member, Routed routed, boolean isUncertain) {
        return member.changes() != routed.changes() || (isUncertain && member.readings() != routed.readings());
    }

    /** What a store is given; never none. */
    static Duration left(Deadline deadline) {
        return Duration.ofMillis(Math.max(1, deadline.millisLeft()));
    }

    private List<Answer> carryOut(Routed routed, Duration timeout) {
        Moment sent = seat.now();
        Iterator<Answer> answers = ask(routed.routes(), timeout).iterator();
        return seat.with((member, now) -> {
            List<Answer> settled = new ArrayList<>(routed.steps().size());
            for (int at = 0; at < routed.steps().size(); at++) {
                Route route = routed.routes().get(at);
                settled.add(
                        route instanceof Route.Answered answered
                                ? answered.answer()
                                : member.settle(routed.steps().get(at), route, answers.next(), sent, now));
            }
            return settled;
        });
    }

    /** All that are asked are asked of one store, under one regime: that by which they were routed. */
    private List<Answer> ask(List<Route> routes, Duration timeout) {
        List<Step> asked = new ArrayList<>(routes.size());
        @Nullable Route way = null;
        for (Route route : routes) {
            if (route instanceof Route.ToPrimary to) {
                asked.add(to.step());
                way = to;
            } else if (route instanceof Route.ToAuthority to) {
                asked.add(to.step());
                way = to;
            }
        }
        try {
            if (way instanceof Route.ToPrimary to) {
                return primary.apply(to.reign(), asked, timeout);
            } else if (way instanceof Route.ToAuthority to) {
                return authority.apply(to.epoch(), asked, timeout);
            }
            return List.of();
        } catch (RuntimeException e) {
            return Collections.nCopies(asked.size(), new Answer.Unavailable(e));
        }
    }
}
