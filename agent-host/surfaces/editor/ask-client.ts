import { CancellationTokenSource, type MessageConnection } from "vscode-jsonrpc/node";
import type { Method, ParamsOf, ResultOf } from "../../protocol/method.ts";

/**
 * Sends a request to the client and parses its answer. When `signal` aborts, the request is cancelled and its answer
 * ignored.
 */
export async function askClient<M extends Method>(
	connection: MessageConnection,
	method: M,
	params: ParamsOf<M>,
	signal: AbortSignal | undefined,
): Promise<ResultOf<M>> {
	signal?.throwIfAborted();
	const source = new CancellationTokenSource();
	const { promise: ended, reject } = Promise.withResolvers<never>();
	const cancel = (): void => {
		source.cancel();
		reject(signal?.reason);
	};
	signal?.addEventListener("abort", cancel, { once: true });
	try {
		const answer = connection.sendRequest(method.name, params, source.token);
		return method.result.parse(await Promise.race([answer, ended])) as ResultOf<M>;
	} finally {
		signal?.removeEventListener("abort", cancel);
		source.dispose();
	}
}
