import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	appendFileSync,
	cpSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { BUNDLED, hostStatus } from "../../agent-host/protocol/host/host.ts";
import { findBwrap } from "../../agent-host/sandbox/linux/locate-bwrap.ts";
import { filesFor } from "../../pack.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn, startHost } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";

const ROOT = join(import.meta.dirname, "../..");
const VSCE = join(ROOT, "node_modules/@vscode/vsce/vsce");

/** All that a build reads. */
const SOURCES = [
	"agent-host",
	"extension",
	"l10n",
	"media",
	"docs/pictures",
	"docs/command-line.md",
	"build.ts",
	"package.json",
	"package.nls.json",
	"package.nls.de.json",
	"package.nls.es.json",
	"package.nls.ja.json",
	"package.nls.zh-cn.json",
	".vscodeignore",
	"README.md",
	"CHANGELOG.md",
	"LICENSE",
];

/** The pipes of commands, and the way to the hosts on the user's list, for commands and for pages. */
const COMMANDS_SOCKETS = [
	...["carry", "fetch-checked", "load-tls", "network-ports", "proxy"].map((name) => `agent-host/network/${name}.ts`),
	"agent-host/sandbox/linux/network/private-network.ts",
	"agent-host/sandbox/linux/pipes.ts",
	"agent-host/sandbox/macos/local-proxy.ts",
];
const MODEL_SOCKETS = "agent-host/model/wires/connection/transmit.ts";

const TARGET = `linux-${process.arch}`;
/** The system's own bubblewrap, for the package's slot. */
const system = await findBwrap(process.env.PATH, [], undefined);

let folder: string;
let builds: readonly [string, string];
let packed: readonly string[];
before(() => {
	folder = mkdtempSync(join(tmpdir(), "vitrine-package-"));
	builds = [buildIn(join(folder, "one")), buildIn(join(folder, "two"))];
	packed = listPacked(builds[0]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

function buildIn(place: string): string {
	mkdirSync(place, { recursive: true });
	const isSource = (path: string) => !path.startsWith(join(ROOT, "media/dist"));
	for (const name of SOURCES) cpSync(join(ROOT, name), join(place, name), { recursive: true, filter: isSource });
	symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"));
	const env = { ...process.env, VITRINE_BWRAP: system.state === "found" ? `${TARGET}=${system.file}` : "" };
	execFileSync(process.execPath, ["build.ts"], { cwd: place, env, stdio: ["ignore", "ignore", "inherit"] });
	return place;
}

function listPacked(place: string): readonly string[] {
	const list = execFileSync(process.execPath, [VSCE, "ls", "--no-dependencies"], { cwd: place, encoding: "utf8" });
	return list
		.split("\n")
		.filter((line) => line !== "")
		.sort();
}

function hashFiles(place: string): readonly string[] {
	return globSync(["dist/**/*", "media/dist/**/*"], { cwd: place })
		.filter((file) => statSync(join(place, file)).isFile())
		.sort()
		.map(
			(file) =>
				`${file} ${createHash("sha256")
					.update(readFileSync(join(place, file)))
					.digest("hex")}`,
		);
}

function readBundles(): readonly (readonly [string, string])[] {
	const files = globSync(["dist/*.cjs", "media/dist/*.js"], { cwd: builds[0] }).sort();
	return files.map((file) => [basename(file), readFileSync(join(builds[0], file), "utf8")] as const);
}

function countIn(pattern: RegExp): Record<string, number> {
	const counts = readBundles().map(([file, text]) => [file, text.match(pattern)?.length ?? 0] as const);
	return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** A list of docs/packages.md; a `*` stands for the hash in the name of a chunk. */
function readList(title: string): readonly string[] {
	const page = readFileSync(join(ROOT, "docs/packages.md"), "utf8");
	const [, list = ""] = page.split(`## ${title}\n`)[1]?.split("```") ?? [];
	return list.split("\n").slice(1, -1);
}

/** Files as the list names them. The build here has a bubblewrap for this machine only. */
function asListed(files: readonly string[]): readonly string[] {
	const names = files.map((file) => file.replace(/-[A-Z0-9]{8}\.cjs$/, "-*.cjs"));
	const slots = names.flatMap((name) =>
		name.endsWith("/bwrap") ? ["linux-arm64", "linux-x64"].map((slot) => name.replace(TARGET, slot)) : [],
	);
	return [...new Set([...names, ...slots])].sort();
}

test("the packages of the extension and of the command line contain exactly the files on the published lists", () => {
	assert.deepEqual(asListed(packed), readList("Files of the extension"));
	const place = join(builds[0], "dist/cli");
	const own = globSync("**", { cwd: place }).filter((file) => statSync(join(place, file)).isFile());
	assert.deepEqual(asListed(own), readList("Files of the command line"));
});

test("a package for one platform contains no program of another", () => {
	const programs = ["linux-x64", "linux-arm64"].map((slot) => `dist/bin/${slot}/bwrap`);
	const files = ["dist/agent-host.cjs", ...programs];
	assert.deepEqual(filesFor(undefined, files), files);
	assert.deepEqual(filesFor("linux-arm64", files), ["dist/agent-host.cjs", "dist/bin/linux-arm64/bwrap"]);
	assert.deepEqual(filesFor("win32-x64", files), ["dist/agent-host.cjs"]);
});

test("two builds in two folders are byte for byte identical", () => {
	assert.ok(hashFiles(builds[0]).length > 5);
	assert.deepEqual(hashFiles(builds[1]), hashFiles(builds[0]));
});

test("the package contains no path of the machine that built it", () => {
	const [place] = builds;
	const texts = packed.map((file) => [file, readFileSync(join(place, file), "latin1")] as const);
	const own = [ROOT, folder, tmpdir().length > 4 ? tmpdir() : folder];
	assert.deepEqual(
		texts.filter(([, text]) => own.some((path) => text.includes(path))).map(([file]) => file),
		[],
	);
});

test("nothing in the package runs when it is installed", () => {
	const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	const hooks = Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$|^vscode:/.test(name));
	assert.deepEqual(hooks, []);
});

test("no bundle turns text into code", () => {
	assert.deepEqual(
		{ eval: countIn(/\beval\(/g), function: countIn(/\bnew Function\(|[^.\w$]Function\(/g) },
		{ eval: {}, function: {} },
	);
});

/** Files of a bundle that import one of these modules of Node, with the folder of the package for a library. */
function importersOf(bundle: "extension" | "agent-host" | "main", modules: RegExp): readonly string[] {
	const meta: Metafile = JSON.parse(readFileSync(join(builds[0], "out", `${bundle}.meta.json`), "utf8"));
	const files = Object.entries(meta.inputs).filter(([, { imports }]) => imports.some(({ path }) => modules.test(path)));
	return [...new Set(files.map(([file]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file))].sort();
}

interface Metafile {
	readonly inputs: Record<string, { readonly imports: readonly { readonly path: string }[] }>;
	readonly outputs: Record<string, { readonly inputs: Record<string, unknown> }>;
}

test("the extension loads its language client, most of its code, only once it starts the host", () => {
	const meta: Metafile = JSON.parse(readFileSync(join(builds[0], "out", "extension.meta.json"), "utf8"));
	const holders = Object.entries(meta.outputs).filter(([, { inputs }]) =>
		Object.keys(inputs).some((file) => file.includes("/vscode-languageclient/")),
	);
	assert.deepEqual(
		holders.map(([file]) => file),
		["dist/language-client.cjs"],
	);
});

test("only the launcher and the language client can start processes, and none through a shell", () => {
	assert.deepEqual(
		{
			host: importersOf("agent-host", /^(?:node:)?(?:child_process|cluster)$/),
			extension: importersOf("extension", /^(?:node:)?(?:child_process|cluster)$/),
			shells: countIn(/\bshell:\s*(?:!0|true)\b/g),
		},
		{ host: ["agent-host/sandbox/launch.ts"], extension: ["vscode-languageclient"], shells: {} },
	);
});

test("only code for messages, models and served commands imports sockets, and only the chunk loader evaluates code", () => {
	const sockets = /^(?:node:)?(?:net|tls|dgram|http|https|http2|dns|inspector)$/;
	const code = /^(?:node:)?(?:vm|repl|wasi)$/;
	assert.deepEqual(
		{
			host: importersOf("agent-host", sockets),
			extension: importersOf("extension", sockets),
			first: importersOf("main", sockets),
			code: [...importersOf("main", code), ...importersOf("agent-host", code), ...importersOf("extension", code)],
		},
		{
			host: [MODEL_SOCKETS, ...COMMANDS_SOCKETS, "vscode-jsonrpc"].sort(),
			// The page that a browser comes back to after a sign-in.
			extension: ["extension/host/loopback-redirect.ts", "vscode-jsonrpc"],
			first: [],
			code: ["agent-host/start/load-chunks.ts"],
		},
	);
	// Each but one works on sockets that it is given.
	const connects = COMMANDS_SOCKETS.filter((file) =>
		/\b(?:connect|createConnection) ?\(/.test(readFileSync(join(ROOT, file), "utf8")),
	);
	assert.deepEqual(connects, ["agent-host/network/network-ports.ts"]);
});

test("the notices name the packed bubblewrap with its licence and its source", () => {
	const notices = readFileSync(join(builds[0], "dist/THIRD-PARTY-NOTICES.md"), "utf8");
	assert.match(notices, /^## bubblewrap \(LGPL-2\.0-or-later\)\n\n.*https:\/\/github\.com\/containers\/bubblewrap/m);
});

test("on a system without bubblewrap a packed host runs commands with its own copy, and warns once about it", async () => {
	const program = join(builds[0], "dist/agent-host.cjs");
	const model = await startFakeModel([calls("run_command", { command: "echo it ran" }), says("Done.")]);
	const workspace = join(folder, "workspace");
	mkdirSync(workspace);
	const host = await startHost({
		program,
		home: join(folder, "bundled-home"),
		folders: [workspace],
		settings: { model: { provider: "compatible", baseUrl: model.baseUrl, id: "fake-1" } },
		secret: "key",
		env: { HOME: folder, PATH: folder },
	});
	try {
		await runTurn(host, await aThread(host), "Run it.");
		const told = bodyOf(model.requests[1] ?? assert.fail()).input.findLast(({ output }) => output !== undefined);
		assert.match(String(told?.output), /Exit code 0[\s\S]*it ran/);
		assert.deepEqual((await host.request(hostStatus, {})).sandbox, { kind: "bubblewrap", isBundled: true });
		assert.deepEqual(
			host.received.warnings.map(({ code, command }) => [
				code,
				/install bubblewrap|add bubblewrap|-S bubblewrap/.test(command ?? ""),
			]),
			[[BUNDLED, true]],
		);
	} finally {
		await host.close();
		await model.stop();
	}
});

test("without bubblewrap on its PATH a host uses the one in its slot, and refuses a different one there", () => {
	const [, place] = builds;
	const policy = join(folder, "policy.json");
	writeFileSync(policy, JSON.stringify({ filesystem: [{ path: "/", access: "read" }] }));
	const args = [join(place, "dist/agent-host.cjs"), "sandbox", "--policy", policy, "--", "/bin/echo", "contained"];
	const run = () =>
		spawnSync(process.execPath, args, {
			env: { HOME: folder, VITRINE_HOME: join(folder, "home"), PATH: folder },
			encoding: "utf8",
		});
	const slot = join(place, "dist/bin", TARGET, "bwrap");
	const used = run();
	assert.deepEqual([used.stdout, used.status], ["contained\n", 0], used.stderr);
	appendFileSync(slot, "\0");
	const changed = run();
	assert.deepEqual([changed.stdout, changed.status], ["", 125]);
	assert.match(changed.stderr, /bundled bubblewrap has been modified/);
	rmSync(slot);
	assert.match(run().stderr, /Bubblewrap \(bwrap\) was not found/);
});
