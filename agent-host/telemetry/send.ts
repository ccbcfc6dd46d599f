import type { Span } from "../protocol/host/telemetry.ts";
import { VERSION } from "../version.ts";
import { asOtlp, tracesAddress } from "./otlp.ts";

const SEND_MS = 5_000;

/** Sends spans to the user's collector. Rejects with the failure. */
export async function sendSpans(endpoint: string, spans: readonly Span[]): Promise<void> {
	const response = await fetch(tracesAddress(endpoint), {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(asOtlp(spans, VERSION)),
		redirect: "error",
		signal: AbortSignal.timeout(SEND_MS),
	});
	await response.body?.cancel();
	if (!response.ok) throw new Error(`The collector answered with ${response.status}.`);
}
