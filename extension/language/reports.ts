import * as vscode from "vscode";
import { toPath } from "../facts/file-uri.ts";
import { type WaitPorts, waitUntilQuiet } from "./wait-until-quiet.ts";

/** How long a server may take to look at files that changed. */
const SETTLE_MS = 3_000;
/** The same while its server may still be starting. */
const FIRST_MS = 10_000;
/** The same for files in no tab, where nothing came before: some servers, such as TypeScript's, do not look at them. */
const SILENT_MS = 1_500;
/** How long servers must be quiet; those that have just opened a file take longest. */
const QUIET_MS = 300;
const OPENED_QUIET_MS = 1_500;
/**
 * TypeScript's server reports nothing where nothing changed. It begins at most 800 ms after the last change, and checks a
 * file in at most four steps, with other questions answered in between.
 */
const BEGUN_MS = 1_000;
const ANSWERS_A_FILE = 5;

/** Follows the reports of the language servers, which are the only sign that they have read a file. */
export interface Reports extends vscode.Disposable {
	/** Grows with every report. */
	readonly mark: () => number;
	/** Waits until all were reported on after that mark, within limits; returns those that were not. */
	readonly settle: (
		documents: readonly vscode.TextDocument[],
		since: number,
	) => Promise<readonly vscode.TextDocument[]>;
}

export function createReports(): Reports {
	/** The number of the last report on each file, by its path for the host, and the files that were once waited for. */
	const reports = new Map<string, number>();
	const settled = new Set<string>();
	/** Languages that have reported something, in a tab or anywhere, and those that were waited for. */
	const heard = new Set<string>();
	const awaited = new Set<string>();
	const reported = new vscode.EventEmitter<void>();
	let mark = 0;
	const watching = [
		vscode.languages.onDidChangeDiagnostics(({ uris }) => {
			mark += 1;
			for (const uri of uris) reports.set(toPath(uri), mark);
			const open = vscode.workspace.textDocuments.filter(({ uri }) => reports.get(toPath(uri)) === mark);
			for (const document of open) heard.add(kindOf(document));
			reported.fire();
		}),
		vscode.workspace.onDidCloseTextDocument(({ uri }) => {
			reports.delete(toPath(uri));
			settled.delete(uri.toString());
		}),
		reported,
	];
	const ports: WaitPorts = {
		now: Date.now,
		setTimer: (ms, work) => {
			const timer = setTimeout(work, ms);
			return () => clearTimeout(timer);
		},
		onReport: (listener) => {
			const listening = reported.event(listener);
			return () => listening.dispose();
		},
	};
	const patienceFor = (document: vscode.TextDocument): number => {
		if (heard.has(kindOf(document))) return SETTLE_MS;
		if (!isInTab(document)) return SILENT_MS;
		return awaited.has(document.languageId) ? SETTLE_MS : FIRST_MS;
	};
	const hasStarted = (document: vscode.TextDocument): boolean =>
		heard.has(kindOf(document)) || awaited.has(document.languageId);
	return {
		mark: () => mark,
		settle: async (documents, since) => {
			const isLate = ({ uri }: vscode.TextDocument) => (reports.get(toPath(uri)) ?? 0) <= since;
			// Most languages are only coloured: nothing would come of waiting for them.
			const served = documents.filter((document) => heard.has(kindOf(document)) || hasServer(document.languageId));
			if (served.length === 0) return documents;
			const isNew = served.some(({ uri }) => !settled.has(uri.toString()));
			const quietMs = isNew ? OPENED_QUIET_MS : QUIET_MS;
			const limitMs = Math.max(...served.map(patienceFor)) + quietMs;
			await waitUntilQuiet(ports, {
				...{ isDone: () => !served.some(isLate), limitMs, quietMs, maxQuietMs: OPENED_QUIET_MS },
				...{ ask: () => askServers(served), answers: ANSWERS_A_FILE * served.length },
				silentMs: served.every(hasStarted) ? BEGUN_MS : undefined,
			});
			for (const { languageId, uri } of served) {
				awaited.add(languageId);
				settled.add(uri.toString());
			}
			return documents.filter(isLate);
		},
		dispose: () => {
			for (const one of watching) one.dispose();
		},
	};
}

/**
 * Definitions, because TypeScript's extension asks its server for them without putting off the check of the file, as it
 * does for most other questions.
 */
function askServers(documents: readonly vscode.TextDocument[]): Promise<unknown> {
	const start = new vscode.Position(0, 0);
	return Promise.all(
		documents.map(({ uri }) => vscode.commands.executeCommand("vscode.executeDefinitionProvider", uri, start)),
	);
}

/** A language, apart for documents that are in no tab. */
function kindOf(document: vscode.TextDocument): string {
	return isInTab(document) ? document.languageId : `${document.languageId} in no tab`;
}

function isInTab({ uri }: vscode.TextDocument): boolean {
	const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
	return tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

/** Whether an extension starts with this language. */
function hasServer(languageId: string): boolean {
	return vscode.extensions.all.some(({ packageJSON }) => {
		const { activationEvents } = packageJSON as { readonly activationEvents?: unknown };
		return Array.isArray(activationEvents) && activationEvents.includes(`onLanguage:${languageId}`);
	});
}
