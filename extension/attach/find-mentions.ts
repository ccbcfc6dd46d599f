import { posix } from "node:path";
import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { fileFind } from "../../agent-host/protocol/thread/mentions.ts";
import { type ThreadSummary, threadExport, threadList } from "../../agent-host/protocol/thread/thread.ts";
import { sayHost } from "../../l10n/host-words.ts";
import { t } from "../../l10n/t.ts";
import type { HostClient } from "../host/host-client.ts";
import { offerFile, offerLines, offerProblems, shownPath } from "./document-offers.ts";
import { readEditorOffers } from "./editor-state.ts";
import { offerChanges } from "./git-changes.ts";
import { toExcerpt } from "./lines.ts";
import type { MentionOffer, Offer } from "./offer.ts";
import { findResourceMentions } from "./server-resources.ts";
import { offerTerminal } from "./terminal-output.ts";

const MAX_FILES = 30;
const MAX_SYMBOLS = 10;
const MAX_THREADS = 5;
/** With fewer letters nearly every symbol and thread would match. */
const MIN_LETTERS = 2;
/** Language servers may be slow; the list does not wait longer for symbols. */
const MAX_SYMBOLS_MS = 1_500;

export interface FoundMentions {
	readonly mentions: readonly MentionOffer[];
	readonly isWhole: boolean;
	/** Why some files are missing. */
	readonly missing?: string;
}

/** Yields mentions: first the fast results, then those together with the slow ones. */
export async function* findMentions(
	host: HostClient,
	threadId: ThreadId | undefined,
	query: string,
	/** Cancels what is no longer wanted. */
	token: vscode.CancellationToken,
): AsyncGenerator<FoundMentions> {
	const findFiles = (wait: boolean) => fileMentions(host, threadId, { query, wait }, token);
	let [standing, files] = await Promise.all([findFixedMentions(query), findFiles(false)]);
	const isShort = query.length < MIN_LETTERS;
	yield { ...files, mentions: [...standing, ...files.mentions], isWhole: isShort && files.isWhole };
	if (token.isCancellationRequested) return;
	const slow = isShort ? [] : await findSlowMentions(host, threadId, query, token);
	if (!isShort) yield { ...files, mentions: [...standing, ...files.mentions, ...slow] };
	// The workspace is still being listed.
	while (!files.isWhole && !token.isCancellationRequested) {
		files = await findFiles(true);
		yield { ...files, mentions: [...standing, ...files.mentions, ...slow] };
	}
}

async function findSlowMentions(
	host: HostClient,
	threadId: ThreadId | undefined,
	query: string,
	token: vscode.CancellationToken,
): Promise<readonly MentionOffer[]> {
	const found = await Promise.all([
		findResourceMentions(host, query, token),
		symbolMentions(query),
		threadMentions(host, threadId, query, token),
	]);
	return found.flat();
}

/** Mentions with fixed names: `@selection`, `@problems`, `@open-files`, `@changes`, `@terminal`. */
async function findFixedMentions(query: string): Promise<readonly MentionOffer[]> {
	const editor = readEditorOffers().map(({ offer }) => offer);
	const ofKind = (kind: Offer["kind"]) => editor.find((offer) => offer.kind === kind);
	const named: readonly (readonly [string, Offer | undefined])[] = [
		["selection", ofKind("selection")],
		["problems", offerProblems(undefined)],
		["open-files", ofKind("openFiles")],
		["changes", await offerChanges()],
		["terminal", offerTerminal("output")],
		["terminal-selection", offerTerminal("selection")],
	];
	return named.flatMap(([name, offer]) =>
		offer !== undefined && name.startsWith(query.toLowerCase())
			? [{ ...offer, label: name, detail: offer.title, name }]
			: [],
	);
}

async function fileMentions(
	host: HostClient,
	threadId: ThreadId | undefined,
	question: { readonly query: string; readonly wait: boolean },
	token: vscode.CancellationToken,
): Promise<FoundMentions> {
	const scope = threadId === undefined ? {} : { threadId };
	const { files, isWhole, cut } = await host.request(fileFind, { ...scope, ...question, limit: MAX_FILES }, { token });
	const mentions = files.map(({ name, path, kind }) => {
		const offer = offerFile(vscode.Uri.file(path), kind);
		const folder = posix.dirname(name);
		return { ...offer, name, detail: folder === "." ? "" : folder };
	});
	return { mentions, isWhole, ...(cut && { missing: sayHost(cut) }) };
}

async function symbolMentions(query: string): Promise<readonly MentionOffer[]> {
	const asked = vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
		"vscode.executeWorkspaceSymbolProvider",
		query,
	);
	const symbols = (await Promise.race([asked, symbolTimeout()])) ?? [];
	const mentions = await Promise.all(
		symbols
			.filter(({ location }) => location.uri.scheme === "file")
			.slice(0, MAX_SYMBOLS)
			// A language server may name a file that is gone.
			.map((symbol) => asMention(symbol).catch(() => undefined)),
	);
	return mentions.filter((mention) => mention !== undefined);
}

async function asMention({ name, location: { uri, range } }: vscode.SymbolInformation): Promise<MentionOffer> {
	const document = await vscode.workspace.openTextDocument(uri);
	const lines = { from: range.start.line + 1, to: Math.min(range.end.line + 1, document.lineCount) };
	const offer = offerLines(document, (line) => document.lineAt(line - 1).text, lines, "symbol");
	return { ...offer, label: name, title: `${name}, ${offer.title}`, name, detail: `${shownPath(uri)}:${lines.from}` };
}

async function threadMentions(
	host: HostClient,
	shown: ThreadId | undefined,
	query: string,
	token: vscode.CancellationToken,
): Promise<readonly MentionOffer[]> {
	const { threads } = await host.request(threadList, { query, limit: MAX_THREADS + 1 }, { token });
	return threads
		.filter(({ threadId }) => threadId !== shown)
		.slice(0, MAX_THREADS)
		.map((thread) => threadMention(host, thread));
}

function threadMention(host: HostClient, { threadId, title }: ThreadSummary): MentionOffer {
	return {
		key: `thread ${threadId}`,
		kind: "thread",
		label: title,
		title: t("thread {0}", title),
		name: `thread:${title.replaceAll(/\s+/g, "-")}`,
		detail: t("thread"),
		read: async () => {
			const { text } = await host.request(threadExport, { threadId, format: "markdown" });
			return toExcerpt(`the earlier thread ${title}`, text);
		},
	};
}

function symbolTimeout(): Promise<undefined> {
	return new Promise((resolve) => setTimeout(() => resolve(undefined), MAX_SYMBOLS_MS));
}
