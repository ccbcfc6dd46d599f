import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { test } from "node:test";

/** Where containers and Codespaces hand secrets to programs, outside of every home. */
const HANDED_OVER = ["/run/secrets", "/run/credentials", "/run/keys", "/workspaces/.codespaces"];

const LOOK = `
	import { findClosedPlaces } from "${import.meta.resolve("../../agent-host/sandbox/reading/closed-places.ts")}";
	console.log(JSON.stringify(findClosedPlaces({ home: "/nobody", environment: {}, written: [] }).places));
`;

/** This machine's files, in a root of its own that has other folders besides. */
function anotherRoot(folders: readonly string[]): readonly string[] {
	const own = new Set(["dev", "proc", "run", "workspaces"]);
	const names = readdirSync("/").filter((name) => !own.has(name) && !name.includes("+"));
	const binds = names.flatMap((name) => {
		const path = `/${name}`;
		return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind-try", path, path];
	});
	return ["--tmpfs", "/", ...binds, "--dev", "/dev", "--proc", "/proc", ...folders.flatMap((path) => ["--dir", path])];
}

test("secrets handed to a container or a codespace outside a home are closed, the workspace beside them is not", () => {
	const options = anotherRoot([...HANDED_OVER, "/workspaces/project"]);
	const node = [process.execPath, "--input-type=module", "-e", LOOK];
	const ended = spawnSync("bwrap", ["--unshare-user", ...options, "--", ...node], { encoding: "utf8" });
	assert.equal(ended.status, 0, ended.stderr);
	const places = JSON.parse(ended.stdout) as readonly string[];
	assert.deepEqual(
		HANDED_OVER.filter((path) => !places.includes(path)),
		[],
	);
	assert.equal(places.includes("/workspaces") || places.includes("/workspaces/project"), false);
});
