package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** {@code lock-bom} lists the modules that an application may depend on, in the version of this build. */
@Tag("second-build")
class VersionsOfModulesTest {

    private static final Path ROOT = Path.of("..");
    private static final XPath XPATH = XPathFactory.newInstance().newXPath();

    /** Run, not depended on. */
    private static final List<String> PROGRAMS = List.of("lock-bench", "lock-cli");

    @Test
    void bom_listsEveryModuleThatIsALibrary() throws Exception {
        List<String> libraries = texts(pom(ROOT), "/project/modules/module");
        libraries.removeIf(module -> !module.startsWith("lock-") || module.equals("lock-bom"));
        libraries.removeAll(PROGRAMS);

        assertThat(texts(bom(), "//dependencyManagement//artifactId")).containsExactlyInAnyOrderElementsOf(libraries);
    }

    @Test
    void bom_hasTheVersionOfTheBuildAndNothingElse() throws Exception {
        Document bom = bom();

        assertThat(texts(bom, "/project/version")).isEqualTo(texts(pom(ROOT), "/project/version"));
        assertThat(texts(bom, "//dependencyManagement//version")).containsOnly("${project.version}");
        assertThat(texts(bom, "//dependencyManagement//groupId")).containsOnly("dev.holdfast");
        assertThat(texts(bom, "/project/parent/artifactId | /project/dependencies//artifactId"))
                .isEmpty();
    }

    @Test
    void samples_nameTheVersionsOfTheBuild() throws Exception {
        List<String> version = texts(pom(ROOT), "/project/version");
        for (String sample : List.of("shop", "shop-on-boot")) {
            Document pom = pom(ROOT.resolve("samples").resolve(sample));

            assertThat(texts(pom, "/project/version")).isEqualTo(version);
            assertThat(texts(pom, "//dependency[artifactId='lock-bom']/version"))
                    .isEqualTo(version);
        }
        assertThat(texts(pom(ROOT.resolve("samples/shop")), "/project/properties/spring-boot.version"))
                .isEqualTo(texts(pom(ROOT), "/project/properties/spring-boot.version"));
    }

    @Test
    void samples_areBuiltWithThePluginsOfTheBuild() throws Exception {
        List<String> ours = plugins(ROOT);
        for (String module : List.of("samples/shop", "samples/shop-on-boot", "lock-bom")) {
            assertThat(plugins(ROOT.resolve(module))).isNotEmpty().isSubsetOf(ours);
        }
    }

    /** Artifact and version of each plugin with a version. */
    private static List<String> plugins(Path module) throws IOException {
        List<String> found = new ArrayList<>();
        Matcher plugin = Pattern.compile("<artifactId>([a-z-]+-maven-plugin|maven-[a-z-]+-plugin)</artifactId>\\s*"
                        + "<version>([^<]+)</version>")
                .matcher(Files.readString(module.resolve("pom.xml")));
        while (plugin.find()) {
            found.add(plugin.group(1) + " " + plugin.group(2));
        }
        return found;
    }

    private static Document bom() throws Exception {
        return pom(ROOT.resolve("lock-bom"));
    }

    private static Document pom(Path module) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(module.resolve("pom.xml").toFile());
    }

    private static List<String> texts(Document pom, String path) throws Exception {
        NodeList nodes = (NodeList) XPATH.evaluate(path, pom, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int index = 0; index < nodes.getLength(); index++) {
            texts.add(nodes.item(index).getTextContent());
        }
        return texts;
    }
}
