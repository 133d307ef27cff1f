package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;

/**
 * A connection, for as long as a call or a poller uses it.
 *
 * @param deadline for each wait
 * @param isApplications whether the connection is the application's: what is changed for the session is restored after it
 */
public record Session(Connection connection, Deadline deadline, boolean isApplications) {}
