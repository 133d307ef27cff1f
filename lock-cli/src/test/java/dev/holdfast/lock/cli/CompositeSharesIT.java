package dev.holdfast.lock.cli;

import org.junit.jupiter.api.Tag;

/** On a composite. */
@Tag("long")
class CompositeSharesIT extends SharesContract {

    @Override
    String store() throws Exception {
        return TestStores.composite();
    }
}
