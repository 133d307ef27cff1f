package dev.holdfast.lock.jdbc.fencing;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.LocksOpener;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A process that sells a stock, one piece at a time: reads the stock under the lock, and writes what it computed. Arguments:
 * the configuration of the locks; URL, user and password of the shop; at which stock to say {@link #INSIDE} and wait for a
 * line before it writes, or 0.
 */
final class Seller {

    /** It holds the lock, has read the stock, and waits for a line before it writes. */
    static final String INSIDE = "inside";

    /** Its update changed no row. */
    static final String REFUSED = "refused";

    private Seller() {}

    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    public static void main(String[] arguments) throws Exception {
        int waitAt = Integer.parseInt(arguments[4]);
        try (Locks locks = LocksOpener.open(Path.of(arguments[0]));
                Connection shop = DriverManager.getConnection(arguments[1], arguments[2], arguments[3])) {
            shop.setAutoCommit(false);
            DistributedLock lock = locks.named("stock");
            while (true) {
                try (Lease lease = lock.acquire()) {
                    int stock = stock(shop);
                    if (stock == 0) {
                        return;
                    }
                    if (stock <= waitAt) {
                        waitAt = 0;
                        System.out.println(INSIDE);
                        System.in.read();
                    }
                    if (!sell(shop, stock, lease.fencingToken())) {
                        System.out.println(REFUSED);
                    }
                } catch (LockUnavailableException e) {
                    System.err.println(e); // and retries
                }
            }
        }
    }

    private static int stock(Connection shop) throws SQLException {
        try (Statement statement = shop.createStatement();
                ResultSet row = statement.executeQuery("SELECT stock FROM item WHERE id = 1")) {
            row.next();
            int stock = row.getInt(1);
            shop.commit();
            return stock;
        }
    }

    /** Writes the stock that is left, unless a later holder of the lock has written since. */
    private static boolean sell(Connection shop, int stock, long token) throws SQLException {
        try (PreparedStatement update =
                        shop.prepareStatement("UPDATE item SET stock = ?, fence = ? WHERE id = 1 AND fence <= ?");
                PreparedStatement insert = shop.prepareStatement("INSERT INTO sale (piece, fence) VALUES (?, ?)")) {
            update.setInt(1, stock - 1);
            update.setLong(2, token);
            update.setLong(3, token);
            boolean sold = update.executeUpdate() == 1;
            if (sold) {
                insert.setInt(1, stock);
                insert.setLong(2, token);
                insert.executeUpdate();
            }
            shop.commit();
            return sold;
        }
    }
}
