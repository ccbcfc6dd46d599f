import { ResponseError } from "vscode-jsonrpc/node";
import type { HOST_METHODS } from "../../protocol/catalog.ts";

/** As the language-server protocol numbers it. */
const REQUEST_CANCELLED = -32_800;

/** Methods that change nothing. A cancelled one is answered at once, even while something is still being read. */
const READ_ONLY: ReadonlySet<keyof typeof HOST_METHODS> = new Set([
	...(["threadList", "threadRead", "threadImage", "threadSearch", "threadExport", "threadVerify"] as const),
	...(["threadReplay", "contextInspect", "contextTold", "policyShow", "policyProbe", "approvalDiff"] as const),
	...(["permissionLedger", "processList", "processTail", "reviewList", "reviewBase", "fileFind"] as const),
	...(["modelList", "modelDiscover", "hostStatus", "hostDoctor"] as const),
]);

/**
 * The answer to a request that may be cancelled. One that changes something is answered with what became of it, since a client
 * that was told of nothing would do it again; when cancelling has made it fail, it was cancelled.
 */
export async function unlessCancelled<T>(
	key: keyof typeof HOST_METHODS,
	answer: Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	const { promise: cancelled, reject } = Promise.withResolvers<never>();
	const onAbort = (): void => reject(wasCancelled());
	if (READ_ONLY.has(key)) signal.addEventListener("abort", onAbort, { once: true });
	try {
		return await Promise.race([answer, cancelled]);
	} catch (error) {
		throw signal.aborted ? wasCancelled() : error;
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}

function wasCancelled(): ResponseError<{ readonly kind: "cancelled" }> {
	return new ResponseError(REQUEST_CANCELLED, "The request was cancelled.", { kind: "cancelled" });
}
