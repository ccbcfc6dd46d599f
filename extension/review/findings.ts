import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import type { Finding } from "../../agent-host/protocol/thread/finding.ts";
import { t } from "../../l10n/t.ts";
import { nameFinding } from "../../media/wire/finding.ts";
import { fileUri } from "../facts/file-uri.ts";
import { readFolders } from "../facts/folders.ts";
import { isInside } from "../facts/inside.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import { readEvents } from "../panel/thread-feed.ts";
import { foldFindings, NO_REVIEW, type PlacedFinding } from "./fold-findings.ts";

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
	/** Of the open thread. */
	let review = NO_REVIEW;
	const findings = (): readonly PlacedFinding[] => review.findings ?? [];
	const take = (event: ThreadEvent): boolean => {
		const before = review;
		review = foldFindings(review, event, readFolders().first);
		return review.findings !== before.findings;
	};
	const dismissed = (): readonly string[] => memory.get<readonly string[]>(MEMORY_KEY, []);
	const show = (): void => {
		collection.clear();
		const hidden = new Set(dismissed());
		const byFile = Map.groupBy(
			findings().filter((finding) => !hidden.has(nameFinding(finding)) && isHere(finding.file)),
			({ file }) => file,
		);
		for (const [file, of] of byFile) collection.set(fileUri(file), of.map(toDiagnostic));
		changed.fire();
	};
	const showThread = async (threadId: ThreadId | undefined): Promise<void> => {
		review = NO_REVIEW;
		show();
		// Do not start the host just to show this.
		if (threadId === undefined || host.state().state !== "ready") return;
		const events = await readEvents(host, threadId).catch(() => []);
		if (panel.threadId() !== threadId) return;
		review = NO_REVIEW;
		for (const { event } of events) take(event);
		show();
	};
	const disposables = [
		changed,
		collection,
		host.onThreadEvent(({ threadId, event }) => {
			if (threadId === panel.threadId() && take(event)) show();
		}),
		panel.onDidChangeThread((threadId) => void showThread(threadId)),
		// After a reload, a thread is open before there is a host that can be asked.
		host.onDidChangeState(({ state }) => {
			if (state === "ready") void showThread(panel.threadId());
		}),
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
			show();
		},
		find: (uri, diagnostic) =>
			uri instanceof vscode.Uri && diagnostic instanceof vscode.Diagnostic
				? findings().find((one) => one.file === uri.fsPath && toDiagnostic(one).message === diagnostic.message)
				: undefined,
		onDidChange: changed.event,
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

/** Only files in a folder of the window are shown. */
function isHere(file: string): boolean {
	return readFolders().paths.some((folder) => isInside(file, folder));
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
