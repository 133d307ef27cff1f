/** What the command line of the bench takes, and what the bench leaves. */
package dev.holdfast.lock.bench;
