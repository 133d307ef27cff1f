package dev.holdfast.lock.documents;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.composite.CompositeLockProvider;
import dev.holdfast.lock.documents.Document.Block;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** What may be wrong with one block or word; each check returns the problems that it found. */
final class Checks {

    /** Kinds of diagrams. */
    private static final Pattern MERMAID =
            Pattern.compile("(sequenceDiagram|stateDiagram-v2|flowchart (LR|TD))\\n.*", Pattern.DOTALL);

    private static final Pattern DEPENDENCY =
            Pattern.compile("<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)</version>");

    private Checks() {}

    /** Whether the configuration parser takes it; an environment variable stands for some text. */
    static List<String> properties(Block block) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(block.text().replaceAll("\\$\\{\\w+}", "secret")));
        if (properties.stringPropertyNames().stream().noneMatch(key -> key.startsWith("lock."))) {
            return SpringProperties.unknown(properties).stream()
                    .map(key -> block.where() + ": " + key)
                    .toList();
        }
        try {
            LockAdmin.of(properties).close();
            return List.of();
        } catch (LockException e) {
            return List.of(block.where() + ": " + e.getMessage());
        }
    }

    /** Whether it is well-formed, and names the versions of this build. */
    static List<String> xml(Block block) throws Exception {
        List<String> problems = new ArrayList<>();
        try {
            element("<all>" + block.text() + "</all>");
        } catch (org.xml.sax.SAXException e) {
            return List.of(block.where() + ": " + e.getMessage());
        }
        Map<String, String> managed = versions();
        for (Matcher found = DEPENDENCY.matcher(block.text()); found.find(); ) {
            if (!found.group(2).equals(managed.get(found.group(1)))) {
                problems.add(block.where() + ": " + found.group(1) + " is of version " + managed.get(found.group(1)));
            }
        }
        return problems;
    }

    static List<String> mermaid(Block block) {
        return MERMAID.matcher(block.text()).matches()
                ? List.of()
                : List.of(block.where() + ": no kind of diagram in the first line");
    }

    /** The keys of the engine and of the stores, by name. */
    static Map<String, ConfigKey<?>> keys() {
        Map<String, ConfigKey<?>> keys = new TreeMap<>();
        EngineKeys.ALL.forEach(key -> keys.put(key.name(), key));
        for (LockProvider provider :
                List.of(new RedisLockProvider(), new JdbcLockProvider(), new CompositeLockProvider())) {
            provider.keys().forEach(key -> keys.put(key.name(), key));
        }
        return keys;
    }

    /** The dependencies that the root manages, with their versions. */
    private static Map<String, String> versions() throws Exception {
        Element project = element(Document.textOf(Document.ROOT.resolve("pom.xml")));
        Map<String, String> properties = new HashMap<>();
        properties.put("${project.version}", text(project, "version"));
        NodeList all = ((Element) project.getElementsByTagName("properties").item(0)).getElementsByTagName("*");
        for (int i = 0; i < all.getLength(); i++) {
            properties.put("${" + all.item(i).getNodeName() + "}", all.item(i).getTextContent());
        }
        Map<String, String> versions = new HashMap<>();
        NodeList dependencies = project.getElementsByTagName("dependency");
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            String version = text(dependency, "version");
            versions.put(text(dependency, "artifactId"), properties.getOrDefault(version, version));
        }
        return versions;
    }

    private static Element element(String xml) throws Exception {
        var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        builder.setErrorHandler(null);
        return builder.parse(new InputSource(new StringReader(xml))).getDocumentElement();
    }

    private static String text(Element parent, String name) {
        return parent.getElementsByTagName(name).item(0).getTextContent();
    }
}
