package dev.holdfast.lock.cli;

import java.util.UUID;

/** On the store in memory, with all runs within this process. */
class MemorySharesTest extends SharesContract {

    @Override
    String store() {
        return "lock.provider=one-process\nlock.namespace=" + UUID.randomUUID() + "\n";
    }
}
