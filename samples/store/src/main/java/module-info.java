/** Locks in a directory of files. */
module org.example.lock.files {
    requires dev.holdfast.lock;

    provides dev.holdfast.lock.spi.LockProvider with
            org.example.lock.files.DirectoryLockProvider;
}
