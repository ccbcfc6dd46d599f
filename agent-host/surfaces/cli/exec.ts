import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { PolicyOutcome } from "../../permissions/policy-file.ts";
import { DEFAULT_LIMITS } from "../../permissions/resolve.ts";
import { HostError } from "../../protocol/errors.ts";
import type { PublishedEvent, TurnError } from "../../protocol/events.ts";
import { HostOptions } from "../../protocol/host-options.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { isCall } from "../../protocol/item.ts";
import { PartialSettings } from "../../protocol/settings.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import type { Session } from "../../session/session.ts";
import { defaultHome } from "../../store/home.ts";
import { VERSION } from "../../version.ts";
import { openSession } from "../open-session.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import type { CommandIo } from "./command.ts";
import { readPolicy } from "./read-policy.ts";

const USAGE =
	"Usage: vitrine exec [--cwd DIR] [--base-url URL] [--wire responses|chat] [--model ID] [--mode readOnly|ask|workspaceWrite | --policy FILE] [--home DIR] [--json] PROMPT";

const EXIT = { completed: 0, failed: 1, usage: 2, interrupted: 3, needsApproval: 4 } as const;

type Published = PublishedEvent & { readonly threadId: ThreadId };

interface ExecOptions {
	readonly cwd: string;
	readonly home: string | undefined;
	readonly settings: PartialSettings;
	readonly policyFile: string | undefined;
	readonly prompt: string;
	readonly json: boolean;
}

/** Runs one task in a folder, without an editor: text, or one event a line. A question nobody can answer ends it. */
export async function execCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readOptions(args, io.cwd);
	const misused = (reason: string): number => {
		io.stderr.write(`${reason}\n`);
		return EXIT.usage;
	};
	if (typeof options === "string") return misused(options);
	const fixed = await fixedPolicy(options, io);
	if (fixed?.ok === false) return misused(fixed.reason);
	let asked = false;
	let status: number = EXIT.failed;
	const print = printer(options.json, io);
	const ports: ClientPorts = {
		...clientlessPorts(io.stderr),
		ask: (request) => {
			asked = true;
			io.stderr.write(`Needs an approval that nobody can give: ${request.reason}\n`);
			return Promise.resolve({ decision: "abort", digest: request.digest });
		},
		publish: (threadId, event) => {
			print({ threadId, ...event });
			if (event.event.type === "turnCompleted") status = EXIT[event.event.status];
		},
	};
	try {
		const session = await openSession([options.cwd], hostOptions(options), ports, new Map(), fixed?.policy);
		for (const sentence of await session.recover()) io.stderr.write(`${sentence}\n`);
		await runTask(session, options, io);
	} catch (error) {
		if (!(error instanceof HostError)) throw error;
		io.stderr.write(`${error.message}\n`);
	}
	return asked ? EXIT.needsApproval : status;
}

async function fixedPolicy({ policyFile, cwd, home }: ExecOptions, io: CommandIo): Promise<PolicyOutcome | undefined> {
	if (policyFile === undefined) return undefined;
	const { timeoutMs } = DEFAULT_LIMITS;
	return readPolicy({ file: policyFile, from: io.cwd, cwd, home: home ?? defaultHome(), timeoutMs });
}

async function runTask(session: Session, { cwd, prompt }: ExecOptions, { stdout }: CommandIo): Promise<void> {
	const threadId = session.threads.start({ cwd, settings: {} });
	const onStop = () => void session.interrupt(threadId);
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, onStop);
	// Whoever read the answer is gone.
	stdout.on("error", onStop);
	try {
		await session.startTurn({ threadId, input: [{ kind: "text", text: prompt }] });
		await (await session.threads.open(threadId)).running?.ended;
	} finally {
		await session.close();
	}
}

function printer(json: boolean, { stdout, stderr }: CommandIo): (event: Published) => void {
	if (json) return (event) => stdout.write(`${JSON.stringify(event)}\n`);
	return ({ event }) => {
		if (event.type === "itemDelta" && event.itemKind === "agentMessage") stdout.write(event.text);
		else if (event.type === "itemCompleted" && event.item.kind === "agentMessage") stdout.write("\n");
		else if (event.type === "itemCompleted" && isCall(event.item)) {
			stderr.write(`${event.item.title} (${event.item.status})\n`);
		} else if (event.type === "turnCompleted" && event.error !== undefined) {
			stderr.write(`${event.error.message}${HINTS[event.error.code] ?? ""}\n`);
		}
	};
}

/** What to do about it where there is no editor. */
const HINTS: Partial<Record<TurnError["code"], string>> = {
	auth: " Here the key is read from VITRINE_API_KEY.",
	"model-not-set-up": " Here it is named with --model.",
};

function hostOptions({ home, settings }: ExecOptions): HostOptions {
	return HostOptions.parse({
		...(home === undefined ? {} : { home }),
		// Whoever starts a task in a folder from a terminal has chosen that folder.
		trusted: true,
		settings,
		surface: { name: "exec", version: VERSION },
	});
}

function readOptions(args: readonly string[], cwd: string): ExecOptions | string {
	try {
		const { values, positionals } = parseArgs({
			args: [...args],
			options: {
				cwd: { type: "string" },
				"base-url": { type: "string" },
				wire: { type: "string" },
				model: { type: "string" },
				mode: { type: "string" },
				policy: { type: "string" },
				home: { type: "string" },
				json: { type: "boolean", default: false },
			},
			allowPositionals: true,
		});
		const [prompt, ...rest] = positionals;
		if (prompt === undefined || rest.length > 0) return USAGE;
		if (values.policy !== undefined && values.mode !== undefined) return USAGE;
		const settings = PartialSettings.safeParse({
			...modelSettings({ baseUrl: values["base-url"], id: values.model, wire: values.wire }),
			...(values.mode === undefined ? {} : { permissions: { mode: values.mode } }),
		});
		if (!settings.success) return `${USAGE}\n${settings.error.issues.map((issue) => issue.message).join("\n")}`;
		return {
			cwd: resolve(cwd, values.cwd ?? "."),
			home: values.home === undefined ? undefined : resolve(cwd, values.home),
			settings: settings.data,
			policyFile: values.policy,
			prompt,
			json: values.json,
		};
	} catch (error) {
		return `${error instanceof Error ? error.message : String(error)}\n${USAGE}`;
	}
}

/** A server by its address; OpenAI when only a model or a wire is named; with none of them the demo model. */
function modelSettings(named: Readonly<Record<"baseUrl" | "id" | "wire", string | undefined>>) {
	if (Object.values(named).every((value) => value === undefined)) return {};
	const { baseUrl, id = "", wire = "responses" } = named;
	return {
		model: { ...(baseUrl === undefined ? { provider: "openai" } : { provider: "compatible", baseUrl }), id, wire },
	};
}
