import { t } from "../../../l10n/t.ts";
import type { ImportedSetting, LeftOut } from "./imported-settings.ts";

/** A row of a list. */
const MAX_CHARS = 160;

/** The setting and its value, as it would stand in the settings file, cut to the width of a row. */
export function describeImported(setting: ImportedSetting): string {
	return cut(describeWhole(setting));
}

/** The same, whole: what a row leaves out is read before it is agreed to. */
export function describeWhole({ id, value }: Pick<ImportedSetting, "id" | "value">): string {
	return show(`vitrine.${id}: ${JSON.stringify(value)}`);
}

export function describeLeftOut({ name, reason }: LeftOut): string {
	return `${cut(show(name))} (${t(reason)})`;
}

/** On one line, without characters that show nothing. */
function show(text: string): string {
	return text.replaceAll(/\p{C}+/gu, "�");
}

function cut(line: string): string {
	return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
}
