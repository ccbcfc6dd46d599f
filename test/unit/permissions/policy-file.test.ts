import assert from "node:assert/strict";
import { test } from "node:test";
import { accessTo, mayWrite } from "../../../agent-host/permissions/reach/reach.ts";
import { parsePolicyFile } from "../../../agent-host/permissions/resolve/compile-policy-file.ts";

const PLACES = {
	cwd: "/repo",
	tmpdir: "/var/tmp/me",
	home: "/home/me",
	own: ["/home/me/.vitrine"],
	closed: { places: ["/home/me"], except: ["/home/me/.nvm"] },
	timeoutMs: 86_400_000,
};

function policyFrom(file: unknown) {
	const parsed = parsePolicyFile(JSON.stringify(file), PLACES);
	assert.ok(parsed.ok, parsed.ok ? "" : parsed.reason);
	return parsed.policy;
}

test("workspace-write keeps its established meaning", () => {
	const policy = policyFrom({ sandbox_mode: "workspace-write", writable_roots: ["/data"], exclude_slash_tmp: true });
	const found = ["/repo/x", "/data/x", "/var/tmp/me/x", "/tmp/x", "/etc/x"].map((path) => accessTo(policy, path));
	assert.deepEqual(found, ["write", "write", "write", "read", "read"]);
	assert.equal(mayWrite(policy, "/repo/.git/config"), false);
	assert.deepEqual([policy.network, policy.mode], [{ kind: "off" }, "workspaceWrite"]);
});

test("full access is full access, and secrets stay closed in it", () => {
	const policy = policyFrom({ sandbox_mode: "danger-full-access" });
	assert.deepEqual([policy.mode, policy.network], ["full", { kind: "on" }]);
	assert.equal(accessTo(policy, "/home/me/.ssh/id"), "none");
});

test("tokens and split entries are read; the most specific path wins", () => {
	const policy = policyFrom({
		filesystem: [
			{ path: "/", access: "read" },
			{ path: ":workspace", access: "write" },
			{ path: ":workspace/a", access: "none" },
			{ path: "/repo/a/b", access: "write" },
		],
	});
	const found = ["/repo/x", "/repo/a/x", "/repo/a/b/x", "/etc"].map((path) => accessTo(policy, path));
	assert.deepEqual(found, ["write", "none", "write", "read"]);
});

test("a file not fully understood is refused: empty, unknown keys, wrong types, unknown tokens (S-11)", () => {
	const texts = [
		"",
		"{",
		"null",
		"[]",
		'"read-only"',
		'{"filesystem":"all"}',
		'{"unknown":1}',
		'{"sandbox_mode":"yolo"}',
	];
	const more = [
		'{"sandbox_mode":"read-only","writable_root":[]}',
		'{"filesystem":[{"path":":everything","access":"read"}]}',
		'{"filesystem":[{"path":"/a/*","access":"write"}]}',
		'{"network":"maybe"}',
		'{"limits":{"timeoutMs":-1}}',
	];
	for (const text of [...texts, ...more]) assert.equal(parsePolicyFile(text, PLACES).ok, false, text);
});

test("a file that grants nothing grants nothing", () => {
	const policy = policyFrom({});
	assert.deepEqual([policy.filesystem, accessTo(policy, "/repo/x"), policy.network], [[], "none", { kind: "off" }]);
});

test("the folder in which a command starts is its workspace, even inside a closed home folder", () => {
	const places = { ...PLACES, cwd: "/home/me/project" };
	const text = JSON.stringify({ filesystem: [{ path: "/", access: "read" }] });
	const parsed = parsePolicyFile(text, places);
	assert.ok(parsed.ok);
	const paths = ["/home/me/project/a.txt", "/home/me/.nvm/node", "/home/me/other/a.txt", "/home/me"];
	assert.deepEqual(
		paths.map((path) => accessTo(parsed.policy, path)),
		["read", "read", "none", "none"],
	);
	const elsewhere = parsePolicyFile(JSON.stringify({ filesystem: [{ path: "/usr", access: "read" }] }), places);
	assert.ok(elsewhere.ok);
	assert.equal(
		accessTo(elsewhere.policy, "/home/me/project/a.txt"),
		"none",
		"what the file does not grant stays closed",
	);
});
