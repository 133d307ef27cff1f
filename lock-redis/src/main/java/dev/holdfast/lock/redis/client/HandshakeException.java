package dev.holdfast.lock.redis.client;

import redis.clients.jedis.exceptions.JedisConnectionException;

/** A connection that could not be opened, as its other side was not there or did not answer in the protocol of this one. */
final class HandshakeException extends JedisConnectionException {

    private static final long serialVersionUID = 1L;

    HandshakeException(JedisConnectionException failure) {
        super(failure.getMessage(), failure);
    }
}
