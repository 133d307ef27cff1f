/** What the doctor reads from a server of MariaDB or MySQL. */
package dev.holdfast.lock.jdbc.mysql;
