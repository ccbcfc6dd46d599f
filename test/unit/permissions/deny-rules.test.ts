import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { judgeDenied } from "../../../agent-host/permissions/command-lines/deny-rules.ts";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import type { Access } from "../../../agent-host/permissions/policy/policy.ts";
import type { CommandRule, PermissionSettings } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { readVerdict } from "../../support/read-verdict.ts";
import { BYPASSES } from "./bypasses.ts";
import { listenToShell, STUBS } from "./listen-to-shell.ts";

const FULL = process.env.VITRINE_FULL === "1";
const PUSH: CommandRule = { prefix: ["git", "push"], decision: "deny" };
const judged = (command: string | readonly string[]) => judgeDenied(PUSH, command);

test("a rule denies its command with every option, by every path, in every place of a script", () => {
	for (const command of [
		...["git push", "git push --force origin main", "/usr/bin/git push", "GIT.EXE push", "git 'push'", 'g"i"t pu\\sh'],
		...["npm test && git push", "npm test; git push", "npm test || git push", "npm test | git push", "a & git push"],
		...["(git push)", "{ git push; }", "! git push", "if true; then git push; fi", "f() { git push; }; f"],
		...[
			"GIT_SSH=x git push",
			"git push > out 2>&1",
			">out git push",
			"a\ngit push",
			"2>/dev/null git push",
			"time git push",
		],
	]) {
		assert.equal(judged(command), "denied", command);
	}
	assert.equal(judged(["git", "push", "x"]), "denied");
});

test("a command that may run the denied one through other programs, options, expansions or texts is unclear", () => {
	for (const command of [
		...["git -C x push", "git -c a=b push", "git $1", "$X push", "git $(echo push)", "`git push`", "echo $(git push)"],
		...[
			"bash -c 'git push'",
			"sh -xc x",
			"echo git push | sh",
			"eval x",
			"xargs git",
			"env git push",
			"timeout 5 git push",
		],
		...[
			"find . -exec git push ';'",
			"python3 -c \"import os; os.system('git push')\"",
			"g{it,} push",
			"gi? push",
			"~/git push",
		],
		...[
			"cat <<X\ngit push\nX",
			"git pu\\\nsh",
			"git 'push",
			"$'git' push",
			"trap 'git push' EXIT",
			"function f { git push; }",
		],
		...["diff <(git push) a", "a=(git push)", "alias x='git push'", "case a in a) ;; esac", "git push\r"],
	]) {
		assert.notEqual(judged(command), "clear", command);
	}
	assert.equal(judged(["bash", "-c", "git push"]), "unclear");
});

test("the denied program itself does not hide its command: in options, assignments, short forms and other names", () => {
	for (const command of [
		...["git -c alias.p=push p origin", "git -c 'alias.p=!git push' p", "git -c alias.p='!sh x' p", "git -cx=y p"],
		...["git --config-env=alias.p=X p", "git --exec-path=x p", "git --no-pager -c a=b p", "git -C x -c a=b p"],
		...["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p", "A='!x y' git p", "A=$X git p"],
		...["export GIT_CONFIG_VALUE_0=push; git p", "GIT_CONFIG_PARAMETERS=\"'alias.p=push'\"; export A; git p"],
		...["git config alias.p '!git push'", "git rebase -x 'git push'", "git pus", "/usr/lib/git-core/git-push origin"],
	]) {
		assert.notEqual(judged(command), "clear", command);
	}
	assert.equal(judged("git-push origin"), "denied");
});

test("a rule's options are found in any order, together or apart, short or long, and no others are", () => {
	const of = (prefix: readonly string[]) => (command: string) =>
		judgeDenied({ prefix: [...prefix], decision: "deny" }, command);
	const remove = of(["rm", "-rf"]);
	assert.deepEqual(["rm -rf x", "rm -fr x"].map(remove), ["denied", "denied"]);
	for (const command of [
		"rm -r -f x",
		"rm -rvf x",
		"rm x -fr",
		"rm -f --recursive x",
		"rm --force --recursive",
		"rm -r $X",
	])
		assert.equal(remove(command), "unclear", command);
	for (const command of ["rm x", "rm -f x", "rm -r x", "rm -v -i x", "rm fr"])
		assert.equal(remove(command), "clear", command);
	const force = of(["git", "push", "--force"]);
	assert.equal(force("git push --force"), "denied");
	for (const command of [
		"git push -f",
		"git push origin --force",
		"git push -uf origin",
		"git push --forc",
		"git push --force=x",
	])
		assert.equal(force(command), "unclear", command);
	for (const command of ["git push", "git push -u origin x", "git push --follow-tags", "git log --force"])
		assert.equal(force(command), "clear", command);
	const publish = of(["npm", "publish"]);
	assert.deepEqual(["npm publis", "npm --prefix x publish", "npm test"].map(publish), ["unclear", "unclear", "clear"]);
});

test("all other commands are unaffected: pipes, redirections, variables and loops need no approval", () => {
	for (const command of [
		...[
			"git status",
			"git log --oneline | head -5",
			"npm test 2>&1 | tail -20",
			"echo $HOME",
			"ls *.ts",
			"git commit -m x",
		],
		...[
			"for f in a b; do cat $f; done",
			"[ -f a ] && cat a",
			"node build.js",
			"bash build.sh",
			"A=b make",
			"gitk push",
		],
		...["git --no-pager log", "git -C sub status", "git -P diff", "GIT_PAGER=cat git log", "git add src/push/a.ts"],
		...[
			"git log --author=me",
			"git commit -m 'fix it'",
			"export A=b; git status",
			"git -C sub --no-pager diff push.ts",
		],
		...["cat push", "echo legit push", "rg 'a|b' src > out", "cd src && npm test", "# git push", "sed -n 1,5p a"],
	]) {
		assert.equal(judged(command), "clear", command);
	}
});

test("no known bypass of a shell parser makes a denied command look clear", () => {
	const rule: CommandRule = { prefix: ["id"], decision: "deny" };
	for (const text of BYPASSES) assert.notEqual(judgeDenied(rule, `${text}\nid`), "clear", text);
	for (const text of BYPASSES) assert.notEqual(judgeDenied(rule, `id; ${text}`), "clear", text);
});

const aPiece = fc.constantFrom(
	...[
		"git",
		"push",
		"git push",
		" git",
		" push",
		"g",
		"it",
		"pu",
		"sh",
		"a",
		"echo",
		"-C",
		"x=1",
		"'",
		'"',
		"\\",
		"\n",
	],
	...[
		" ",
		" ",
		" ",
		"\t",
		";",
		"&&",
		"||",
		"|",
		"&",
		"(",
		")",
		"{ ",
		"; }",
		"!",
		"$",
		"$(",
		"`",
		">a ",
		"<a ",
		"2>&1",
		"#",
	],
	...[
		"''",
		'""',
		"'push'",
		'"git"',
		"if ",
		"then ",
		"fi",
		"eval ",
		"exec ",
		"command ",
		"bash -c ",
		"env ",
		"<<",
		"*",
		"~",
	],
);
const aScript = fc.array(aPiece, { minLength: 2, maxLength: 9 }).map((pieces) => pieces.join(""));

test("whenever bash really runs a denied command, it was not judged clear (differential oracle)", (context) => {
	const sampled = fc.sample(aScript, { numRuns: FULL ? 200_000 : 10_000, seed: 21 });
	// Only scripts that name all letters can run it; of these, those that are taken for clear must not.
	const clear = sampled.filter((script) => /g/.test(script) && /u/.test(script) && judged(script) === "clear");
	const tried = [...new Set(clear)].slice(0, FULL ? 3_000 : 150);
	const ran = listenToShell(context, tried);
	assert.deepEqual(
		tried.filter((_, index) => /(^|\n)git\0push\0/.test(ran[index] ?? "")),
		[],
	);
	// The same scripts, found denied or unclear, do run it now and then: the oracle can see it.
	const others = [
		...new Set(sampled.filter((script) => judged(script) !== "clear" && /(?:^|[;&|\n] *)git push/.test(script))),
	];
	const seen = listenToShell(context, others.slice(0, 40)).filter((words) => /git\0push\0/.test(words));
	context.diagnostic(`${tried.length} clear scripts compared with bash; ${seen.length} of 40 others ran it`);
	assert.ok(tried.length >= 150 && seen.length >= 5, `${tried.length} ${seen.length}`);
	assert.ok(STUBS.includes("git"));
});

const commandAccess = (command: string, more: Partial<Extract<Access, { kind: "command" }>> = {}): Access => ({
	...{ kind: "command", command, cwd: "/repo", escalated: false },
	...more,
});

test("a rule that denies wins over every rule that allows, every mode, and the user's own commands", () => {
	const rules = [{ prefix: ["git", "push"] }, PUSH];
	for (const mode of ["readOnly", "ask", "workspaceWrite", "full"] as const) {
		for (const approval of ["untrusted", "onRequest", "never"] as const) {
			const policy = aPolicy({ permissions: { mode, rules }, approval });
			for (const access of [
				commandAccess("git push"),
				commandAccess("git push", { typed: true }),
				commandAccess("git push", { escalated: true }),
				commandAccess("npm test && git push", { repository: "/repo/.git" }),
			]) {
				const verdict = decide(access, policy);
				assert.deepEqual([verdict.kind, verdict.kind === "deny" && verdict.rules], ["deny", [PUSH]]);
				assert.match(verdict.reason.text, /^A saved rule denies git push\./);
			}
			assert.equal(decide(commandAccess("git push"), { ...policy, noSandbox: "bwrap-missing" }).kind, "deny");
		}
	}
});

test("a command that may run a denied one needs approval in every mode, and is refused if no one can be asked", () => {
	const hidden = commandAccess("git -C sub push");
	for (const mode of ["workspaceWrite", "full"] as const) {
		const policy = aPolicy({ permissions: { mode, rules: [PUSH] } });
		assert.deepEqual(readVerdict(decide(hidden, policy)), {
			...{ kind: "ask", reason: "A saved rule denies git push, and this command may run it." },
		});
		assert.equal(decide(hidden, { ...policy, approval: "never" }).kind, "deny");
		assert.equal(decide({ ...hidden, escalated: true } as Access, policy).kind, "ask");
		assert.equal(decide(hidden, { ...policy, noSandbox: "bwrap-missing" }).kind, "ask");
		assert.equal(decide(commandAccess("git -C sub push", { typed: true }), policy).kind, "allow", "who typed it knows");
		assert.equal(decide(commandAccess("npm test | tail"), policy).kind, "allow");
	}
});

test("a rule that denies in a folder counts for what changes to it, and what may do so needs approval", () => {
	const leads = new Map([["/repo/link", "/repo/infra"]]);
	const rules = [{ ...PUSH, folder: "/repo/infra" }];
	const verdict = (command: string) =>
		decide(commandAccess(command, { leads }), aPolicy({ permissions: { rules } })).kind;
	const there = [
		"cd infra && git push",
		"cd infra/a; npm test; git push",
		"pushd infra && git push",
		"cd link && git push",
	];
	for (const command of [...there, "(cd src && true) && cd ../infra && git push"])
		assert.equal(verdict(command), "deny", command);
	const perhaps = [
		"git -C infra push",
		"git -C /repo/infra push",
		"cd $D && git push",
		"cd && git push",
		"popd; git push",
	];
	const hidden = [
		"git -C $D push",
		"env -C $D git push",
		"GIT_DIR=$D/.git git push",
		"git --git-dir={infra,}/.git push",
	];
	const byPath = [
		"GIT_DIR=infra/.git git push",
		"CDPATH=/repo cd src && git push",
		"export CDPATH=/; cd repo/infra && git push",
	];
	for (const command of [...hidden, ...byPath]) assert.equal(verdict(command), "ask", command);
	for (const command of [...perhaps, "env --chdir=infra git push", "cd src && git -C ../infra push", "git push; $(x)"])
		assert.equal(verdict(command), "ask", command);
	const outside = (command: string, change: Partial<PermissionSettings> = {}, access = {}) => {
		const permissions = { rules: [{ ...PUSH, folder: "/other" }], ...change };
		return decide(commandAccess(command, access), aPolicy({ permissions })).kind;
	};
	for (const command of ["cd $D && git push", "cd $(cat d) && git push", "pushd; git push", "cd - && git push"])
		assert.equal(outside(command), "ask", command);
	for (const command of ["cd $D && npm test", "cd src && git push", "git push"])
		assert.equal(outside(command), "allow", command);
	const closed = { filesystem: [{ path: "/other", access: "none" as const }] };
	assert.equal(outside("cd $D && git push", closed), "allow", "it cannot look in there");
	const inner = { filesystem: [...closed.filesystem, { path: "/other/a", access: "write" as const }] };
	assert.equal(outside("cd $D && git push", inner), "ask");
	for (const command of [
		"git push",
		"cd src && git push",
		"git -C src push",
		"cd infra && npm test",
		"cd $D && npm test",
	])
		assert.equal(verdict(command), "allow", command);
});

test("a rule that denies in a folder counts for commands there and for workspaces in it", () => {
	const verdict = (folder: string, cwd: string) =>
		decide(commandAccess("git push", { cwd }), aPolicy({ permissions: { rules: [{ ...PUSH, folder }] } })).kind;
	assert.deepEqual(
		[
			verdict("/repo", "/repo/src"),
			verdict("/repo", "/elsewhere"),
			verdict("/other", "/other/a"),
			verdict("/other", "/repo"),
		],
		["deny", "deny", "deny", "allow"],
	);
});
