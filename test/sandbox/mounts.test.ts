import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy, type Network } from "../../agent-host/permissions/policy/policy.ts";
import type { CommandEnd, Sandbox } from "../../agent-host/sandbox/backend.ts";
import { locateBwrap } from "../../agent-host/sandbox/linux/locate-bwrap.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { eventually } from "../host/rig/files.ts";
import { childrenOf, isRunning, isSetUp } from "../host/rig/processes.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const LIMITS = { timeoutMs: 60_000, outputBytes: 100_000 };

const parent = mkdtempSync(join(tmpdir(), "vitrine-mounts-"));
const fixture = makeFixture(parent, process.getuid?.() ?? 0);
const { workspace, outside } = fixture;
after(() => rmSync(parent, { recursive: true, force: true }));

const project = join(workspace, "a project");
const kept = join(project, ".vscode");
mkdirSync(kept, { recursive: true });
writeFileSync(join(kept, "settings.json"), "{}\n");
const closed = join(workspace, "a");
const ran = join(workspace, "ran");
const bwrap = await locateBwrap(process.env.PATH, []);

/**
 * A sandbox with a bubblewrap that makes other mounts than it was told to, as it does when another command leads a path
 * elsewhere in that moment. It adds its process to a file.
 * @param edit A script of sed for its options, one a line.
 */
function openWith(edit: string) {
	assert.ok(bwrap !== undefined, "bubblewrap is there: without it this machine cannot show what is claimed below");
	const bin = mkdtempSync(join(parent, "bin-"));
	const edited = `sed -z '${edit}' <&3 >${bin}/options; exec 3<${bin}/options`;
	const program = `#!/bin/sh\nif [ "$1" = --args ]; then echo $$ >>${bin}/started; ${edited}; fi\nexec ${bwrap} "$@"\n`;
	writeFileSync(join(bin, "bwrap"), program, { mode: 0o755 });
	const sandbox = createSandbox({ home: join(fixture.own, basename(bin)), path: bin, folders: [workspace] });
	const run = (script: string, network: Network) => runIn(sandbox, script, network);
	const started = () =>
		existsSync(join(bin, "started")) ? readFileSync(join(bin, "started"), "utf8").trim().split("\n").map(Number) : [];
	return { run, started };
}

async function runIn(sandbox: Pick<Sandbox, "start">, script: string, network: Network): Promise<CommandEnd> {
	rmSync(ran, { force: true });
	const resolved = policyFor(fixture, {});
	const filesystem = [...resolved.filesystem, { path: closed, access: "none" as const }];
	const policy = { ...resolved, filesystem, network };
	const argv = ["/bin/sh", "-c", `touch ${ran}; ${script}`];
	const request = { argv, cwd: workspace, policy, digest: digestPolicy(policy), environment: process.env };
	const command = await sandbox.start(request, { streams: "kept", input: "closed", limits: LIMITS });
	return command.state === "refused" ? command : command.ended;
}

function runWith(edit: string, script: string, network: Network = { kind: "off" }): Promise<CommandEnd> {
	return openWith(edit).run(script, network);
}

/** It was ended before it began, and the report says what was replaced. */
function assertHeldBack(end: CommandEnd, replaced: string): void {
	assert.ok(end.state === "stopped", JSON.stringify(end));
	assert.deepEqual([end.by, end.output.text, existsSync(ran)], ["protection", "", false]);
	assert.deepEqual(end.notes, [`${replaced} was replaced while the sandbox was set up, so the command did not run.`]);
}

test("a command does not run if a closed place was mounted under a protected name", async () => {
	const end = await runWith(`/^--ro-bind$/{n;s#^${kept}$#${closed}#}`, `cat '${kept}/secret.txt'`);
	assertHeldBack(end, kept);
});

test("a command does not run if a place belonging under a protected name was mounted elsewhere", async () => {
	const end = await runWith(
		`/^--ro-bind$/{n;n;s#^${kept}$#${workspace}/dir#}`,
		`echo changed >'${kept}/settings.json'`,
	);
	assertHeldBack(end, kept);
});

test("a command does not run if anything was mounted that the policy does not call for", async () => {
	const end = await runWith(`s#^--die-with-parent$#--ro-bind\\x00${closed}\\x00${outside}\\x00&#`, `ls ${outside}`);
	assertHeldBack(end, outside);
});

test("a command does not run if a protected place was left writable", async () => {
	const end = await runWith(`/^--ro-bind$/{N;s#^--ro-bind\\x00${kept}$#--bind\\x00${kept}#}`, `touch '${kept}/new'`);
	assertHeldBack(end, kept);
	assert.equal(existsSync(join(kept, "new")), false);
});

test("a command does not run if an empty folder that closes a place is missing", async () => {
	const edit = `/^--\\(tmpfs\\|remount-ro\\)$/{N;s#^.*\\x00\\(${closed}\\)$#--dir\\x00\\1#}`;
	assertHeldBack(await runWith(edit, `cat ${closed}/secret.txt`), closed);
});

test("a command does not run in a sandbox either that was set up before it with the wrong place", async () => {
	const { run, started } = openWith(`/^--ro-bind$/{n;s#^${kept}$#${closed}#}`);
	const script = `cat '${kept}/secret.txt'`;
	assertHeldBack(await run(script, { kind: "off" }), kept);
	await eventually(() => started().length === 2, 5_000, "no sandbox is set up");
	const [, next = 0] = started();
	await eventually(() => !isRunning(next) || childrenOf(next).some(isSetUp), 5_000, "it is neither set up nor ended");
	assertHeldBack(await run(script, { kind: "off" }), kept);
});

test("a command that may reach some sites does not run either if the wrong place was mounted", async () => {
	const network: Network = { kind: "allow", hosts: ["example.com"] };
	const end = await runWith(`/^--ro-bind$/{n;s#^${kept}$#${closed}#}`, `ls '${kept}'`, network);
	assertHeldBack(end, kept);
});

test("a command runs in a sandbox that matches what was requested, with and without a network", async () => {
	const networks: readonly Network[] = [{ kind: "off" }, { kind: "allow", hosts: ["example.com"] }, { kind: "on" }];
	for (const network of networks) {
		const end = await runWith("", `cat '${kept}/settings.json'`, network);
		assert.ok(end.state === "ended", JSON.stringify(end));
		assert.equal(end.output.text, "{}\n");
	}
});
