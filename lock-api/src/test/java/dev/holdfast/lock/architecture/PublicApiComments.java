package dev.holdfast.lock.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Finds the elements of a module's public API without a javadoc comment. It only parses the sources, which the build has compiled: a
 * method that overrides another one, and needs no comment, has the annotation {@code Override}.
 */
final class PublicApiComments extends TreePathScanner<Void, Void> {

    private final DocTrees trees;
    private final List<String> missing = new ArrayList<>();

    private PublicApiComments(DocTrees trees) {
        this.trees = trees;
    }

    /**
     * File and line of each element without a comment.
     *
     * @param folder of the module
     * @param packages that it exports
     */
    static List<String> missing(Path folder, List<String> packages) throws IOException {
        List<Path> exported = new ArrayList<>();
        for (String each : packages) {
            exported.addAll(sources(folder.resolve("src/main/java").resolve(each.replace('.', '/'))));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(exported));
            PublicApiComments comments = new PublicApiComments(DocTrees.instance(task));
            comments.scan(task.parse(), null);
            return comments.missing;
        }
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    @Override
    public Void visitPackage(PackageTree tree, Void none) {
        if (nameOf(getCurrentPath().getCompilationUnit()).equals("package-info.java")) {
            check(tree);
        }
        return null;
    }

    @Override
    public Void visitClass(ClassTree tree, Void none) {
        if (!isVisible(tree.getModifiers())) {
            return null;
        }
        check(tree);
        return super.visitClass(tree, null);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void none) {
        ModifiersTree modifiers = tree.getModifiers();
        if (isVisible(modifiers)
                && modifiers.getAnnotations().stream()
                        .noneMatch(each -> each.getAnnotationType().toString().equals("Override"))) {
            check(tree);
        }
        return null;
    }

    @Override
    public Void visitVariable(VariableTree tree, Void none) {
        if (isVisible(tree.getModifiers())) {
            check(tree);
        }
        return null;
    }

    /** Whether users see an element of what encloses it, which they see: members of an interface are public, unless they say otherwise. */
    private boolean isVisible(ModifiersTree modifiers) {
        Set<Modifier> flags = modifiers.getFlags();
        Tree.Kind enclosing = getCurrentPath().getParentPath().getLeaf().getKind();
        return flags.contains(Modifier.PUBLIC)
                || flags.contains(Modifier.PROTECTED)
                || (!flags.contains(Modifier.PRIVATE)
                        && (enclosing == Tree.Kind.INTERFACE || enclosing == Tree.Kind.ANNOTATION_TYPE));
    }

    private void check(Tree tree) {
        if (trees.getDocComment(getCurrentPath()) == null) {
            CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
            long start = trees.getSourcePositions().getStartPosition(unit, tree);
            missing.add(nameOf(unit) + ":" + unit.getLineMap().getLineNumber(start));
        }
    }

    private static String nameOf(CompilationUnitTree unit) {
        return Path.of(unit.getSourceFile().toUri()).getFileName().toString();
    }
}
