import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { PolicyOutcome } from "../../permissions/resolve/compile-policy-file.ts";
import { DEFAULT_LIMITS } from "../../permissions/resolve/resolve-policy.ts";
import { HostError } from "../../protocol/errors.ts";
import { HostOptions } from "../../protocol/host/host-options.ts";
import { PartialSettings } from "../../protocol/settings/settings.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import type { Session } from "../../session/session.ts";
import { defaultHome } from "../../store/home/home.ts";
import { VERSION } from "../../version.ts";
import { openSession } from "../open-session.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import { readPolicy } from "./read-policy.ts";
import { createPrinter, EXIT, MODEL_OPTIONS, modelSettings, runTurnHere } from "./run-turn-here.ts";

const USAGE =
	"Usage: vitrine exec [--cwd DIR] [--base-url URL] [--wire responses|chat] [--model ID] [--mode readOnly|ask|workspaceWrite | --policy FILE] [--home DIR] [--json] PROMPT";

interface ExecOptions {
	readonly cwd: string;
	readonly home: string | undefined;
	readonly settings: PartialSettings;
	readonly policyFile: string | undefined;
	readonly prompt: string;
	readonly json: boolean;
}

/**
 * Runs one task in a folder without an editor: text, or one event per line. A question that cannot be answered ends it.
 */
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
	const print = createPrinter(options.json, io);
	const ports: ClientPorts = {
		...clientlessPorts(io.stderr),
		ask: (request) => {
			asked = true;
			io.stderr.write(`Refused: needs approval, which is not available here. ${request.reason}\n`);
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

async function runTask(session: Session, { cwd, prompt }: ExecOptions, io: CommandIo): Promise<void> {
	const threadId = session.threads.start({ cwd, settings: {} });
	const input = [{ kind: "text" as const, text: prompt }];
	await runTurnHere(session, threadId, io, () => session.startTurn({ threadId, input }));
}

function hostOptions({ home, settings }: ExecOptions): HostOptions {
	return HostOptions.parse({
		...(home === undefined ? {} : { home }),
		// A user who starts a task in a folder from a terminal has chosen that folder.
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
				...MODEL_OPTIONS,
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
			...modelSettings(values),
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
