package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether one user alone may have written a configuration: for root, that user is root. */
class WorkingDirectoryFileTest {

    @TempDir
    private Path folder;

    private Path file;
    private int owner;

    @BeforeEach
    void createFile() throws IOException {
        file = Files.writeString(folder.resolve("lock.properties"), "lock.provider=jdbc\n");
        owner = (Integer) Files.getAttribute(file, "unix:uid");
    }

    @Test
    void objection_toAFileThatItsOwnerAloneMayWrite_isNone() throws IOException {
        permit("rw-r--r--");

        assertThat(WorkingDirectoryFile.objection(file, owner)).isEmpty();
    }

    @Test
    void objection_toAFileThatOthersMayWrite_saysSo() throws IOException {
        permit("rw-rw----");
        assertThat(WorkingDirectoryFile.objection(file, owner)).contains("may be written by other users");
        permit("rw----rw-");
        assertThat(WorkingDirectoryFile.objection(file, owner)).contains("may be written by other users");
    }

    @Test
    void objection_toAFileOrLinkOfAnotherUser_namesTheOwner() throws IOException {
        permit("rw-r--r--");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        String name = Files.getOwner(file).getName();

        assertThat(WorkingDirectoryFile.objection(file, owner + 1)).contains("belongs to the user " + name);
        assertThat(WorkingDirectoryFile.objection(link, owner + 1)).contains("is a link of the user " + name);
        assertThat(WorkingDirectoryFile.objection(link, owner)).isEmpty();
    }

    @Test
    void objection_toADanglingLink_isLeftToItsReader() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));

        assertThat(WorkingDirectoryFile.objection(link, owner)).isEmpty();
    }

    private void permit(String permissions) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
