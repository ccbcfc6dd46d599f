// Builds and packs the extension, with a bubblewrap for Linux machines that have none. It is Debian's, as apt
// fetches and verifies it, for both architectures; VITRINE_BWRAP names other files instead. It fails if one cannot be
// had. The same commit packs to the same bytes: the files of the package are dated like the commit.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = import.meta.dirname;
/** Debian's name of each architecture, by the package's slot. */
const SLOTS = { "linux-x64": "amd64", "linux-arm64": "arm64" };

const given = process.env.VITRINE_BWRAP ?? fetchAll();
const env = { ...process.env, VITRINE_BWRAP: given };
run(process.execPath, ["build.ts"], env);
const vsce = join(ROOT, "node_modules/@vscode/vsce/vsce");
run(process.execPath, [vsce, "package", "--no-dependencies", "--out", "dist/vitrine.vsix"], {
	...env,
	SOURCE_DATE_EPOCH: process.env.SOURCE_DATE_EPOCH ?? commitSeconds(),
});

function commitSeconds(): string {
	return execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: ROOT, encoding: "utf8" }).trim();
}

function fetchAll(): string {
	const files = Object.entries(SLOTS).map(([slot, architecture]) => `${slot}=${fetchFor(slot, architecture)}`);
	return files.join(",");
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

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
	execFileSync(program, args, { cwd: ROOT, env, stdio: "inherit" });
}
