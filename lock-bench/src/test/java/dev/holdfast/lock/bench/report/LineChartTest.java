package dev.holdfast.lock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.report.LineChart.Curve;
import dev.holdfast.lock.bench.report.LineChart.Point;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class LineChartTest {

    @Test
    void svg_whenCurvesEndAtTheSameHeight_placesTheLabelsBelowEachOther() throws Exception {
        LineChart chart = new LineChart(
                "both",
                List.of(
                        new Curve("low", true, List.of(new Point(1, 10), new Point(64, 9_990))),
                        new Curve("high", false, List.of(new Point(1, 20), new Point(64, 10_000)))));

        NodeList texts = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(chart.svg().getBytes(StandardCharsets.UTF_8)))
                .getElementsByTagName("text");

        assertThat(y(texts, "low") - y(texts, "high")).isGreaterThanOrEqualTo(16);
        assertThat(x(texts, "64")).isGreaterThan(x(texts, "1"));
        assertThat(y(texts, "0")).isGreaterThan(y(texts, "10,000"));
    }

    private static double x(NodeList texts, String text) {
        return Double.parseDouble(element(texts, text).getAttribute("x"));
    }

    private static double y(NodeList texts, String text) {
        return Double.parseDouble(element(texts, text).getAttribute("y"));
    }

    private static Element element(NodeList texts, String text) {
        return IntStream.range(0, texts.getLength())
                .mapToObj(index -> (Element) texts.item(index))
                .filter(element -> element.getTextContent().equals(text))
                .findFirst()
                .orElseThrow();
    }
}
