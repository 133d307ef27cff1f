/** PostgreSQL as the authority of a composite. */
package dev.holdfast.lock.jdbc.authority;
