package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.SqlScripts;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks that the search path of a connection leads every process with the same configuration to the same tables. PostgreSQL
 * silently skips a schema that does not exist, or that the role may not use, and some poolers ignore the search path that a
 * client asks for: then two processes would hold the same lock, each in a schema of its own.
 */
final class SearchPath {

    private static final String SQL = SqlScripts.read(SearchPath.class, "search-path.sql");

    private static final Pattern CURRENT_SCHEMA = Pattern.compile("[?&]currentSchema=([^&]*)");
    private static final Pattern OPTIONS = Pattern.compile("[?&]options=([^&]*)");
    private static final Pattern OPTION =
            Pattern.compile("(?:-c\\s*|--)search[_-]path=((?:\\\\.|[^\\s\\\\])*)", Pattern.CASE_INSENSITIVE);

    /** The schema of the role's name, which need not exist. */
    private static final String OF_THE_ROLE = "$user";

    /** The schema of the session's temporary tables. */
    private static final String TEMPORARY = "pg_temp";

    private final JdbcUrl url;
    private final Optional<String> configured;
    private final boolean mayBeSetInSession;

    private SearchPath(JdbcUrl url, Optional<String> configured, boolean mayBeSetInSession) {
        this.url = url;
        this.configured = configured;
        this.mayBeSetInSession = mayBeSetInSession;
    }

    /** The check for the store's own connections. */
    static SearchPath of(JdbcUrl url) {
        Optional<String> configured = configuredIn(url.value());
        return new SearchPath(url, configured, configured.isPresent());
    }

    /**
     * The check for the application's connections, whose path the application may have set in the session.
     *
     * @param schema that the application's pool is configured to set; empty if it sets none
     */
    static SearchPath ofApplicationsConnections(JdbcUrl url, Optional<String> schema) {
        Optional<String> configured =
                schema.map(name -> '"' + name.replace("\"", "\"\"") + '"').or(() -> configuredIn(url.value()));
        return new SearchPath(url, configured, true);
    }

    /** The search path that a URL sets; empty if it sets none. The server prefers the driver's own parameter. */
    static Optional<String> configuredIn(String url) {
        Optional<String> ownParameter = parameter(CURRENT_SCHEMA, url).filter(path -> !path.isBlank());
        if (ownParameter.isPresent()) {
            return ownParameter;
        }
        Matcher option = OPTION.matcher(parameter(OPTIONS, url).orElse(""));
        String path = null;
        while (option.find()) {
            path = option.group(1).replaceAll("\\\\(.)", "$1");
        }
        return Optional.ofNullable(path);
    }

    private static Optional<String> parameter(Pattern name, String url) {
        Matcher matcher = name.matcher(url);
        return matcher.find()
                ? Optional.of(URLDecoder.decode(matcher.group(1), StandardCharsets.UTF_8))
                : Optional.empty();
    }

    /**
     * Checks the connection's search path.
     *
     * @throws LockConfigurationException if it is wrong, with the reason and the statement that fixes it
     */
    void check(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SQL)) {
            query.setString(1, configured.orElse(null));
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                checkOrigin(rows);
                checkSchemas(rows);
            }
        }
    }

    private void checkOrigin(ResultSet row) throws SQLException {
        String used = row.getString("used");
        if (!row.getBoolean("is_as_configured")) {
            throw wrong("the search path is configured as " + configured.orElse("") + ", and the server uses " + used
                    + ": a connection pooler in between ignores it, or another client of the pooler has changed it. Run"
                    + " ALTER ROLE " + row.getString("quoted_role") + " IN DATABASE " + row.getString("quoted_database")
                    + " SET search_path = " + configured.orElse("")
                    + ", and have the pooler reset sessions; or name the"
                    + " server itself in the URL");
        } else if (!mayBeSetInSession && row.getBoolean("is_changed")) {
            throw wrong(
                    "another client of a connection pooler has changed the search path to " + used
                            + ": name the schema of Holdfast in the URL with ?currentSchema=, or have the pooler reset sessions");
        }
    }

    /** Schemas after the one with the tables do not matter unless they have tables, too. */
    private void checkSchemas(ResultSet row) throws SQLException {
        String used = row.getString("used");
        List<String> absent = new ArrayList<>();
        List<String> usable = new ArrayList<>();
        List<String> withTables = new ArrayList<>();
        do {
            String schema = row.getString("schema");
            if (schema == null) {
                break; // the path is empty
            } else if (row.getBoolean("is_usable")) {
                usable.add(schema);
                if (row.getBoolean("has_tables") && !withTables.contains(schema)) {
                    withTables.add(schema);
                }
            } else if (withTables.isEmpty() && row.getBoolean("exists")) {
                throw wrong("the role " + row.getString("role") + " may not use the schema " + schema
                        + " of the search path " + used
                        + ", so that it would use other tables than a role that may. Run"
                        + " GRANT USAGE ON SCHEMA " + schema + " TO " + row.getString("quoted_role"));
            } else if (withTables.isEmpty() && !mayBeAbsent(row.getString("name"))) {
                absent.add(schema);
            }
        } while (row.next());
        if (!absent.isEmpty()) {
            throw wrong("there is no schema " + absent.get(0) + ", which the search path " + used
                    + " names. Correct the" + " name, or run CREATE SCHEMA " + absent.get(0));
        } else if (withTables.size() > 1) {
            throw wrong("there are tables of Holdfast in several schemas of the search path " + used + ": "
                    + String.join(", ", withTables) + ". Two processes could use different ones: name one schema in the"
                    + " URL with ?currentSchema=, or drop the tables that are not used");
        } else if (usable.isEmpty()) {
            throw wrong("no schema of the search path " + used + " exists: name one in the URL with ?currentSchema=");
        }
    }

    private static boolean mayBeAbsent(String schema) {
        return schema.equals(OF_THE_ROLE) || schema.equals(TEMPORARY);
    }

    private LockConfigurationException wrong(String what) {
        return new LockConfigurationException("cannot open " + url + ": " + what);
    }
}
