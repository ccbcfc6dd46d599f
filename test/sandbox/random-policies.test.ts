import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { chown, mkdir, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import type { Policy } from "../../agent-host/permissions/policy.ts";
import { enforcedAccess } from "../../agent-host/permissions/reach.ts";
import type { FileAccess, PolicyEntry } from "../../agent-host/protocol/policy.ts";
import { aPolicy } from "../support/a-policy.ts";
import { startUsers } from "./probes/users.ts";

const RUNS = process.env.VITRINE_FULL === "1" ? 200 : 40;
const users = startUsers();
const parent = mkdtempSync(join(tmpdir(), "vitrine-random-"));
chmodSync(parent, 0o755);

after(() => {
	for (const user of users) user.close();
	rmSync(parent, { recursive: true, force: true });
});

/** Folders of the tree the policies are about; each holds the files `f`, `victim` and `mover`. */
const FOLDERS = ["", "a", "a/b", "a/b/c", "a/d", "e", "e/g", ".git", "a/.git", "a/b/.vscode"];
/** Named by policies, and not there. */
const MISSING = ["new", "a/new/deep", "e/g/new"];

const anEntry = fc.record({
	path: fc.oneof(
		{ weight: 5, arbitrary: fc.constantFrom(...FOLDERS) },
		{ weight: 2, arbitrary: fc.constantFrom(...FOLDERS.map((folder) => join(folder, "f"))) },
		{ weight: 1, arbitrary: fc.constantFrom(...MISSING) },
	),
	access: fc.constantFrom<FileAccess>("none", "read", "write"),
});
const aCase = fc.record({
	entries: fc.array(anEntry, { minLength: 1, maxLength: 7 }),
	root: fc.constantFrom<FileAccess>("read", "none"),
	secret: fc.option(fc.constantFrom("a/b", "e", "a/f"), { nil: undefined }),
});

test(`what ${RUNS} random policies let be opened, written, made, renamed and removed is what the resolver says`, async (context) => {
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
		const ended = await user.run({ home, policy, cwd: "/usr", argv: ["perl", "-e", scriptFor(tree)] });
		assert.equal(ended.state, "ended", `${JSON.stringify(one)} ${JSON.stringify(ended).slice(0, 1_000)}`);
		const really = ended.state === "ended" ? ended.output.text.trim().split("\n") : [];
		const expected = OPERATIONS.flatMap(([name, , says]) =>
			FOLDERS.map((folder) => `${name} ${folder} ${says(policy, join(tree, folder)) ? "yes" : "no"}`),
		);
		compared += expected.length;
		assert.deepEqual(really, expected, `seed ${seed()}, as ${user.name}: ${JSON.stringify(one)}`);
	}
	context.diagnostic(`${compared} outcomes compared, seed ${seed()}`);
});

type Operation = readonly [name: string, script: string, says: (policy: Policy, folder: string) => boolean];

const isWritable = (policy: Policy, path: string): boolean => enforcedAccess(policy, path) === "write";

/** Each is tried in every folder `$d`, in Perl. Removing and renaming change the folder as much as the file. */
const OPERATIONS: readonly Operation[] = [
	["open", 'open(F, "<", "$d/f")', (policy, folder) => enforcedAccess(policy, join(folder, "f")) !== "none"],
	["list", "opendir(D, $d)", (policy, folder) => enforcedAccess(policy, folder) !== "none"],
	["write", 'open(F, ">>", "$d/f")', (policy, folder) => isWritable(policy, join(folder, "f"))],
	["create", 'open(F, ">", "$d/made") && unlink("$d/made")', isWritable],
	["mkdir", 'mkdir("$d/folder") && rmdir("$d/folder")', isWritable],
	["link", 'symlink("f", "$d/link") && unlink("$d/link")', isWritable],
	["rename", 'rename("$d/mover", "$d/moved") && rename("$d/moved", "$d/mover")', isWritable],
	["unlink", 'unlink("$d/victim")', isWritable],
	[
		"replace",
		'open(F, ">", "$d/other") && rename("$d/other", "$d/f")',
		(policy, folder) => isWritable(policy, folder) && isWritable(policy, join(folder, "f")),
	],
];

/** One line for each operation and folder. */
function scriptFor(tree: string): string {
	const lines = OPERATIONS.map(
		([name, code]) => `for $p (@p) { $d = "$t/$p"; print "${name} $p ", ((${code}) ? "yes" : "no"), "\\n"; }`,
	);
	return [`$t = '${tree}'; @p = (${FOLDERS.map((folder) => `'${folder}'`).join(", ")});`, ...lines].join("\n");
}

function policyOf(
	one: { readonly entries: readonly PolicyEntry[]; readonly root: FileAccess; readonly secret: string | undefined },
	tree: string,
): Policy {
	const system = ["/usr", "/bin", "/lib", "/lib64", "/etc"].map((path) => ({ path, access: "read" as const }));
	const entries = one.entries.map(({ path, access }) => ({ path: join(tree, path), access }));
	return {
		...aPolicy(),
		filesystem: [...(one.root === "none" ? system : []), { path: "/", access: one.root }, ...entries],
		folders: [tree],
		secrets: one.secret === undefined ? [] : [join(tree, one.secret)],
		protect: { names: [".git", ".vscode"], paths: [], free: [] },
	};
}

async function makeTree(tree: string): Promise<void> {
	for (const folder of FOLDERS) {
		await mkdir(join(tree, folder), { recursive: true });
		for (const file of ["f", "victim", "mover"]) await writeFile(join(tree, folder, file), "text\n");
	}
}

async function give(owner: number, path: string): Promise<void> {
	if (process.getuid?.() !== 0) return;
	await chown(path, owner, owner);
	for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
		await chown(join(entry.parentPath, entry.name), owner, owner);
}

function seed(): number {
	return Number(process.env.VITRINE_SEED ?? 20_260);
}
