import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { chown, mkdir, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { bindAtLaunch } from "../../agent-host/sandbox/protect/bind-at-launch.ts";
import { createHarmfulPlaces } from "../../agent-host/sandbox/protect/harmful-places.ts";
import { aCase, expectedLines, makeTree, policyOf, scriptFor } from "./probes/random-policy.ts";
import { startUsers } from "./probes/users.ts";

const RUNS = process.env.VITRINE_FULL === "1" ? 200 : 15;
const users = startUsers();
const parent = mkdtempSync(join(tmpdir(), "vitrine-random-"));
chmodSync(parent, 0o755);

after(() => {
	for (const user of users) user.close();
	rmSync(parent, { recursive: true, force: true });
});

test(`the resolver predicts what ${RUNS} random policies let a command open, write, make, rename and remove`, async (context) => {
	const cases = fc.sample(aCase, { numRuns: RUNS, seed: seed() });
	let compared = 0;
	for (const [index, one] of cases.entries()) {
		const user = users[index % users.length];
		assert.ok(user !== undefined);
		const tree = join(parent, `t${index}`);
		const home = join(parent, `h${index}`);
		await makeTree(tree);
		await mkdir(home);
		await give(user.id, tree);
		await give(user.id, home);
		const policy = policyOf(one, tree);
		// A nested repository is protected when a command starts, whatever the policy says of its folder.
		const { policy: bound } = await bindAtLaunch(policy, createHarmfulPlaces());
		const expected = expectedLines(bound, tree);
		const ended = await user.run({ home, policy, cwd: "/usr", argv: ["perl", "-e", scriptFor(tree)] });
		assert.equal(ended.state, "ended", `${JSON.stringify(one)} ${JSON.stringify(ended).slice(0, 1_000)}`);
		const really = ended.state === "ended" ? ended.output.text.trim().split("\n") : [];
		compared += expected.length;
		assert.deepEqual(really, expected, `seed ${seed()}, as ${user.name}: ${JSON.stringify(one)}`);
	}
	context.diagnostic(`${compared} outcomes compared, seed ${seed()}`);
});

async function give(owner: number, path: string): Promise<void> {
	if (process.getuid?.() !== 0) return;
	await chown(path, owner, owner);
	for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
		await chown(join(entry.parentPath, entry.name), owner, owner);
}

function seed(): number {
	return Number(process.env.VITRINE_SEED ?? 20_260);
}
