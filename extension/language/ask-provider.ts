import * as vscode from "vscode";
import type { Place } from "../../agent-host/protocol/host/language.ts";
import type { Reports } from "./reports.ts";

/** Asks the providers of a file's language, by the editor's command for that. */
export type AskProvider = <T>(
	command: string,
	document: vscode.TextDocument,
	...args: readonly unknown[]
) => Promise<readonly T[]>;

/** How often the first answer of a language is asked for again, and when. */
const MAX_AGAIN = 4;
const AGAIN_MS = 1_500;

/**
 * Before its first answer, a server has to start and to read its project; until then it knows nothing, or only the file
 * itself, and does not say so. A report on the file shows that it has read it. Where none comes, the question is asked
 * again until the answer no longer grows.
 */
export function createAskProvider(reports: Reports): AskProvider {
	/** Languages that were given the time to start. */
	const started = new Set<string>();
	return async <T>(command: string, document: vscode.TextDocument, ...args: readonly unknown[]) => {
		const ask = async (): Promise<readonly T[]> =>
			(await vscode.commands.executeCommand<readonly T[] | undefined>(command, document.uri, ...args)) ?? [];
		if (started.has(document.languageId)) return ask();
		const isReady = (await reports.settle([document], 0)).length === 0;
		let found = await ask();
		for (let left = isReady ? 0 : MAX_AGAIN; left > 0; left -= 1) {
			await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
			const before = found.length;
			found = await ask();
			if (found.length > 0 && found.length <= before) break;
		}
		started.add(document.languageId);
		return found;
	};
}

export function toPosition({ position }: Place): vscode.Position {
	return new vscode.Position(position.line, position.character);
}
