import type { CancellationToken } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { HOST_ERRORS, type HostErrorKind } from "../../agent-host/protocol/errors.ts";
import type { Method, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { SaidFields } from "../../agent-host/protocol/say.ts";
import { sayHost } from "../../l10n/host-words.ts";
import { t } from "../../l10n/t.ts";

/** How a caller stops a request and follows its work. */
export interface Waiting {
	/** Cancels the request. */
	readonly token?: CancellationToken;
	/** Receives how much is done, in percent, from a host that counts it. */
	readonly onPercent?: (percent: number) => void;
}

/** The only place that sends requests to the host; the answer is parsed like any outside data. */
export async function call<M extends Method>(
	client: Pick<LanguageClient, "sendRequest">,
	method: M,
	params: ParamsOf<M>,
	{
		token,
		workDoneToken,
	}: { readonly token?: CancellationToken | undefined; readonly workDoneToken?: string | undefined },
): Promise<ResultOf<M>> {
	const sent = workDoneToken === undefined ? params : Object.assign({}, params, { workDoneToken });
	// The library takes an argument that is there but undefined for another parameter.
	const rest = token === undefined ? [] : [token];
	return method.result.parse(await client.sendRequest(method.name, sent, ...rest)) as ResultOf<M>;
}

/** The code of the language-server protocol. */
const REQUEST_CANCELLED = -32_800;

/** Whether a request failed because it was cancelled here. */
export function isCancelled(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === REQUEST_CANCELLED;
}

/** The host's error kind, so that nobody has to match its sentences; undefined for other errors. */
export function failureKind(error: unknown): HostErrorKind | undefined {
	const data = error instanceof Error && "data" in error ? Object(error.data) : {};
	return typeof data.kind === "string" && isKind(data.kind) ? data.kind : undefined;
}

function isKind(kind: string): kind is HostErrorKind {
	return Object.hasOwn(HOST_ERRORS, kind);
}

/**
 * The codes of the library for a request that no host lived to answer: its connection was closed or disposed of, before
 * the request was sent or after.
 */
const CONNECTION_LOST: readonly unknown[] = [1, 2, -32_096, -32_097];

/** The sentence a failed request carries, in the reader's language where the host names it. */
export function describeFailure(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	if ("code" in error && CONNECTION_LOST.includes(error.code)) {
		return t("The agent host ended before it answered. Try again.");
	}
	const named = SaidFields.safeParse("data" in error ? error.data : undefined);
	return sayHost({ message: error.message, ...(named.success ? named.data : {}) });
}
