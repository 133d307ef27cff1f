package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.database.Limits;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Membership;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The regime of a namespace, and what is done under it: each is one call of one of our functions. Thread-safe. */
public final class Authority {

    /** The one there is as yet. */
    static final int BUCKET = 0;

    private final Connections forRegime;
    private final Connections forLocks;
    private final Namespace namespace;
    private final String schema;
    private final Standbys standbys;
    private final Pruning pruning;

    /**
     * @param forRegime what the regime is read and changed on, so that this never waits until steps give a connection back
     * @param forLocks what everything else is done on
     * @param schema of the tables and functions, quoted where it has to be
     */
    Authority(
            Connections forRegime,
            Connections forLocks,
            Namespace namespace,
            String schema,
            Standbys standbys,
            Pruning pruning) {
        this.forRegime = forRegime;
        this.forLocks = forLocks;
        this.namespace = namespace;
        this.schema = schema;
        this.standbys = standbys;
        this.pruning = pruning;
    }

    /**
     * Makes the first regime, if there is none.
     *
     * @throws LockConfigurationException if there is none and locks of this namespace are in use
     */
    public Regime found(Duration lease, long base, Deadline deadline) throws SQLException {
        boolean founded = standbys.ask(
                forRegime,
                deadline,
                call("holdfast_found_v1", 1, Authority::truth, truth -> false, Limits.micros(lease), base));
        if (!founded) {
            throw new LockConfigurationException(
                    "locks of the namespace " + namespace + " are held, kept or waited for in"
                            + " this database by those who use it with lock.provider=jdbc: a composite can begin once they are"
                            + " released, or with another lock.namespace");
        }
        return look(deadline).map(Reading::regime).orElseThrow(this::none);
    }

    /** The regime, and who shares it; empty if there is none. Leaves no trace. */
    public Optional<Reading> look(Deadline deadline) throws SQLException {
        return look(forRegime, "holdfast_reading_v1", deadline, Authority::reading);
    }

    /** The regime, and who shares it, and among them this one. */
    public Reading read(Membership member, Deadline deadline) throws SQLException {
        Session.Call<Optional<Reading>> call = call(
                "holdfast_read_v1",
                1,
                Authority::reading,
                reading -> true,
                uuid(member.id()),
                Limits.text(member.owner()),
                member.suspected());
        return standbys.ask(forRegime, deadline, call).orElseThrow(this::none);
    }

    private LockConfigurationException none() {
        return new LockConfigurationException(
                "the regime of the namespace " + namespace + " has been removed from the database");
    }

    /** Removes a member, and tells whether it was there. */
    public boolean leave(AcquisitionId member, Deadline deadline) throws SQLException {
        String farewell = "DELETE FROM " + schema + ".holdfast_member WHERE namespace = ?::pg_catalog.text"
                + " AND bucket = ?::pg_catalog.int4 AND id = ?::pg_catalog.uuid";
        return standbys.ask(forRegime, deadline, (connection, millis) -> {
            try (PreparedStatement statement = connection.prepareStatement(farewell)) {
                statement.setString(1, namespace.value());
                statement.setInt(2, BUCKET);
                statement.setObject(3, uuid(member));
                return statement.executeUpdate() > 0;
            }
        });
    }

    /** Whether this call made the change. */
    public boolean change(Transition transition, Deadline deadline) throws SQLException {
        String outcome;
        if (transition instanceof Transition.Depose depose) {
            outcome = change("depose", depose, null, depose.cause(), deadline);
        } else if (transition instanceof Transition.Open open) {
            outcome = change("open", open, null, null, deadline);
        } else if (transition instanceof Transition.Prepare prepare) {
            outcome = change("prepare", prepare, prepare.lineage(), "the primary is well", deadline);
        } else if (transition instanceof Transition.Crown crown) {
            outcome = change("crown", crown, null, null, deadline);
        } else {
            Transition.Burn burn = (Transition.Burn) transition;
            outcome = change("burn", burn, null, burn.cause(), deadline);
        }
        if (outcome.equals("exhausted")) {
            throw new LockUnavailableException(
                    "too few tokens are left for a primary, as tokens end at 2^53 - 1: the database goes on granting",
                    null);
        }
        return outcome.equals("made");
    }

    private String change(
            String kind, Transition transition, @Nullable String lineage, @Nullable String cause, Deadline deadline)
            throws SQLException {
        List<String> signals = new ArrayList<>();
        Session.Call<String> call = call(
                "holdfast_change_v1",
                1,
                row -> {
                    row.next();
                    String outcome = row.getString(1);
                    if (outcome.equals("made")) {
                        signals.add(Signals.REGIME);
                    }
                    return outcome;
                },
                outcome -> !signals.isEmpty(),
                kind,
                transition.epoch(),
                lineage,
                cause == null ? null : Limits.text(cause));
        return standbys.ask(forRegime, deadline, new Session.Call<>() {
            @Override
            public String on(Connection connection, int millis) throws SQLException {
                return call.on(connection, millis);
            }

            @Override
            public void afterwards(Connection connection, Deadline deadline) {
                Signals.send(connection, namespace, signals, deadline);
            }

            @Override
            public boolean hasWaited(String outcome) {
                return call.hasWaited(outcome);
            }
        });
    }

    /** Carries out the steps that the regime of this epoch allows. */
    public List<Answer> apply(long epoch, List<Step> steps, Deadline deadline) throws SQLException {
        Delivery<Step> delivery =
                new Delivery<>(forLocks, standbys, each -> Batch.ruled(schema, namespace, epoch, each));
        List<Answer> answers = delivery.deliver(steps, deadline);
        pruning.after(steps, forLocks, schema);
        return answers;
    }

    /** Takes over grants, in DRAIN of this epoch. */
    public List<Answer> assertAll(long epoch, List<Carried> grants, Deadline deadline) throws SQLException {
        return new Delivery<Carried>(forLocks, standbys, each -> assertion(epoch, each)).deliver(grants, deadline);
    }

    private Session.Call<List<Answer>> assertion(long epoch, List<Carried> grants) {
        List<LockName> names = grants.stream().map(Carried::name).toList();
        return call(
                "holdfast_assert_v1",
                grants.size(),
                rows -> Answers.of(rows, names, signal -> {}),
                Answers::haveWaited,
                epoch,
                names.stream().map(LockName::value).toArray(String[]::new),
                grants.stream().map(each -> uuid(each.id())).toArray(UUID[]::new),
                grants.stream().map(Carried::token).toArray(Long[]::new),
                grants.stream().map(each -> Limits.micros(each.age())).toArray(Long[]::new),
                grants.stream().map(each -> Limits.micros(each.remaining())).toArray(Long[]::new),
                grants.stream().map(Carried::kept).toArray(Boolean[]::new),
                grants.stream().map(each -> Limits.text(each.owner())).toArray(String[]::new));
    }

    /**
     * A page of what is held or kept, in PREPARE of this epoch.
     *
     * @throws DeposedException in any other regime
     */
    public List<Carried> held(long epoch, Optional<LockName> after, int most, Deadline deadline) throws SQLException {
        Session.Call<List<Carried>> call = call(
                "holdfast_held_v1",
                1,
                Authority::carried,
                page -> false,
                epoch,
                after.map(LockName::value).orElse(""),
                most);
        return standbys.ask(forLocks, deadline, call);
    }

    private static List<Carried> carried(ResultSet row) throws SQLException {
        List<Carried> page = new ArrayList<>();
        while (row.next()) {
            String why = row.getString("held_why");
            if (why != null) {
                throw new DeposedException(why);
            }
            UUID id = row.getObject("held_id", UUID.class);
            page.add(new Carried(
                    new LockName(row.getString("held_name")),
                    new AcquisitionId(id.getMostSignificantBits(), id.getLeastSignificantBits()),
                    row.getLong("held_token"),
                    micros(row, "held_age"),
                    micros(row, "held_remaining"),
                    row.getBoolean("held_kept"),
                    row.getString("held_owner")));
        }
        return page;
    }

    /** The greatest token that was ever granted in this namespace, or may have been. */
    public long highestToken(Deadline deadline) throws SQLException {
        return look(forLocks, "holdfast_highest_v1", deadline, row -> {
            row.next();
            return row.getLong(1);
        });
    }

    /** What weakens a promise. */
    public List<Finding> examine(JdbcUrl url, Deadline deadline) throws SQLException {
        Examination examination = new Examination(schema, schema, url, forLocks, true);
        return Session.ask(forLocks, deadline, (connection, millis) -> examination.ask(connection));
    }

    private static Optional<Reading> reading(ResultSet row) throws SQLException {
        if (!row.next()) {
            return Optional.empty();
        }
        Regime regime = new Regime(
                row.getLong("epoch"),
                Mode.valueOf(row.getString("mode")),
                row.getString("lineage"),
                micros(row, "lease"),
                row.getLong("base"),
                row.getInt("falls"),
                row.getString("cause"),
                row.getObject("since", OffsetDateTime.class).toInstant());
        return Optional.of(new Reading(regime, row.getInt("members"), row.getInt("suspecting")));
    }

    private static boolean truth(ResultSet row) throws SQLException {
        row.next();
        return row.getBoolean(1);
    }

    private static Duration micros(ResultSet row, String column) throws SQLException {
        return Duration.of(row.getLong(column), ChronoUnit.MICROS);
    }

    private static UUID uuid(AcquisitionId id) {
        return new UUID(id.high(), id.low());
    }

    private <T> T look(Connections connections, String function, Deadline deadline, Question.Rows<T> rows)
            throws SQLException {
        Question<T> question = new Question<>(schema, function, rows, namespace.value(), BUCKET);
        return Session.ask(connections, deadline, (connection, millis) -> question.ask(connection));
    }

    /**
     * @param hasWaited which answers were given only once the standbys had confirmed them
     * @param more what the function takes after the namespace, the bucket and for how long to wait for a lock
     */
    private <T> Session.Call<T> call(
            String function, int size, Question.Rows<T> rows, Predicate<T> hasWaited, @Nullable Object... more) {
        return new Session.Call<>() {
            @Override
            public T on(Connection connection, int millis) throws SQLException {
                List<@Nullable Object> parameters = new ArrayList<>();
                parameters.add(namespace.value());
                parameters.add(BUCKET);
                parameters.add(Delivery.patience(size, millis));
                parameters.addAll(Arrays.asList(more));
                return new Question<>(schema, function, rows, parameters.toArray()).ask(connection);
            }

            @Override
            public boolean hasWaited(T answer) {
                return hasWaited.test(answer);
            }
        };
    }
}
