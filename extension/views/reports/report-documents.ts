import * as vscode from "vscode";
import { approvalDiff } from "../../../agent-host/protocol/approval/approval.ts";
import { permissionLedger } from "../../../agent-host/protocol/approval/ledger.ts";
import { serverLog } from "../../../agent-host/protocol/host/servers.ts";
import { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import type { ResultOf } from "../../../agent-host/protocol/method.ts";
import { contextTold, policyShow } from "../../../agent-host/protocol/thread/context.ts";
import { asPlain } from "../../../agent-host/protocol/thread/markdown-text.ts";
import { processTail } from "../../../agent-host/protocol/thread/process.ts";
import { threadRead } from "../../../agent-host/protocol/thread/thread.ts";
import { nameContext } from "../../../l10n/context.ts";
import { t } from "../../../l10n/t.ts";
import { describeFailure } from "../../host/call.ts";
import type { HostClient } from "../../host/host-client.ts";
import { readEvents } from "../../panel/thread-feed.ts";
import { DOCUMENT_SCHEME, type DocumentAddress, formatPath, parsePath, type RequestSide } from "./document-address.ts";
import { type ReadTyped, readRaw, readReport, readRequest } from "./read-report.ts";
import { renderLedger, renderPolicy, renderThread } from "./render-document.ts";

/** Events that change such a document. */
const REFRESH_ON: ReadonlySet<string> = new Set(["turnCompleted", "rolledBack", "rollbackUndone", "grantRevoked"]);

/**
 * Read-only documents: the policy, a thread as Markdown, its decisions, the output of a command, the context sent,
 * reports.
 */
export interface Documents extends vscode.Disposable {
	readonly open: (address: DocumentAddress) => Promise<void>;
	/** Compares the next request with the last one, or a sent one, by its number, with the one before it. */
	readonly showRequestDiff: (threadId: ThreadId, sent?: number) => Promise<void>;
	/** Shows the context sent in a turn, each fragment beside the previous one of its kind. */
	readonly showContextSent: (threadId: ThreadId, turnId: TurnId) => Promise<void>;
	/** Call when the policy may have changed. */
	readonly refreshPolicy: () => void;
}

/** `typed`: what the user has typed for the next request of a thread. */
export function createDocuments(host: HostClient, typed: ReadTyped): Documents {
	const changed = new vscode.EventEmitter<vscode.Uri>();
	const refresh = (wanted: (address: DocumentAddress) => boolean): void => {
		for (const { uri } of vscode.workspace.textDocuments) {
			const address = uri.scheme === DOCUMENT_SCHEME ? parsePath(uri.path) : undefined;
			if (address !== undefined && wanted(address)) changed.fire(uri);
		}
	};
	const provider: vscode.TextDocumentContentProvider = {
		onDidChange: changed.event,
		provideTextDocumentContent: async ({ path }) => {
			const address = parsePath(path);
			if (address === undefined) return "";
			const say = RENDERED.has(address.kind) ? asPlain : String;
			return read(host, address, typed).catch((error: unknown) => `> ${say(describeFailure(error))}\n`);
		},
	};
	const disposables = [
		changed,
		vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, provider),
		host.onThreadEvent(({ threadId, event }) => {
			if (!REFRESH_ON.has(event.type)) return;
			refresh((address) => (address.kind === "thread" || address.kind === "ledger") && address.threadId === threadId);
		}),
		host.onProcessesChanged(() => refresh(isProcess)),
		host.onServersChanged(() => refresh(({ kind }) => kind === "server")),
	];
	let timer: NodeJS.Timeout | undefined;
	/** Refreshes as long as such a document is open. */
	const follow = (): void => {
		const isOpen = vscode.workspace.textDocuments.some(({ uri }) => {
			const address = uri.scheme === DOCUMENT_SCHEME ? parsePath(uri.path) : undefined;
			return address !== undefined && isProcess(address);
		});
		clearTimeout(timer);
		if (!isOpen) return;
		// An open document alone does not start a host again that has stopped.
		if (host.state().state === "ready") refresh(isProcess);
		timer = setTimeout(follow, FOLLOW_MS);
	};
	return {
		open: async (address) => {
			const uri = toUri(address);
			// An open document is read again.
			if (address.kind === "report" || address.kind === "raw") changed.fire(uri);
			const document = await vscode.workspace.openTextDocument(uri);
			// Tables and lists are read rendered; without the editor's own Markdown preview, as text.
			const isRendered = RENDERED.has(address.kind) && vscode.extensions.getExtension(MARKDOWN_PREVIEW) !== undefined;
			if (isRendered) await vscode.commands.executeCommand("markdown.showPreview", uri);
			else await vscode.window.showTextDocument(document, { preview: true });
			if (isProcess(address)) follow();
		},
		showRequestDiff: async (threadId, sent) => {
			const [before, after] = (sent === undefined ? ["last", "next"] : [sent - 1, sent]) as [RequestSide, RequestSide];
			const [left, right] = [before, after].map((side) => toUri({ kind: "request", threadId, side }));
			for (const uri of [left, right]) if (uri !== undefined) changed.fire(uri);
			const title =
				sent === undefined ? t("Last request ↔ next request") : t("Request {0} ↔ request {1}", sent - 1, sent);
			await vscode.commands.executeCommand("vscode.diff", left, right, title);
		},
		showContextSent: (threadId, turnId) => showContextSent(host, threadId, turnId),
		refreshPolicy: () => refresh(({ kind }) => kind === "policy"),
		dispose: () => {
			clearTimeout(timer);
			vscode.Disposable.from(...disposables).dispose();
		},
	};
}

const MARKDOWN_PREVIEW = "vscode.markdown-language-features";
const RENDERED: ReadonlySet<DocumentAddress["kind"]> = new Set(["policy", "report", "ledger"] as const);

/** How often the output of a running command is read while its document is open. */
const FOLLOW_MS = 1_000;

function isProcess({ kind }: DocumentAddress): boolean {
	return kind === "process" || kind === "server";
}

async function showContextSent(host: HostClient, threadId: ThreadId, turnId: TurnId): Promise<void> {
	const { fragments } = await host.request(contextTold, { threadId, turnId });
	if (fragments.length === 0) throw new Error(t("The context from that turn is no longer in the history."));
	const sides = fragments.map(({ kind: fragment }, index) => {
		const address = { kind: "told", threadId, turnId, index, fragment } as const;
		return { fragment, before: toUri({ ...address, side: "before" }), after: toUri({ ...address, side: "after" }) };
	});
	const [only, ...others] = sides;
	if (only !== undefined && others.length === 0) {
		await vscode.commands.executeCommand(
			"vscode.diff",
			only.before,
			only.after,
			t("Context sent: {0}", nameContext(only.fragment)),
		);
		return;
	}
	const resources = sides.map(({ before, after }) => [after, before, after]);
	await vscode.commands.executeCommand("vscode.changes", t("Context sent"), resources);
}

function read(host: HostClient, address: DocumentAddress, typed: ReadTyped): Promise<string> {
	switch (address.kind) {
		case "policy":
			return readPolicy(host, address.threadId);
		case "thread":
			return readThread(host, ThreadId.parse(address.threadId));
		case "ledger":
			return readLedger(host, ThreadId.parse(address.threadId));
		case "report":
			return readReport(
				host,
				address.name,
				address.threadId === undefined ? undefined : ThreadId.parse(address.threadId),
			);
		case "request":
			return readRequest(host, { threadId: ThreadId.parse(address.threadId), side: address.side, typed });
		case "raw":
			return readRaw(host, { threadId: ThreadId.parse(address.threadId), side: address.side, typed });
		case "process":
			return readTail(host, ThreadId.parse(address.threadId), address.processId);
		case "server":
			return readServerLog(host, address.name, address.file);
		case "diff":
			return readDiff(host, ThreadId.parse(address.threadId), address.approvalId);
		case "told":
			return readContextSent(host, address);
	}
}

async function readPolicy(host: HostClient, threadId: string | undefined): Promise<string> {
	return renderPolicy(
		await host.request(policyShow, threadId === undefined ? {} : { threadId: ThreadId.parse(threadId) }),
	);
}

async function readThread(host: HostClient, threadId: ThreadId): Promise<string> {
	const { title } = await host.request(threadRead, { threadId, limit: 1 });
	return renderThread(title, await readEvents(host, threadId));
}

async function readLedger(host: HostClient, threadId: ThreadId): Promise<string> {
	const { entries, cut } = await host.request(permissionLedger, { threadId, limit: 1_000 });
	return renderLedger(entries, cut);
}

async function readTail(host: HostClient, threadId: ThreadId, processId: string): Promise<string> {
	const { text, running } = await host.request(processTail, { threadId, processId });
	return running ? text : `${text}\n[${t("This command has ended.")}]\n`;
}

async function readServerLog(host: HostClient, name: string, file: string | undefined): Promise<string> {
	const { text } = await host.request(serverLog, { name, ...(file !== undefined && { file }) });
	return text === "" ? `[${t("{0} has written nothing yet.", name)}]\n` : `${text}\n`;
}

/** Reads the whole diff, page by page. */
async function readDiff(host: HostClient, threadId: ThreadId, approvalId: string): Promise<string> {
	const pages: string[] = [];
	for (let from: number | undefined = 0; from !== undefined; ) {
		const page: ResultOf<typeof approvalDiff> = await host.request(approvalDiff, { threadId, approvalId, from });
		pages.push(page.text);
		from = page.next;
	}
	return pages.join("");
}

async function readContextSent(host: HostClient, address: Extract<DocumentAddress, { kind: "told" }>): Promise<string> {
	const { threadId, turnId, index, side } = address;
	const ids = { threadId: ThreadId.parse(threadId), turnId: TurnId.parse(turnId) };
	const fragment = (await host.request(contextTold, ids)).fragments[index];
	return (side === "before" ? fragment?.before : fragment?.text) ?? "";
}

function toUri(address: DocumentAddress): vscode.Uri {
	return vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: formatPath(address) });
}
