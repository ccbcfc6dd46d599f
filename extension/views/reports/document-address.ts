/** Reports by the name on their tab. */
export const REPORT_NAMES = ["Sandbox Test", "Cache Report", "Status", "Doctor", "Instructions"] as const;
export type ReportName = (typeof REPORT_NAMES)[number];

/** What a read-only document shows. */
export type DocumentAddress =
	| { readonly kind: "policy"; readonly threadId?: string }
	| { readonly kind: "thread"; readonly threadId: string; readonly title: string }
	| { readonly kind: "ledger"; readonly threadId: string }
	| { readonly kind: "report"; readonly name: ReportName; readonly threadId?: string }
	| { readonly kind: "request"; readonly threadId: string; readonly side: RequestSide }
	| { readonly kind: "raw"; readonly threadId: string; readonly side: RequestSide }
	| { readonly kind: "process"; readonly threadId: string; readonly processId: string }
	| { readonly kind: "server"; readonly name: string; readonly file?: string | undefined }
	| { readonly kind: "diff"; readonly threadId: string; readonly approvalId: string }
	| {
			readonly kind: "told";
			readonly threadId: string;
			readonly turnId: string;
			readonly index: number;
			readonly side: "before" | "after";
			readonly fragment: string;
	  };

/** The last sent request, the next one, or a sent one by its number. */
export type RequestSide = "last" | "next" | number;

export const DOCUMENT_SCHEME = "vitrine";

const NO_THREAD = "new";
const MAX_TITLE = 60;

/** Path of a document's URI; the last part is the name on the tab. */
export function formatPath(address: DocumentAddress): string {
	switch (address.kind) {
		case "policy":
			return join("policy", address.threadId ?? NO_THREAD, "Effective Policy.md");
		case "thread":
			return join("thread", address.threadId, `${fileName(address.title)}.md`);
		case "ledger":
			return join("ledger", address.threadId, "Permission Ledger.md");
		case "report":
			return join("report", address.threadId ?? NO_THREAD, `${address.name}.md`);
		case "request":
			return join("request", address.threadId, address.side, "Request.md");
		case "raw":
			return join("raw", address.threadId, address.side, "Request.json");
		case "process":
			return join("process", address.threadId, `${address.processId}.log`);
		case "server":
			return join("server", address.name, ...listFile(address.file), "MCP Server.log");
		case "diff":
			return join("diff", address.threadId, address.approvalId, "Full Diff.diff");
		case "told":
			return join("told", address.threadId, address.turnId, address.index, address.side, `${address.fragment}.md`);
	}
}

/** Parses a path; undefined if it is not one of ours. */
export function parsePath(path: string): DocumentAddress | undefined {
	const [, kind, threadId, ...rest] = path.split("/");
	if (threadId === undefined || threadId === "") return undefined;
	const name = rest.at(-1)?.replace(/\.md$/, "") ?? "";
	const thread = threadId === NO_THREAD ? {} : { threadId };
	if (kind === "policy") return { kind, ...thread };
	const report = REPORT_NAMES.find((one) => one === name);
	if (kind === "report") return report === undefined ? undefined : { kind, name: report, ...thread };
	if (kind === "request" || kind === "raw") return { kind, threadId, side: parseSide(rest[0] ?? "") };
	if (kind === "thread") return { kind, threadId, title: name };
	if (kind === "ledger") return { kind, threadId };
	if (kind === "process") return { kind, threadId, processId: name.replace(/\.log$/, "") };
	if (kind === "server") return { kind, name: threadId, ...(rest.length > 1 && { file: readFile(rest[0]) }) };
	if (kind === "diff") return { kind, threadId, approvalId: rest[0] ?? "" };
	const [turnId, index, side] = rest;
	if (kind !== "told" || turnId === undefined || (side !== "before" && side !== "after")) return undefined;
	return { kind, threadId, turnId, index: Number(index), side, fragment: name };
}

/** As one part of a path. */
function listFile(file: string | undefined): readonly string[] {
	return file === undefined ? [] : [encodeURIComponent(file.toWellFormed())];
}

/** Undefined if nobody has written it like this. */
function readFile(part = ""): string | undefined {
	try {
		return decodeURIComponent(part);
	} catch {
		return undefined;
	}
}

function parseSide(text: string): RequestSide {
	return text === "last" || text === "next" ? text : Number(text);
}

function join(...parts: readonly (string | number)[]): string {
	return `/${parts.join("/")}`;
}

function fileName(title: string): string {
	const line = title
		.toWellFormed()
		.replaceAll(/[\\/\s\p{Cc}]+/gu, " ")
		.trim();
	// By whole characters: an address with half of one cannot be written.
	return [...line].slice(0, MAX_TITLE).join("") || "Thread";
}
