package dev.holdfast.lock.bench.server;

/**
 * The addresses of the servers that a candidate needs, and the size of each connection pool of a process.
 *
 * @param redisPort on the loopback address
 * @param jdbcUrl of a SQL database that asks for no password
 */
public record Endpoints(int redisPort, String jdbcUrl, String jdbcUsername, int connections) {}
