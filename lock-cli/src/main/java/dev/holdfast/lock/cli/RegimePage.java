package dev.holdfast.lock.cli;

import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.cli.text.ForeignText;
import dev.holdfast.lock.cli.text.Paragraph;
import dev.holdfast.lock.cli.text.Table;
import dev.holdfast.lock.cli.text.Times;
import dev.holdfast.lock.spi.DurationText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Who grants, for people: a line for each fact, the one that is asked for first. */
final class RegimePage {

    private final Times times;

    RegimePage(Times times) {
        this.times = times;
    }

    List<String> lines(RegimeStatus regime) {
        List<String> lines = new ArrayList<>();
        fact(lines, "grants", grants(regime));
        fact(lines, "since", times.past(regime.since()));
        fact(lines, "why", ForeignText.visible(regime.cause()));
        fact(lines, "epoch", Long.toString(regime.epoch()));
        fact(lines, "members", members(regime));
        fact(lines, "regime lease", DurationText.format(regime.regimeLease()));
        fact(
                lines,
                "token floor",
                regime.tokenFloor() + ", for lock.token.floor of who leaves the composite for one of its stores");
        return lines;
    }

    private static String grants(RegimeStatus regime) {
        if (regime.grants().equals(regime.primary())) {
            return regime.primary() + ", on behalf of " + regime.fallback();
        } else if (regime.grants().equals(regime.fallback())) {
            return regime.fallback() + " itself, until " + regime.primary() + " has been well for a while";
        }
        return regime.grants() + ", for a moment: that is changing between " + regime.primary() + " and "
                + regime.fallback();
    }

    private static String members(RegimeStatus regime) {
        return switch (regime.suspecting()) {
            case 0 -> Integer.toString(regime.members());
            case 1 -> regime.members() + ", one of which cannot reach " + regime.primary();
            default -> regime.members() + ", " + regime.suspecting() + " of which cannot reach " + regime.primary();
        };
    }

    private static void fact(List<String> lines, String subject, String text) {
        String before = String.format(Locale.ROOT, "%-12s  ", subject);
        String indent = " ".repeat(before.length());
        for (String line : Paragraph.lines(text, Table.PAGE - indent.length())) {
            lines.add(before + line);
            before = indent;
        }
    }
}
