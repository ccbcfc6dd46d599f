import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { enforcedAccess } from "../../../agent-host/permissions/reach/reach.ts";
import { expandEntries } from "../../../agent-host/permissions/resolve/resolve-policy.ts";
import type { FileAccess, PolicyEntry } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { aPolicy } from "../../support/a-policy.ts";

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
export const aCase = fc.record({
	entries: fc.array(anEntry, { minLength: 1, maxLength: 7 }),
	root: fc.constantFrom<FileAccess>("read", "none"),
	secret: fc.option(fc.constantFrom("a/b", "e", "a/f"), { nil: undefined }),
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

/** What the script must print. */
export function expectedLines(policy: Policy, tree: string): readonly string[] {
	return OPERATIONS.flatMap(([name, , says]) =>
		FOLDERS.map((folder) => `${name} ${folder} ${says(policy, join(tree, folder)) ? "yes" : "no"}`),
	);
}

/** One line for each operation and folder. */
export function scriptFor(tree: string): string {
	const lines = OPERATIONS.map(
		([name, code]) => `for $p (@p) { $d = "$t/$p"; print "${name} $p ", ((${code}) ? "yes" : "no"), "\\n"; }`,
	);
	return [`$t = '${tree}'; @p = (${FOLDERS.map((folder) => `'${folder}'`).join(", ")});`, ...lines].join("\n");
}

export function policyOf(
	one: { readonly entries: readonly PolicyEntry[]; readonly root: FileAccess; readonly secret: string | undefined },
	tree: string,
): Policy {
	const system = expandEntries([{ path: ":minimal", access: "read" }], { roots: [], home: "/", temp: [] });
	const entries = one.entries.map(({ path, access }) => ({ path: join(tree, path), access }));
	return {
		...aPolicy(),
		filesystem: [...(one.root === "none" ? system : []), { path: "/", access: one.root }, ...entries],
		folders: [tree],
		secrets: one.secret === undefined ? [] : [join(tree, one.secret)],
		protect: { names: [".git", ".vscode"], paths: [], free: [] },
	};
}

export async function makeTree(tree: string): Promise<void> {
	for (const folder of FOLDERS) {
		await mkdir(join(tree, folder), { recursive: true });
		for (const file of ["f", "victim", "mover"]) await writeFile(join(tree, folder, file), "text\n");
	}
}
