import { resolve } from "node:path";
import { findPluginChange } from "../../capabilities/plugins/trust.ts";
import { loadServersFile } from "../../capabilities/servers/find-files.ts";
import { openHttp } from "../../capabilities/servers/http-transport.ts";
import type { ServerEffects } from "../../capabilities/servers/load.ts";
import type { Server } from "../../capabilities/servers/server.ts";
import type { Authorizations } from "../../capabilities/servers/sign-in/authorizations.ts";
import { openStdio } from "../../capabilities/servers/stdio-transport.ts";
import { digestPolicy, type Policy } from "../../permissions/policy/policy.ts";
import { writableRoots } from "../../permissions/reach/reach.ts";
import { findBeyondLimits } from "../../permissions/resolve/limit-servers.ts";
import { serverPolicy } from "../../permissions/resolve/server-policy.ts";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";
import type { CommandEnd, Sandbox } from "../../sandbox/backend.ts";
import { createIsWritten, findNamedPlaces } from "../../sandbox/reading/program-roots.ts";
import { readableUnder } from "../../workspace/files/readable.ts";
import type { Facts } from "../facts.ts";
import type { Ports } from "../ports/ports.ts";
import { type FilledServer, fillServer, hideSecrets } from "./fill-server.ts";
import type { ServerLogs } from "./server-log.ts";

/** Bytes of a server's error output that are kept for its log. */
const LOG_BYTES = 65_536;

export interface OpenServerOptions {
	readonly facts: Pick<Facts, "folders">;
	readonly ports: Pick<Ports, "log" | "serverInput">;
	readonly sandbox: Pick<Sandbox, "start">;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly userHome: string;
	/** The policy of a turn that would begin now in this folder, or in the first of the workspace; without servers. */
	readonly policy: (folder?: string) => Promise<Policy>;
	readonly logs: ServerLogs;
	readonly authorizations: Authorizations;
	/** A program starts under this policy, which is what `limit` made of the policy of a turn. */
	readonly started: (server: Server, inForce: Policy, limit: (base: Policy) => Policy) => void;
}

/** Starts servers, or connects to them, as they were agreed to. */
export function createOpenServer(options: OpenServerOptions): ServerEffects["open"] {
	const { facts, ports, policy, environment, userHome } = options;
	return async (server) => {
		const filled = await fillServer(server, {
			...{ folder: facts.folders[0], userHome, environment, ask: ports.serverInput },
		});
		options.logs.keepSecret(server, filled.secrets);
		// The user may have taken their time: what was agreed to, and what is allowed, counts as it is now.
		const base = await policy(server.file?.root);
		if (server.file !== undefined) await checkUnchanged(server.file, base);
		const changed = server.plugin && (await findPluginChange(server.plugin));
		if (changed !== undefined) throw new Error(changed);
		const { settings, secrets } = filled;
		const beyond = findBeyondLimits(settings, base);
		if (beyond !== undefined) throw new Error(beyond);
		return "url" in settings
			? openHttp(settings, options.authorizations)
			: openProgram(options, server, { settings, secrets }, base);
	};
}

/** A file that changed since the user agreed starts nothing. */
async function checkUnchanged({ path, digest, root }: NonNullable<Server["file"]>, policy: Policy): Promise<void> {
	const now = await loadServersFile(path, { root, readable: readableUnder(policy) });
	if (now?.digest === digest) return;
	throw new Error(`${path}, or a file that it names, has changed. You are asked about it with the next turn.`);
}

interface FilledProgram extends FilledServer {
	readonly settings: Extract<ServerSettings, { command: string }>;
}

async function openProgram(
	{ facts, ports, sandbox, environment, userHome, logs, started: note }: OpenServerOptions,
	server: Server,
	{ settings, secrets }: FilledProgram,
	base: Policy,
): ReturnType<ServerEffects["open"]> {
	if (!base.commands) throw new Error("The workspace is not trusted.");
	if (base.noSandbox !== undefined && settings.sandboxEnabled) {
		throw new Error("There is no sandbox here. Set sandboxEnabled to false to run it with your rights.");
	}
	const named = listOpened(server, settings, userHome, createIsWritten([...base.folders, ...writableRoots(base)]));
	const folder = server.file?.root ?? facts.folders[0] ?? "/";
	const placed = placeIn(folder, settings);
	const limit = (policy: Policy): Policy => serverPolicy(policy, placed, named);
	const inForce = limit(base);
	const digest = digestPolicy(inForce);
	note(server, inForce, limit);
	return openStdio(async (onData) => {
		const started = await sandbox.start(
			{
				argv: [settings.command, ...settings.args],
				cwd: resolve(folder, settings.cwd ?? "."),
				policy: inForce,
				digest,
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
		logs.follow(server, () => hideSecrets(started.read(), secrets));
		let stoppedFor: string | undefined;
		void started.ended.then((end) => {
			const log = hideSecrets(end.state === "refused" ? end.reason : end.output.text, secrets);
			if (log !== "") ports.log("info", `MCP server ${server.name}: ${log}`);
			logs.noteEnd(server, stoppedFor ?? describeEnd(end));
		});
		return {
			...started,
			stop: (why) => {
				stoppedFor ??= why;
				started.stop();
			},
		};
	});
}

/** What it may write to can be named from its folder on. */
function placeIn(folder: string, settings: FilledProgram["settings"]): FilledProgram["settings"] {
	const allowWrite = settings.sandbox.filesystem.allowWrite.map((path) => resolve(folder, path));
	return { ...settings, sandbox: { ...settings.sandbox, filesystem: { allowWrite } } };
}

/** For the server's log, so that its end can be understood. */
function describeEnd(end: CommandEnd): string {
	if (end.state === "refused") return end.reason;
	const notes = end.notes.map((note) => ` ${note}`).join("");
	// The user, or what the user changed; it may be idle, too.
	if (end.state === "stopped" && end.by === "user") return `It was stopped.${notes}`;
	if (end.state === "stopped") return `Stopped (${end.by}).${notes}`;
	return `Ended with exit code ${end.exitCode}${end.signal === undefined ? "" : ` (${end.signal})`}.${notes}`;
}

/** Closed places that a server may read: those that the user's own settings name, and for a plugin its folder. */
function listOpened(
	{ file, plugin }: Server,
	{ command, args }: FilledProgram["settings"],
	userHome: string,
	isWritten: (path: string) => boolean,
): readonly string[] {
	if (plugin !== undefined) return [plugin.folder];
	// A workspace cannot open a closed place by naming it.
	return file === undefined ? findNamedPlaces([command, ...args], userHome, isWritten) : [];
}
