package dev.holdfast.lock.tck.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Shifts the clock of a process for all classes but those of Java itself, as an agent of the JVM that rewrites their calls. The
 * times of files and servers and {@link System#nanoTime} stay as they are.
 */
public final class ClockAgent {

    private static final String SHIFTED = ShiftedTime.class.getName().replace('.', '/');
    private static final String DATE = "java/util/Date";
    private static final String CONSTRUCTOR = "<init>";
    private static final String MILLIS = "millis";

    private static final Map<String, String> SHIFTED_CALLS = Map.ofEntries(
            Map.entry("java/lang/System.currentTimeMillis()J", MILLIS),
            Map.entry("java/time/Instant.now()Ljava/time/Instant;", "instant"),
            Map.entry("java/time/Clock.systemUTC()Ljava/time/Clock;", "utcClock"),
            Map.entry("java/time/Clock.systemDefaultZone()Ljava/time/Clock;", "zoneClock"),
            Map.entry("java/time/Clock.system(Ljava/time/ZoneId;)Ljava/time/Clock;", "clock"),
            Map.entry("java/time/LocalDateTime.now()Ljava/time/LocalDateTime;", "local"),
            Map.entry("java/time/LocalDateTime.now(Ljava/time/ZoneId;)Ljava/time/LocalDateTime;", "local"),
            Map.entry("java/time/OffsetDateTime.now()Ljava/time/OffsetDateTime;", "offset"),
            Map.entry("java/time/OffsetDateTime.now(Ljava/time/ZoneId;)Ljava/time/OffsetDateTime;", "offset"),
            Map.entry("java/time/ZonedDateTime.now()Ljava/time/ZonedDateTime;", "zoned"),
            Map.entry("java/time/ZonedDateTime.now(Ljava/time/ZoneId;)Ljava/time/ZonedDateTime;", "zoned"),
            Map.entry("java/util/Calendar.getInstance()Ljava/util/Calendar;", "calendar"));

    private ClockAgent() {}

    /** The option of a JVM, on whose class path the kit is, for a clock that is ahead, or behind if negative. */
    public static String option(Path directory, Duration shift) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Premain-Class", ClockAgent.class.getName());
        Path jar = Files.createTempFile(directory, "clock", ".jar");
        try (OutputStream out = Files.newOutputStream(jar)) {
            new JarOutputStream(out, manifest).close();
        }
        return "-javaagent:" + jar + "=" + shift;
    }

    /** Called by the JVM before the main class. */
    public static void premain(String shift, Instrumentation instrumentation) {
        ShiftedTime.shiftBy(Duration.parse(shift));
        instrumentation.addTransformer(new Transformer());
    }

    private static final class Transformer implements ClassFileTransformer {
        @Override
        public byte @Nullable [] transform(
                @Nullable ClassLoader loader,
                @Nullable String name,
                @Nullable Class<?> redefined,
                @Nullable ProtectionDomain domain,
                byte[] bytes) {
            if (loader == null || loader == ClassLoader.getPlatformClassLoader() || SHIFTED.equals(name)) {
                return null;
            }
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new ShiftedClass(writer), 0);
            return writer.toByteArray();
        }
    }

    private static final class ShiftedClass extends ClassVisitor {
        ShiftedClass(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            return new ShiftedMethod(super.visitMethod(access, name, descriptor, signature, exceptions));
        }
    }

    private static final class ShiftedMethod extends MethodVisitor {
        ShiftedMethod(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            String shifted = SHIFTED_CALLS.get(owner + "." + name + descriptor);
            if (opcode == Opcodes.INVOKESTATIC && shifted != null) {
                super.visitMethodInsn(opcode, SHIFTED, shifted, descriptor, false);
            } else if (owner.equals(DATE) && name.equals(CONSTRUCTOR) && descriptor.equals("()V")) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, SHIFTED, MILLIS, "()J", false);
                super.visitMethodInsn(opcode, DATE, CONSTRUCTOR, "(J)V", false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            super.visitInvokeDynamicInsn(
                    name,
                    descriptor,
                    bootstrap,
                    Arrays.stream(arguments).map(ShiftedMethod::shifted).toArray());
        }

        /** The same argument, unless it is a reference to a method that reads the clock. */
        private static Object shifted(Object argument) {
            if (!(argument instanceof Handle handle)) {
                return argument;
            }
            String shifted = SHIFTED_CALLS.get(handle.getOwner() + "." + handle.getName() + handle.getDesc());
            if (shifted != null) {
                return new Handle(Opcodes.H_INVOKESTATIC, SHIFTED, shifted, handle.getDesc(), false);
            }
            boolean isDate = handle.getTag() == Opcodes.H_NEWINVOKESPECIAL
                    && handle.getOwner().equals(DATE)
                    && handle.getDesc().equals("()V");
            return isDate ? new Handle(Opcodes.H_INVOKESTATIC, SHIFTED, "date", "()L" + DATE + ";", false) : handle;
        }
    }
}
