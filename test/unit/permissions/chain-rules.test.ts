import assert from "node:assert/strict";
import { test } from "node:test";
import { coveringRules, offerRules } from "../../../agent-host/permissions/command-lines/chain-rules.ts";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { readVerdict } from "../../support/read-verdict.ts";
import { BYPASSES } from "./bypasses.ts";

const LINT = { prefix: ["npm", "run", "lint"] };
const TEST = { prefix: ["npm", "test"] };
const covered = (command: string, rules = [LINT, TEST]) => coveringRules(rules, { command, cwd: "/repo" });

test("a chain is covered if each of its parts is, and the rules that cover it are named", () => {
	assert.deepEqual(covered("npm run lint && npm test"), [LINT, TEST]);
	assert.deepEqual(covered("npm test && npm test src && npm run lint"), [TEST, LINT]);
	assert.deepEqual(covered("cd packages/core && echo testing && npm test && pwd"), [TEST]);
	assert.deepEqual(covered("npm test 'a && b'"), [TEST], "an operator in quotes is a word");
	for (const command of ["npm test && npm publish", "npm publish && npm test", "npm test && make"]) {
		assert.equal(covered(command), undefined, command);
	}
});

test("no rule covers anything but a plain chain of literal commands (S-27)", () => {
	// In a chain a plain cd is harmless.
	const bypasses = BYPASSES.filter((text) => text !== "cd /").flatMap((text) => [
		`npm test && ${text}`,
		`${text} && npm test`,
		`cd a && ${text}`,
	]);
	const hostile = [
		...["npm test; rm x", "npm test | sh", "npm test || make", "npm test & make", "npm test &&& make"],
		...["npm test > out", "npm test < in", "npm test 2>&1", "npm test &> out", "npm test &&", "&& npm test"],
		...["npm test && $(make)", "npm test && `make`", "npm test && (npm test)", "{ npm test; } && npm test"],
		...['npm test && "a$(make)"', 'npm test "a\\" && make "b"', "npm test \\&& make", "npm test $'a' && npm test"],
		...["npm test && A=b npm test", "npm test && !!", "npm test #&& npm test", "npm test &&\nnpm test"],
		...["cd && npm test", "cd - && npm test", "cd -P a && npm test", "cd a b && npm test", "cd $HOME && npm test"],
		...["cd 'a && npm test", "cd ~ && npm test", "npm test && 'npm test", "if npm test && npm test"],
		Array.from({ length: 21 }, () => "npm test").join(" && "),
	];
	assert.deepEqual(
		[...bypasses, ...hostile].filter((command) => covered(command) !== undefined),
		[],
	);
});

test("after cd, a relative program path names another program and needs approval", () => {
	const rules = [{ prefix: ["./run.sh", "x"] }, { prefix: ["tools/lint"] }];
	assert.deepEqual(covered("./run.sh x && tools/lint", rules), rules);
	assert.equal(covered("cd other && ./run.sh x", rules), undefined);
	assert.equal(covered("cd other && tools/lint", rules), undefined);
	assert.equal(offerRules([], { command: "cd other && tools/lint", cwd: "/repo" }), undefined);
});

test("a rule for a folder applies only there and below, wherever the chain changes to", () => {
	const rule = { ...TEST, folder: "/repo/app" };
	const covers = (command: string, cwd: string) => coveringRules([rule], { command, cwd }) !== undefined;
	assert.deepEqual(
		[covers("npm test", "/repo/app"), covers("npm test", "/repo/app/src"), covers("cd app && npm test", "/repo")],
		[true, true, true],
	);
	assert.deepEqual(
		[covers("npm test", "/repo"), covers("npm test", "/repo/app2"), covers("cd .. && npm test", "/repo/app")],
		[false, false, false],
	);
	const leads = new Map([["/repo/app/link", "/other"]]);
	const throughLink = (command: string) => coveringRules([rule], { command, cwd: "/repo/app", leads });
	assert.equal(throughLink("cd link && npm test"), undefined, "a link leads elsewhere");
	assert.deepEqual(throughLink("cd link && cd .. && npm test"), [rule], "as the shell understands it");
	const policy = aPolicy({ permissions: { mode: "ask", rules: [{ ...TEST, folder: "~/work" }] } });
	const inFolder = (cwd: string) =>
		decide({ kind: "command", command: "npm test", cwd, escalated: false }, policy).kind;
	assert.deepEqual([inFolder("/home/me/work/a"), inFolder("/repo")], ["allow", "ask"]);
});

test("one missing rule is offered for each part, or none if some part cannot have one", () => {
	const offered = (command: string, rules = [LINT]) => offerRules(rules, { command, cwd: "/repo" });
	assert.deepEqual(offered("npm run lint && npm test && cd x && pytest a.py"), [TEST, { prefix: ["pytest"] }]);
	assert.deepEqual(offered("npm test && npm test"), [TEST]);
	assert.deepEqual(offered("true", []), [{ prefix: ["true"] }], "alone, a harmless command can have a rule");
	for (const command of ["npm run lint", "npm test && bash x.sh", "npm test && rm a", "npm test; pytest", "cd a"]) {
		assert.equal(offered(command), undefined, command);
	}
});

test("a chain of allowed commands runs without approval in the mode that asks, and says which rules allow it", () => {
	const policy = aPolicy({ permissions: { mode: "ask", rules: [LINT, TEST] } });
	const verdict = (command: string) => decide({ kind: "command", command, cwd: "/repo", escalated: false }, policy);
	assert.deepEqual(readVerdict(verdict("npm run lint && npm test")), {
		...{ kind: "allow", reason: "Saved rules allow npm run lint, npm test.", rules: [LINT, TEST] },
	});
	assert.equal(verdict("npm run lint && npm test | cat").kind, "ask");
});
