package dev.holdfast.lock.tck;

import java.util.Properties;

/** The kit on the memory store: a store that passes, for tests of the kit to change. */
public abstract class MemoryContract extends LockStoreContract {

    @Override
    protected Properties configuration() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "memory");
        return properties;
    }

    @Override
    protected boolean sharedBetweenProcesses() {
        return false;
    }
}
