import { findServers } from "../../capabilities/servers/find.ts";
import { openHttp } from "../../capabilities/servers/http-transport.ts";
import { createServers, describeError, type Servers } from "../../capabilities/servers/load.ts";
import { describeServers, offerTools } from "../../capabilities/servers/offer.ts";
import { readResult } from "../../capabilities/servers/read-result.ts";
import type { KnownServer, Server } from "../../capabilities/servers/server.ts";
import { openStdio } from "../../capabilities/servers/stdio-transport.ts";
import type { Observed } from "../../envelope/resolve-envelope.ts";
import { digestPolicy, type Policy } from "../../permissions/policy/policy.ts";
import { serverPolicy } from "../../permissions/resolve/server-policy.ts";
import type { Sandbox } from "../../sandbox/backend.ts";
import type { ToolPorts } from "../../tools/tool.ts";
import { VERSION } from "../../version.ts";
import { type Facts, layerSettings } from "../facts.ts";
import type { Ports } from "../ports/ports.ts";

/** Bytes of a server's error output that are kept for its log. */
const LOG_BYTES = 65_536;

export interface ToolServersOptions {
	readonly facts: Facts;
	readonly ports: Pick<Ports, "now" | "setTimer" | "log">;
	readonly sandbox: Pick<Sandbox, "start">;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** The policy of a turn that would begin now, without servers. */
	readonly policy: () => Promise<Policy>;
	readonly changed: () => void;
}

/** The user's MCP servers, as turns use them. */
export interface ToolServers extends Pick<Servers, "list" | "stop" | "close"> {
	/** What they offer now, for a turn that begins. In a workspace that is not trusted nothing is started. */
	readonly observe: () => Promise<Observed["servers"]>;
	/** The same as far as it is known, for a look at the next turn: only a turn starts servers. */
	readonly foresee: () => Promise<Observed["servers"]>;
	readonly callServer: ToolPorts["callServer"];
	/** Trust, folders or settings changed: servers that run under another policy end. */
	readonly endOutdated: () => Promise<void>;
}

function offer(known: readonly KnownServer[]): Observed["servers"] {
	return { offers: describeServers(known), tools: offerTools(known) };
}

export function createToolServers(options: ToolServersOptions): ToolServers {
	const { facts, ports, sandbox, environment, policy, changed } = options;
	/** The digest of the policy that each server was started under. */
	const startedUnder = new Map<string, string>();
	const configured = (): readonly Server[] => findServers(layerSettings(facts.settings).servers);
	const wanted = (): readonly Server[] => (facts.trusted ? configured() : []);

	const servers = createServers({
		roots: () => facts.folders,
		version: VERSION,
		now: ports.now,
		setTimer: ports.setTimer,
		changed,
		open: async (server) => {
			const { settings } = server;
			if ("url" in settings) return openHttp(settings);
			const base = await policy();
			if (!base.commands) throw new Error("The workspace is not trusted.");
			if (base.noSandbox !== undefined && settings.sandboxEnabled) {
				throw new Error("There is no sandbox here. Set sandboxEnabled to false to run it with your rights.");
			}
			const inForce = serverPolicy(base, settings);
			startedUnder.set(server.name, digestPolicy(base));
			return openStdio(async (onData) => {
				const started = await sandbox.start(
					{
						argv: [settings.command, ...settings.args],
						cwd: facts.folders[0] ?? "/",
						policy: inForce,
						digest: digestPolicy(inForce),
						environment,
						owner: `server-${server.digest.slice(0, 16)}`,
					},
					{
						limits: { timeoutMs: inForce.limits.timeoutMs, outputBytes: LOG_BYTES },
						streams: "split",
						input: "open",
						onData,
					},
				);
				if (started.state === "refused") throw new Error(started.reason);
				void started.ended.then((end) => {
					const log = end.state === "refused" ? end.reason : end.output.text;
					if (log !== "") ports.log("info", `MCP server ${server.name}: ${log}`);
				});
				return started;
			});
		},
	});
	return {
		...servers,
		observe: async () => offer(await servers.learn(wanted())),
		foresee: async () => offer(servers.look(wanted())),
		callServer:
			({ tool, input }) =>
			async (signal, show) => {
				const server = configured().find(({ name }) => name === tool.server);
				const known = servers.list().find((one) => one.server.digest === server?.digest);
				const isSame = known !== undefined && offerTools([known]).some(({ digest }) => digest === tool.digest);
				if (server === undefined || (known?.catalogue !== undefined && !isSame)) {
					return {
						ok: false,
						reason: `${tool.server} no longer offers ${tool.tool} as it did. The next turn sees what it offers.`,
					};
				}
				const { timeoutMs } = server.settings;
				try {
					const onProgress = (text: string) => show(`${text}\n`);
					const raw = await servers.call(server, { tool: tool.tool, input, timeoutMs, onProgress }, signal);
					const { ok, text, image } = readResult(raw);
					return ok ? { ok, text, ...(image && { image }) } : { ok, reason: text };
				} catch (error) {
					signal.throwIfAborted();
					return { ok: false, reason: `${tool.server} failed: ${describeError(error)}` };
				}
			},
		async endOutdated() {
			if (startedUnder.size === 0) return;
			const now = digestPolicy(await policy());
			const outdated = [...startedUnder].filter(([, digest]) => digest !== now).map(([name]) => name);
			for (const name of outdated) startedUnder.delete(name);
			await Promise.all(outdated.map((name) => servers.stop(name)));
		},
	};
}
