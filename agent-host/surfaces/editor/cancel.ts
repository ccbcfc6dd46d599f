import { ResponseError } from "vscode-jsonrpc/node";
import type { HOST_METHODS } from "../../protocol/catalog.ts";

/** The code of the language-server protocol. */
const REQUEST_CANCELLED = -32_800;

/** Methods that change nothing. A cancelled one is answered at once, even while something is still being read. */
const READ_ONLY: ReadonlySet<keyof typeof HOST_METHODS> = new Set([
	...(["threadList", "threadRead", "threadImage", "threadSearch", "threadExport", "threadVerify"] as const),
	...(["threadReplay", "contextInspect", "contextTold", "policyShow", "policyProbe", "approvalDiff"] as const),
	...(["permissionLedger", "processList", "processTail", "reviewList", "reviewBase", "fileFind", "toolLend"] as const),
	...(["modelList", "modelDetect", "modelDiscover", "hostStatus", "hostDoctor"] as const),
]);

/**
 * The answer to a request that may be cancelled. A request that changes something is answered with its result, because
 * a client that got none would do it again; if cancelling made it fail, it counts as cancelled.
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
