/**
 * The scenarios that all candidates go through, in alternate rounds of one run, each candidate in processes of its own. The
 * scenarios of Holdfast alone live elsewhere.
 */
@NullMarked
package dev.holdfast.lock.bench.scenario;

import org.jspecify.annotations.NullMarked;
