package dev.holdfast.lock.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.lock.bench.peer.Place;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineTest {

    @Test
    void whatIsToldIsWhatIsHeard() {
        List<Order> orders = List.of(
                new Open(new Place(6379, "jdbc:postgresql://127.0.0.1:5432/postgres", "postgres", 8)),
                new WarmUp(8, 100, "some lock"),
                new Pairs(10, "a \"lock\"\nof two lines"),
                new Loops(64, 1_000, "lock"),
                new Crowd(250, "lock"),
                new Arrivals(100, 2, "lock"),
                new Ask("lock"),
                new Give(),
                new Shut());

        assertThat(orders).allSatisfy(order -> {
            String line = Line.of(order);
            assertThat(line).doesNotContain("\n");
            assertThat(Line.order(line)).isEqualTo(order);
        });
        assertThat(orders.stream().map(Object::getClass))
                .containsExactlyInAnyOrder(Order.class.getPermittedSubclasses());
    }

    @Test
    void whatIsSaidIsWhatIsHeard() {
        List<Answer> answers = List.of(
                new Answer.Done(),
                new Answer.Ready(),
                new Answer.Failed("no\nconnection"),
                new Answer.Samples(List.of(3L, Long.MAX_VALUE), 7),
                new Answer.Count(3, 4),
                new Answer.Visits(-1, List.of(new Visit(1, 2, 3))),
                new Answer.Asked(5, 6),
                new Answer.Given(Long.MIN_VALUE));

        assertThat(answers)
                .allSatisfy(answer -> assertThat(Line.answer(Line.of(answer))).isEqualTo(answer));
        assertThat(answers.stream().map(Object::getClass))
                .containsExactlyInAnyOrder(Answer.class.getPermittedSubclasses());
    }

    @Test
    void anythingElseIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Line.order("Sing {}"))
                .withMessage("no order: Sing {}");
        assertThatIllegalArgumentException().isThrownBy(() -> Line.answer("Exception in thread main"));
    }
}
