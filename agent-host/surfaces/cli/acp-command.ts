import { resolve } from "node:path";
import { finished, Readable, Writable } from "node:stream";
import { type AgentContext, ndJsonStream } from "@agentclientprotocol/sdk";
import { HostOptions } from "../../protocol/host/host-options.ts";
import { mergeSettings } from "../../protocol/settings/settings.ts";
import { listModelServers } from "../../session/model-servers.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import { VERSION } from "../../version.ts";
import { createAgent } from "../acp/agent.ts";
import { askEditor } from "../acp/ask-editor.ts";
import { createHosts } from "../acp/hosts.ts";
import { openSession } from "../open-session.ts";
import { createTurnWatch } from "../turn-watch.ts";
import { makeVisible } from "../visible.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import { readSettings, TURN_OPTIONS } from "./model-options.ts";
import { readArguments } from "./read-arguments.ts";

const DONE = 0;
const MISUSED = 2;

export const ACP_OPTIONS = { ...TURN_OPTIONS, home: { type: "string" } } as const;

/** Serves editors over the Agent Client Protocol, until standard input ends. */
export async function acpCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = await readOptions(args, io.cwd);
	if (typeof options === "string") {
		io.stderr.write(`${makeVisible(options)}\n`);
		return MISUSED;
	}
	const { home, settings } = options;
	const user = mergeSettings(settings);
	const watch = createTurnWatch();
	const connected = Promise.withResolvers<AgentContext>();
	const ports: ClientPorts = {
		...clientlessPorts(io.stderr, listModelServers(user)),
		publish: watch.publish,
		...askEditor(connected.promise, watch.rootOf),
	};
	const hosts = createHosts((folders, servers) => {
		const surface = { name: "acp", version: VERSION };
		const given = { ...settings, servers: { ...settings.servers, ...servers } };
		// An editor that opens a folder with its agent has chosen it.
		const hostOptions = HostOptions.parse({
			...(home === undefined ? {} : { home }),
			trusted: true,
			settings: given,
			surface,
		});
		return openSession(folders, hostOptions, ports, new Map(), { isCeiling: true });
	});
	const stream = ndJsonStream(Writable.toWeb(io.stdout), Readable.toWeb(io.stdin) as ReadableStream<Uint8Array>);
	const connection = createAgent({ hosts, watch, user }).connect(stream);
	connected.resolve(connection.client);
	// An editor that no longer reads is gone, too.
	await Promise.race([connection.closed, ended(io.stdin), ended(io.stdout)]);
	await hosts.close();
	// An input that is open would keep the process alive.
	connection.close();
	io.stdin.destroy();
	return DONE;
}

function ended(stream: Readable | Writable): Promise<void> {
	return new Promise((resolve) => finished(stream, () => resolve()));
}

async function readOptions(args: readonly string[], cwd: string) {
	const parsed = readArguments("acp", args, { options: ACP_OPTIONS });
	if (typeof parsed === "string") return parsed;
	const { values } = parsed;
	const read = await readSettings(values, cwd);
	if (!read.ok) return read.reason;
	return { home: values.home === undefined ? undefined : resolve(cwd, values.home), settings: read.settings };
}
