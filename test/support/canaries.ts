import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { filesUnder } from "../host/rig/files.ts";
import {
	describeProcess,
	isStillRunning,
	listening,
	nameOf,
	type ProcessName,
	processesMarked,
	requireProc,
	socketsOf,
	treeOf,
} from "../host/rig/processes.ts";
import { inFairTime } from "./fair-time.ts";
import type { RecordedRequest } from "./fake-model-request.ts";
import type { HostProcess } from "./host-process.ts";

/** A small world for one test, with bait that no host may touch, show or pass on. */
export interface World {
	readonly root: string;
	/** The open folder, with a few harmless files. */
	readonly workspace: string;
	/** For the host's own files. */
	readonly home: string;
	/** A file beside the workspace; its text must never come out. */
	readonly outside: string;
	/** Links in the workspace that lead out of it: to the file, and to its folder. */
	readonly links: { readonly file: string; readonly folder: string };
	/** The model's key: it may stand in an Authorization header and nowhere else. */
	readonly key: string;
	/** Environment for every process of this test: a home with fake credentials, and a marker to find them by. */
	readonly env: Readonly<Record<string, string>>;
	readonly bait: readonly Bait[];
	/** Strings that are in no place but the bait. */
	readonly secrets: readonly string[];
}

interface Bait {
	readonly path: string;
	readonly text: string;
	readonly modified: number;
	/** When the file was last read, on file systems that keep it. */
	readonly read: number;
}

/** What was seen of a host's processes while it ran. */
export interface Watch {
	/** Ends the sampling and fails if one of them ever listened for connections. */
	stop(): void;
	/** Everything that ran, so that what left the family is found too. */
	readonly seen: ReadonlySet<ProcessName>;
}

const MARKER = "VITRINE_TEST_RUN";
const YESTERDAY = new Date(Date.now() - 36 * 3_600_000);

export function plantCanaries(): World {
	requireProc();
	// Tests compare paths with what the host resolves, so no link may be on the way.
	const root = mkdtempSync(join(realpathSync(tmpdir()), "vitrine-"));
	const [workspace, userHome, outside] = [join(root, "work"), join(root, "user"), join(root, "outside", "plan.txt")];
	const secret = (name: string) => `canary-${name}-${randomUUID()}`;
	const secrets = ["outside", "ssh", "cloud", "netrc", "token"].map(secret);
	const paths = [
		outside,
		join(userHome, ".ssh/id_ed25519"),
		join(userHome, ".aws/credentials"),
		join(userHome, ".netrc"),
		join(userHome, ".config/gh/hosts.yml"),
	];
	write(join(workspace, "README.md"), "# A small project\n\nIt greets people.\n");
	write(join(workspace, "src/main.ts"), 'import { greet } from "./greet.ts";\n\ngreet("world");\n');
	write(join(workspace, "src/greet.ts"), 'export function greet(name: string) {\n\tconsole.log("Hello", name);\n}\n');
	const links = { file: join(workspace, "link-to-file"), folder: join(workspace, "link-to-folder") };
	const bait = paths.map((path, index) => plant(path, `${secrets[index]}\n`));
	symlinkSync(outside, links.file);
	symlinkSync(dirname(outside), links.folder);
	return {
		root,
		workspace,
		home: join(root, "home"),
		outside,
		links,
		key: secret("key"),
		env: { HOME: userHome, [MARKER]: randomUUID() },
		bait,
		secrets,
	};
}

export function removeCanaries(world: World): void {
	rmSync(world.root, { recursive: true, force: true });
}

/** Looks at the host and all it started, again and again, until `stop`. */
export function watchProcesses(pid: number): Watch {
	const listeners = new Set<string>();
	const seen = new Set<ProcessName>();
	const known = new Set<string>();
	const look = () => {
		if (nameOf(pid) === undefined) clearInterval(timer);
		for (const one of treeOf(pid)) {
			const name = nameOf(one);
			if (name) seen.add(name);
			const sockets = socketsOf(one);
			// The kernel's tables take milliseconds to read: only when there is a socket that was in none of them before.
			if (sockets.every((socket) => known.has(socket))) continue;
			for (const socket of sockets) known.add(socket);
			for (const line of listening(one, sockets)) listeners.add(line);
		}
	};
	const timer = setInterval(look, 100).unref();
	look();
	return {
		seen,
		stop() {
			known.clear();
			look();
			clearInterval(timer);
			assert.deepEqual([...listeners], [], "the host must not listen on any socket");
		},
	};
}

export interface LeftBehind {
	readonly hosts: readonly HostProcess[];
	readonly requests: readonly RecordedRequest[];
	readonly seen: readonly ProcessName[];
	/** How long processes that were killed may take to go, on a quiet machine. */
	readonly graceMs: number;
}

/** Call when all hosts of the world have ended. */
export async function checkCanaries(world: World, left: LeftBehind): Promise<void> {
	await checkNothingRuns(world, left);
	checkBait(world);
	const secrets = [...world.secrets, world.key];
	for (const { received } of left.hosts) {
		assert.equal(received.stray(), "", "stdout holds frames and nothing else");
		checkText(secrets, "a message of the host", received.messages.join("\n"));
		checkText(secrets, "the host's stderr", received.stderr());
	}
	for (const path of filesUnder(world.home)) checkText(secrets, path, readFileSync(path, "latin1"));
	for (const { headers, text, path } of left.requests) {
		const { authorization = "", "x-api-key": key = "", "x-goog-api-key": _, ...others } = headers;
		checkText(secrets, `a request to ${path}`, JSON.stringify(others) + text);
		checkText(world.secrets, "a header for the key", authorization + key);
	}
}

async function checkNothingRuns(world: World, { seen, graceMs }: LeftBehind): Promise<void> {
	const marker = `${MARKER}=${world.env[MARKER]}`;
	const findSurvivors = () => [...processesMarked(marker), ...seen.filter(isStillRunning)];
	const describe = () =>
		`no process outlives the host, but these do: ${findSurvivors().map(describeProcess).join("; ")}`;
	// The kernel takes a moment to bury what was killed; there is no event for processes that are not ours.
	await inFairTime(() => findSurvivors().length === 0, graceMs, describe);
}

function checkBait(world: World): void {
	const atimeKept = keepsReadTimes(world.root);
	for (const { path, text, modified, read } of world.bait) {
		const { mtimeMs, atimeMs } = statSync(path);
		assert.equal(mtimeMs, modified, `${path} was not written`);
		if (atimeKept) assert.equal(atimeMs, read, `${path} was not read`);
		assert.equal(readFileSync(path, "utf8"), text, `${path} is unchanged`);
		// Our own look must not be the one that the next check finds.
		utimesSync(path, read / 1_000, modified / 1_000);
	}
}

function checkText(secrets: readonly string[], where: string, text: string): void {
	for (const secret of secrets) assert.ok(!text.includes(secret), `${where} holds a secret`);
}

function plant(path: string, text: string): Bait {
	write(path, text);
	// A read moves the time of reading forward where it is older than the time of writing, also under relatime.
	utimesSync(path, YESTERDAY, new Date(YESTERDAY.getTime() + 1_000));
	const { mtimeMs, atimeMs } = statSync(path);
	return { path, text, modified: mtimeMs, read: atimeMs };
}

function keepsReadTimes(folder: string): boolean {
	const probe = plant(join(folder, "probe"), "x");
	readFileSync(probe.path);
	return statSync(probe.path).atimeMs !== probe.read;
}

function write(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}
