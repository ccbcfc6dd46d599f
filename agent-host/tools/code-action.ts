import * as z from "zod";
import { editsToPatch } from "../patch/edits-to-patch.ts";
import { oneLine } from "../permissions/words/one-line.ts";
import { say } from "../protocol/say.ts";
import { lookAtPatch, touchesNothing } from "./apply-patch.ts";
import { findLine } from "./find-position.ts";
import type { LanguagePorts, LineOf, Told } from "./language-port.ts";
import { cutLines, showPath } from "./list-places.ts";
import { NO_EDITOR, SymbolAt } from "./locate-symbol.ts";
import { type CallFindings, defineTool } from "./tool.ts";
import type { ToolOutcome, ToolPorts } from "./tool-ports.ts";

const { path, line } = SymbolAt.shape;

export const codeAction = defineTool({
	name: "code_action",
	description: "List the editor's fixes for a line or file; with title, apply one.",
	needs: "rename",
	kind: "fileChange",
	input: z.object({ path, line, title: z.string().min(1).max(500).optional() }),
	title: ({ title = "" }) => say("call-fix", { title }),
	instead: (input, at) =>
		input.title !== undefined
			? undefined
			: {
					kind: "toolCall",
					title: say("call-list-fixes", { path: input.path }),
					look: async (ports) => lookAtList(input, at, ports),
				},
	async look({ title = "", ...asked }, at, ports) {
		const { language } = ports;
		if (language === undefined) return touchesNothing(NO_EDITOR);
		const place = await findLineOf(asked, at, language);
		if (!place.ok) return touchesNothing(place.reason);
		const told = await language.action(place.at, title, new AbortController().signal);
		if (!told.ok) return touchesNothing(told.reason);
		const edited = editsToPatch(told.files.map((file) => ({ ...file, path: showPath(file.path, at(".")) })));
		// From here on it is a patch, as a rename is.
		return edited.ok ? lookAtPatch(edited.patch, at, ports) : touchesNothing(edited.reason);
	},
});

interface Asked {
	readonly path: string;
	readonly line?: string | undefined;
}

function lookAtList(asked: Asked, at: (path: string) => string, ports: ToolPorts): CallFindings {
	return {
		access: ports.lookUp(at(asked.path)),
		show: async () => undefined,
		run: (signal) => listFixes(asked, at, ports, signal),
	};
}

async function listFixes(
	asked: Asked,
	at: (path: string) => string,
	{ language }: ToolPorts,
	signal: AbortSignal,
): Promise<ToolOutcome> {
	if (language === undefined) return { ok: false, reason: NO_EDITOR };
	const place = await findLineOf(asked, at, language);
	if (!place.ok) return place;
	const told = await language.actions(place.at, signal);
	if (!told.ok) return told;
	return { ok: true, text: told.titles.length === 0 ? NONE : cutLines(told.titles.map(oneLine)) };
}

const NONE =
	"The editor offers no fix here. Servers offer most only for a line with a problem in a file that they check.";

async function findLineOf(
	{ path, line }: Asked,
	at: (path: string) => string,
	{ peek }: LanguagePorts,
): Promise<Told<{ readonly at: LineOf }>> {
	const file = await peek(at(path));
	if (!file.ok) return file;
	const found = line === undefined ? undefined : findLine(file.text, line);
	if (found?.ok === false) return found;
	return { ok: true, at: { path: at(path), line: found?.line } };
}
