import type { LanguageClient } from "vscode-languageclient/node";
import { HOST_ERRORS, type HostErrorKind } from "../../agent-host/protocol/errors.ts";
import type { Method, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";

/** The only place where a request to the host touches the wire: its answer is parsed like anything from outside. */
export async function call<M extends Method>(
	client: LanguageClient,
	method: M,
	params: ParamsOf<M>,
): Promise<ResultOf<M>> {
	return method.result.parse(await client.sendRequest(method.name, params)) as ResultOf<M>;
}

/** What kind of failure the host answered with, so that nobody has to read its sentences; undefined for any other failure. */
export function failureKind(error: unknown): HostErrorKind | undefined {
	const data = error instanceof Error && "data" in error ? Object(error.data) : {};
	return typeof data.kind === "string" && isKind(data.kind) ? data.kind : undefined;
}

function isKind(kind: string): kind is HostErrorKind {
	return Object.hasOwn(HOST_ERRORS, kind);
}

/** The sentence a failed request carries. */
export function describeFailure(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
