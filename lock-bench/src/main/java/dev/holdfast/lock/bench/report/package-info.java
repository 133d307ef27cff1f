/** The report of a run: tables in Markdown, a JSON file, charts, and the targets. Nothing here measures. */
@NullMarked
package dev.holdfast.lock.bench.report;

import org.jspecify.annotations.NullMarked;
