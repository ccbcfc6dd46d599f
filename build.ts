// Builds the four bundles: extension (loaded by VS Code), agent host (in chunks, so that most of it is loaded when it is
// needed), the command line, which is a package of its own, and the panel's page. With --watch it stays, and builds what
// changes with source maps, so that breakpoints bind.
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as esbuild from "esbuild";

const ROOT = import.meta.dirname;
const { version } = JSON.parse(await readFile(`${ROOT}/package.json`, "utf8"));
const VSCODE_MIN_NODE = "node22";
const WEBVIEW_TARGET = "chrome130";

/**
 * Programs for the package's slots, such as VITRINE_BWRAP="linux-x64=/path/to/bwrap,linux-arm64=/path/to/another": used
 * where a machine has no bubblewrap of its own, and only while their hash is the one written into the host here.
 */
const GIVEN = (process.env.VITRINE_BWRAP ?? "").split(",").flatMap((part) => {
	const [, target, file] = /^(linux-(?:x64|arm64))=(.+)$/.exec(part) ?? [];
	if (part !== "" && (target === undefined || file === undefined)) throw new Error(`VITRINE_BWRAP: ${part}?`);
	return target === undefined || file === undefined ? [] : [{ target, file }];
});

const isWatching = process.argv.includes("--watch");

const shared = {
	absWorkingDir: ROOT,
	bundle: true,
	minify: !isWatching,
	sourcemap: isWatching ? "linked" : false,
	legalComments: "none",
	logLevel: "warning",
} satisfies esbuild.BuildOptions;

const node = {
	...shared,
	platform: "node",
	target: VSCODE_MIN_NODE,
	mainFields: ["module", "main"],
	define: {
		VITRINE_VERSION: JSON.stringify(version),
		VITRINE_BWRAP_SHA256: JSON.stringify(JSON.stringify(await hashesOf(GIVEN))),
	},
} satisfies esbuild.BuildOptions;

/** CommonJS has no chunks: what the extension reads later is a bundle of its own, found beside the first. */
const LATER = /\/(language-client)\.ts$/;
const later: esbuild.Plugin = {
	name: "later",
	setup: ({ onResolve }) =>
		onResolve({ filter: LATER }, ({ kind, path }) => {
			if (kind !== "dynamic-import") return undefined;
			return { path: `./${LATER.exec(path)?.[1]}.cjs`, external: true };
		}),
};

const extension: esbuild.BuildOptions = {
	...node,
	entryPoints: { extension: "extension/main.ts", "language-client": "extension/host/language-client.ts" },
	outdir: "dist",
	format: "cjs",
	outExtension: { ".js": ".cjs" },
	external: ["vscode"],
	plugins: [later],
	// The editor reports every look at `navigator` as an error of the extension; a library only asks for a browser with it.
	define: { ...node.define, navigator: "undefined" },
};

/** The host's own schemas are built when they are first used; libraries get Zod as it is. */
const lateSchemas: esbuild.Plugin = {
	name: "late-schemas",
	setup: ({ onResolve }) =>
		onResolve({ filter: /^zod$/ }, ({ importer }) => {
			const isOwn = !/[\\/]node_modules[\\/]/.test(importer) && importer !== LATE_SCHEMAS;
			return isOwn ? { path: LATE_SCHEMAS } : undefined;
		}),
};
const LATE_SCHEMAS = join(ROOT, "agent-host", "start", "late-schemas.ts");

/** The MCP library would compile the schemas that servers send to code; results are read as untrusted data instead. */
const uncompiled: esbuild.Plugin = {
	name: "uncompiled",
	setup: ({ onResolve }) => {
		onResolve({ filter: /^@modelcontextprotocol\/client\/_shims$/ }, () => ({
			path: `${ROOT}/agent-host/capabilities/servers/library-shims.ts`,
		}));
		onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
			path: `${ROOT}/agent-host/surfaces/mcp/server-shims.ts`,
		}));
	},
};

/**
 * A program in chunks: split as ES modules, which is all that esbuild splits, then turned into CommonJS. Node loads that
 * faster, and keeps what an ES module would evaluate at once, such as `fetch` behind `node:http`, until it is used.
 */
function inChunks(name: string, program: string, together?: Together): esbuild.BuildOptions {
	const commonJs: esbuild.Plugin = {
		name: "common-js",
		setup: ({ onEnd }) => onEnd((result) => writeProgram(name, result, together)),
	};
	return {
		...node,
		plugins: [lateSchemas, uncompiled, commonJs],
		entryPoints: { [`${CHUNK}program`]: program },
		outdir: dirname(`${ROOT}/${name}`),
		format: "esm",
		splitting: true,
		chunkNames: `${CHUNK}[name]-[hash]`,
		outExtension: { ".js": ".cjs" },
		sourcemap: isWatching ? "inline" : false,
		write: false,
	};
}

/** How the names of chunks begin. */
const CHUNK = "host-";

/** What a host loads to answer an editor's first message. */
const SERVING = [
	"agent-host/host.ts",
	...["interpret-schemas", "serve"].map((file) => `agent-host/surfaces/editor/${file}.ts`),
];

/** What it loads then, whatever its user does, with the API of each model server, one of which a turn takes. */
const SESSION = [
	"agent-host/surfaces/editor/connect-session.ts",
	...["responses", "chat", "messages", "gemini"].map((wire) => `agent-host/model/wires/${wire}/${wire}.ts`),
];

/** The names of the chunks that begin with these files, and of all that those import. */
function chunksOf(
	files: readonly string[],
	{ outputs }: esbuild.Metafile = { inputs: {}, outputs: {} },
): readonly string[] {
	const found = new Set<string>();
	const add = (path: string): void => {
		const output = outputs[path];
		if (output === undefined || found.has(path)) return;
		found.add(path);
		for (const { path: imported, kind } of output.imports) if (kind === "import-statement") add(imported);
	};
	for (const file of files) {
		const [path] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === file) ?? [];
		if (path === undefined) throw new Error(`No chunk begins with ${file}.`);
		add(path);
	}
	return [...found].map((path) => basename(path));
}

/** Source files whose chunks are written once more together: those that serve an editor, and those that a session takes. */
interface Together {
	readonly serving: readonly string[];
	readonly session: readonly string[];
}

/** Writes the chunks, and the first file of the program, which knows them by a hash of all. */
async function writeProgram(
	name: string,
	{ outputFiles = [], metafile }: esbuild.BuildResult,
	together: Together | undefined,
): Promise<void> {
	const folder = dirname(`${ROOT}/${name}`);
	await mkdir(folder, { recursive: true });
	const hash = createHash("sha256");
	const chunks = new Map<string, string>();
	for (const { path, text } of outputFiles.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
		const { code } = await esbuild.transform(text, {
			format: "cjs",
			platform: "node",
			target: VSCODE_MIN_NODE,
			minify: !isWatching,
			sourcemap: isWatching ? "inline" : false,
			sourcefile: basename(path),
			define: { "import.meta.dirname": "__dirname" },
			// A chunk is loaded by our own loader, which calls it with what it needs, and has `require` only.
			banner: `(function (exports, require, module, __dirname) { "use strict";`,
			footer: "})",
			supported: { "dynamic-import": false },
		});
		await writeFile(`${folder}/${basename(path)}`, code);
		hash.update(code);
		chunks.set(basename(path), code);
	}
	// The chunks have maps of their sources while they are watched; one file of several would not.
	const isJoined = together !== undefined && !isWatching;
	if (isJoined) {
		const serving = chunksOf(together.serving, metafile);
		const session = chunksOf(together.session, metafile).filter((chunk) => !serving.includes(chunk));
		const join = (names: readonly string[]) => names.map((chunk) => `${JSON.stringify(chunk)}: ${chunks.get(chunk)}`);
		const elsewhere = session.map((chunk) => `${JSON.stringify(chunk)}: "${CHUNK}session.cjs"`);
		await writeFile(`${folder}/${CHUNK}serving.cjs`, `({\n${[...join(serving), ...elsewhere].join(",\n")}})\n`);
		await writeFile(`${folder}/${CHUNK}session.cjs`, `({\n${join(session).join(",\n")}})\n`);
	}
	const first = await esbuild.build({
		...node,
		metafile: true,
		entryPoints: ["agent-host/main.ts"],
		outfile: name,
		format: "cjs",
		banner: { js: "#!/usr/bin/env node" },
		define: {
			VITRINE_PROGRAM: JSON.stringify(`${CHUNK}program.cjs`),
			VITRINE_SERVING: isJoined ? JSON.stringify(`${CHUNK}serving.cjs`) : "undefined",
			VITRINE_BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)),
		},
	});
	await writeFile(`${ROOT}/out/main.meta.json`, JSON.stringify(first.metafile));
}

const agentHost = inChunks("dist/agent-host.cjs", "agent-host/host.ts", { serving: SERVING, session: SESSION });

/** The npm package: `npm pack ./dist/cli`. */
const CLI = `${ROOT}/dist/cli`;

const commandLine = inChunks("dist/cli/vitrine.cjs", "agent-host/vitrine.ts");

/** A part of the page that is read later is a bundle of its own beside it, which shares no code with it. */
const PARTS = /\/later\/(math|languages|diagrams)\.ts$/;
const parts: esbuild.Plugin = {
	name: "parts",
	setup: ({ onResolve }) =>
		onResolve({ filter: PARTS }, ({ kind, path }) => {
			if (kind !== "dynamic-import") return undefined;
			return { path: `./${PARTS.exec(path)?.[1]}.js`, external: true };
		}),
};

const page: esbuild.BuildOptions = {
	...shared,
	entryPoints: {
		...{ panel: "media/main.tsx", inspector: "media/inspector-main.tsx" },
		...{ math: "media/later/math.ts", languages: "media/later/languages.ts", diagrams: "media/later/diagrams.ts" },
	},
	plugins: [parts],
	outdir: "media/dist",
	platform: "browser",
	target: WEBVIEW_TARGET,
	format: "esm",
	jsx: "automatic",
	jsxImportSource: "preact",
	loader: { ".ttf": "file" },
	// A webview reads no other file for its map.
	sourcemap: isWatching ? "inline" : false,
};

const BUNDLES = { extension, "agent-host": agentHost, "command-line": commandLine, page };

await rm(`${ROOT}/dist`, { recursive: true, force: true });
await rm(`${ROOT}/media/dist`, { recursive: true, force: true });
await mkdir(`${ROOT}/out`, { recursive: true });
const bundled = new Set<string>(["@vscode/codicons"]);
for (const [name, options] of Object.entries(BUNDLES)) {
	const { metafile } = await buildOrWatch({ ...options, metafile: true });
	await writeFile(`${ROOT}/out/${name}.meta.json`, JSON.stringify(metafile));
	for (const input of Object.keys(metafile.inputs)) {
		const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
		if (name !== undefined) bundled.add(name);
	}
}
const applyPatch = await readFile(`${ROOT}/agent-host/surfaces/cli/commands/apply_patch`, "utf8");
for (const [folder, program] of [
	[`${ROOT}/dist`, "agent-host.cjs"],
	[CLI, "vitrine.cjs"],
] as const) {
	await mkdir(`${folder}/commands`);
	for (const name of ["apply_patch", "applypatch"]) {
		await writeFile(`${folder}/commands/${name}`, applyPatch.replace("agent-host.cjs", program), { mode: 0o755 });
	}
}
await writeFile(`${ROOT}/dist/THIRD-PARTY-NOTICES.md`, await noticesFor([...bundled].sort()));
await writeCommandLinePackage();
await cp(`${ROOT}/node_modules/@vscode/codicons/dist/codicon.css`, `${ROOT}/media/dist/codicon.css`);
await cp(`${ROOT}/node_modules/@vscode/codicons/dist/codicon.ttf`, `${ROOT}/media/dist/codicon.ttf`);

for (const { target, file } of GIVEN) {
	for (const folder of [`${ROOT}/dist`, CLI]) {
		const slot = `${folder}/bin/${target}/bwrap`;
		await cp(file, slot, { dereference: true });
		await chmod(slot, 0o755);
	}
}

if (isWatching) console.log("Watching for changes.");

/** What npm needs besides the bundle. */
async function writeCommandLinePackage(): Promise<void> {
	const { name, license, repository, bugs } = JSON.parse(await readFile(`${ROOT}/package.json`, "utf8"));
	const manifest = {
		name,
		version,
		description: "A coding agent under glass: see exactly what the model sees, and allow what it may touch.",
		license,
		repository,
		bugs,
		type: "module",
		bin: { vitrine: "vitrine.cjs" },
		engines: { node: ">=22.13" },
	};
	await writeFile(`${CLI}/package.json`, `${JSON.stringify(manifest, undefined, "\t")}\n`);
	await chmod(`${CLI}/vitrine.cjs`, 0o755);
	await cp(`${ROOT}/docs/command-line.md`, `${CLI}/README.md`);
	for (const file of ["LICENSE", "dist/THIRD-PARTY-NOTICES.md"]) {
		await cp(`${ROOT}/${file}`, `${CLI}/${basename(file)}`);
	}
}

type Measured = esbuild.BuildOptions & { metafile: true };

async function buildOrWatch(options: Measured): Promise<esbuild.BuildResult<Measured>> {
	if (!isWatching) return esbuild.build<Measured>(options);
	const context = await esbuild.context<Measured>(options);
	const built = await context.rebuild();
	await context.watch();
	return built;
}

async function hashesOf(programs: typeof GIVEN): Promise<Readonly<Record<string, string>>> {
	const hashes = programs.map(async ({ target, file }) => {
		const sha256 = createHash("sha256")
			.update(await readFile(file))
			.digest("hex");
		return [target, sha256] as const;
	});
	return Object.fromEntries(await Promise.all(hashes));
}

/** Whose code the bundles hold, and under which licence, read from the packages themselves. */
async function noticesFor(names: readonly string[]): Promise<string> {
	const notices = names.map(async (name) => {
		const folder = `${ROOT}/node_modules/${name}`;
		const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
		const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
		const text =
			file === undefined ? "" : `\n\n\`\`\`\n${(await readFile(`${folder}/${file}`, "utf8")).trim()}\n\`\`\``;
		return `## ${name} ${version} (${license})${text}`;
	});
	const all = [...(await Promise.all(notices)), ...(await bubblewrapNotice())];
	return `# Third-party notices\n\n${all.join("\n\n")}\n`;
}

/** Debian's package says it beside the program; both architectures are the same source. */
async function bubblewrapNotice(): Promise<readonly string[]> {
	const [first] = GIVEN;
	if (first === undefined) return [];
	const text = await readFile(`${dirname(first.file)}/copyright`, "utf8").catch(() => undefined);
	const source =
		"An unchanged program of its own; its source is at https://github.com/containers/bubblewrap and in Debian's package bubblewrap.";
	const copyright = text === undefined ? "" : `\n\n\`\`\`\n${text.trim()}\n\`\`\``;
	return [`## bubblewrap (LGPL-2.0-or-later)\n\n${source}${copyright}`];
}
