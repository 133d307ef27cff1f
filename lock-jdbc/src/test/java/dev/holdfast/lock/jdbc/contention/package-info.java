/** How waiting goes on a real database: the order, what it costs the database, and what happens when something breaks. */
package dev.holdfast.lock.jdbc.contention;
