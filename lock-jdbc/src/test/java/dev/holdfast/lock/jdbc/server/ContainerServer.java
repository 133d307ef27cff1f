package dev.holdfast.lock.jdbc.server;

import org.testcontainers.postgresql.PostgreSQLContainer;

/** A PostgreSQL in a container, of the image {@code -Dlock.test.postgres.image}. */
final class ContainerServer implements PostgresServer {

    private static final int INSIDE = 5432;

    private final PostgreSQLContainer settings;
    private final DatabaseContainer container;

    ContainerServer() {
        settings = new PostgreSQLContainer(System.getProperty("lock.test.postgres.image", "postgres:15"))
                .withUsername("postgres")
                .withPassword("for tests")
                .withCommand(
                        "postgres",
                        "-c",
                        "log_line_prefix=" + LINE_PREFIX,
                        "-c",
                        "fsync=on"); // which it would switch off
        container = new DatabaseContainer(settings, INSIDE, "QUIT");
        container.start();
    }

    @Override
    public String username() {
        return settings.getUsername();
    }

    @Override
    public String password() {
        return settings.getPassword();
    }

    @Override
    public int port() {
        return container.port();
    }

    @Override
    public boolean canFail() {
        return true;
    }

    @Override
    public void kill() {
        container.kill();
    }

    @Override
    public void start() {
        container.start();
        awaitAnswer();
    }

    @Override
    public void freeze() {
        container.freeze();
    }

    @Override
    public void thaw() {
        container.thaw();
    }

    @Override
    public String log() {
        return container.log();
    }

    @Override
    public void close() {
        container.close();
    }
}
