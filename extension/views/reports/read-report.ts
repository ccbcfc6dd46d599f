import { hostDoctor, policyProbe } from "../../../agent-host/protocol/host/health.ts";
import { hostStatus } from "../../../agent-host/protocol/host/host.ts";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { ParamsOf } from "../../../agent-host/protocol/method.ts";
import { contextInspect, policyShow } from "../../../agent-host/protocol/thread/context.ts";
import { instructionsLint } from "../../../agent-host/protocol/thread/instructions.ts";
import type { PromptInput } from "../../../agent-host/protocol/thread/turn.ts";
import type { HostClient } from "../../host/host-client.ts";
import { readEvents } from "../../panel/thread-feed.ts";
import type { ReportName, RequestSide } from "./document-address.ts";
import { renderInstructions } from "./instructions-words.ts";
import { renderCache, renderDoctor, renderProbe, renderRequest, renderStatus } from "./report-words.ts";

type Read = (host: HostClient, threadId: ThreadId | undefined) => Promise<string>;

/** Reads each report's current data. */
const REPORTS: Readonly<Record<ReportName, Read>> = {
	"Sandbox Test": async (host, threadId) => renderProbe(await host.request(policyProbe, named(threadId))),
	"Cache Report": async (host, threadId) => renderCache(threadId === undefined ? [] : await readEvents(host, threadId)),
	Doctor: async (host) => renderDoctor(await host.request(hostDoctor, {})),
	Instructions: async (host, threadId) => renderInstructions(await host.request(instructionsLint, named(threadId))),
	Status: async (host, threadId) => {
		const status = await host.request(hostStatus, {});
		// Both fail while no model is set up; the status says so.
		const policy = await host.request(policyShow, { compiled: false, ...named(threadId) }).catch(() => undefined);
		const context =
			threadId === undefined ? undefined : await host.request(contextInspect, { threadId }).catch(() => undefined);
		return renderStatus(status, policy, context);
	},
};

export function readReport(host: HostClient, name: ReportName, threadId: ThreadId | undefined): Promise<string> {
	return REPORTS[name](host, threadId);
}

/** What the user has typed and attached for the next request of a thread. */
export type ReadTyped = (threadId: ThreadId) => Promise<readonly PromptInput[]>;

interface WantedRequest {
	readonly threadId: ThreadId;
	readonly side: RequestSide;
	readonly typed: ReadTyped;
}

/** The items of a request: the next one, the last one, or one by number. */
export async function readRequest(host: HostClient, wanted: WantedRequest): Promise<string> {
	return renderRequest((await host.request(contextInspect, await chooseRequest(wanted))).items);
}

/** The same as the provider gets it, indented for a reader. */
export async function readRaw(host: HostClient, wanted: WantedRequest): Promise<string> {
	const chosen = await chooseRequest(wanted);
	const { raw = "null" } = await host.request(contextInspect, { ...chosen, raw: true });
	return `${JSON.stringify(JSON.parse(raw), undefined, 2)}\n`;
}

async function chooseRequest({ threadId, side, typed }: WantedRequest): Promise<ParamsOf<typeof contextInspect>> {
	if (side === "next") return { threadId, input: [...(await typed(threadId))] };
	return { threadId, request: side === "last" ? -1 : side };
}

function named(threadId: ThreadId | undefined): { readonly threadId?: ThreadId } {
	return threadId === undefined ? {} : { threadId };
}
