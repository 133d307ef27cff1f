package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.database.Scripts;
import dev.holdfast.lock.spi.Finding;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Asks for what of the server, the tables and the URL weakens a promise. */
final class Examination {

    private static final String SQL = Scripts.read(Examination.class, "examine.sql");

    private static final Pattern SEVERAL_HOSTS = Pattern.compile("jdbc:postgresql://[^/?]*,.*");
    private static final Pattern OF_THE_PRIMARY = Pattern.compile(".*[?&]targetServerType=(primary|master)(&.*)?");

    private final String tables;
    private final String functions;
    private final JdbcUrl url;
    private final Connections connections;
    private final boolean isAuthority;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param tables the schema of the tables, quoted where it has to be
     * @param functions that of the functions
     * @param connections where the connection that asks comes from
     * @param isAuthority whether it is to be the authority of a composite
     */
    Examination(String tables, String functions, JdbcUrl url, Connections connections, boolean isAuthority) {
        this.tables = tables;
        this.functions = functions;
        this.url = url;
        this.connections = connections;
        this.isAuthority = isAuthority;
    }

    List<Finding> ask(Connection connection) throws SQLException {
        try (PreparedStatement question = connection.prepareStatement(SQL)) {
            question.setString(1, tables);
            question.setString(2, functions);
            question.setBoolean(3, isAuthority);
            try (ResultSet answer = question.executeQuery()) {
                answer.next();
                server(answer);
                path(answer);
                replication(answer);
            }
        }
        hosts();
        Pooler.find(connection, connections).ifPresent(findings::add);
        return findings;
    }

    private void server(ResultSet answer) throws SQLException {
        findings.add(Finding.fine(
                "schema",
                "PostgreSQL " + answer.getString("version")
                        + ", the tables and functions are as they have to be, in the schema " + tables));
        String grants = answer.getString("grants_missing");
        if (grants != null) {
            findings.add(Finding.error(
                    "rights",
                    "the role " + answer.getString("role") + " lacks rights on the tables or functions",
                    "as their owner: " + grants));
        }
        if (!answer.getBoolean("is_crash_safe")) {
            findings.add(Finding.warning(
                    "durability",
                    "fsync or full_page_writes is off: a crash of the server's machine may undo grants, and two hold the"
                            + " same lock then",
                    "set both to on"));
        }
        String unlogged = answer.getString("unlogged");
        if (unlogged != null) {
            findings.add(Finding.warning(
                    "durability",
                    "unlogged: " + unlogged + "; a crash of the server empties them, and two hold the same lock then",
                    "ALTER TABLE … SET LOGGED, for each"));
        }
    }

    /** What is looked for by its name alone is found in the first schema of the path that has it. */
    private void path(ResultSet answer) throws SQLException {
        String makers = answer.getString("makers");
        if (makers != null) {
            findings.add(Finding.warning(
                    "path",
                    "others may create tables and functions in a schema of the search path: " + makers
                            + "; what they name like Holdfast's may be taken for it, and grants other locks",
                    "REVOKE CREATE ON SCHEMA … FROM …, or a schema for Holdfast alone, by ?currentSchema= in the URL"));
        }
    }

    private void replication(ResultSet answer) throws SQLException {
        int standbys = answer.getInt("standbys");
        boolean synchronous = !answer.getString("synchronous").isEmpty();
        if (answer.getBoolean("is_standby")) {
            findings.add(Finding.error(
                    "replication", "this server is a standby, which grants nothing", "name the primary in the URL"));
        } else if (standbys > 0 && !synchronous) {
            findings.add(Finding.warning(
                    "replication",
                    "standbys: " + standbys + ", none of them synchronous: a failover to one forgets the latest grants,"
                            + " and two hold the same lock then",
                    "set synchronous_standby_names on the primary, to more than one standby, as grants wait while none of"
                            + " them is there"));
        } else if (synchronous && answer.getInt("confirming") == 0) {
            findings.add(Finding.error(
                    "replication",
                    "synchronous_standby_names is set, but no standby "
                            + (standbys == 0 ? "is there" : "of those names is there")
                            + ": every grant waits for one",
                    "start a standby of such a name, or empty synchronous_standby_names"));
        } else if (synchronous) {
            findings.add(Finding.fine(
                    "replication", "a grant waits for a standby; a failover to one that confirmed it forgets none"));
        } else {
            findings.add(Finding.fine("replication", "no standby is attached to this server now"));
        }
    }

    /** The driver takes whichever host answers first: after a failover that may be the former primary. */
    private void hosts() {
        if (SEVERAL_HOSTS.matcher(url.value()).matches()
                && !OF_THE_PRIMARY.matcher(url.value()).matches()) {
            findings.add(Finding.warning(
                    "hosts",
                    "the URL names several hosts, and any of them is taken that answers, be it a standby",
                    "add targetServerType=primary to the URL"));
        }
    }
}
