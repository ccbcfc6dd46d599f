// Stands between the test and a host, as an editor does, so that the test can kill it: starts the host, runs one turn, and
// prints what it learns, one JSON value a line. Usage: doomed-parent.ts SPEC, where SPEC is a HostSpec as JSON.
import { flushCompileCache } from "node:module";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { aThread, type HostProcess, type HostSpec, startHost } from "../support/host-process.ts";

export type ParentLine =
	| { readonly kind: "started"; readonly pid: number; readonly threadId: ThreadId }
	| { readonly kind: "acknowledged"; readonly turnId: TurnId }
	| { readonly kind: "event"; readonly published: PublishedEvent };

// It will be killed, and a killed process keeps none of its compiled code.
flushCompileCache();
const spec = process.argv[2];
if (spec === undefined) throw new Error("usage: doomed-parent.ts SPEC");
await runDoomed(await startHost(JSON.parse(spec) as HostSpec));

async function runDoomed(host: HostProcess): Promise<void> {
	const threadId = await aThread(host);
	say({ kind: "started", pid: host.pid, threadId });
	let told = 0;
	// Never true: it is called with every event, which is all that is wanted.
	const listening = host.waitFor(threadId, () => {
		const events = host.events(threadId);
		for (const published of events.slice(told)) say({ kind: "event", published });
		told = events.length;
		return false;
	});
	const input = [{ kind: "text", text: "Look around." } as const];
	say({ kind: "acknowledged", turnId: (await host.request(turnStart, { threadId, input })).turnId });
	await listening;
}

function say(line: ParentLine): void {
	process.stdout.write(`${JSON.stringify(line)}\n`);
}
