package dev.holdfast.lock.cli.command;

import java.util.Optional;

/** Who hears a Ctrl-C. */
final class Terminal {

    private Terminal() {}

    /**
     * Whether an INT that this process got has reached the child as well: a terminal sends it to every process of its
     * foreground group. An INT by {@code kill} looks the same there, and is then not passed on. Linux only; elsewhere false.
     */
    static boolean reaches(Process child) {
        Optional<ProcessTable.Stat> own = ProcessTable.stat("self");
        Optional<ProcessTable.Stat> other = ProcessTable.stat(Long.toString(child.pid()));
        return own.isPresent()
                && other.isPresent()
                && own.get().group().equals(own.get().foreground())
                && own.get().group().equals(other.get().group());
    }
}
