package dev.holdfast.lock.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.measurement.Overtakes.Visit;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Mix;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Reply;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task.Action;
import dev.holdfast.lock.bench.server.Endpoints;
import dev.holdfast.lock.spi.Share;
import java.util.List;
import org.junit.jupiter.api.Test;

class CandidateProcessTest {

    @Test
    void task_whenWrittenAsJson_isOneLineAndReadBackEqual() {
        Endpoints endpoints = new Endpoints(6379, "jdbc:postgresql://127.0.0.1:5432/postgres", "postgres", 8);
        for (Action action : Action.values()) {
            Mix mix = action == Action.SHARE ? new Mix(Share.shared(), Share.EXCLUSIVE, 20) : null;
            Task task =
                    new Task(action, "a \"lock\"\nof two lines", 8, 100, action == Action.OPEN ? endpoints : null, mix);

            assertThat(task.toJson()).doesNotContain("\n");
            assertThat(Task.fromJson(task.toJson())).isEqualTo(task);
        }
    }

    @Test
    void reply_whenWrittenAsJson_isOneLineAndReadBackEqual() {
        List<Reply> replies = List.of(
                Reply.done(Long.MIN_VALUE, Long.MAX_VALUE, 7),
                Reply.done(1, 2, 3).with(List.of(3L, Long.MAX_VALUE), List.of(new Visit(1, 2, 3))),
                Reply.failed("no\nconnection"));

        assertThat(replies).allSatisfy(reply -> {
            assertThat(reply.toJson()).doesNotContain("\n");
            assertThat(Reply.fromJson(reply.toJson())).isEqualTo(reply);
        });
    }
}
