package dev.holdfast.lock.jdbc;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** A module's POM. */
final class Pom {

    /** Of the module itself: what only a profile adds is not passed on. */
    private static final String BROUGHT = "/project/dependencies/dependency"
            + "[not(optional = 'true')][not(scope = 'test')][not(scope = 'provided')]/artifactId";

    private Pom() {}

    /** The transitive dependencies of the module, by its own POM. */
    static Set<String> broughtBy(Path pom) throws Exception {
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
        XPath path = XPathFactory.newInstance().newXPath();
        NodeList found = (NodeList) path.evaluate(BROUGHT, document, XPathConstants.NODESET);
        return IntStream.range(0, found.getLength())
                .mapToObj(at -> found.item(at).getTextContent().strip())
                .collect(Collectors.toSet());
    }
}
