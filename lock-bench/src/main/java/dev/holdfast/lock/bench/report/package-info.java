/** What was measured, for people and programs: tables, a JSON file, plots, and what of it was aimed at. */
@NullMarked
package dev.holdfast.lock.bench.report;

import org.jspecify.annotations.NullMarked;
