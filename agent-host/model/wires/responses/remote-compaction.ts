import * as z from "zod";
import type { TokenCount } from "../../../protocol/thread/events.ts";
import type { ModelRequest, ModelStream } from "../../port.ts";
import { nameSource } from "../../sealed-for.ts";
import type { WireReader } from "../connection/answer.ts";
import type { ServerAccess } from "../connection/send-request.ts";
import { askServer } from "../connection/server.ts";
import { readUsage } from "../read-usage.ts";
import { nonsenseFailure } from "../refusals/failure.ts";
import type { Quirks } from "../refusals/quirks.ts";
import { toResponsesBody } from "./responses-body.ts";

/** The request fields that the endpoint accepts. */
const FIELDS = [
	"model",
	"input",
	"instructions",
	"tools",
	"parallel_tool_calls",
	"reasoning",
	"text",
	"prompt_cache_key",
] as const;

/** Lets the server compact the input of a request: yields one sealed item, then the end. */
export function streamCompaction(access: ServerAccess, request: ModelRequest, signal: AbortSignal): ModelStream {
	const { origin } = new URL(access.baseUrl);
	const source = nameSource(access.baseUrl, request.model, "responses");
	const { memory } = access;
	const known = { quirks: memory.quirks(origin, request.model), seals: memory.refusedSeals(origin, request.model) };
	const body = toCompactBody(request, known, source);
	const reader = createCompactReader(source);
	return askServer(access, { path: "/responses/compact", body, model: request.model, reader }, signal);
}

/** The body of the next normal request, without the fields that only an answer needs. */
export function toCompactBody(
	request: ModelRequest,
	{ quirks, seals }: { readonly quirks: Quirks; readonly seals: ReadonlySet<string> },
	source: string,
): Readonly<Record<string, unknown>> {
	const taken: ReadonlySet<string> = new Set(FIELDS);
	const body = Object.entries(toResponsesBody(request, quirks, source, seals));
	return Object.fromEntries(body.filter(([field, value]) => taken.has(field) && value !== ""));
}

const Compacted = z.object({ output: z.array(z.unknown()), usage: z.unknown().optional() });
const Sealed = z.object({ type: z.literal("compaction"), encrypted_content: z.string().min(1) });

/** Reads the single message of the answer. Ignores the user messages in it: ours are exact. */
function createCompactReader(source: string): WireReader {
	let usage: TokenCount | undefined;
	return {
		read(message) {
			const answer = Compacted.safeParse(message);
			usage = readUsage(answer.data?.usage);
			const sealed = answer.data?.output.flatMap((item) => Sealed.safeParse(item).data ?? []) ?? [];
			const [only, ...others] = sealed;
			if (only === undefined || others.length > 0)
				throw nonsenseFailure(new URL(source.split(" ")[0] ?? source).origin);
			return [
				{ type: "item", key: "0", item: { kind: "sealedSummary", encrypted: only.encrypted_content, source } },
				{ type: "completed", ...(usage === undefined ? {} : { usage }) },
			];
		},
		end: () => [],
		usage: () => usage,
		isOver: () => false,
	};
}
