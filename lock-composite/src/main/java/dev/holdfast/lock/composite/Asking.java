package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.regime.Member;
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
import org.jspecify.annotations.Nullable;

/**
 * Steps on their way: to where the member routes them, and back through it. What is refused because another regime has come is
 * asked again under that one, while there is time; and so is what nobody knew where to ask. Thread-safe.
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
            Routed routed = routed(open.stream().map(steps::get).toList());
            Settled settled = carryOut(routed, left(deadline));
            Iterator<Answer> next = settled.answers().iterator();
            open.forEach(at -> answers[at] = next.next());
            open = open.stream()
                    .filter(at -> isRefused(answers[at], settled.isUnsure()))
                    .toList();
            if (!open.isEmpty() && !seat.await(member -> isWorthAsking(member, routed, settled), left(deadline))) {
                break;
            }
        }
        return Arrays.asList(answers);
    }

    /**
     * Where steps go, by the regime that was known.
     *
     * @param changes how often another one had become known by then
     */
    private record Routed(List<Step> steps, List<Route> routes, long changes) {}

    /**
     * What became of them.
     *
     * @param isUnsure whether this process stood still for so long that nobody knows who grants, until the authority has answered
     * @param readings how often it had by then
     */
    private record Settled(List<Answer> answers, boolean isUnsure, long readings) {}

    private Routed routed(List<Step> steps) {
        return seat.with((member, now) -> new Routed(
                steps, steps.stream().map(step -> member.route(step, now)).toList(), member.changes()));
    }

    private static boolean isRefused(Answer answer, boolean isUnsure) {
        return answer instanceof Answer.Unavailable unavailable
                && (isUnsure || unavailable.why() instanceof DeposedException);
    }

    private static boolean isWorthAsking(Member member, Routed routed, Settled settled) {
        return member.changes() != routed.changes() || (settled.isUnsure() && member.readings() != settled.readings());
    }

    private static Duration left(Deadline deadline) {
        return Duration.ofMillis(Math.max(1, deadline.millisLeft()));
    }

    private Settled carryOut(Routed routed, Duration timeout) {
        Moment sent = seat.now();
        Iterator<Answer> answers = ask(routed.routes(), timeout).iterator();
        return seat.with((member, now) -> {
            List<Answer> each = new ArrayList<>(routed.steps().size());
            for (int at = 0; at < routed.steps().size(); at++) {
                Route route = routed.routes().get(at);
                each.add(
                        route instanceof Route.Answered answered
                                ? answered.answer()
                                : member.settle(routed.steps().get(at), route, answers.next(), sent, now));
            }
            return new Settled(each, member.isUnsure(now), member.readings());
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
            return Collections.nCopies(asked.size(), new Answer.Unavailable(e, SOON));
        }
    }
}
