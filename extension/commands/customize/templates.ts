import { t } from "../../../l10n/t.ts";

/** Letters, digits and single hyphens: what skills and commands of all agents can be called. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 64;

/** Why something can't be called that; undefined if it can. */
export function refuseName(name: string): string | undefined {
	return NAME.test(name) && name.length <= MAX_NAME_CHARS
		? undefined
		: t("Use up to {0} lowercase letters, digits and single hyphens.", MAX_NAME_CHARS);
}

/** A skill that works as it is, and shows where each part goes. */
export function skillTemplate(name: string): string {
	return lines(
		"---",
		`name: ${name}`,
		`description: ${t("What this skill does, and when to use it. The agent decides by this sentence.")}`,
		"---",
		"",
		`# ${titleFrom(name)}`,
		"",
		`## ${t("Steps")}`,
		"",
		`1. ${t("Say what to do first, as you would to a new colleague.")}`,
		`2. ${t("Name the commands to run and the files to read.")}`,
		`3. ${t("Say how to check the result.")}`,
		"",
		`## ${t("Files")}`,
		"",
		t("Put longer texts in references/ and scripts in scripts/ beside this file, and name them here."),
	);
}

/** A command that uses what the user writes after its name. */
export function commandTemplate(name: string): string {
	return lines(
		"---",
		`description: ${t("What this command does, in a few words. The / menu shows it.")}`,
		`argument-hint: "[${t("topic")}]"`,
		"---",
		"",
		`# ${titleFrom(name)}`,
		"",
		t("Write the prompt here. What you type after the command replaces {0}.", "$ARGUMENTS"),
	);
}

/** The text with one more line at its end, as an item of a list. */
export function appendLine(text: string, line: string): string {
	const end = text === "" || text.endsWith("\n") ? "" : "\n";
	return `${text}${end}- ${line.replaceAll(/\s+/g, " ").trim()}\n`;
}

function lines(...all: readonly string[]): string {
	return `${all.join("\n")}\n`;
}

function titleFrom(name: string): string {
	const words = name.replaceAll("-", " ");
	return words.charAt(0).toUpperCase() + words.slice(1);
}
