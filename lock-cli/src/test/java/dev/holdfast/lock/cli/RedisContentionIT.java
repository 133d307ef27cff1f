package dev.holdfast.lock.cli;

/** On Redis. */
class RedisContentionIT extends ContentionContract {

    @Override
    String store() {
        return TestStores.redis();
    }
}
