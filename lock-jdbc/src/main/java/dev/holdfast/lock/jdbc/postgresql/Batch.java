package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.database.Limits;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Some steps as the parameters of one call, and its rows as their answers. */
final class Batch implements Session.Call<List<Answer>> {

    /** Of the very types that the function takes: no other of its name, whoever may have made it, fits better. */
    private static final String STEPS =
            "?::pg_catalog.text, ?::pg_catalog.text, ?::pg_catalog.int4, ?::pg_catalog.text[],"
                    + " ?::pg_catalog.text[], ?::pg_catalog.uuid[], ?::pg_catalog.int8[], ?::pg_catalog.bool[],"
                    + " ?::pg_catalog.int8[], ?::pg_catalog.text[], ?::pg_catalog.int8[]";

    private final String sql;
    private final boolean isPlain;
    private final Namespace namespace;
    private final List<Step> steps;
    private final String[] kinds;
    private final String[] names;
    private final UUID[] ids;
    private final Long[] lengths;
    private final Boolean[] queues;
    private final Long[] aboves;
    private final String[] owners;
    private final Long[] remembers;
    private final List<String> signals = new ArrayList<>();

    /**
     * For a namespace without a regime; in one that has one nothing is done, and there are no answers. PostgreSQL looks before it
     * calls the function, as the question does not depend on a row; and has by then locked the table that it looks at, until
     * what was done is committed: who makes a regime waits for that.
     */
    static Batch plain(String schema, Namespace namespace, List<Step> steps) {
        String call = schema + ".holdfast_apply_v1(" + STEPS + ") WHERE NOT EXISTS (SELECT FROM " + schema
                + ".holdfast_regime r WHERE r.namespace = ?::pg_catalog.text)";
        return new Batch(call, true, namespace, steps);
    }

    /** For what the regime of this epoch allows. */
    static Batch ruled(String schema, Namespace namespace, long epoch, List<Step> steps) {
        return new Batch(
                schema + ".holdfast_ruled_v1(" + STEPS + ", " + Authority.BUCKET + "::pg_catalog.int4, " + epoch
                        + "::pg_catalog.int8)",
                false,
                namespace,
                steps);
    }

    private Batch(String call, boolean isPlain, Namespace namespace, List<Step> steps) {
        this.sql = "SELECT * FROM " + call;
        this.isPlain = isPlain;
        this.namespace = namespace;
        this.steps = steps;
        int size = steps.size();
        kinds = new String[size];
        names = new String[size];
        ids = new UUID[size];
        lengths = new Long[size];
        queues = new Boolean[size];
        aboves = new Long[size];
        owners = new String[size];
        remembers = new Long[size];
        Arrays.fill(queues, false);
        Arrays.fill(aboves, 0L);
        Arrays.fill(owners, "");
        Arrays.fill(remembers, 0L);
        for (int at = 0; at < size; at++) {
            put(at, steps.get(at));
        }
    }

    private void put(int at, Step step) {
        names[at] = step.name().value();
        ids[at] = new UUID(step.id().high(), step.id().low());
        if (step instanceof Step.Acquire acquire) {
            kinds[at] = "acquire";
            lengths[at] = Limits.micros(acquire.length());
            queues[at] = acquire.queue();
            aboves[at] = acquire.above();
            owners[at] = Limits.text(acquire.owner());
        } else if (step instanceof Step.Renew renew) {
            kinds[at] = "renew";
            lengths[at] = Limits.micros(renew.length());
        } else {
            Step.Release release = (Step.Release) step;
            kinds[at] = "release";
            lengths[at] = Limits.micros(release.keep());
            remembers[at] = Limits.micros(release.remember());
        }
    }

    @Override
    public List<Answer> on(Connection connection, int millis) throws SQLException {
        signals.clear();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, namespace.value());
            statement.setString(2, Channel.of(namespace));
            statement.setInt(3, Delivery.patience(steps.size(), millis));
            statement.setArray(4, connection.createArrayOf("text", kinds));
            statement.setArray(5, connection.createArrayOf("text", names));
            statement.setArray(6, connection.createArrayOf("uuid", ids));
            statement.setArray(7, connection.createArrayOf("int8", lengths));
            statement.setArray(8, connection.createArrayOf("bool", queues));
            statement.setArray(9, connection.createArrayOf("int8", aboves));
            statement.setArray(10, connection.createArrayOf("text", owners));
            statement.setArray(11, connection.createArrayOf("int8", remembers));
            if (isPlain) {
                statement.setString(12, namespace.value());
            }
            try (ResultSet rows = statement.executeQuery()) {
                if (isPlain && !rows.isBeforeFirst()) {
                    return List.of();
                }
                List<Answer> answers =
                        Answers.of(rows, steps.stream().map(Step::name).toList(), signals::add);
                Standbys.ensureConfirmed(statement);
                return answers;
            }
        }
    }

    @Override
    public void afterwards(Connection connection, Deadline deadline) {
        Signals.send(connection, namespace, signals, deadline);
    }

    @Override
    public boolean hasWaited(List<Answer> answers) {
        return Answers.haveWaited(answers);
    }
}
