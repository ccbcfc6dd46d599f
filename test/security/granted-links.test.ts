import assert from "node:assert/strict";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadServersFile } from "../../agent-host/capabilities/servers/find-files.ts";
import { decide } from "../../agent-host/permissions/decide/decide.ts";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { accessTo, guardedRoots } from "../../agent-host/permissions/reach/reach.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { serverPolicy } from "../../agent-host/permissions/resolve/server-policy.ts";
import { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import { ServerSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import { createIsWritten, findNamedPlaces } from "../../agent-host/sandbox/reading/program-roots.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { createBindPolicy } from "../../agent-host/workspace/files/bind-policy.ts";
import { findUnfollowed, readableUnder, withRealPaths } from "../../agent-host/workspace/files/readable.ts";

const parent = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-granted-")));
after(() => rmSync(parent, { recursive: true, force: true }));

/** A closed home folder with a workspace in it. */
function aHome(settings: Partial<PermissionSettings> = {}, more: readonly string[] = []) {
	const home = mkdtempSync(join(parent, "home-"));
	const own = mkdtempSync(join(parent, "own-"));
	const at = (path: string) => join(home, path);
	for (const folder of ["src/project", ".config", "notes", ".ssh"]) mkdirSync(at(folder), { recursive: true });
	for (const file of [".config/token", "notes/diary", ".ssh/id"]) writeFileSync(at(file), "canary\n");
	const workspace = at("src/project");
	const policy = resolvePolicy(PermissionSettings.parse(settings), "never", {
		roots: [workspace, ...more.map(at)],
		trusted: true,
		home,
		temp: [],
		own: [own],
		closed: { places: [home], except: [] },
		versionControl: [],
	});
	const sandbox = createSandbox({ home: own, path: process.env.PATH, folders: [workspace] });
	const run = async (script: string, under: Policy = policy) => {
		const environment = { PATH: process.env.PATH, HOME: home };
		const ended = await sandbox.run(
			{ argv: ["/bin/sh", "-c", script], cwd: workspace, policy: under, digest: digestPolicy(under), environment },
			{ limits: under.limits, streams: "kept", input: "closed" },
			new AbortController().signal,
		);
		assert.equal(ended.state, "ended", JSON.stringify(ended));
		return ended.state === "ended" ? ended.output.text : "";
	};
	return { home, at, workspace, policy, run };
}

test("a command that turns a granted place into a link opens nothing to the next command or the next turn's patch", async () => {
	const { home, at, workspace, policy, run } = aHome({ filesystem: [{ path: ":workspace/.github", access: "write" }] });
	await run(`ln -s '${home}' .github`);
	const tries = `echo x > '${home}/planted'; echo x > .github/planted; cat '${at("notes/diary")}' .github/.config/token; ls .github/; true`;
	assert.doesNotMatch(await run(`(${tries}) 2>/dev/null`), /canary|notes/);
	assert.equal(existsSync(at("planted")), false);
	const bound = await createBindPolicy()(policy);
	assert.equal(accessTo(bound, home), "none", "a closed place that is hit exactly stays closed");
	const target = { path: ".github/x", resolved: at("x"), overwrites: false, via: [join(workspace, ".github/x")] };
	assert.equal(decide({ kind: "edit", targets: [target] }, bound).kind, "deny");
	assert.deepEqual(findUnfollowed(policy), [{ path: join(workspace, ".github"), link: join(workspace, ".github") }]);
});

test("a link at a granted place in a writable folder opens no secret, in any mode", async () => {
	for (const mode of ["workspaceWrite", "readOnly"] as const) {
		const { at, workspace, policy } = aHome({ mode, filesystem: [{ path: ":workspace/docs", access: "read" }] });
		symlinkSync(at(".ssh"), join(workspace, "docs"));
		assert.equal(accessTo(withRealPaths(policy), at(".ssh/id")), "none");
	}
	const { at, policy } = aHome({
		mode: "readOnly",
		filesystem: [
			{ path: "~/out", access: "write" },
			{ path: "~/out/in", access: "write" },
		],
	});
	mkdirSync(at("out"));
	symlinkSync(at(".ssh"), at("out/in"));
	assert.equal(accessTo(withRealPaths(policy), at(".ssh/id")), "none", "what was writable in another mode counts");
});

test("a workspace folder inside another one is not followed to where a command redirects it", () => {
	const { at, workspace, policy } = aHome({}, ["src/project/packages/a"]);
	const inner = join(workspace, "packages/a");
	mkdirSync(join(workspace, "packages"));
	symlinkSync(at("notes"), inner);
	const bound = withRealPaths(policy);
	assert.deepEqual(bound.folders, [workspace, inner]);
	assert.equal(accessTo(bound, at("notes/diary")), "none");
	assert.equal(readableUnder(policy)(at("notes/diary")), false);
});

test("a temporary folder in the workspace that becomes a link exempts no other folder from protection", () => {
	const { workspace, policy } = aHome();
	const free = join(workspace, ".tmp");
	symlinkSync(workspace, free);
	const bound = withRealPaths({ ...policy, protect: { ...policy.protect, free: [free] } });
	assert.deepEqual(guardedRoots(bound), [workspace]);
});

test("links that no command can change are followed: the workspace itself, and what the user grants elsewhere", async () => {
	const { home, at, policy, run } = aHome({ filesystem: [{ path: "~/data", access: "write" }] });
	mkdirSync(at("disk/data"), { recursive: true });
	symlinkSync(at("disk/data"), at("data"));
	renameSync(at("src/project"), at("disk/project"));
	symlinkSync(at("disk/project"), at("src/project"));
	assert.equal(
		await run(`echo ok > '${at("data/made")}' && cat '${at("disk/data/made")}'; echo here > f; cat f`),
		"ok\nhere\n",
	);
	assert.deepEqual(withRealPaths(policy).folders, [at("disk/project")]);
	assert.deepEqual(findUnfollowed(policy), []);
	assert.equal(await run(`ls '${home}' 2>/dev/null || echo closed`), "closed\n");
});

test("a workspace's server whose writable or working folder leads outside, now or later, is not used", async () => {
	const { at, workspace, policy, run } = aHome();
	const file = join(workspace, ".mcp.json");
	const load = () => loadServersFile(file, { root: workspace, readable: readableUnder(policy) });
	const write = (server: object, sandbox: object) =>
		writeFileSync(file, JSON.stringify({ mcpServers: { x: { command: "node", ...server } }, sandbox }));
	write({}, { filesystem: { allowWrite: ["notes"] } });
	mkdirSync(join(workspace, "notes"));
	const before = await load();
	assert.deepEqual(before?.problems, []);
	rmSync(join(workspace, "notes"), { recursive: true });
	symlinkSync("../../.config", join(workspace, "notes"));
	const refused = `The servers of ${file} are not used: x would run in or write to a folder outside the workspace.`;
	assert.deepEqual([(await load())?.digest, (await load())?.problems], ["", [refused]]);
	const settings = ServerSettings.parse({
		command: "sh",
		sandbox: { filesystem: { allowWrite: [join(workspace, "notes")] } },
	});
	assert.ok("command" in settings);
	await run(`echo x > '${at(".config/planted")}' 2>/dev/null || true`, serverPolicy(policy, settings));
	assert.equal(existsSync(at(".config/planted")), false, "nor does it write there if the link comes after the check");
	write({ cwd: "notes" }, {});
	assert.deepEqual((await load())?.problems, [refused]);
	rmSync(join(workspace, "notes"));
	mkdirSync(join(workspace, "other"));
	symlinkSync("other", join(workspace, "notes"));
	assert.deepEqual((await load())?.problems, [], "a working folder may be a link within the workspace");
});

test("a user's own server that is named in the workspace opens nothing that a link there leads to", () => {
	const { home, at, workspace } = aHome();
	symlinkSync(at("notes"), join(workspace, "docs"));
	symlinkSync(join(workspace, "docs"), at("shortcut"));
	const words = ["node", join(workspace, "docs"), join(workspace, "docs/diary"), at("shortcut")];
	const isWritten = createIsWritten([workspace]);
	assert.deepEqual(findNamedPlaces(words, home, isWritten), []);
	assert.deepEqual(findNamedPlaces([at("notes/diary")], home, isWritten), [at("notes")]);
});
