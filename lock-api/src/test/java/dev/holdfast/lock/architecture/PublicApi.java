package dev.holdfast.lock.architecture;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The public API of a module as text: everything public or protected in the packages that it exports without qualification. One line
 * for the module, one for each package and type, {@code name: kind}, and below it, indented, one for each member.
 */
final class PublicApi {

    static final String INDENT = "    ";

    private static final String PACKAGE = ".package-info";

    private PublicApi() {}

    /** The API of the module of this class. */
    static List<String> ofModuleWith(Class<?> one) {
        ModuleReference module = moduleWith(one);
        List<String> lines = new ArrayList<>(List.of(of(module.descriptor())));
        try {
            for (Class<?> type : exported(module, one.getClassLoader())) {
                lines.addAll(of(type));
            }
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException("the classes of " + module + " cannot be listed", e);
        }
        return lines;
    }

    /**
     * The API of a module that has no descriptor.
     *
     * @param one class of it
     * @param packages that users may build on
     */
    static List<String> ofPackages(Class<?> one, List<String> packages) {
        List<String> lines = new ArrayList<>();
        try {
            Path home = Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
            try (Stream<Path> files = Files.walk(home)) {
                Stream<String> names = files.map(file -> home.relativize(file)
                        .toString()
                        .replace(home.getFileSystem().getSeparator(), "/"));
                for (Class<?> type : visible(names, packages, one.getClassLoader())) {
                    lines.addAll(of(type));
                }
            }
        } catch (IOException | ClassNotFoundException | URISyntaxException e) {
            throw new IllegalStateException("the classes beside " + one + " cannot be listed", e);
        }
        return lines;
    }

    /** The packages that it exports without qualification. */
    static List<String> packagesOfModuleWith(Class<?> one) {
        return packages(moduleWith(one).descriptor());
    }

    private static ModuleReference moduleWith(Class<?> one) {
        return moduleAt(one.getProtectionDomain().getCodeSource())
                .orElseThrow(() -> new IllegalStateException(one + " is of no module"));
    }

    /** The module as its files describe it: tests may have it on the class path, or patched with their packages. */
    private static Optional<ModuleReference> moduleAt(CodeSource source) {
        try {
            Path home = Path.of(source.getLocation().toURI());
            return ModuleFinder.of(home).findAll().stream().findFirst();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> packages(ModuleDescriptor module) {
        return module.exports().stream()
                .filter(each -> !each.isQualified())
                .map(Exports::source)
                .sorted()
                .toList();
    }

    private static String of(ModuleDescriptor module) {
        List<String> passedOn = module.requires().stream()
                .filter(each -> each.modifiers().contains(Requires.Modifier.TRANSITIVE))
                .map(Requires::name)
                .sorted()
                .toList();
        List<String> provided = module.provides().stream()
                .map(each -> each.service() + Signature.clause("with", each.providers()))
                .sorted()
                .toList();
        return module.name() + ": module" + Signature.clause("requires transitive", passedOn)
                + Signature.clause("uses", module.uses().stream().sorted().toList())
                + Signature.clause("provides", provided);
    }

    private static List<Class<?>> exported(ModuleReference module, ClassLoader loader)
            throws IOException, ClassNotFoundException {
        try (ModuleReader reader = module.open();
                Stream<String> files = reader.list()) {
            return visible(files, packages(module.descriptor()), loader);
        }
    }

    private static List<Class<?>> visible(Stream<String> files, List<String> packages, ClassLoader loader)
            throws ClassNotFoundException {
        Set<String> names =
                new TreeSet<>(Comparator.comparing((String name) -> name.substring(0, name.lastIndexOf('.')))
                        .thenComparing(name -> !name.endsWith(PACKAGE))
                        .thenComparing(Comparator.naturalOrder()));
        files.filter(file -> file.endsWith(".class"))
                .map(file ->
                        file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                .filter(name -> packages.contains(name.substring(0, Math.max(0, name.lastIndexOf('.')))))
                .forEach(names::add);
        List<Class<?>> types = new ArrayList<>();
        for (String name : names) {
            Class<?> type = Class.forName(name, false, loader);
            if (type.getName().endsWith(PACKAGE) || isVisible(type)) {
                types.add(type);
            }
        }
        return types;
    }

    /** Whether users can name it: its package is exported without qualification, and its enclosing types are visible. */
    static boolean isVisible(Class<?> type) {
        return isVisible(type.getModifiers())
                && isExported(type)
                && (type.getEnclosingClass() == null || isVisible(type.getEnclosingClass()))
                && !type.isAnonymousClass()
                && !type.isLocalClass();
    }

    private static boolean isExported(Class<?> type) {
        String name = type.getPackageName();
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation().getProtocol().equals("jrt")) { // of the JDK
            return type.getModule().isExported(name);
        }
        return moduleAt(source)
                .map(ModuleReference::descriptor)
                .filter(module -> !module.isAutomatic() && module.packages().contains(name))
                .map(module -> packages(module).contains(name))
                .orElse(true);
    }

    static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    /** The lines of one type, or of a package. */
    static List<String> of(Class<?> type) {
        if (type.getName().endsWith(PACKAGE)) {
            return List.of(type.getPackageName() + ": " + Signature.annotations(type) + "package");
        }
        List<String> lines = new ArrayList<>();
        lines.add(Signature.name(type) + ": " + PublicApiType.header(type));
        PublicApiType.members(type).stream().map(member -> INDENT + member).forEach(lines::add);
        return lines;
    }
}
