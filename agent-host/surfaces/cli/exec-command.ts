import type { PolicyOutcome } from "../../permissions/resolve/compile-policy-file.ts";
import { DEFAULT_LIMITS } from "../../permissions/resolve/resolve-policy.ts";
import { HostError } from "../../protocol/errors.ts";
import { HostOptions } from "../../protocol/host/host-options.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ParamsOf } from "../../protocol/method.ts";
import { quote } from "../../protocol/say.ts";
import { mergePartialSettings, type PartialSettings } from "../../protocol/settings/settings.ts";
import { turnStart } from "../../protocol/thread/turn.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import type { Session } from "../../session/session.ts";
import { defaultHome } from "../../store/home/home.ts";
import { VERSION } from "../../version.ts";
import { describeRefusedInput } from "../describe-refused-input.ts";
import { openSession } from "../open-session.ts";
import { DEMO_HINT } from "../terminal-hint.ts";
import { makeVisibleLine } from "../visible.ts";
import { askOnTerminal } from "./ask-on-terminal.ts";
import { chooseThread } from "./choose-thread.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import { type Json, readInput, readSchema } from "./exec-input.ts";
import { type ExecOptions, readExecOptions } from "./exec-options.ts";
import { placeNamedModel } from "./model-options.ts";
import { readPolicy } from "./read-policy.ts";
import { createFailureTeller, createPrinter, EXIT, runTurnHere, type Stoppable } from "./run-turn-here.ts";

/**
 * Runs one task in a folder without an editor: text, or one event per line. Approvals are asked for on the terminal;
 * without one, a call that needs approval ends the task.
 */
export async function execCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = await readExecOptions(args, io.cwd);
	const isJson = typeof options === "string" ? args.includes("--json") : options.json;
	const tellFailure = createFailureTeller(isJson, io);
	const misused = (reason: string): number => {
		tellFailure("input-refused", reason);
		return EXIT.usage;
	};
	if (typeof options === "string") return misused(options);
	const fixed = await fixedPolicy(options, io);
	if (fixed?.ok === false) return misused(fixed.reason);
	const given = await readGiven(options, io).catch(asReason);
	if (typeof given === "string") return misused(given);
	let needsApproval = false;
	let status: number = EXIT.failed;
	let task: ThreadId | undefined;
	let isDemo = false;
	const stopped = new AbortController();
	const onlyLast = options.outputSchema !== undefined;
	const print = createPrinter(options.json, io, { isSubAgent: (threadId) => threadId !== task, onlyLast });
	const ports: ClientPorts = {
		...clientlessPorts(io.stderr),
		ask: (request) => {
			needsApproval = true;
			io.stderr.write(`Refused: needs approval, which is not available here. ${makeVisibleLine(request.reason)}\n`);
			return Promise.resolve({ decision: "abort", digest: request.digest });
		},
		publish: (threadId, event) => {
			print({ threadId, ...event });
			if (threadId !== task) return;
			if (event.event.type === "turnStarted") isDemo = event.event.envelope.provider === "demo";
			if (event.event.type === "turnCompleted") status = EXIT[event.event.status];
		},
		...askPorts(io, () => stopped.abort()),
	};
	try {
		const folders = options.cwd === undefined ? [] : [options.cwd];
		const session = await openSession(folders, hostOptions(options), ports, new Map(), { policy: fixed?.policy });
		try {
			for (const sentence of await session.recover()) ports.log("warning", sentence);
			task = await chooseThread(session, options, io);
			await runTask(session, task, options, given, { ...io, stopped: stopped.signal });
			if (isDemo) io.stderr.write(`${DEMO_HINT}\n`);
		} finally {
			await session.close();
		}
	} catch (error) {
		if (!(error instanceof HostError)) throw error;
		tellFailure(error.kind, makeVisibleLine(error.message));
		if (error.kind === "input-refused") return EXIT.usage;
	}
	return needsApproval ? EXIT.needsApproval : status;
}

function askPorts(io: CommandIo, stop: () => void): Partial<Pick<ClientPorts, "ask" | "question">> {
	// Nobody can answer on a terminal after the prompt was read from it to its end.
	if (!io.canAsk || io.stdin.readableEnded) return {};
	const { approval, question } = askOnTerminal(io, stop);
	return { ask: approval, question };
}

async function fixedPolicy({ policyFile, cwd, home }: ExecOptions, io: CommandIo): Promise<PolicyOutcome | undefined> {
	if (policyFile === undefined) return undefined;
	const { timeoutMs } = DEFAULT_LIMITS;
	return readPolicy({ file: policyFile, from: io.cwd, cwd: cwd ?? io.cwd, home: home ?? defaultHome(), timeoutMs });
}

type Given = Pick<ParamsOf<typeof turnStart>, "input"> & { readonly outputSchema: Json | undefined };

/** Read before anything is opened: a task that cannot begin leaves no trace. */
async function readGiven(options: ExecOptions, io: CommandIo): Promise<Given> {
	return { input: [...(await readInput(options, io))], outputSchema: await readSchema(options.outputSchema, io.cwd) };
}

function asReason(error: unknown): string {
	if (error instanceof HostError) return error.message;
	throw error;
}

async function runTask(
	session: Session,
	threadId: ThreadId,
	{ source, settings, cwd }: ExecOptions,
	{ input, outputSchema }: Given,
	io: CommandIo & Stoppable,
): Promise<void> {
	const isNew = source.kind === "new";
	const change = isNew ? {} : { settings: await placeInThread(session, threadId, settings) };
	const overrides = {
		...change,
		...(isNew || cwd === undefined ? {} : { cwd }),
		...(outputSchema === undefined ? {} : { outputSchema }),
	};
	const params = turnStart.params.safeParse({ threadId, input, overrides });
	if (!params.success) throw new HostError("input-refused", quote(describeRefusedInput(input)));
	await runTurnHere(session, threadId, io, () => session.startTurn(params.data));
	if (io.canAsk) io.stderr.write(`To continue: vitrine exec --resume ${threadId} PROMPT\n`);
}

/** What a turn changes, with the server of a model that is named in a thread of the demo model. */
async function placeInThread(session: Session, threadId: ThreadId, change: PartialSettings): Promise<PartialSettings> {
	if (change.model?.id === undefined) return change;
	const { held, settings } = await session.changeSettings(threadId, { settings: {} });
	return placeNamedModel(change, mergePartialSettings(held, settings).model?.provider);
}

function hostOptions({ source, home, settings }: ExecOptions): HostOptions {
	return HostOptions.parse({
		...(home === undefined ? {} : { home }),
		// A user who starts a task in a folder from a terminal has chosen that folder.
		trusted: true,
		...(source.kind === "new" ? { settings } : {}),
		surface: { name: "exec", version: VERSION },
	});
}
