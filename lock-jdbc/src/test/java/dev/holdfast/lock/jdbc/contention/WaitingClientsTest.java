package dev.holdfast.lock.jdbc.contention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresClock;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Hold;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Four clients with several threads each. The clock of the database stands still, so that no position is lost and no turn
 * lapses, however long a thread or the machine is paused.
 */
@Tag("first-build")
class WaitingClientsTest {

    private static final int CLIENTS = 4;
    private static final int HANDOFF = 16;

    private final List<Locks> clients = new ArrayList<>();
    private final WaitingThreads crowd = new WaitingThreads();
    private ContendedDatabase database;
    private Locks holder;

    @BeforeEach
    void makeDatabase() throws Exception {
        database = ContendedDatabase.on(PostgresServer.shared());
        holder = database.open();
        new PostgresClock(database.server(), database.url()).close(); // stands still from now on
    }

    @AfterEach
    void close() throws Exception {
        crowd.close();
        clients.forEach(Locks::close);
        holder.close();
    }

    @Test
    void clients_areServedInTurn() throws Exception {
        open();
        try (Lease before = holder.named("job").acquire()) {
            for (int number = 0; number < CLIENTS * 40; number++) {
                int client = number % CLIENTS;
                crowd.add("client-" + client, clients.get(client).named("job"));
            }
            crowd.awaitAll();
            Await.until("all clients wait", () -> database.places() == CLIENTS);
            assertThat(before.isHeld()).isTrue();
        }
        crowd.join();

        Map<Long, List<String>> turns = new LinkedHashMap<>();
        for (Hold hold : crowd.holds()) {
            turns.computeIfAbsent(hold.token() >> Byte.SIZE, token -> new ArrayList<>())
                    .add(hold.holder().substring(0, hold.holder().indexOf(' ')));
        }
        assertThat(turns.values()).allSatisfy(turn -> {
            assertThat(turn).as("holders of one turn").hasSizeLessThanOrEqualTo(HANDOFF);
            assertThat(turn.stream().distinct()).as("clients of one turn").hasSize(1);
        });
        expectRotation(turns.values().stream().map(turn -> turn.get(0)).toList());
    }

    /** Between two turns of a client each other one has one, unless it has none any more. */
    private static void expectRotation(List<String> turns) {
        Map<String, Integer> last = new HashMap<>();
        for (int at = 0; at < turns.size(); at++) {
            String client = turns.get(at);
            Integer before = last.put(client, at);
            if (before != null) {
                List<String> between = turns.subList(before + 1, at);
                TreeSet<String> waiting = new TreeSet<>(turns.subList(at, turns.size()));
                waiting.remove(client);
                assertThat(between)
                        .as("turns of others before turn %d, in %s", at, turns)
                        .doesNotHaveDuplicates()
                        .containsAll(waiting);
            }
        }
        assertThat(last).hasSize(CLIENTS);
    }

    @Test
    void waiters_withoutLocalHandOffs_areServedInTheOrderOfArrivalAcrossClients() throws Exception {
        int threads = CLIENTS * 12;
        open("lock.max-local-handoffs", "1");
        try (Lease before = holder.named("job").acquire()) {
            for (int number = 0; number < threads; number++) {
                crowd.add("client", clients.get(number * 7 % CLIENTS).named("job"));
                int waiting = number + 1;
                Await.until("number " + number + " has its place", () -> database.places() == waiting);
            }
            assertThat(before.isHeld()).isTrue();
        }
        crowd.join();

        assertThat(crowd.served())
                .containsExactlyElementsOf(IntStream.range(0, threads).boxed().toList());
    }

    private void open(String... settings) {
        for (int client = 0; client < CLIENTS; client++) {
            clients.add(database.open(settings));
        }
    }
}
