package dev.holdfast.lock.cli;

import dev.holdfast.lock.jdbc.server.PostgresServer;

/** On PostgreSQL. */
class PostgresContentionIT extends Contention {

    @Override
    String store() throws Exception {
        PostgresServer server = PostgresServer.shared();
        return "lock.provider=jdbc\nlock.jdbc.url=" + server.newDatabase() + "\nlock.jdbc.username=" + server.username()
                + "\nlock.jdbc.password=" + server.password() + "\n" + PATIENT;
    }
}
