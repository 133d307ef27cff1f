package dev.holdfast.lock.bench.peer;

/**
 * Where the servers are, and for how many threads of this process; a pool has a connection for each of them, whosever it is.
 *
 * @param redisPort on the loopback
 * @param jdbcUrl of a PostgreSQL database, in which no password is asked for
 */
public record Place(int redisPort, String jdbcUrl, String jdbcUsername, int threads) {}
