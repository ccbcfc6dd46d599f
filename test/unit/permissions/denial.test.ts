import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closedReadsNote, guessClosedReads } from "../../../agent-host/permissions/decide/closed-reads.ts";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import { type Denial, denialNote, recogniseDenial } from "../../../agent-host/permissions/decide/recognize-denial.ts";
import { escalatePolicy } from "../../../agent-host/permissions/reach/escalate.ts";
import { accessTo, enforcedAccess } from "../../../agent-host/permissions/reach/reach.ts";
import { aPolicy, PLACES } from "../../support/a-policy.ts";

const SAYINGS: readonly (readonly [Denial | undefined, string, number?])[] = [
	["files", "bash: line 1: /usr/made.txt: Read-only file system"],
	["files", "fatal: Unable to create '/repo/.git/index.lock': Read-only file system", 128],
	["files", "mkdir: cannot create directory '.husky/x': Permission denied"],
	["files", "npm error code EACCES\nnpm error syscall mkdir", 243],
	["files", "PermissionError: [Errno 13] Permission denied: '/home/me/.ssh/id'"],
	["files", "Error: EROFS: read-only file system, open '/etc/x'"],
	["files", 'Os { code: 13, kind: PermissionDenied, message: "…" }', 101],
	["network", "curl: (6) Could not resolve host: registry.example.org", 6],
	["network", "npm error code EAI_AGAIN\nnpm error errno EAI_AGAIN"],
	["network", "ping: connect: Network is unreachable", 2],
	["network", "dial tcp: lookup proxy.example.org: no such host"],
	["network", "socket.gaierror: [Errno -3] Temporary failure in name resolution"],
	["network", "error: failed to lookup address information: Name or service not known", 101],
	["system", "unshare: unshare failed: Operation not permitted"],
	["system", "Bad system call (core dumped)", 159],
	[undefined, "make: *** No rule to make target 'all'.  Stop.", 2],
	[undefined, "bash: line 1: nonesuch: command not found", 127],
	[undefined, "1 failing: expected 'EACCESS' to equal 'ok'"],
	[undefined, "grep found: Permission denied", 0],
	[undefined, "connect ECONNREFUSED 127.0.0.1:3000"],
];

test("a refusal by the sandbox is recognized from a command's exit and output", () => {
	for (const [denial, output, exitCode = 1] of SAYINGS)
		assert.equal(recogniseDenial({ exitCode, output }, aPolicy()), denial, output);
	assert.equal(recogniseDenial({ exitCode: 159, signal: "SIGSYS", output: "" }, aPolicy()), "system");
});

test("no refusal is recognized with full access, an open network or a successful command", () => {
	const open = aPolicy({ permissions: { network: "on" } });
	for (const [denial, output, exitCode = 1] of SAYINGS) {
		assert.equal(recogniseDenial({ exitCode: 0, output }, aPolicy()), undefined);
		assert.equal(recogniseDenial({ exitCode, output }, aPolicy({ permissions: { mode: "full" } })), undefined);
		if (denial === "network") assert.notEqual(recogniseDenial({ exitCode, output }, open), "network");
	}
});

test("output long before the end of a command is not considered", () => {
	assert.equal(
		recogniseDenial({ exitCode: 1, output: `Permission denied\n${"x\n".repeat(20_000)}` }, aPolicy()),
		undefined,
	);
});

test("the model is told once how to ask, and only if someone can be asked", () => {
	assert.match(denialNote("files", aPolicy(), "first"), /run the same command again with escalate: \{"reason"/);
	assert.doesNotMatch(denialNote("files", aPolicy(), "again"), /escalate/);
	for (const closed of [aPolicy({ approval: "never" }), aPolicy({ permissions: { denyRead: ["/repo/secret"] } })]) {
		const note = denialNote("network", closed, "first");
		assert.doesNotMatch(note, /escalate/);
		const verdict = decide({ kind: "command", command: ["make"], cwd: "/repo", escalated: true }, closed);
		assert.ok(verdict.kind === "deny" && note.endsWith(verdict.reason.text), note);
	}
});

test("outside the sandbox everything is writable except keys, passwords and our own storage (I-12)", () => {
	const policy = aPolicy();
	const escalated = escalatePolicy(policy);
	const places = fc.constantFrom(
		"/",
		"/etc/hosts",
		"/repo/.git/hooks/x",
		"/home/me/x",
		...policy.secrets,
		...PLACES.own,
	);
	fc.assert(
		fc.property(places, fc.constantFrom("", "/id", "/deep/er"), (place, rest) => {
			const path = `${place}${rest}`.replace("//", "/");
			const isSecret = accessTo(policy, path) === "none";
			assert.equal(enforcedAccess(escalated, path), isSecret ? "none" : "write");
		}),
	);
	assert.equal(escalated.network.kind, "on");
});

test("what the user opened of a secret place stays open, and nothing more of it", () => {
	const policy = aPolicy({ permissions: { filesystem: [{ path: "~/.aws/config", access: "read" }] } });
	const escalated = escalatePolicy(policy);
	assert.deepEqual(
		["/home/me/.aws/config", "/home/me/.aws/credentials"].map((path) => accessTo(escalated, path)),
		["read", "none"],
	);
});

const CLOSED_HOME = aPolicy({ places: { closed: { places: ["/home/me", "/root"], except: ["/home/me/.nvm"] } } });
const READS: readonly (readonly [output: string, paths: readonly string[]])[] = [
	["cat: /home/me/.toolrc: No such file or directory", ["/home/me/.toolrc"]],
	["cat: '/home/me/my notes': No such file or directory", ["/home/me/my notes"]],
	["error: cannot open ~/.config/x/y.toml", ["/home/me/.config/x/y.toml"]],
	["Error: ENOENT: no such file or directory, open '/home/me/.x'", ["/home/me/.x"]],
	["FileNotFoundError: [Errno 2] No such file or directory: '/root/.x'", ["/root/.x"]],
	["config not found (/home/me/.a, /home/me/.b).", ["/home/me/.a", "/home/me/.b"]],
	["cat: /home/me/.ssh/id_rsa: No such file or directory", []],
	["cat: /home/me/.nvm/x: No such file or directory", []],
	["cat: /etc/nothing: No such file or directory", []],
	["wrote /home/me/.toolrc", []],
	["ls: cannot access '/home/me': Permission denied", []],
];

test("an offer to read explains how to ask only if someone can be asked", () => {
	const places = [{ path: "/home/me/.toolrc", shown: "~/.toolrc" }];
	assert.match(closedReadsNote(places, CLOSED_HOME), /with read: \["~\/\.toolrc"\]; the user is asked for approval\.$/);
	const never = closedReadsNote(places, { ...CLOSED_HOME, approval: "never" });
	assert.match(never, /Approvals are off/);
	assert.doesNotMatch(never, /read: \[/);
});

test("closed places that a command tried to read are recognized from its output even if missing, but never keys", () => {
	for (const [output, paths] of READS)
		assert.deepEqual(guessClosedReads({ output }, CLOSED_HOME, "/home/me"), paths, output);
	assert.deepEqual(guessClosedReads({ output: READS[0]?.[0] ?? "" }, aPolicy(), "/home/me"), []);
});
