import type { LanguageClient } from "vscode-languageclient/node";
import * as z from "zod";
import { HOST_ERRORS, type HostErrorKind } from "../../agent-host/protocol/errors.ts";
import type { Method, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { sentenceFields } from "../../agent-host/protocol/say.ts";
import { sayHost } from "../../l10n/host-words.ts";

/** The only place that sends requests to the host; the answer is parsed like any outside data. */
export async function call<M extends Method>(
	client: LanguageClient,
	method: M,
	params: ParamsOf<M>,
): Promise<ResultOf<M>> {
	return method.result.parse(await client.sendRequest(method.name, params)) as ResultOf<M>;
}

/** The host's error kind, so that nobody has to match its sentences; undefined for other errors. */
export function failureKind(error: unknown): HostErrorKind | undefined {
	const data = error instanceof Error && "data" in error ? Object(error.data) : {};
	return typeof data.kind === "string" && isKind(data.kind) ? data.kind : undefined;
}

function isKind(kind: string): kind is HostErrorKind {
	return Object.hasOwn(HOST_ERRORS, kind);
}

/** The sentence a failed request carries, in the reader's language where the host names it. */
export function describeFailure(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const named = z.object(sentenceFields).safeParse("data" in error ? error.data : undefined);
	return sayHost({ message: error.message, ...(named.success ? named.data : {}) });
}
