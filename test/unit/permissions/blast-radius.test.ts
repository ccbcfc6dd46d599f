import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { listDeletions, UNKNOWN_PATH } from "../../../agent-host/permissions/command-lines/deletion-words.ts";
import { MASS_CHANGE } from "../../../agent-host/permissions/decide/blast-radius.ts";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import type { Access, EditTarget } from "../../../agent-host/permissions/policy/policy.ts";
import { PermissionMode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { growthOf, LONGEST_BY_STEPS, MOST_GROWTH } from "../../support/linear.ts";
import { readVerdict } from "../../support/read-verdict.ts";

const removal = (files: number, ...targets: readonly string[]): Access => ({
	kind: "command",
	command: ["rm", "-rf", ...targets],
	cwd: "/repo",
	escalated: false,
	deletes: { targets, files, isWhole: true },
});
const deletion = (count: number): Access => ({
	kind: "edit",
	targets: Array.from({ length: count }, (_, n): EditTarget => {
		const path = `/repo/${n}`;
		return { path, resolved: path, overwrites: false, deletes: true };
	}),
});

test("a large deletion needs approval everywhere, even with full access or a rule, and the question gives its size", () => {
	const rules = [{ prefix: ["git", "clean"] }];
	for (const mode of ["ask", "workspaceWrite", "full"] as const) {
		const policy = aPolicy({ permissions: { mode, rules } });
		const verdict = decide(removal(MASS_CHANGE + 1, "/repo/src"), policy);
		assert.deepEqual(readVerdict(verdict), { kind: "ask", reason: `It would delete up to ${MASS_CHANGE + 1} files.` });
		const clean: Access = { ...removal(400, "/repo"), command: ["git", "clean"] } as Access;
		assert.equal(decide(clean, policy).kind, "ask");
		const patch = decide(deletion(MASS_CHANGE + 1), policy);
		assert.deepEqual(readVerdict(patch), { kind: "ask", reason: `It would delete ${MASS_CHANGE + 1} files at once.` });
	}
});

test("a small deletion inside the workspace is treated like any other command", () => {
	const inside = [removal(MASS_CHANGE, "/repo/src"), deletion(MASS_CHANGE)];
	for (const access of inside) assert.equal(decide(access, aPolicy()).kind, "allow");
});

test("no approval is requested for a deletion that the sandbox prevents anyway", () => {
	assert.equal(decide(removal(9_999, "/usr"), aPolicy()).kind, "allow");
	assert.equal(decide(removal(9_999, "/repo"), aPolicy({ permissions: { mode: "readOnly" } })).kind, "allow");
});

test("a deletion of unknown extent needs approval wherever anything could be deleted", () => {
	const untold: Access = { ...removal(0), deletes: { targets: [], files: 0, isWhole: false } } as Access;
	const kinds = PermissionMode.options.map((mode) => decide(untold, aPolicy({ permissions: { mode } })).kind);
	assert.deepEqual(kinds, ["allow", "ask", "ask", "ask"]);
});

test("with full access even one file outside the workspace is not deleted unasked", () => {
	const policy = aPolicy({ permissions: { mode: "full" } });
	assert.deepEqual(readVerdict(decide(removal(1, "/home/me/notes.txt"), policy)), {
		kind: "ask",
		reason: "It would delete /home/me/notes.txt, which is outside the workspace.",
	});
	assert.equal(decide(removal(1, "/repo/a"), policy).kind, "allow");
});

test("an edit through a link out of the workspace needs approval in every mode, and the question says where it leads", () => {
	const targets = [{ path: "src/a", resolved: "/elsewhere/a", overwrites: false, via: ["/repo/src/a"] }];
	for (const mode of PermissionMode.options) {
		const verdict = decide({ kind: "edit", targets }, aPolicy({ permissions: { mode } }));
		assert.deepEqual(readVerdict(verdict), {
			kind: "ask",
			reason: "src/a is a link to /elsewhere/a, outside the workspace.",
		});
	}
	const within = [{ path: "src/a", resolved: "/repo/lib/a", overwrites: false, via: ["/repo/src/a"] }];
	assert.equal(decide({ kind: "edit", targets: within }, aPolicy()).kind, "allow");
});

const DELETING: readonly (readonly [command: string | readonly string[], paths: readonly string[]])[] = [
	["rm -rf build", ["build"]],
	["rm -rf -- -odd src/", ["-odd", "src/"]],
	["/bin/rm -r a b", ["a", "b"]],
	["rm -rf *", ["."]],
	["rm -rf src/*.ts", ["src/"]],
	["rm -rf ~/work", ["~/work"]],
	['rm -rf "$HOME/work"', ["~/work"]],
	["rm -rf ~", ["~"]],
	["cd sub && rm -rf .", ["sub/."]],
	["npm run build; rm -rf dist || true", ["dist"]],
	["git clean -fdx", ["."]],
	["git clean -f docs", ["docs"]],
	["find . -name '*.log' -delete", ["."]],
	["find -delete", ["."]],
	["find a b -type f -exec rm -f {} +", ["a", "b"]],
	["find a -exec rm {} \\; && ls", ["a"]],
	[
		["find", "a", "b", "-exec", "rm", "{}", ";"],
		["a", "b"],
	],
	[["bash", "-lc", "cd x && rm -rf y"], ["x/y"]],
	["sudo rm -rf /opt/x", ["/opt/x"]],
	["rm -rf build 2>/dev/null", ["build"]],
	["(cd x; rm -rf y)", ["x/y"]],
	["if true; then rm -rf build; fi", ["build"]],
	["CI=1 rm -rf build > log.txt 2>&1 &", ["build"]],
	['rm -rf "$DIR"/*', [UNKNOWN_PATH]],
	["rm -r $(cat list) a", [UNKNOWN_PATH]],
	["rm $FILE", []],
	["git clean -n", []],
	["git clean --dry-run -fd", []],
	["git status", []],
	["echo 'a; rm -rf b'", []],
	["echo rm -rf b", []],
	["find . -name a", []],
	["", []],
];

for (const [command, paths] of DELETING) {
	test(`${JSON.stringify(command)} is recognized as deleting ${paths.join(" and ") || "nothing"}`, () => {
		assert.deepEqual(listDeletions(command), paths);
	});
}

test("no text makes the search for deletions fail or take long", () => {
	fc.assert(fc.property(fc.string({ maxLength: 2_000 }), (text) => Array.isArray(listDeletions(text))));
	const growth = growthOf((chars) => "rm -rf a && ".repeat(chars / 12), listDeletions, LONGEST_BY_STEPS);
	assert.ok(growth < MOST_GROWTH, `${growth.toFixed(1)} times as long`);
});
