import { t } from "../../../l10n/t.ts";
import type { ImportedSetting, LeftOut } from "./imported-settings.ts";

/** A line of a dialog. */
const MAX_CHARS = 160;

/** The setting and its whole value, as it would stand in the settings file. */
export function describeImported({ id, value }: ImportedSetting): string {
	return show(`vitrine.${id}: ${JSON.stringify(value)}`);
}

export function describeLeftOut({ name, reason }: LeftOut): string {
	return `${show(name)} (${t(reason)})`;
}

/** On one line, without characters that show nothing. */
function show(text: string): string {
	const line = text.replaceAll(/\p{C}+/gu, "�");
	return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
}
