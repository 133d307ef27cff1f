package dev.holdfast.lock.redis.doctor;

/**
 * A permission that locks need and the user does not have, or a command that the server does not have.
 *
 * @param what the permission or the command in words
 * @param rule the ACL rule that grants it; empty if no right does
 */
record MissingPermission(String what, String rule) {

    private static final String OURS = "holdfast:*";

    static final MissingPermission KEYS = new MissingPermission("the keys " + OURS, "~" + OURS);

    static final MissingPermission CHANNELS = new MissingPermission("the channels " + OURS, "&" + OURS);

    /** @param name the command as ACL rules name it */
    static MissingPermission command(String name) {
        return new MissingPermission("the command " + name, "+" + name);
    }

    /** A command that no user of the server has, as behind a proxy, or where a managed service forbids it. */
    static MissingPermission unknownCommand(String name) {
        return new MissingPermission("the command " + name, "");
    }

    /** What is missing, as a sentence. */
    String found(String user) {
        return rule.isEmpty()
                ? "the server does not have " + what + ", or its name was changed"
                : "the user " + user + " may not use " + what;
    }

    /** The command that grants the permission, which adds to the user's other rules; or what helps where none does. */
    String remedy(String user) {
        return rule.isEmpty()
                ? "use a server that has it, without a proxy that keeps it back"
                : "ACL SETUSER " + user + " " + rule;
    }
}
