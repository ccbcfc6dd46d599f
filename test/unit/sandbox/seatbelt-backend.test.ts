import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy, type Policy } from "../../../agent-host/permissions/policy/policy.ts";
import type { CommandEnd, StartOptions } from "../../../agent-host/sandbox/backend.ts";
import { createGroupJournal } from "../../../agent-host/sandbox/command/group-journal.ts";
import { createSeatbelt } from "../../../agent-host/sandbox/macos/backend.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { inFairTime } from "../../support/fair-time.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-backend-")));
after(() => rmSync(place, { recursive: true, force: true }));
const workspace = join(place, "workspace");
mkdirSync(workspace);
const groups = createGroupJournal(join(place, "home"));

/** A program in the place of sandbox-exec, which exists on macOS only. */
function aStandIn(name: string, script: string): string {
	const file = join(place, name);
	writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return file;
}

const SKIP_OPTIONS = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';
/** Passes the trial and contains nothing: what is shown with it is the way to the command and back. */
const passing = aStandIn(
	"passing",
	`case "$2" in *etc/hosts*) echo "cat: Operation not permitted" >&2; exit 1;; esac\n${SKIP_OPTIONS}`,
);
const policy: Policy = {
	...aPolicy(),
	filesystem: [
		{ path: "/", access: "read" },
		{ path: workspace, access: "write" },
	],
	folders: [workspace],
	secrets: [],
};

async function run(
	sandboxExec: string,
	script: string,
	change: Partial<StartOptions> & { readonly policy?: Policy; readonly digest?: string } = {},
): Promise<CommandEnd> {
	const given = change.policy ?? policy;
	const started = await createSeatbelt({ home: join(place, "home") }, sandboxExec, groups).start(
		{
			argv: ["/bin/sh", "-c", script],
			cwd: workspace,
			policy: given,
			digest: change.digest ?? digestPolicy(given),
			environment: { PATH: process.env.PATH, VITRINE_SECRET: "no", LANG: "C" },
		},
		{ limits: { outputBytes: 10_000, timeoutMs: 10_000 }, streams: "kept", input: "closed", ...change },
	);
	return started.state === "refused" ? started : started.ended;
}

test("a command starts in its folder with a few names of the environment, and its output and status come back", async () => {
	const ended = await run(passing, 'echo "$(pwd) $LANG $VITRINE_SECRET."; echo wrong >&2; cat; exit 7');
	assert.equal(ended.state, "ended", JSON.stringify(ended));
	if (ended.state !== "ended") return;
	assert.deepEqual([ended.exitCode, ended.output.text.split("\n").sort()], [7, ["", `${workspace} C .`, "wrong"]]);
});

test("a command that ends by a signal or exceeds its time is reported as such", async () => {
	const limits = { outputBytes: 10_000, timeoutMs: 300 };
	const [killed, late] = await Promise.all([run(passing, "kill -TERM $$"), run(passing, "sleep 60", { limits })]);
	assert.equal(killed.state === "ended" && killed.signal, "SIGTERM");
	assert.equal(late.state === "stopped" && late.by, "time");
});

test("bash reads none of the user's files even if its input is open, and what it leaves in its group ends with it", async () => {
	writeFileSync(join(workspace, ".bashrc"), "echo read-bashrc\n");
	const script = "exec /bin/bash -c 'sleep 1000 > /dev/null 2>&1 & echo $!'";
	const given: Policy = { ...policy, environment: { ...policy.environment, set: { HOME: workspace } } };
	const ended = await run(passing, script, { input: "open", policy: given });
	assert.ok(ended.state === "ended", JSON.stringify(ended));
	const pid = Number(ended.output.text);
	assert.ok(pid > 1, ended.output.text);
	await inFairTime(
		() => !existsSync(`/proc/${pid}`) || / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8")),
		2_000,
		() => "What the command left behind still runs.",
	);
});

test("a command begins when what comes before it is done, and never if that fails", async () => {
	const ran = join(workspace, "ran-before");
	const seen: boolean[] = [];
	const before = async () => {
		seen.push(existsSync(ran));
	};
	assert.equal((await run(passing, `touch ${ran}`, { before })).state, "ended");
	assert.deepEqual([seen, existsSync(ran)], [[false], true]);
	rmSync(ran);
	await assert.rejects(run(passing, `touch ${ran}`, { before: () => Promise.reject(new Error("full")) }), /full/);
	assert.equal(existsSync(ran), false);
});

test("a protected name that appears despite the profile is set aside and reported", async () => {
	const ended = await run(passing, "mkdir .GIT");
	assert.match(String(ended.state === "ended" && ended.notes), /\.GIT is protected/);
	assert.ok(!existsSync(join(workspace, ".GIT")));
});

test("no sandbox, no command: a missing, failing or lying sandbox-exec is found out (S-34)", async () => {
	const helpers = {
		missing: join(place, "nowhere"),
		failing: aStandIn("failing", "exit 1"),
		lying: aStandIn("lying", SKIP_OPTIONS),
	};
	const problems: string[] = [];
	for (const [name, helper] of Object.entries(helpers)) {
		const probed = await createSeatbelt({ home: join(place, "home") }, helper, groups).probe();
		if (!probed.ok) problems.push(probed.problem.code);
		const ended = await run(helper, "touch ran");
		assert.equal(ended.state === "refused" && ended.code, "sandbox-unavailable", name);
	}
	assert.deepEqual(problems, ["seatbelt-missing", "seatbelt-broken", "seatbelt-broken"]);
	assert.ok(!existsSync(join(workspace, "ran")));
});

test("a changed policy and one that cannot be enforced start nothing", async () => {
	const listed: Policy = { ...policy, network: { kind: "allow", hosts: ["not a site"] } };
	const ends = [
		await run(passing, "touch ran", { digest: "other" }),
		await run(passing, "touch ran", { policy: listed }),
	];
	assert.deepEqual(
		ends.map((ended) => ended.state === "refused" && ended.code),
		["policy-changed", "policy-unenforceable"],
	);
	assert.ok(!existsSync(join(workspace, "ran")));
});

/** What curl prints of an answer: its status and its text, on one line. */
const ASK =
	'ask() { : > out-$$; curl -s --noproxy "" -o out-$$ -w "%{http_code} " "$@"; tr -d "\\n" < out-$$; echo; rm -f out-$$; }';
/** The proxy's address without its password, and the password without the address. */
const PARTS = ["bare() { echo http://", "{1#*@}; }; login() { echo ", "{1%@*}; }"].join("$");

test("a command reaches the sites that its policy names through the proxy, with a password that is its own (I-26)", async () => {
	const server = createServer((_, answer) => answer.end("from the site"));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	const listed: Policy = { ...policy, network: { kind: "allow", hosts: [new URL(site).host] } };
	const script = [
		ASK,
		PARTS,
		`ask ${site}`,
		"ask http://127.0.0.1:9/",
		`ask --proxy "$(bare "$http_proxy")" ${site}`,
		`ask --proxy "$(bare "$http_proxy")" --proxy-user vitrine:guessed ${site}`,
		`ask --proxy "$(bare "$http_proxy")" --proxytunnel ${site}`,
		'echo "$http_proxy $HTTPS_PROXY $GIT_CONFIG_VALUE_0"',
	];
	const ended = await run(passing, script.join("\n"), { policy: listed });
	server.close();
	assert.ok(ended.state === "ended", JSON.stringify(ended));
	const [open, other = "", nobody = "", guessed = "", tunnel, variables = ""] = ended.output.text.split("\n");
	assert.deepEqual([open, tunnel], ["200 from the site", "000 "]);
	assert.match(other, /^403 127\.0\.0\.1:9 was blocked/);
	for (const answer of [nobody, guessed]) assert.match(answer, /^407 This proxy belongs to one command/);
	assert.deepEqual(
		ended.refusedHosts.map(({ host }) => host),
		["127.0.0.1:9"],
	);
	const [url = "", ...same] = variables.split(" ");
	assert.deepEqual(same, [url, url]);
	await assert.rejects(fetch(url.replace(/\/\/.*@/, "//")), /fetch failed/, "the proxy ended with its command");
});

test("neither of two running commands can use its password for the other's proxy", async () => {
	const listed: Policy = { ...policy, network: { kind: "allow", hosts: ["example.org"] } };
	const bothHave = (file: string) => `until [ -s ${file}-1 ] && [ -s ${file}-2 ]; do sleep 0.02; done`;
	const script = (own: string, other: string) =>
		[
			ASK,
			PARTS,
			`echo "$http_proxy" > url-${own}; ${bothHave("url")}`,
			`theirs=$(bare "$(cat url-${other})")`,
			`ask --proxy "$(login "$http_proxy")@$(echo "$theirs" | cut -c8-)" http://example.org/`,
			`echo asked > asked-${own}; ${bothHave("asked")}`,
		].join("\n");
	const ends = await Promise.all([
		run(passing, script("1", "2"), { policy: listed }),
		run(passing, script("2", "1"), { policy: listed }),
	]);
	for (const ended of ends)
		assert.match(String(ended.state === "ended" && ended.output.text), /^407 This proxy belongs to one command/);
});
