package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.EscapedText;
import dev.holdfast.lock.cli.output.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;

/** {@code lock config}. */
@Command(
        name = "config",
        description = "Shows the effective settings and the origin of each. Does not connect to the store.",
        customSynopsis = "lock config [--json] [--local | --config FILE]",
        footer = {
            "",
            "Passwords and other secrets are shown as ****.",
            "",
            "  lock config                    the settings in effect here, and the file they come from",
            "  lock config --config FILE      the settings with that file",
            "  LOCK_LEASE=1m lock config --json | jq -r '.settings[] | select(.origin != \"default\") | .key'",
            "",
            "--json: {file or null, chosenBy, settings: [{key, value, origin}, ...]}; chosenBy is --config,",
            "LOCK_CONFIG, working-directory, system, environment, --local or default.",
            "",
            "Exit status: 0, or 64 wrong usage, 74 the output cannot be written, 78 wrong configuration."
        })
final class ConfigCommand extends AdminCommand {

    ConfigCommand(Console console) {
        super(console);
    }

    @Override
    int execute(StoreConfig config, LockAdmin admin) throws IOException {
        Optional<String> file = config.file().map(Path::toAbsolutePath).map(Path::toString);
        if (isJson()) {
            printJson(json -> write(json, file, config.source(), admin.settings()));
        } else {
            print(file.map(EscapedText::ofName).orElse("no file") + ": "
                    + config.source().reason());
            print("");
            printTable(admin.settings());
        }
        return 0;
    }

    private void printTable(List<EffectiveSetting> settings) throws IOException {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("KEY", "VALUE", "ORIGIN")));
        for (EffectiveSetting setting : settings) {
            rows.add(List.of(setting.key(), EscapedText.ofName(setting.value()), EscapedText.ofName(setting.origin())));
        }
        new Table(rows, Set.of(1, 2)).print(rows, this::print);
    }

    private static void write(
            JsonWriter json, Optional<String> file, StoreConfig.Source source, List<EffectiveSetting> settings)
            throws IOException {
        json.beginObject();
        json.name("file").value(file.orElse(null));
        json.name("chosenBy").value(source.keyword());
        json.name("settings").beginArray();
        for (EffectiveSetting setting : settings) {
            json.beginObject();
            json.name("key").value(setting.key());
            json.name("value").value(setting.value());
            json.name("origin").value(setting.origin());
            json.endObject();
        }
        json.endArray();
        json.endObject();
    }
}
