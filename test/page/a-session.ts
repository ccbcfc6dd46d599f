import type { PublishedEvent, Spent } from "../../agent-host/protocol/thread/events.ts";
import type { CommandEnd } from "../../agent-host/protocol/thread/item.ts";
import { AThread } from "./a-thread.ts";
import { aCommand, anApproval, aPatch } from "./an-approval.ts";

/** Between two events of the session. */
const STEP_MS = 700;

/** A morning's work as a host records it: 42 calls in three turns, with approvals, failures, a retry and a stop. */
export function aSession(): { readonly events: readonly PublishedEvent[]; readonly calls: number } {
	const session = new Session();
	session.begin("Find out why the discount is wrong for ten apples, fix it and test it.", FIRST);
	session.think("**Exploring the workspace**\n\nThe shop has a discount; its tests may tell more.");
	session.plan(0);
	session.call("list_files", { path: "." }, "List .");
	for (const path of ["README.md", "package.json", "src/discount.js", "src/basket.js", "src/tax.js"])
		session.read(path);
	session.call("search_files", { pattern: "discount" }, "Search “discount”");
	session.call("search_files", { pattern: ">= 10" }, "Search “>= 10”");
	session.approve("npm test", () => session.run("npm test", { exitCode: 1 }, FAILED));
	session.think("**Comparing the limits**\n\nTen should be included.");
	session.approve("edit", () => session.edit("src/discount.js", ["-if (count > 10) {", "+if (count >= 10) {"]));
	session.run("npm test", { exitCode: 0 }, "12 passed");
	session.plan(2);
	session.think("**Reading the tests**\n\nThey use the runner of Node.");
	for (const path of ["test/discount.test.js", "test/basket.test.js", "test/tax.test.js"]) session.read(path);
	session.call("search_files", { pattern: "describe(" }, "Search “describe(”");
	session.retry();
	session.approve("edit", () => session.edit("test/discount.test.js", ["+test('nine', () => {});"]));
	session.approve("edit", () => session.edit("test/basket.test.js", ["+test('ten', () => {});"]));
	session.run("npm test", { exitCode: 0 }, "14 passed");
	session.run("rm -rf coverage", { exitCode: 0 }, "");
	session.plan(4);
	session.answer("The limit left out exactly ten. It is included now; two tests were added, for nine and for ten.");
	session.end({ files: ["src/discount.js", "test/discount.test.js", "test/basket.test.js"] });

	session.begin("Commit it. What else uses the tax?", [
		change("permissions: Read Only → Workspace, network off"),
		change("model: demo → acme-coder-2"),
		change("editor: src/discount.js"),
	]);
	session.run("git status --short", { exitCode: 0 }, " M src/discount.js");
	session.run("git diff --stat", { exitCode: 0 }, "1 file changed");
	session.run("git log --oneline -3", { exitCode: 0 }, "1234567 Begin");
	session.approve("git commit -am 'Count ten'", () => session.run("git commit -am 'Count ten'", { exitCode: 0 }, "ok"));
	session.deny("git push");
	for (const path of ["src/tax.js", "src/invoice.js", "src/cart.js", "src/export.js", "src/report.js"])
		session.read(path);
	for (const pattern of ["tax(", "TAX_RATE", "vat"]) session.call("search_files", { pattern }, `Search “${pattern}”`);
	session.run("node -p 1.19*100", { exitCode: 0 }, "119");
	session.run("npm run lint", { exitCode: 2 }, "src/tax.js\n  7:3  error  'rate' is not defined");
	session.answer("Committed, but not pushed. Only the invoice and the report use the tax.");
	session.end({});

	session.begin("Then move it to a module of its own.", []);
	for (const path of ["src/invoice.js", "src/report.js"]) session.read(path);
	session.approve("edit", () => session.edit("src/rates.js", ["+export const RATE = 0.19;"]));
	session.run("npm test", { exitCode: 0 }, "14 passed");
	session.call("read_file", { path: "src/rates.js" }, "Read src/rates.js");
	session.stop("The rate is now in");
	return { events: session.events, calls: session.calls };
}

type Fragment = ReturnType<typeof fragment>;

function fragment(kind: string, summary: string) {
	return { kind, role: "developer", origin: "host", summary, tokens: 400 } as const;
}

function change(summary: string): Fragment {
	return fragment("settings", summary);
}

const FIRST = [
	fragment("permissions", "Workspace, network off"),
	fragment("user-instructions", "AGENTS.md"),
	fragment("environment", "cwd /repo/shop"),
];

const FAILED = `${Array.from({ length: 30 }, (_, index) => `ok ${index}`).join("\n")}
not ok 31 - ten apples
  expected: 9
  actual: 10
1 of 31 failed`;

const SANDBOXED = { containment: "sandboxed", sandbox: "Workspace, network off", durationMs: 400 } as const;

interface Asked {
	readonly what: string;
	readonly decision: "allow" | "deny";
}

class Session {
	readonly #thread = new AThread();
	calls = 0;
	#tokens = 0;
	#turn = 0;
	#turnTokens = 0;
	#asked: Asked | undefined;

	get events(): readonly PublishedEvent[] {
		return this.#thread.events.map((event, index) => ({ ...event, at: STEP_MS * index }));
	}

	begin(prompt: string, told: readonly Fragment[]): void {
		this.#turn++;
		this.#turnTokens = 0;
		const permissions = { permissions: "Workspace, network off", permissionMode: "workspaceWrite" } as const;
		this.#thread.turn({ cwd: "/repo/shop", roots: ["/repo/shop"], ...permissions });
		if (told.length > 0) this.#thread.add({ type: "contextUpdated", fragments: [...told] });
		this.#thread.ask(prompt);
	}

	think(text: string): void {
		this.#thread.item({ kind: "reasoning", text });
	}

	answer(text: string): void {
		this.#thread.answer(text);
	}

	read(path: string): void {
		this.call("read_file", { path }, `Read ${path}`);
	}

	plan(done: number): void {
		const steps = ["Read", "Fix", "Test", "Commit"].map((step, index) => ({
			step,
			status: index < done ? "completed" : index === done ? "in_progress" : "pending",
		}));
		this.call("update_plan", { steps }, `Plan: ${done} of 4 done`);
	}

	edit(path: string, lines: readonly string[]): void {
		const patch = ["*** Begin Patch", `*** Update File: ${path}`, "@@", ...lines, "*** End Patch"].join("\n");
		this.call("apply_patch", { patch }, `Edit ${path}`, { kind: "fileChange" });
	}

	run(command: string, end: CommandEnd, output: string): void {
		const text = `Exit code ${end.exitCode} after 0.4 s.\nOutput:\n${output}`;
		const facts = { ...SANDBOXED, ...end, state: "ended", outputFrom: text.length - output.length } as const;
		this.call("run_command", { command }, `Run ${command}`, { kind: "command", output: text, command: facts });
	}

	/** The next call asks first, and is allowed. */
	approve(what: string, call: () => void): void {
		this.#asked = { what, decision: "allow" };
		call();
	}

	deny(command: string): void {
		this.#asked = { what: command, decision: "deny" };
		this.call("run_command", { command }, `Run ${command}`, { kind: "command", status: "failed", output: "Denied." });
	}

	call(name: string, args: object, title: string, more: object = {}): void {
		this.calls++;
		const callId = `call-${this.calls}`;
		const item = {
			kind: "toolCall",
			id: `tool-${this.calls}`,
			callId,
			name,
			arguments: JSON.stringify(args),
			title,
		} as const;
		this.#thread.begin({ ...item, status: "running", ...more, output: "" } as never);
		if (this.#asked) this.#ask(callId, this.#asked);
		this.#asked = undefined;
		this.#thread.item({ ...item, status: "completed", output: "1: text", ...more } as never);
		this.#tokens += 900;
		this.#turnTokens += 900;
	}

	#ask(callId: string, { what, decision }: Asked): void {
		const approvalId = `approval-${callId}`;
		const subject = what === "edit" ? aPatch() : aCommand({ argv: what.split(" ") });
		const request = anApproval({ approvalId, callId, subject, turnId: `turn-${this.#turn}` as never });
		this.#thread.add({ type: "approvalRequested", request });
		this.#thread.add({ type: "approvalResolved", approvalId, decision, by: "user" });
	}

	retry(): void {
		const reason = "Rate limited by 127.0.0.1:18080: quota of acme-coder-2";
		const code = "rate-limit" as const;
		this.#thread.add({ type: "warning", code, message: `${reason}. Retrying in 6.0 s (2 of 5).` });
		this.#thread.add({ type: "retrying", attempt: 2, attempts: 5, waitMs: 6_000, code, reason });
	}

	end({ files = [] }: { readonly files?: readonly string[] }): void {
		if (files.length > 0) this.#thread.add({ type: "filesChanged", files: files.length, paths: [...files] });
		this.#thread.add({ type: "turnCompleted", status: "completed", spent: this.#spent() });
	}

	stop(half: string): void {
		this.#thread.item({ kind: "agentMessage", text: half, cut: true });
		this.#thread.add({ type: "turnCompleted", status: "interrupted", spent: this.#spent() });
	}

	#spent(): { readonly turn: Spent; readonly thread: Spent } {
		const of = (tokens: number): Spent => ({ tokens, money: tokens / 500_000, unpriced: 0, requests: 1, minutes: 0.1 });
		return { turn: of(this.#turnTokens), thread: of(this.#tokens) };
	}
}
