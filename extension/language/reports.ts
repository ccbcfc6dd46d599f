import * as vscode from "vscode";

/** How long a server may take to look at files that changed. */
const SETTLE_MS = 3_000;
/** The same while its server may still be starting. */
const FIRST_MS = 10_000;
/** The same where nothing came before. Some servers, such as TypeScript's, report only on files that are in a tab. */
const SILENT_MS = 1_500;
/**
 * How long servers must be quiet: they report in stages, and the next stage takes about as long as the first. Those that
 * have just opened a file take longest.
 */
const QUIET_MS = 300;
const OPENED_QUIET_MS = 1_500;

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
	/** The number of the last report on each file, and the files that were once waited for. */
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
			for (const uri of uris) reports.set(uri.toString(), mark);
			const open = vscode.workspace.textDocuments.filter(({ uri }) => reports.get(uri.toString()) === mark);
			for (const document of open) heard.add(kindOf(document));
			reported.fire();
		}),
		vscode.workspace.onDidCloseTextDocument(({ uri }) => {
			reports.delete(uri.toString());
			settled.delete(uri.toString());
		}),
		reported,
	];
	const patienceFor = (document: vscode.TextDocument): number => {
		if (heard.has(kindOf(document))) return SETTLE_MS;
		return awaited.has(document.languageId) || !isInTab(document) ? SILENT_MS : FIRST_MS;
	};
	return {
		mark: () => mark,
		settle: async (documents, since) => {
			const isLate = ({ uri }: vscode.TextDocument) => (reports.get(uri.toString()) ?? 0) <= since;
			// Most languages are only coloured: nothing would come of waiting for them.
			const served = documents.filter((document) => heard.has(kindOf(document)) || hasServer(document.languageId));
			if (served.length === 0) return documents;
			const isNew = served.some(({ uri }) => !settled.has(uri.toString()));
			const quietMs = isNew ? OPENED_QUIET_MS : QUIET_MS;
			const limitMs = Math.max(...served.map(patienceFor)) + quietMs;
			await waitUntilQuiet(reported.event, { limitMs, quietMs }, () => !served.some(isLate));
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

/** Resolves when it is done and no report came for a while, or when time is up. */
function waitUntilQuiet(
	event: vscode.Event<void>,
	{ limitMs, quietMs }: { readonly limitMs: number; readonly quietMs: number },
	isDone: () => boolean,
): Promise<void> {
	return new Promise((resolve) => {
		let quiet: NodeJS.Timeout | undefined;
		const finish = (): void => {
			clearTimeout(quiet);
			clearTimeout(limit);
			listening.dispose();
			resolve();
		};
		const begun = Date.now();
		const limit = setTimeout(finish, limitMs);
		const look = (): void => {
			clearTimeout(quiet);
			const tookMs = Math.min(Date.now() - begun, OPENED_QUIET_MS);
			if (isDone()) quiet = setTimeout(finish, Math.max(quietMs, tookMs));
		};
		const listening = event(look);
		look();
	});
}
