package dev.holdfast.lock.redis.older;

import dev.holdfast.lock.tck.LockStoreContract;
import java.util.Properties;

/** The kit, as far as it needs to know no more than where the server is. */
final class OlderKit extends LockStoreContract {

    /** The system property that says so. */
    static final String SERVER = "older.server";

    @Override
    protected Properties configuration() {
        return OlderClient.configuration(System.getProperty(SERVER));
    }
}
