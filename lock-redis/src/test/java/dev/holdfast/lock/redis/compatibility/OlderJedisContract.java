package dev.holdfast.lock.redis.compatibility;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.tck.LockStoreContract;
import java.util.Map;
import java.util.Properties;

/** The conformance kit, as far as it needs nothing but the address of a server. */
final class OlderJedisContract extends LockStoreContract {

    /** The system property that says so. */
    static final String SERVER = "older.server";

    @Override
    protected Properties configuration() {
        return TestStores.settings(System.getProperty(SERVER));
    }

    @Override
    protected Map<String, String> exemptions() {
        String reason = "takes long, or more than the address; asked with the present version";
        return Map.of(
                "P8.4", reason, "P8.6", reason, "P8.7", reason, "P8.8", reason, "P8.11", reason, "I5", reason, "M1",
                reason, "M2", reason, "S12", reason);
    }
}
