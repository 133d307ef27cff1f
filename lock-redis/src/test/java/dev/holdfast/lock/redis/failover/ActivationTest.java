package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Activation of a primary term: once, with the server's replication id, and without leases of an earlier term. */
class ActivationTest extends ServerFixture {

    @Test
    void leases_ofEarlierTerm_areGone() {
        try (PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 2)) {
            AcquisitionId id = TestCommands.id();
            term.answered(TestCommands.acquire("job", id), LockReply.Granted.class);

            PrimaryTermFixture next = term.at(4);
            next.install();

            next.answered(TestCommands.renew("job", id), LockReply.Gone.class);
            next.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class);
            assertThat(next.store().list(next.term(), "", TestCommands.CALL)).hasSize(1);
        }
    }

    @Test
    void activation_ofActiveTerm_isRefused() {
        try (PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 2)) {
            long token = term.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class)
                    .token();

            assertStale(term::install).hasMessageContaining("epoch 2 was activated");

            assertThat(term.answered(TestCommands.acquire("other", TestCommands.id()), LockReply.Granted.class)
                            .token())
                    .isGreaterThan(token);
        }
    }

    @Test
    void activationAndTransfer_ofEarlierTerm_areRefused() {
        try (PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 4)) {
            List<TransferredLease> grants = List.of(TransferredLeasesTest.carried("late", TestCommands.id(), false));

            assertStale(() -> term.store().copyLeases(term.at(2).term(), grants, TestCommands.CALL))
                    .hasMessageContaining("epoch 4");
            assertStale(term.at(2)::install).hasMessageContaining("epoch 4");

            term.answered(TestCommands.acquire("late", TestCommands.id()), LockReply.Granted.class);
        }
    }

    @Test
    void activation_atOtherReplicationIdOrReplica_writesNothing() {
        try (PrimaryTermFixture term = PrimaryTermFixture.claim(server.uri(), 2)) {
            PrimaryTermFixture stranger = new PrimaryTermFixture(term.store(), new PrimaryTerm(2, "0".repeat(40)));
            assertStale(stranger::install).hasMessageContaining("replication id");
            assertStale(() -> term.store()
                            .copyLeases(
                                    stranger.term(),
                                    List.of(TransferredLeasesTest.carried("job", TestCommands.id(), false)),
                                    TestCommands.CALL))
                    .hasMessageContaining("replication id");

            Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
            assertStale(term::install).hasMessageContaining("replica");
            assertStale(() -> term.store()
                            .copyLeases(
                                    term.term(),
                                    List.of(TransferredLeasesTest.carried("job", TestCommands.id(), false)),
                                    TestCommands.CALL))
                    .hasMessageContaining("replica");

            assertThat(admin.keys("*")).isEmpty();
        }
    }

    @Test
    void activation_overForeignRecord_succeeds() {
        admin.hset(PrimaryTermFixture.MARK, "something", "else");
        try (PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 2)) {
            term.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class);
        }
    }

    @Test
    void activation_withoutReply_isSentOnce() {
        try (PrimaryStore store = TestStores.primary(server.uri());
                CommandRecorder commands = new CommandRecorder(server)) {
            PrimaryTerm term =
                    new PrimaryTerm(2, store.health(TestCommands.CALL).replicationId());
            assertStale(() ->
                    store.installTerm(new PrimaryTerm(2, "another"), 1, TestCommands.CALL)); // it knows the script now
            commands.forget();

            server.freeze();
            try {
                assertThatThrownBy(() -> store.installTerm(term, PrimaryTermFixture.BASE, Duration.ofMillis(100)))
                        .isInstanceOf(LockUnavailableException.class);
            } finally {
                server.thaw(); // and it reads what came meanwhile
            }
            new PrimaryTermFixture(store, term).awaitAnswer();

            assertThat(commands.count("EVAL", "EVALSHA")).isEqualTo(1);
            assertThat(admin.get(PrimaryTermFixture.MARK)).isEqualTo("2 1000 1000");
        }
    }

    @Test
    void activation_withLostReply_isSentOnceAndUnavailable() throws Exception {
        try (FaultyProxy proxy = new FaultyProxy(server.address());
                PrimaryStore store = TestStores.primary(ProxiedRedis.uri(server, proxy));
                CommandRecorder commands = new CommandRecorder(server)) {
            PrimaryTerm term =
                    new PrimaryTerm(2, store.health(TestCommands.CALL).replicationId());
            assertStale(() ->
                    store.installTerm(new PrimaryTerm(2, "another"), 1, TestCommands.CALL)); // it knows the script now
            commands.forget();

            proxy.hold(Direction.TO_CLIENT);
            CompletableFuture<Void> activation = CompletableFuture.runAsync(
                    () -> store.installTerm(term, PrimaryTermFixture.BASE, Duration.ofMinutes(1)), OwnThread.EACH);
            assertThat(proxy.awaitHeld(Direction.TO_CLIENT, Duration.ofMinutes(1)))
                    .as("the reply is on its way")
                    .isTrue();
            proxy.leadTo(server.address()); // ends the connection, and the reply with it
            proxy.pass();

            assertThatThrownBy(() -> Await.result(activation)).hasCauseInstanceOf(LockUnavailableException.class);
            assertThat(commands.count("EVAL", "EVALSHA")).isEqualTo(1);
            assertThat(admin.get(PrimaryTermFixture.MARK)).isEqualTo("2 1000 1000");
        }
    }

    @Test
    void activation_afterScriptFlush_isCarriedOutOnce() {
        try (PrimaryTermFixture term = PrimaryTermFixture.claim(server.uri(), 2)) {
            Administrator.order(admin, "SCRIPT", "FLUSH");

            term.install();

            assertThat(admin.get(PrimaryTermFixture.MARK)).isEqualTo("2 1000 1000");
            assertThat(admin.pttl(PrimaryTermFixture.MARK))
                    .as("it does not expire")
                    .isEqualTo(-1);
        }
    }

    private static AbstractThrowableAssert<?, ?> assertStale(ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(StaleTermException.class);
    }
}
