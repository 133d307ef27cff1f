package dev.holdfast.lock.jdbc.database;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What this version of Holdfast needs to find in the database. A newer version may have added to it, so that old and new
 * processes work side by side.
 *
 * @param columns of our tables
 * @param functions by signature
 */
public record Shape(List<Column> columns, Set<String> functions) {

    /** A column that we need. */
    public record Column(String table, String name, String type) {}

    /** A column that is there, and whether whoever inserts has to give it a value. */
    public record FoundColumn(Column column, boolean demanded) {}

    /**
     * What is there.
     *
     * @param columns of tables of our names
     * @param functions of ours
     * @param flaws of functions of ours, in words
     * @param history whether our own migrations left their history, so that the tables are ours to change
     * @param elsewhere schemas in which some of the tables are, though not in them what is missing would be made
     */
    public record Found(
            List<FoundColumn> columns,
            Set<String> functions,
            List<String> flaws,
            boolean history,
            Set<String> elsewhere) {

        /** Whether there is nothing of ours. */
        public boolean isEmpty() {
            return columns.isEmpty() && functions.isEmpty();
        }
    }

    /** In what the tables differ from those that we need, in words; empty if they serve. */
    public List<String> differencesOfTables(Found found) {
        List<String> differences = new ArrayList<>();
        Set<String> foundTables =
                found.columns.stream().map(each -> each.column.table).collect(Collectors.toSet());
        columns.stream()
                .map(Column::table)
                .distinct()
                .filter(table -> !foundTables.contains(table))
                .forEach(table -> differences.add("there is no table " + table));
        for (Column needed : columns) {
            if (foundTables.contains(needed.table)) {
                Optional<Column> there = found.columns.stream()
                        .map(FoundColumn::column)
                        .filter(each -> each.table.equals(needed.table) && each.name.equals(needed.name))
                        .findFirst();
                if (there.isEmpty()) {
                    differences.add(needed.table + " has no column " + needed.name + " " + needed.type);
                } else if (!there.get().type.equals(needed.type)) {
                    differences.add(needed.table + "." + needed.name + " is " + there.get().type + " instead of "
                            + needed.type);
                }
            }
        }
        for (FoundColumn each : found.columns) {
            if (each.demanded && columns.stream().noneMatch(needed -> sameName(needed, each.column))) {
                differences.add(each.column.table + "." + each.column.name + " is not ours and must be given a value");
            }
        }
        return differences;
    }

    /** What is missing or different, in words; empty if everything serves. */
    public List<String> differences(Found found) {
        List<String> differences = new ArrayList<>(differencesOfTables(found));
        if (found.functions.isEmpty() && !functions.isEmpty()) {
            differences.add("there are no functions");
        } else {
            functions.stream()
                    .filter(function -> !found.functions.contains(function))
                    .sorted()
                    .forEach(function -> differences.add("there is no function " + function));
        }
        differences.addAll(found.flaws);
        return differences;
    }

    private static boolean sameName(Column one, Column other) {
        return one.table.equals(other.table) && one.name.equals(other.name);
    }
}
