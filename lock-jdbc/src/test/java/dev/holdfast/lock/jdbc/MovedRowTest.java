package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockStore;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A trigger that moves the row of a lock during a command. */
class MovedRowTest {

    @Test
    void acquire_whenATriggerMovesTheRow_grantsNothing() throws SQLException {
        Postgres database = Postgres.withTables();
        try (LockStore store = Opened.store(database.settings())) {
            granted(store, acquire("a", id()));
            String before = "SELECT token FROM holdfast_lock";
            String token = database.value(before);
            database.execute("UPDATE holdfast_lock SET expires_at = clock_timestamp() - interval '1 second'");
            database.execute("CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    + " UPDATE public.holdfast_lock SET owner = 'moved' WHERE name = NEW.name; RETURN NULL; END $$;"
                    + " CREATE TRIGGER move AFTER INSERT ON holdfast_tombstone FOR EACH ROW EXECUTE FUNCTION move()");

            assertThatThrownBy(() -> store.execute(List.of(acquire("a", id())), CALL))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("the row of lock a was moved");
            assertThat(database.value(before)).isEqualTo(token);
        }
    }
}
