import { resolve } from "node:path";
import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { type Finding, REPORT_FINDINGS, Findings as Report } from "../../agent-host/protocol/thread/finding.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { t } from "../../l10n/t.ts";
import { nameFinding } from "../../media/wire/finding.ts";
import { readFolders } from "../facts/folders.ts";
import { isInside } from "../facts/inside.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import { readEvents } from "../panel/thread-feed.ts";

const MEMORY_KEY = "vitrine.dismissedFindings";
/** Dismissals that are remembered; the oldest is dropped first. */
const MAX_DISMISSED = 500;
const SOURCE = "Vitrine";

const SEVERITIES: Readonly<Record<Finding["severity"], vscode.DiagnosticSeverity>> = {
	error: vscode.DiagnosticSeverity.Error,
	warning: vscode.DiagnosticSeverity.Warning,
	info: vscode.DiagnosticSeverity.Information,
};

/** The newest review of the open thread, as problems of the editor. */
export interface ReviewFindings extends vscode.Disposable {
	/** Names of the findings that are not shown again in this workspace. */
	readonly dismissed: () => readonly string[];
	readonly dismiss: (finding: Pick<Finding, "path" | "title">) => Promise<void>;
	/** The finding behind a problem of the editor. */
	readonly find: (uri: unknown, diagnostic: unknown) => Finding | undefined;
	readonly onDidChange: vscode.Event<void>;
}

export function createReviewFindings(
	host: HostClient,
	panel: Pick<ChatPanel, "threadId" | "onDidChangeThread">,
	memory: vscode.Memento,
): ReviewFindings {
	const changed = new vscode.EventEmitter<void>();
	const collection = vscode.languages.createDiagnosticCollection("vitrine");
	let findings: readonly Finding[] = [];
	const dismissed = (): readonly string[] => memory.get<readonly string[]>(MEMORY_KEY, []);
	const show = (next: readonly Finding[]): void => {
		findings = next;
		collection.clear();
		const hidden = new Set(dismissed());
		const byFile = Map.groupBy(
			next.filter((finding) => !hidden.has(nameFinding(finding))),
			({ path }) => locate(path),
		);
		for (const [path, of] of byFile) {
			if (path !== undefined) collection.set(vscode.Uri.file(path), of.map(toDiagnostic));
		}
		changed.fire();
	};
	const showThread = async (threadId: ThreadId | undefined): Promise<void> => {
		show([]);
		// Do not start the host just to show this.
		if (threadId === undefined || host.state().state !== "ready") return;
		const events = await readEvents(host, threadId).catch(() => []);
		const last = events.flatMap(({ event }) => readReport(event) ?? []).at(-1);
		if (last !== undefined && panel.threadId() === threadId) show(last.findings);
	};
	const disposables = [
		changed,
		collection,
		host.onThreadEvent(({ threadId, event }) => {
			const report = threadId === panel.threadId() ? readReport(event) : undefined;
			if (report !== undefined) show(report.findings);
		}),
		panel.onDidChangeThread((threadId) => void showThread(threadId)),
		vscode.languages.registerCodeActionsProvider(
			{ scheme: "file" },
			{ provideCodeActions: ({ uri }, _, { diagnostics }) => offerDismissal(uri, diagnostics) },
			{ providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
		),
	];
	return {
		dismissed,
		async dismiss(finding) {
			const name = nameFinding(finding);
			await memory.update(MEMORY_KEY, [...dismissed().filter((other) => other !== name), name].slice(-MAX_DISMISSED));
			show(findings);
		},
		find: (uri, diagnostic) =>
			uri instanceof vscode.Uri && diagnostic instanceof vscode.Diagnostic
				? findings.find((one) => locate(one.path) === uri.fsPath && toDiagnostic(one).message === diagnostic.message)
				: undefined,
		onDidChange: changed.event,
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

/** The report that an event completes; anything else, also a malformed report, is none. */
function readReport(event: ThreadEvent): ReturnType<typeof Report.parse> | undefined {
	if (event.type !== "itemCompleted" || !isCall(event.item)) return undefined;
	const { name, status, arguments: json } = event.item;
	if (name !== REPORT_FINDINGS || status !== "completed") return undefined;
	try {
		return Report.parse(JSON.parse(json));
	} catch {
		return undefined;
	}
}

/** The file that a finding names, if it is in a folder of the window. */
function locate(path: string): string | undefined {
	const { first = "/", paths } = readFolders();
	const absolute = resolve(first, path);
	return paths.some((folder) => isInside(absolute, folder)) ? absolute : undefined;
}

function toDiagnostic({ severity, line, title, reason }: Finding): vscode.Diagnostic {
	const range = new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);
	const diagnostic = new vscode.Diagnostic(range, `${title}\n${reason}`, SEVERITIES[severity]);
	diagnostic.source = SOURCE;
	return diagnostic;
}

function offerDismissal(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
	return diagnostics
		.filter(({ source }) => source === SOURCE)
		.map((diagnostic) => {
			const action = new vscode.CodeAction(t("Dismiss Review Finding"), vscode.CodeActionKind.QuickFix);
			action.diagnostics = [diagnostic];
			action.command = { command: "vitrine.dismissFinding", title: action.title, arguments: [uri, diagnostic] };
			return action;
		});
}
