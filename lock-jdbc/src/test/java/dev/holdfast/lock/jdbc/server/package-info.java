/** Real servers for tests, of this module and of others: started on free ports of the loopback, gone with the JVM. */
package dev.holdfast.lock.jdbc.server;
