package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.database.Pages;
import dev.holdfast.lock.jdbc.postgresql.Authority;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.Membership;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import dev.holdfast.lock.spi.signal.Subscribers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** PostgreSQL as the authority of a composite. Thread-safe. */
final class JdbcAuthorityStore implements AuthorityStore {

    private final Namespace namespace;
    private final JdbcUrl url;
    private final PostgreSql database;
    private final Connections forRegime;
    private final Connections forLocks;
    private final Authority authority;
    private final Calls calls;
    private final Subscribers subscribers;

    /**
     * @param database that was looked at
     * @param forRegime what the regime is read and changed on; closed with the store
     * @param forLocks what everything else is done on; closed with the store
     */
    JdbcAuthorityStore(
            Namespace namespace, JdbcUrl url, PostgreSql database, Connections forRegime, Connections forLocks) {
        this.namespace = namespace;
        this.url = url;
        this.database = database;
        this.forRegime = forRegime;
        this.forLocks = forLocks;
        this.authority = database.authority(forRegime, forLocks, namespace);
        this.calls = new Calls(url);
        this.subscribers = new Subscribers(() -> database.signals(forLocks, namespace));
    }

    @Override
    public Regime found(Duration lease, long base, Duration timeout) {
        return calls.ask(timeout, deadline -> authority.found(lease, base, deadline));
    }

    @Override
    public Optional<Reading> look(Duration timeout) {
        return calls.ask(timeout, authority::look);
    }

    @Override
    public Reading read(Membership member, Duration timeout) {
        return calls.ask(timeout, deadline -> authority.read(member, deadline));
    }

    @Override
    public void leave(AcquisitionId member, Duration timeout) {
        calls.ask(timeout, deadline -> authority.leave(member, deadline));
    }

    @Override
    public boolean change(Transition transition, Duration timeout) {
        return calls.ask(timeout, deadline -> authority.change(transition, deadline));
    }

    @Override
    public List<Answer> apply(long epoch, List<Step> steps, Duration timeout) {
        return calls.ask(timeout, deadline -> authority.apply(epoch, steps, deadline));
    }

    @Override
    public List<Answer> assertAll(long epoch, List<Carried> grants, Duration timeout) {
        return calls.ask(timeout, deadline -> authority.assertAll(epoch, grants, deadline));
    }

    @Override
    public List<Carried> held(long epoch, Optional<LockName> after, int most, Duration timeout) {
        return calls.ask(timeout, deadline -> authority.held(epoch, after, most, deadline));
    }

    @Override
    public long highestToken(Duration timeout) {
        return calls.ask(timeout, authority::highestToken);
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return subscribers.add(to);
    }

    @Override
    public Stream<LockInfo> inspect(String prefix, Duration timeout) {
        return Pages.of(
                prefix,
                range -> calls.ask(timeout, deadline -> database.inspect(forLocks, namespace, range, deadline)));
    }

    @Override
    public List<Finding> findings(Duration timeout) {
        return calls.ask(timeout, deadline -> authority.examine(url, deadline));
    }

    @Override
    public void close() {
        if (calls.close()) {
            subscribers.close();
            database.close();
            forRegime.close();
            forLocks.close();
        }
    }
}
