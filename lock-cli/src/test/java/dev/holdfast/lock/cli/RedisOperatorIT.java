package dev.holdfast.lock.cli;

/** On Redis. */
class RedisOperatorIT extends OperatorContract {

    @Override
    String store() {
        return TestStores.redis();
    }
}
