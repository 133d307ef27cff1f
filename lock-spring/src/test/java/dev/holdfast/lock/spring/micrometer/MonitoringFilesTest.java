package dev.holdfast.lock.spring.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.spring.micrometer.GrantingStore.Store;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The dashboard and the alert rules name metrics, labels and values that exist, and show every meter there is. */
class MonitoringFilesTest {

    private static final Path FILES = Path.of("..", "docs", "monitoring");
    private static final Pattern METRIC = Pattern.compile("(holdfast_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(=~|=|!=)\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern SAMPLE = Pattern.compile("(holdfast_[a-z_]+)\\{([^}]*)} .*");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

    /** What Prometheus adds to what it scrapes. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    /** The labels of each series as Prometheus reads it, and the values of each label. */
    private final Map<String, Map<String, Set<String>>> series = series();

    private static Map<String, Map<String, Set<String>>> series() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        LockMeters meters = new LockMeters(
                registry, "composite", new StoreOutage(System::nanoTime, () -> {}), new GrantingStore(Optional::empty));
        for (LeaseKind kind : LeaseKind.values()) {
            meters.of("invoice", kind).granted(Duration.ofMillis(1));
        }
        Map<String, Map<String, Set<String>>> found = new TreeMap<>();
        for (Matcher sample = SAMPLE.matcher(registry.scrape()); sample.find(); ) {
            Map<String, Set<String>> labels = found.computeIfAbsent(sample.group(1), name -> new TreeMap<>());
            for (Matcher label = LABEL.matcher(sample.group(2)); label.find(); ) {
                labels.computeIfAbsent(label.group(1), name -> new TreeSet<>()).add(label.group(2));
            }
        }
        return found;
    }

    @Test
    void series_ofAllMeters_areThere() {
        assertThat(series)
                .containsKeys(
                        "holdfast_lock_acquire_total",
                        "holdfast_lock_wait_seconds_sum",
                        "holdfast_lock_held_seconds_count",
                        "holdfast_lock_lost_total",
                        "holdfast_lock_busy_seconds_max",
                        "holdfast_lock_unavailable_seconds_sum",
                        "holdfast_lock_unconfirmed",
                        "holdfast_lock_outage",
                        "holdfast_lock_granting_store",
                        "holdfast_lock_failover_total");
        assertThat(series.get("holdfast_lock_acquire_total").get("result"))
                .containsExactlyInAnyOrderElementsOf(Stream.concat(Stream.of("granted"), names(AcquireFailure.values()))
                        .toList());
        assertThat(series.get("holdfast_lock_held_seconds_sum").get("kind"))
                .containsExactlyInAnyOrder("exclusive", "shared", "permits");
        assertThat(series.get("holdfast_lock_failover_total").get("event"))
                .containsExactlyInAnyOrderElementsOf(
                        names(FailoverEvent.Kind.values()).toList());
        assertThat(series.get("holdfast_lock_granting_store").get("store"))
                .containsExactlyInAnyOrderElementsOf(names(Store.values()).toList());
    }

    private static Stream<String> names(Enum<?>[] constants) {
        return Arrays.stream(constants).map(constant -> constant.name().toLowerCase(Locale.ROOT));
    }

    @Test
    void alerts_nameSeriesThatExist() throws IOException {
        List<Map<String, Object>> rules = rules();

        assertThat(rules).hasSizeGreaterThanOrEqualTo(9);
        assertThat(rules).allSatisfy(rule -> {
            assertThat(rule).containsKeys("alert", "expr", "labels", "annotations");
            assertThat(errors(String.valueOf(rule.get("expr")))).isEmpty();
        });
        assertThat(rules.stream().map(rule -> rule.get("alert"))).doesNotHaveDuplicates();
        assertThat(rules.stream().flatMap(rule -> metrics(String.valueOf(rule.get("expr")))))
                .contains(
                        "holdfast_lock_lost_total",
                        "holdfast_lock_unconfirmed",
                        "holdfast_lock_outage",
                        "holdfast_lock_acquire_total",
                        "holdfast_lock_wait_seconds_sum",
                        "holdfast_lock_failover_total",
                        "holdfast_lock_granting_store");
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rules() throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file = new Yaml(
                        new SafeConstructor(new LoaderOptions()))
                .load(Files.readString(FILES.resolve("holdfast-alerts.yaml")));
        return file.get("groups").stream()
                .flatMap(group -> group.get("rules").stream())
                .toList();
    }

    @Test
    void dashboard_namesSeriesThatExist_andShowsEveryMeter() throws IOException {
        JsonObject dashboard = JsonParser.parseString(Files.readString(FILES.resolve("holdfast-dashboard.json")))
                .getAsJsonObject();
        List<String> expressions = new ArrayList<>();
        JsonArray panels = dashboard.getAsJsonArray("panels");
        for (JsonElement panel : panels) {
            for (JsonElement target : panel.getAsJsonObject().getAsJsonArray("targets")) {
                expressions.add(target.getAsJsonObject().get("expr").getAsString());
            }
        }
        for (JsonElement note : dashboard.getAsJsonObject("annotations").getAsJsonArray("list")) {
            expressions.add(note.getAsJsonObject().get("expr").getAsString());
        }

        assertThat(expressions)
                .hasSizeGreaterThanOrEqualTo(12)
                .allSatisfy(expression -> assertThat(errors(expression)).isEmpty());
        assertThat(panels.asList().stream().map(panel -> panel.getAsJsonObject().get("id")))
                .doesNotHaveDuplicates();
        assertThat(expressions.stream().flatMap(this::metrics).map(MonitoringFilesTest::meter))
                .as("every meter is shown")
                .containsAll(
                        series.keySet().stream().map(MonitoringFilesTest::meter).collect(Collectors.toSet()));
        for (JsonElement variable : dashboard.getAsJsonObject("templating").getAsJsonArray("list")) {
            if (variable.getAsJsonObject().get("query").isJsonObject()) {
                assertThat(errors(variable.getAsJsonObject()
                                .getAsJsonObject("query")
                                .get("query")
                                .getAsString()))
                        .isEmpty();
            }
        }
    }

    private static String meter(String seriesName) {
        return seriesName.replaceFirst("_(total|seconds_(sum|count|max))$", "");
    }

    private Stream<String> metrics(String expression) {
        return METRIC.matcher(expression).results().map(found -> found.group(1));
    }

    /** What an expression names that does not exist. */
    private List<String> errors(String expression) {
        List<String> errors = new ArrayList<>();
        Set<String> labels = new TreeSet<>(OF_PROMETHEUS);
        for (Matcher metric = METRIC.matcher(expression); metric.find(); ) {
            Map<String, Set<String>> known = series.get(metric.group(1));
            if (known == null) {
                errors.add("no series " + metric.group(1));
                continue;
            }
            labels.addAll(known.keySet());
            for (Matcher label = MATCHER.matcher(metric.group(2) == null ? "" : metric.group(2)); label.find(); ) {
                addUnknown(metric.group(1), known, label, errors);
            }
        }
        for (Matcher grouping = GROUPING.matcher(expression); grouping.find(); ) {
            for (String label : grouping.group(1).split(", *", -1)) {
                if (!labels.contains(label)) {
                    errors.add("no label " + label + " in " + expression);
                }
            }
        }
        if (expression.chars().filter(sign -> sign == '(').count()
                != expression.chars().filter(sign -> sign == ')').count()) {
            errors.add("parentheses of " + expression);
        }
        return errors;
    }

    private static void addUnknown(String name, Map<String, Set<String>> known, Matcher label, List<String> errors) {
        boolean isVariable = label.group(3).startsWith("$");
        if (OF_PROMETHEUS.contains(label.group(1)) || (isVariable && known.containsKey(label.group(1)))) {
            return;
        }
        Set<String> values = known.getOrDefault(label.group(1), Set.of());
        for (String value : label.group(3).split("\\|", -1)) {
            if (!values.contains(value)) {
                errors.add(name + " has no " + label.group(1) + " " + value);
            }
        }
    }
}
