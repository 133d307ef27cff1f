package dev.holdfast.lock.documents;

import dev.holdfast.lock.documents.Document.Block;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles what documents show against the product. A block is a source file if it declares a type at its left margin, a member of a
 * class if it begins with an annotation, else the body of a method. {@code documents/Surroundings.java} has what blocks take for granted.
 */
final class JavaBlocks {

    private static final Pattern TYPE =
            Pattern.compile("^(public )?(final |abstract )*(class|interface|record|enum) (\\w+)", Pattern.MULTILINE);

    private static final String IMPORTS = "import static surroundings.Surroundings.*;"
            + List.of(
                            "dev.holdfast.lock.*",
                            "dev.holdfast.lock.admin.*",
                            "dev.holdfast.lock.fencing.*",
                            "dev.holdfast.lock.jdbc.*",
                            "dev.holdfast.lock.reactor.*",
                            "dev.holdfast.lock.redis.*",
                            "dev.holdfast.lock.spi.*",
                            "dev.holdfast.lock.spring.*",
                            "dev.holdfast.lock.spring.integration.*",
                            "dev.holdfast.lock.spring.micrometer.*",
                            "dev.holdfast.lock.spring.shedlock.*",
                            "dev.holdfast.lock.tck.*",
                            "java.lang.annotation.*",
                            "java.sql.Connection",
                            "java.time.*",
                            "java.util.*",
                            "java.util.concurrent.*",
                            "java.util.concurrent.locks.Lock",
                            "java.util.stream.*",
                            "net.javacrumbs.shedlock.core.LockProvider",
                            "org.springframework.context.annotation.*",
                            "org.springframework.core.annotation.AliasFor",
                            "org.springframework.integration.support.locks.LockRegistry",
                            "org.springframework.scheduling.annotation.Scheduled",
                            "org.springframework.stereotype.Service",
                            "org.springframework.transaction.annotation.Transactional",
                            "reactor.core.publisher.*")
                    .stream()
                    .map(name -> "import " + name + ";")
                    .reduce("", String::concat);

    private JavaBlocks() {}

    /** What the compiler has to say against these blocks. */
    static List<String> errors(List<Block> blocks, Path output) throws IOException {
        Map<String, Block> shown = new TreeMap<>();
        List<JavaFileObject> sources = new ArrayList<>();
        try (var surroundings = JavaBlocks.class.getResourceAsStream("/documents/Surroundings.java")) {
            sources.add(source(
                    "/surroundings/Surroundings.java",
                    new String(surroundings.readAllBytes(), StandardCharsets.UTF_8)));
        }
        for (Block block : blocks) {
            Matcher type = TYPE.matcher(block.text());
            boolean isFile = type.find();
            String folder = "shown" + shown.size();
            String name = "/" + folder + "/" + (isFile ? type.group(4) : "Shown") + ".java";
            shown.put(name, block);
            String before = block.text().startsWith("package ") ? "" : "package " + folder + ";" + IMPORTS;
            sources.add(source(name, before + (isFile ? block.text() : inClass(block.text()))));
        }
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options =
                List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"), "-d", output.toString());
        compiler.getTask(null, null, said, options, null, sources).call();
        return said.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> (each.getSource() == null
                                ? ""
                                : where(each.getSource(), shown) + ", line " + each.getLineNumber() + ": ")
                        + each.getMessage(Locale.ROOT))
                .toList();
    }

    private static String inClass(String text) {
        String member = text.startsWith("@") ? text : "void shown() throws Exception {" + text + "}";
        return "abstract class Shown extends surroundings.Surroundings {" + member + "}";
    }

    private static String where(JavaFileObject source, Map<String, Block> shown) {
        Block block = shown.get(source.toUri().getPath());
        return block == null ? source.getName() : block.where();
    }

    private static JavaFileObject source(String name, String text) {
        return new SimpleJavaFileObject(URI.create("string://" + name), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
