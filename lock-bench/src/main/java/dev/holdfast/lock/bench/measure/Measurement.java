package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Candidate;

/**
 * One turn of a candidate.
 *
 * @param round from 1
 */
public record Measurement(int round, Scenario scenario, Candidate candidate, Outcome outcome) {}
