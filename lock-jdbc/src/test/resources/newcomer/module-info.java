/** An application that names only what it uses itself. */
module example {
    requires dev.holdfast.lock;
}
