package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.regime.Route;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Steps on their way: to where the member routes them, and back through it. What is refused because another regime has come is
 * asked again under that one, while there is time. Thread-safe.
 */
final class Asking {

    private static final Duration SOON = Duration.ofMillis(50);

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
            long regime = seat.with((member, now) -> member.changes());
            Iterator<Answer> next = attempt(open.stream().map(steps::get).toList(), left(deadline))
                    .iterator();
            open.forEach(at -> answers[at] = next.next());
            open = open.stream().filter(at -> isRefused(answers[at])).toList();
            if (!open.isEmpty() && !seat.await(member -> member.changes() != regime, left(deadline))) {
                break;
            }
        }
        return Arrays.asList(answers);
    }

    private static boolean isRefused(Answer answer) {
        return answer instanceof Answer.Unavailable unavailable && unavailable.why() instanceof DeposedException;
    }

    private static Duration left(Deadline deadline) {
        return Duration.ofMillis(Math.max(1, deadline.millisLeft()));
    }

    private List<Answer> attempt(List<Step> steps, Duration timeout) {
        List<Route> routes = seat.with((member, now) ->
                steps.stream().map(step -> member.route(step, now)).toList());
        Moment sent = seat.now();
        Iterator<Answer> answers = ask(routes, timeout).iterator();
        return seat.with((member, now) -> {
            List<Answer> settled = new ArrayList<>(steps.size());
            for (int at = 0; at < steps.size(); at++) {
                Route route = routes.get(at);
                settled.add(
                        route instanceof Route.Answered answered
                                ? answered.answer()
                                : member.settle(steps.get(at), route, answers.next(), sent, now));
            }
            return settled;
        });
    }

    /** All that are asked are asked of one store: they were routed by one regime. */
    private List<Answer> ask(List<Route> routes, Duration timeout) {
        List<Step> toPrimary = new ArrayList<>(routes.size());
        List<Step> toAuthority = new ArrayList<>();
        for (Route route : routes) {
            if (route instanceof Route.ToPrimary to) {
                toPrimary.add(to.step());
            } else if (route instanceof Route.ToAuthority to) {
                toAuthority.add(to.step());
            }
        }
        try {
            for (Route route : routes) {
                if (route instanceof Route.ToPrimary to) {
                    return primary.apply(to.reign(), toPrimary, timeout);
                } else if (route instanceof Route.ToAuthority to) {
                    return authority.apply(to.epoch(), toAuthority, timeout);
                }
            }
            return List.of();
        } catch (RuntimeException e) {
            return Collections.nCopies(toPrimary.size() + toAuthority.size(), new Answer.Unavailable(e, SOON));
        }
    }
}
