/** Two stores, several processes, and what goes wrong with either: nobody holds what somebody else holds. */
package dev.holdfast.lock.composite.faults;
