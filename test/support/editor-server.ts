import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { EDITOR_NODE } from "./editor-paths.ts";
import { type EditorPlaces, placeArguments, preparePlaces, serverEnvironment } from "./editor-places.ts";
import { listMarked } from "./editor-processes.ts";
import { findExecutable } from "./editor-tools.ts";
import { until } from "./editor-until.ts";

const STOP_MS = 5_000;

export interface ServerOptions {
	readonly places: EditorPlaces;
	/** 0 takes any free one. */
	readonly port: number;
	readonly env?: Readonly<Record<string, string>>;
	readonly args?: readonly string[];
	readonly within?: readonly string[];
}

export interface CodeServer {
	readonly url: string;
	readonly pid: number;
	/** What the server printed so far. */
	readonly output: () => string;
	readonly exited: Promise<void>;
	/** Ends the server and everything it started; fails when a process outlives it. */
	readonly stop: () => Promise<void>;
}

/** Installs a packed extension, the way the marketplace does. */
export async function installExtension(places: EditorPlaces, vsix: string): Promise<void> {
	preparePlaces(places);
	const args = [...placeArguments(places), "--install-extension", vsix, "--force"];
	await promisify(execFile)(EDITOR_NODE, args, { env: serverEnvironment(places, {}) });
}

export async function startServer({
	places,
	port,
	env = {},
	args = [],
	within = [],
}: ServerOptions): Promise<CodeServer> {
	preparePlaces(places);
	const logFile = join(places.runtime, "server.log");
	const log = openSync(logFile, "w");
	const marker = randomUUID();
	const [program = EDITOR_NODE, ...first] = [...within, ...endingWithUs(), EDITOR_NODE];
	const child = spawn(
		program,
		[
			...first,
			...placeArguments(places),
			"--auth=none",
			`--bind-addr=127.0.0.1:${port}`,
			"--disable-telemetry",
			"--disable-update-check",
			"--disable-getting-started-override",
			...args,
		],
		// A group of its own, so that everything it starts can be ended at once.
		{
			env: serverEnvironment(places, { ...env, VITRINE_EDITOR_RUN: marker }),
			stdio: ["ignore", log, log],
			detached: true,
		},
	);
	closeSync(log);
	endWithUs(child);
	const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
	const output = () => readFileSync(logFile, "utf8");
	const url = await until("code-server listens", () => {
		if (child.exitCode !== null) throw new Error(`code-server ended with ${child.exitCode}:\n${output()}`);
		return /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(output())?.[1];
	});
	return { url, pid: pidOf(child), output, exited, stop: () => stopServer(child, exited, marker) };
}

/** Words that make a program end with whoever started it, also one that was killed. */
function endingWithUs(): readonly string[] {
	const setpriv = findExecutable("setpriv");
	return setpriv === undefined ? [] : [setpriv, "--pdeathsig", "KILL", "--"];
}

/** A group of its own gets no Ctrl+C and outlives us, so it is ended on our way out. */
function endWithUs(child: ChildProcess): void {
	const kill = () => signalGroup(child, "SIGKILL");
	process.once("exit", kill);
	child.once("close", () => process.off("exit", kill));
}

async function stopServer(child: ChildProcess, exited: Promise<void>, marker: string): Promise<void> {
	signalGroup(child, "SIGTERM");
	const timer = setTimeout(() => signalGroup(child, "SIGKILL"), STOP_MS);
	await exited;
	clearTimeout(timer);
	const survivors = () => listMarked(marker);
	try {
		await until("everything the editor started has ended", () => survivors().length === 0, STOP_MS);
	} catch (error) {
		const names = survivors().map(({ pid, command }) => `${pid} ${command}`);
		for (const { pid } of survivors()) process.kill(pid, "SIGKILL");
		throw new Error(`The editor left processes behind:\n${names.join("\n")}`, { cause: error });
	}
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
	try {
		process.kill(-pidOf(child), signal);
	} catch (error) {
		// The whole group has ended already, which is what was wanted.
		if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
	}
}

function pidOf(child: ChildProcess): number {
	if (child.pid === undefined) throw new Error("code-server could not be started. Run: node test/set-up.ts editor");
	return child.pid;
}
