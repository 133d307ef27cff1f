package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;

/**
 * A connection, for the duration of its use by a call or a poller.
 *
 * @param deadline for each wait
 * @param isApplications whether the connection is the application's: changes to the session are undone afterwards
 */
public record Session(Connection connection, Deadline deadline, boolean isApplications) {}
