import type { LanguageClient } from "vscode-languageclient/node";
import type { Method, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";

/** The only place where a request to the host touches the wire: its answer is parsed like anything from outside. */
export async function call<M extends Method>(
	client: LanguageClient,
	method: M,
	params: ParamsOf<M>,
): Promise<ResultOf<M>> {
	return method.result.parse(await client.sendRequest(method.name, params)) as ResultOf<M>;
}

/** The sentence a failed request carries. */
export function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
