// Builds and packs the extension, with a bubblewrap for Linux machines that have none. It is Debian 12's, as apt
// fetches and verifies it, for both architectures; VITRINE_BWRAP names other files instead. It fails if one cannot be
// had. The same commit packs to the same bytes: the files of the package are dated like the commit.
// Usage: node pack.ts [--all]; with --all also a package for each platform, and the command line's.
import { execFileSync, spawnSync } from "node:child_process";
import {
	cpSync,
	existsSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = import.meta.dirname;
/** Debian's name of each architecture, by the package's slot. */
const SLOTS = { "linux-x64": "amd64", "linux-arm64": "arm64" };

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Each holds the programs of its own platform only; every other platform takes the one for all. */
const TARGETS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64"];

/** Everything that can reach a package; a file that is missing here would be missing there. */
const CONTENTS = [
	"dist/**",
	"media/dist/**",
	"media/icons/**",
	"docs/pictures/*.png",
	"l10n/*.json",
	"package*.json",
	"*.md",
	"LICENSE",
	".vscodeignore",
];

const problem = import.meta.main && process.env.VITRINE_BWRAP === undefined ? findProblem() : undefined;
if (problem !== undefined) {
	console.error(
		`${problem} Or name the files in VITRINE_BWRAP (see CONTRIBUTING.md); VITRINE_BWRAP= packs without bubblewrap.`,
	);
	process.exitCode = 1;
} else if (import.meta.main) {
	const env = { ...process.env, VITRINE_BWRAP: process.env.VITRINE_BWRAP ?? fetchAll() };
	run(process.execPath, ["build.ts"], env);
	const dated = { ...env, SOURCE_DATE_EPOCH: process.env.SOURCE_DATE_EPOCH ?? commitSeconds() };
	const isAll = process.argv.includes("--all");
	for (const target of isAll ? [undefined, ...TARGETS] : [undefined]) {
		const file = target === undefined ? "dist/vitrine.vsix" : `dist/vitrine-${target}.vsix`;
		packTo(join(ROOT, file), dated, target);
		console.log(`Packed ${file}.`);
	}
	if (isAll) {
		run("npm", ["pack", "--silent", "./dist/cli", "--pack-destination", "dist"]);
		console.log("Packed the command line for npm into dist.");
	}
}

/** The files that can reach a package, as they are now. */
export function findContents(): readonly string[] {
	return globSync(CONTENTS, { cwd: ROOT })
		.filter((file) => !/\.(?:vsix|tgz)$/.test(file) && statSync(join(ROOT, file)).isFile())
		.sort();
}

/** A package for one platform has no programs of others. */
export function filesFor(target: string | undefined, files: readonly string[]): readonly string[] {
	if (target === undefined) return files;
	return files.filter((file) => !file.startsWith("dist/bin/") || file.startsWith(`dist/bin/${target}/`));
}

/** Packs what is built, for one platform or for all. */
export function packTo(vsix: string, env: NodeJS.ProcessEnv, target?: string): void {
	mkdirSync(join(ROOT, "out"), { recursive: true });
	// vsce looks at every file below its folder, and the editor under test has tens of thousands of them.
	const stage = mkdtempSync(join(ROOT, "out/package-"));
	for (const file of filesFor(target, findContents())) cpSync(join(ROOT, file), join(stage, file));
	const vsce = join(ROOT, "node_modules/@vscode/vsce/vsce");
	const options = target === undefined ? [] : ["--target", target];
	const packed = join(stage, "vitrine.vsix");
	run(process.execPath, [vsce, "package", "--no-dependencies", ...options, "--out", packed], env, stage);
	renameSync(packed, vsix);
	rmSync(stage, { recursive: true });
}

function commitSeconds(): string {
	return execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: ROOT, encoding: "utf8" }).trim();
}

function fetchAll(): string {
	const files = Object.entries(SLOTS).map(([slot, architecture]) => `${slot}=${fetchFor(slot, architecture)}`);
	return files.join(",");
}

/** Why bubblewrap cannot be fetched here, with what to do. */
function findProblem(): string | undefined {
	if (spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status !== 0)
		return "Bubblewrap is fetched with apt-get, which is not here: pack on Debian or Ubuntu.";
	if (!existsSync(KEYRING)) return "Debian's packages are verified with debian-archive-keyring: install that package.";
	return undefined;
}

/** Other systems have another bubblewrap, or only that of their own architecture, so there Debian itself is asked. */
function sourcesFor(folder: string): readonly string[] {
	const system = readFileSync("/etc/os-release", "utf8");
	if (/^ID=debian$/m.test(system) && /^VERSION_ID="12"$/m.test(system)) return [];
	const list = join(folder, "debian.list");
	writeFileSync(list, `deb [signed-by=${KEYRING}] http://deb.debian.org/debian bookworm main\n`);
	return [`Dir::Etc::SourceList=${list}`, "Dir::Etc::SourceParts=/dev/null"];
}

/** With lists of its own: the machine's apt and its architectures stay as they are. */
function fetchFor(slot: string, architecture: string): string {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-bwrap-"));
	try {
		for (const part of ["state/lists/partial", "cache/archives/partial"])
			mkdirSync(join(folder, part), { recursive: true });
		const options = [
			`APT::Architecture=${architecture}`,
			`APT::Architectures=${architecture}`,
			`Dir::State=${join(folder, "state")}`,
			"Dir::State::status=/dev/null",
			`Dir::Cache=${join(folder, "cache")}`,
			...sourcesFor(folder),
			// The folder belongs to whoever packs.
			"APT::Sandbox::User=",
		].flatMap((option) => ["-o", option]);
		run("apt-get", [...options, "-qq", "update"]);
		execFileSync("apt-get", [...options, "-qq", "download", "bubblewrap"], { cwd: folder, stdio: "inherit" });
		const deb = readdirSync(folder).find((name) => name.endsWith(`_${architecture}.deb`));
		if (deb === undefined) throw new Error(`apt has no bubblewrap for ${architecture}.`);
		run("dpkg-deb", ["-x", join(folder, deb), join(folder, "files")]);
		const place = join(ROOT, "out/bwrap", slot);
		mkdirSync(place, { recursive: true });
		cpSync(join(folder, "files/usr/bin/bwrap"), join(place, "bwrap"));
		cpSync(join(folder, "files/usr/share/doc/bubblewrap/copyright"), join(place, "copyright"));
		return join(place, "bwrap");
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env, cwd = ROOT): void {
	execFileSync(program, args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
}
