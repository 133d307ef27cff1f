package dev.holdfast.lock.example;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/** Operations on whole folders. Tests run in the folder of their module. */
final class Folders {

    /** The sources of the example. */
    static final Path EXAMPLE =
            Path.of("..", "..", "samples", "store").toAbsolutePath().normalize();

    /** The output folder of these tests. */
    static final Path TARGET = Path.of("target", "example").toAbsolutePath();

    private Folders() {}

    /** Deletes a folder with its content; does not follow links. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Copies the project, without the output of an earlier build. */
    static Path copyOfTheExample(Path to) throws IOException {
        delete(to);
        for (Path from : files(EXAMPLE)) {
            Path relative = EXAMPLE.relativize(from);
            if (!relative.startsWith("target")) {
                Path file = to.resolve(relative);
                Files.createDirectories(file.getParent());
                Files.copy(from, file);
            }
        }
        return to;
    }

    /** All files below a folder, sorted. */
    static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
