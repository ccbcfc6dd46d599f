import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findCgroups } from "../../agent-host/sandbox/linux/cgroups/cgroups.ts";
import { READ_ONLY, SPLIT, WORKSPACE_WRITE } from "./probes/files.ts";
import { type Fixture, makeFixture, policyFor } from "./probes/fixture.ts";
import { FULL, NETWORK_LIST, NETWORK_OFF, NETWORK_ON, NETWORK_PUBLIC, PROCESS } from "./probes/machine.ts";
import { judge, type ProbeSet, scriptOf } from "./probes/probe.ts";
import { startUsers, type User } from "./probes/users.ts";

const SETS = [READ_ONLY, WORKSPACE_WRITE, SPLIT, PROCESS, NETWORK_OFF, NETWORK_LIST, NETWORK_PUBLIC, NETWORK_ON, FULL];
const ENOUGH = 120;

const users = startUsers();
const server = createServer((socket) => socket.on("error", () => undefined).end("hello"));
let parent: string;
let port = 0;

before(async () => {
	parent = mkdtempSync(join(tmpdir(), "vitrine-probes-"));
	// An ordinary user has to get through it.
	chmodSync(parent, 0o755);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	port = typeof address === "object" && address !== null ? address.port : 0;
});

after(() => {
	server.close();
	for (const user of users) user.close();
	rmSync(parent, { recursive: true, force: true });
});

test(`at least ${ENOUGH} distinct mechanisms are tried`, (context) => {
	const mechanisms = new Set(SETS.flatMap((set) => set.probes.map(([mechanism]) => `${set.title}: ${mechanism}`)));
	context.diagnostic(`${mechanisms.size} probes as ${users.map(({ name }) => name).join(" and ")}`);
	assert.ok(mechanisms.size >= ENOUGH, `only ${mechanisms.size}`);
});

for (const user of users) {
	for (const set of SETS) {
		test(`${set.title}, as ${user.name}: ${set.probes.length} probes end as the policy says`, async () => {
			const fixture = makeFixture(parent, user.id);
			const before = contentOf(fixture);
			const output = await runSet(set, user, fixture);
			assert.deepEqual(judge(set, output), []);
			assert.deepEqual(
				contentOf(fixture),
				before,
				"files outside the workspace, protected and closed ones are as they were",
			);
			fixture.remove();
		});
	}
}

test("a fork bomb meets a limit that its end names: the kernel's count for root, the user's own for others (R-46)", async (context) => {
	const bomb =
		"for (1..400) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } $n++ } print $n; exit 0";
	for (const user of users) {
		const fixture = makeFixture(parent, user.id);
		const policy = policyFor(fixture, {});
		const limited = { ...policy, limits: { ...policy.limits, processes: 64 } };
		const job = { home: fixture.own, policy: limited, cwd: fixture.workspace, argv: ["perl", "-e", bomb] };
		const ended = await user.run(job);
		assert.ok(ended.state === "ended", JSON.stringify(ended));
		context.diagnostic(`${user.name}: ${ended.bound}, ${ended.output.text} processes`);
		assert.equal(ended.bound, user.id === 0 ? (findCgroups() === undefined ? "pidNamespace" : "cgroup") : "rlimit");
		if (ended.bound === "cgroup") assert.deepEqual(ended.notes, ["It reached its limit of 64 processes."]);
		assert.equal(Number(ended.output.text) < 64, ended.bound !== "pidNamespace", ended.output.text);
		fixture.remove();
	}
});

async function runSet(set: ProbeSet, user: User, fixture: Fixture): Promise<string> {
	const variables = {
		WS: fixture.workspace,
		OUT: fixture.outside,
		HOME_DIR: fixture.home,
		OWN: fixture.own,
		TMP_DIR: join(fixture.folder, "tmp"),
		PORT: port,
		HOST_PID: process.pid,
	};
	const ended = await user.run({
		home: fixture.own,
		policy: policyFor(fixture, set.permissions(fixture, port)),
		cwd: fixture.workspace,
		argv: ["/bin/bash", "-c", scriptOf(set, variables)],
	});
	assert.equal(ended.state, "ended", JSON.stringify(ended).slice(0, 2_000));
	return ended.state === "ended" ? ended.output.text : "";
}

/** What must not change: text and names outside the workspace, and of what is protected or closed in it. */
function contentOf(fixture: Fixture): Readonly<Record<string, string>> {
	const kept = [
		"outside",
		"home",
		"ws/.vscode",
		"ws/.git/hooks",
		"ws/a",
		"ws/ro/r.txt",
		"ws/sub/deep/keep",
		"ws/closed.txt",
		"ws/keys",
	];
	const found: Record<string, string> = {
		roots: readdirSync(fixture.workspace)
			.sort()
			.join(" ")
			.replaceAll(/\S+\.made-by-a-command-\S+|\b(?:other|x1|n\d+)\b ?/g, "")
			.replaceAll(/ +/g, " ")
			.trim(),
	};
	const visit = (path: string): void => {
		if (!existsSync(path)) return;
		if (readdirOf(path) === undefined) found[path] = readFileSync(path, "utf8");
		else for (const name of readdirOf(path) ?? []) visit(join(path, name));
	};
	for (const path of kept) visit(join(fixture.folder, path));
	return found;
}

function readdirOf(path: string): readonly string[] | undefined {
	try {
		return readdirSync(path);
	} catch {
		return undefined;
	}
}
