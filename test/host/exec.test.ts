import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { MAX_IMAGES } from "../../agent-host/protocol/limits.ts";
import type { ThreadSummary } from "../../agent-host/protocol/thread/thread.ts";
import { MAX_INPUTS } from "../../agent-host/protocol/thread/turn.ts";
import type { Command } from "../../agent-host/surfaces/cli/cli-command.ts";
import { compactCommand } from "../../agent-host/surfaces/cli/compact-command.ts";
import { doctorCommand } from "../../agent-host/surfaces/cli/doctor-command.ts";
import { execCommand } from "../../agent-host/surfaces/cli/exec-command.ts";
import { mcpCommand } from "../../agent-host/surfaces/cli/mcp-command.ts";
import { replayCommand } from "../../agent-host/surfaces/cli/replay-command.ts";
import { threadsCommand } from "../../agent-host/surfaces/cli/threads-command.ts";
import { aPng } from "../support/an-image.ts";
import { calls, callsAll, endsWithoutCompleted, refuses, says, together } from "../support/fake-model-steps.ts";
import { bodyOf } from "../support/request-page.ts";
import { runHere, setUpDesk } from "./rig/command-here.ts";
import { agent, play, whoAsks } from "./rig/play-agents.ts";

test("a task continues in its thread, in a fork of it, or in the folder's newest thread, with settings for one turn", async (t) => {
	const { home, workspace, model, server } = await setUpDesk(t, () => says("ok"));
	const exec = (...args: readonly string[]) => runHere(execCommand, args, { cwd: workspace });
	await exec(...server, "--effort", "low", "first");
	const [first] = await listed(home, workspace);
	assert.equal((await exec("--home", home, "--resume", first?.threadId ?? "", "--effort", "high", "second")).status, 0);
	assert.equal((await exec("--home", home, "--last", "third")).status, 0);
	assert.equal((await exec("--home", home, "--fork", "last", "fourth")).status, 0);
	const bodies = model.requests.map(bodyOf);
	assert.deepEqual(
		bodies.map((body) => Object(body).reasoning?.effort),
		["low", "high", "low", "low"],
	);
	assert.deepEqual(
		bodies.map((body) =>
			["first", "second", "third", "fourth"].filter((word) => JSON.stringify(Object(body).input).includes(word)),
		),
		[["first"], ["first", "second"], ["first", "second", "third"], ["first", "second", "third", "fourth"]],
	);
	assert.deepEqual((await listed(home, workspace)).map(({ turns }) => turns).sort(), [3, 4]);
	const nowhere = await exec("--home", home, "--last", "--cwd", "/", "fifth");
	assert.deepEqual([nowhere.status, nowhere.stderr], [1, "There is no thread in / yet.\n"]);
	for (const args of [
		["--last", "--resume", "x", "y"],
		["--resume", "Not An Id", "y"],
		["--effort", "huge", "y"],
	]) {
		assert.equal((await exec("--home", home, ...args)).status, 2);
	}
});

test("the threads of a folder are found in any spelling and through a link, from both ends of it", async (t) => {
	const { home, workspace, server } = await setUpDesk(t, () => says("ok"));
	const [real, link] = [join(workspace, "real"), join(workspace, "link")];
	mkdirSync(real);
	symlinkSync(real, link);
	const run = (command: Command, ...args: readonly string[]) => runHere(command, args, { cwd: workspace });
	const list = async (cwd: string) => (await run(threadsCommand, "--home", home, "--cwd", cwd)).stdout.split("\n");
	await run(execCommand, ...server, "--cwd", real, "first");
	await run(execCommand, ...server, "--cwd", link, "second");
	await run(execCommand, ...server, "elsewhere");
	for (const cwd of [real, link, `${link}/`]) assert.deepEqual((await list(cwd)).length, 3, cwd);
	const last = await runHere(execCommand, ["--home", home, "--last", "third"], { cwd: real });
	assert.equal(last.status, 0, last.stderr);
	assert.match((await list(real))[0] ?? "", /second .*link\)$/);
	assert.equal((await run(execCommand, "--home", home, "--last", "--cwd", link, "fourth")).status, 0);
	const turns = (await listed(home, workspace)).map((thread) => [thread.preview, thread.turns]);
	assert.deepEqual(turns.sort(), [
		["elsewhere", 1],
		["first", 1],
		["second", 3],
	]);
});

test("a task prints only its own answer and end, not its sub-agents', and --last never picks a sub-agent's thread", async (t) => {
	const root = [
		callsAll([agent("a"), agent("b")]),
		says("I wait."),
		says("All done."),
		says("All done."),
		says("More."),
	];
	const plays = { root, a: [says("A found."), says("Again.")], b: [says("B found.")] };
	const { home, workspace, model, server } = await setUpDesk(t, play(plays));
	const exec = (...args: readonly string[]) => runHere(execCommand, args, { cwd: workspace });
	const ran = await exec(...server, "Look everywhere.");
	assert.equal(ran.status, 0);
	assert.match(ran.stdout, /^I wait\.\n(All done\.\n)+$/);
	const ofA = (await listed(home, workspace)).find(({ agent }) => agent?.name === "a");
	assert.equal((await exec("--home", home, "--resume", ofA?.threadId ?? "", "Look again.")).stdout, "Again.\n");
	assert.equal((await exec("--home", home, "--last", "Go on.")).status, 0);
	assert.equal(whoAsks(model.requests.at(-1) ?? assert.fail("No request.")), "root");
});

test("piped input, named files and images are sent with a prompt, and unreadable ones start nothing", async (t) => {
	const { home, workspace, model, server } = await setUpDesk(t, () => says("ok"));
	writeFileSync(join(workspace, "notes.txt"), "n");
	writeFileSync(join(workspace, "red.png"), aPng(4, 4));
	writeFileSync(join(workspace, "shape.json"), JSON.stringify({ type: "object" }));
	const here = { cwd: workspace, stdin: "from a pipe" };
	assert.equal((await runHere(execCommand, server, here)).status, 0);
	const attached = [
		"--model",
		"gpt-5-fake",
		"--stdin",
		"--file",
		"notes.txt",
		"--image",
		"red.png",
		"--output-schema",
		"shape.json",
		"Look.",
	];
	assert.equal((await runHere(execCommand, [...server, ...attached], here)).status, 0);
	const [prompted, whole] = model.requests.map(({ text }) => text);
	assert.match(prompted ?? "", /"from a pipe"/);
	for (const part of ["from a pipe", "notes.txt", "data:image/png;base64,", '"json_schema"']) {
		assert.ok(whole?.includes(part), part);
	}
	const refused = [
		["--file", "gone.txt"],
		["--image", "gone.png"],
		["--output-schema", "notes.txt"],
		["--settings", "notes.txt"],
	];
	for (const args of refused) assert.equal((await runHere(execCommand, [...server, ...args, "Look."], here)).status, 2);
	assert.equal((await runHere(execCommand, server, { cwd: workspace })).status, 2);
	assert.equal((await listed(home, workspace)).length, 2);
});

test("piped input that is too long to attach, or a list in place of a schema, is refused in one sentence with status 2", async (t) => {
	const { home, workspace, model, server } = await setUpDesk(t, () => says("ok"));
	writeFileSync(join(workspace, "list.json"), "[]");
	const refused = [
		{ args: ["--stdin"], reason: /^Standard input is longer than 200000 characters\. [^\n]+\n$/ },
		{ args: ["--output-schema", "list.json"], reason: /^list\.json is not a JSON schema\.\n$/ },
	];
	const here = { cwd: workspace, stdin: "long ".repeat(40_001) };
	for (const { args, reason } of refused) {
		const ran = await runHere(execCommand, [...server, ...args, "Look."], here);
		assert.deepEqual([ran.status, ran.stdout], [2, ""], ran.stderr);
		assert.match(ran.stderr, reason);
	}
	assert.deepEqual([(await listed(home, workspace)).length, model.requests.length], [0, 0]);
});

test("an attached file that is no image, or more than fit, is refused with status 2, and the file is named", async (t) => {
	const { home, workspace, model, server } = await setUpDesk(t, () => says("ok"));
	writeFileSync(join(workspace, "notes.txt"), "n");
	writeFileSync(join(workspace, "red.png"), aPng(4, 4));
	const exec = (...args: readonly string[]) => runHere(execCommand, [...server, ...args, "Look."], { cwd: workspace });
	const reason = `${join(workspace, "notes.txt")} is not a PNG, JPEG, GIF or WebP image.\n`;
	assert.deepEqual(await exec("--image", "red.png", "--image", "notes.txt"), { status: 2, stdout: "", stderr: reason });
	assert.equal(existsSync(home), false);
	const many = await exec(...Array.from({ length: MAX_INPUTS }, () => "--file=notes.txt"));
	assert.equal(many.status, 2);
	assert.match(many.stderr, /^The prompt has 101 parts with its attachments; the limit is 100\. /);
	const { status, stderr } = await exec(...Array.from({ length: MAX_IMAGES + 1 }, () => "--image=red.png"));
	assert.deepEqual([status, stderr.includes(`${MAX_IMAGES}`), model.requests.length], [2, true, 0], stderr);
});

test("a model that an option names is asked, also beside settings without a model and in a thread of the demo model", async (t) => {
	const key = process.env.VITRINE_API_KEY;
	delete process.env.VITRINE_API_KEY;
	t.after(() => {
		if (key !== undefined) process.env.VITRINE_API_KEY = key;
	});
	const { home, workspace, model } = await setUpDesk(t, () => says("ok"));
	const exec = (...args: readonly string[]) => runHere(execCommand, ["--home", home, ...args], { cwd: workspace });
	writeFileSync(join(workspace, "mode.json"), JSON.stringify({ permissions: { mode: "readOnly" } }));
	assert.match((await exec("--settings", "mode.json", "Look.")).stdout, /demo model/);
	// Without a key, OpenAI is not even asked.
	for (const args of [["--settings", "mode.json"], ["--last"], ["--fork", "last"]]) {
		const { status, stderr } = await exec(...args, "--model", "gpt-5", "Look.");
		assert.deepEqual([status, /No API key is stored/.test(stderr)], [1, true], `${args}: ${stderr}`);
	}
	const address = { model: { provider: "compatible", baseUrl: model.baseUrl, wire: "chat" } };
	writeFileSync(join(workspace, "server.json"), JSON.stringify(address));
	await exec("--settings", "server.json", "--model", "fake-1", "Look.");
	await exec("--last", "--model", "fake-2", "Look again.");
	assert.deepEqual(
		model.requests.map((request) => Object(bodyOf(request)).model),
		["fake-1", "fake-2"],
	);
});

test("a key is sent without the line end that its file had, and one of blanks is none", async (t) => {
	const before = process.env.VITRINE_API_KEY;
	t.after(() => {
		if (before === undefined) delete process.env.VITRINE_API_KEY;
		else process.env.VITRINE_API_KEY = before;
	});
	const { workspace, model, server } = await setUpDesk(t, () => says("ok"));
	for (const key of ["sk-from-a-file\r\n", " \n"]) {
		process.env.VITRINE_API_KEY = key;
		const { status, stderr } = await runHere(execCommand, [...server, "Look."], { cwd: workspace });
		assert.equal(status, 0, stderr);
	}
	assert.deepEqual(
		model.requests.map(({ headers }) => headers.authorization),
		["Bearer sk-from-a-file", undefined],
	);
});

test("an invalid option value is refused in one line that names the option", async (t) => {
	const { workspace } = await setUpDesk(t, () => says("ok"));
	const refused: readonly (readonly [option: string, value: string, reason: RegExp])[] = [
		["--base-url", "ftp://a.example", /must be an http:\/\/ or https:\/\/ address/],
		["--base-url", "https://me:secret@a.example/v1", /must not contain a user name or password/],
		["--wire", "smoke", /"responses"/],
		["--effort", "most", /"high"/],
		["--summary", "long", /"concise"/],
		["--mode", "none", /"readOnly"/],
		["--approval", "always", /"never"/],
	];
	for (const [option, value, reason] of refused) {
		const { status, stderr } = await runHere(execCommand, [option, value, "Look."], { cwd: workspace });
		assert.equal(status, 2);
		assert.match(stderr, new RegExp(`^${option}: [^\\n]*${reason.source}[^\\n]*\\n$`));
		assert.ok(!stderr.includes("secret"), stderr);
		assert.doesNotMatch(stderr, /Invalid|expected|received/);
	}
});

test("every command that works in a folder refuses a path that is no folder, and starts nothing", async (t) => {
	const { home, workspace } = await setUpDesk(t, () => says("ok"));
	writeFileSync(join(workspace, "file"), "");
	const commands: readonly (readonly [Command, ...string[]])[] = [
		[execCommand, "Look."],
		[mcpCommand],
		[doctorCommand],
	];
	for (const [command, ...args] of commands) {
		for (const folder of ["file", "missing"]) {
			const ran = await runHere(command, ["--cwd", folder, "--home", home, ...args], { cwd: workspace });
			const reason = `--cwd: ${join(workspace, folder)} is not a folder.\n`;
			assert.deepEqual([ran.status, ran.stdout, ran.stderr], [2, "", reason]);
		}
	}
	assert.equal(existsSync(home), false);
});

test("a person at the terminal sees the whole change and decides; anything but a clear yes is a no", async (t) => {
	const patch = "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{\u202e}\n*** End Patch\n";
	const { workspace, server } = await setUpDesk(t, (_, index) =>
		index % 2 === 0 ? calls("apply_patch", { patch }) : says("Done."),
	);
	const file = join(workspace, ".vscode/tasks.json");
	const refused = await runHere(execCommand, [...server, "Change it."], { cwd: workspace, typed: ["perhaps"] });
	assert.deepEqual([refused.status, existsSync(file)], [0, false]);
	assert.match(refused.stderr, /add .*tasks\.json \(\+1 −0\).*protected/);
	assert.match(refused.stderr, /\+\{\\u\{202e\}\}/);
	const allowed = await runHere(execCommand, [...server, "Change it."], { cwd: workspace, typed: ["y"] });
	assert.deepEqual([allowed.status, existsSync(file)], [0, true]);
	assert.match(allowed.stderr, /To continue: vitrine exec --resume /);
});

test("Ctrl+C at an approval stops the task with status 3, also while another approval waits", async (t) => {
	const add = (name: string) => ({ patch: `*** Begin Patch\n*** Add File: .vscode/${name}\n+{}\n*** End Patch\n` });
	const both = callsAll([
		["apply_patch", add("tasks.json")],
		["apply_patch", add("launch.json")],
	]);
	const { workspace, server, model } = await setUpDesk(t, () => both);
	const stdin = new PassThrough();
	const stderr = Object.assign(new PassThrough(), { isTTY: true });
	let shown = "";
	stderr.on("data", (chunk: Buffer) => {
		shown += chunk.toString("utf8");
		if (chunk.includes("Allow? ")) stdin.write("\u0003");
	});
	const io = { stdin, stdout: new PassThrough(), stderr, isShown: false, cwd: workspace, canAsk: true };
	assert.equal(await execCommand([...server, "Change it."], io), 3, shown);
	assert.deepEqual([shown.match(/Allow\? /g)?.length, model.requests.length], [1, 1], shown);
	assert.equal(existsSync(join(workspace, ".vscode")), false);
});

test("a prompt read from stdin to its end leaves nobody to ask: what needs approval is refused with status 4", async (t) => {
	const patch = "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch\n";
	const { workspace, server } = await setUpDesk(t, () => calls("apply_patch", { patch }));
	const stderr = new PassThrough();
	const io = { stdin: Readable.from([Buffer.from("Change it.\n")]), stdout: new PassThrough(), stderr, isShown: false };
	assert.equal(await execCommand(server, { ...io, cwd: workspace, canAsk: true }), 4);
	assert.match(String(stderr.read()), /^Refused: needs approval/m);
	assert.equal(existsSync(join(workspace, ".vscode")), false);
});

test("an answer that the server cuts off and repeats is printed once, and the user is told", async (t) => {
	const { workspace, server } = await setUpDesk(t, [
		...[endsWithoutCompleted("Half an ans"), together(says("I look."), calls("list_files", {})), says("An answer.")],
	]);
	const ran = await runHere(execCommand, [...server, "Go."], { cwd: workspace });
	assert.deepEqual([ran.status, ran.stdout], [0, "I look.\nAn answer.\n"]);
	assert.match(ran.stderr, /^.+ Trying again \(attempt 2 of \d+\)\.\nList the working folder\n$/);
});

test("an answer by a schema is the only output, whatever hooks, calls and retries precede it", async (t) => {
	const { home, workspace, server, model } = await setUpDesk(t, [
		...[together(says('{"answer":"I look."}'), calls("list_files", {})), says('{"answer":"Not yet."}')],
		...[endsWithoutCompleted('{"answer":"Half'), says('{"answer":"Done."}')],
		...[together(says('{"answer":"I look."}'), calls("list_files", {})), refuses(400, "bad_request")],
	]);
	writeFileSync(join(workspace, "schema.json"), '{"type":"object","properties":{"answer":{"type":"string"}}}');
	mkdirSync(home, { recursive: true });
	const goOn = { type: "command", command: 'grep -q \'"stop_hook_active":true\' || { echo "Go on." >&2; exit 2; }' };
	writeFileSync(join(home, "hooks.json"), JSON.stringify({ hooks: { Stop: [{ hooks: [goOn] }] } }));
	const exec = (prompt: string) =>
		runHere(execCommand, [...server, "--output-schema", "schema.json", prompt], { cwd: workspace });
	const ran = await exec("Go.");
	assert.deepEqual([ran.status, ran.stdout], [0, '{"answer":"Done."}\n'], ran.stderr);
	const formats = model.requests.map((request) => JSON.stringify(Object(request.body).text?.format?.schema));
	assert.deepEqual([formats.length, new Set(formats).size], [4, 1]);
	const failed = await exec("Again.");
	assert.deepEqual([failed.status, failed.stdout], [1, ""], failed.stderr);
});

test("threads can be listed by their words, shown, archived and deleted", async (t) => {
	const { home, workspace, server } = await setUpDesk(t, () => says("An answer about \u001b[31m trees."));
	await runHere(execCommand, [...server, "What grows here?"], { cwd: workspace });
	const threads = (...args: readonly string[]) =>
		runHere(threadsCommand, [...args, "--home", home], { cwd: workspace });
	const [thread] = await listed(home, workspace);
	const id = thread?.threadId ?? "";
	const found = await threads("--search", "trees");
	assert.ok(found.stdout.startsWith(id) && found.stdout.includes("What grows here?"), found.stdout);
	assert.equal((await threads("--search", "cars")).stdout, "");
	assert.match((await threads("show", id)).stdout, /What grows here\?[\s\S]*trees/);
	assert.match((await threads("export", id)).stdout, /"kind":"request"/);
	await threads("archive", id);
	assert.deepEqual([(await threads()).stdout, (await threads("--archived")).stdout.startsWith(id)], ["", true]);
	await threads("delete", id);
	const gone = await threads("show", id);
	assert.deepEqual([gone.status, gone.stderr], [1, `Thread ${id} was not found. It may have been deleted.\n`]);
	for (const args of [["show"], ["paint", id], ["--limit", "none"]]) assert.equal((await threads(...args)).status, 2);
});

test("a list of threads that leaves some out says so, and lists the newest", async (t) => {
	const { home, workspace, server } = await setUpDesk(t, () => says("Yes."));
	for (const prompt of ["One?", "Two?"]) await runHere(execCommand, [...server, prompt], { cwd: workspace });
	const threads = (...args: readonly string[]) =>
		runHere(threadsCommand, [...args, "--home", home], { cwd: workspace });
	const cut = await threads("--limit", "1");
	assert.match(cut.stdout, /^\S+ {2}\S+ \S+ {2}Two\? {2}\S+\n$/);
	assert.equal(cut.stderr, "There are more threads. Use --limit or --search to see them.\n");
	for (const args of [["--limit", "2"], [], ["--limit", "1", "--search", "One"]]) {
		assert.equal((await threads(...args)).stderr, "", args.join(" "));
	}
});

test("a home that is not a folder is named in one sentence, and no command on threads proceeds", async (t) => {
	const { workspace } = await setUpDesk(t, []);
	const file = join(workspace, "home.txt");
	writeFileSync(file, "");
	for (const args of [[], ["--json"], ["show", "any"], ["delete", "any"]]) {
		const ran = await runHere(threadsCommand, [...args, "--home", "home.txt"], { cwd: workspace });
		assert.deepEqual(ran, { status: 1, stdout: "", stderr: `${file} is not a folder.\n` });
	}
	const replayed = await runHere(replayCommand, ["any", "--home", "home.txt"], { cwd: workspace });
	assert.deepEqual(replayed, { status: 1, stdout: "", stderr: `${file} is not a folder.\n` });
});

test("a command that only reads names a home that does not exist, and does not make it", async (t) => {
	const { home, workspace } = await setUpDesk(t, []);
	const commands: readonly (readonly [Command, ...string[]])[] = [
		[threadsCommand],
		[threadsCommand, "show", "any"],
		[replayCommand, "any"],
		[doctorCommand],
	];
	for (const [command, ...args] of commands) {
		const ran = await runHere(command, [...args, "--home", "../home"], { cwd: workspace });
		assert.deepEqual(ran, { status: 2, stdout: "", stderr: `--home: ${home} does not exist.\n` });
	}
	assert.equal(existsSync(home), false);
});

test("the doctor says what helps where threads cannot be saved, and it helps", async (t) => {
	const { home, workspace } = await setUpDesk(t, []);
	writeFileSync(join(workspace, "home.txt"), "");
	const doctor = (folder: string) => runHere(doctorCommand, ["--home", folder], { cwd: workspace });
	// The option comes before the variable, as the folder of an editor does.
	const before = process.env.VITRINE_HOME;
	process.env.VITRINE_HOME = home;
	t.after(() => {
		if (before === undefined) delete process.env.VITRINE_HOME;
		else process.env.VITRINE_HOME = before;
	});
	mkdirSync(home);
	const sick = await doctor("home.txt");
	assert.equal(sick.status, 1);
	assert.match(sick.stdout, /\n- Vitrine \S+ on the command line\n- Node /);
	assert.match(
		sick.stdout,
		/Threads cannot be saved in [\s\S]*Make that folder writable\. On the command line, --home names /,
	);
	assert.doesNotMatch(sick.stdout, /VITRINE_HOME/);
	assert.doesNotMatch((await doctor(home)).stdout, /Threads cannot be saved/);
});

test("with --json a task that cannot begin is an event too: one line that says why", async (t) => {
	const { home, workspace, server, model } = await setUpDesk(t, []);
	writeFileSync(join(workspace, "home.txt"), "");
	const cases: readonly (readonly [args: readonly string[], status: number, code: string, says: RegExp])[] = [
		[["--home", home, "--resume", "gone", "Go."], 1, "thread-not-found", /^Thread gone was not found\./],
		[["--home", home, "--last", "Go."], 1, "thread-not-found", /^There is no thread in /],
		[["--home", "home.txt", "Go."], 1, "storage-unavailable", /^Threads cannot be saved in .*\(ENOTDIR\)\./],
		[[...server, "--file", "none.txt", "Go."], 2, "input-refused", /none\.txt is not a file\.$/],
		[[...server, "--effort", "huge", "Go."], 2, "input-refused", /effort/],
		[[...server, "--no-such-option", "Go."], 2, "input-refused", /no-such-option/],
	];
	for (const [args, status, code, says] of cases) {
		const ran = await runHere(execCommand, ["--json", ...args], { cwd: workspace });
		const [line, ...rest] = ran.stdout.split("\n");
		const { at, event } = JSON.parse(line ?? "");
		assert.deepEqual([ran.status, rest, typeof at, event.type, event.code], [status, [""], "number", "error", code]);
		assert.match(event.message, says);
		assert.equal(ran.stderr, `${event.message}\n`);
		const plain = await runHere(execCommand, args, { cwd: workspace });
		assert.deepEqual([plain.status, plain.stdout, plain.stderr], [status, "", ran.stderr]);
	}
	assert.equal(model.requests.length, 0);
});

async function listed(
	home: string,
	cwd: string,
): Promise<readonly Pick<ThreadSummary, "threadId" | "preview" | "turns" | "agent">[]> {
	const { stdout } = await runHere(threadsCommand, ["--home", home, "--json"], { cwd });
	return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

test("compact says why nothing was compacted, and exits with 1", async (t) => {
	const { workspace, home, server } = await setUpDesk(t, [says("One.")]);
	mkdirSync(join(workspace, ".claude"));
	const hooks = { PreCompact: [{ hooks: [{ type: "command", command: "echo Not now. >&2; exit 2" }] }] };
	writeFileSync(join(workspace, ".claude/settings.json"), JSON.stringify({ hooks }));
	const first = await runHere(execCommand, [...server, "One."], { cwd: workspace, typed: ["y"] });
	const [, threadId = ""] = /--resume (\S+)/.exec(first.stderr) ?? [];
	const ran = await runHere(compactCommand, ["--home", home, threadId], { cwd: workspace });
	assert.deepEqual([ran.status, ran.stdout], [1, ""]);
	assert.match(ran.stderr, /^PreCompact hook: .+\nA PreCompact hook stopped the compaction\. Not now\.\n$/);
});
