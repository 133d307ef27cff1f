package dev.holdfast.lock.jdbc.server;

/**
 * A server that is not started here: {@code lock.test.postgres.host} (127.0.0.1), {@code .port} (5432), {@code .username}
 * (postgres), {@code .password}, as system properties. Never killed, never frozen.
 */
final class ExternalPostgres implements PostgresServer {

    private static final String KEY = "lock.test.postgres.";

    @Override
    public String username() {
        return System.getProperty(KEY + "username", "postgres");
    }

    @Override
    public String password() {
        return System.getProperty(KEY + "password", "");
    }

    @Override
    public int port() {
        return Integer.getInteger(KEY + "port", 5432);
    }

    @Override
    public String url(String database) {
        return "jdbc:postgresql://" + System.getProperty(KEY + "host", "127.0.0.1") + ":" + port() + "/" + database;
    }

    @Override
    public boolean canFail() {
        return false;
    }

    @Override
    public void kill() {
        throw notOurs();
    }

    @Override
    public void start() {
        throw notOurs();
    }

    @Override
    public void freeze() {
        throw notOurs();
    }

    @Override
    public void thaw() {
        throw notOurs();
    }

    @Override
    public String log() {
        return "";
    }

    @Override
    public void close() {
        // it is not ours
    }

    private static UnsupportedOperationException notOurs() {
        return new UnsupportedOperationException("an external server is not ours to break");
    }
}
