import type { Policy } from "../../permissions/policy/policy.ts";
import { isWithin } from "../../permissions/reach/is-within.ts";
import type { BackgroundProcess, CommandReport, Held } from "../../tools/command-call.ts";
import type { CommandEnd, RunningCommand, TimeLimit } from "../backend.ts";

type RunningReport = Extract<CommandReport, { readonly state: "running" }>;

/** A command that was started, with what its reports need. */
export interface Started {
	readonly process: BackgroundProcess | undefined;
	readonly owner: string;
	readonly argv: readonly string[];
	readonly command: RunningCommand;
	readonly began: number;
	readonly held: Held;
	/** Settled when the user moves it to the background. */
	readonly moved: PromiseWithResolvers<undefined>;
	readonly timeLimit: TimeLimit;
}

/** What the model reads of a command that goes on; its output since the last time. */
export async function reportRunning(processId: string, started: Started): Promise<RunningReport> {
	const { command, held } = started;
	const notes = await command.check();
	const so = { output: command.takeNew(), outputBytes: command.bytes(), ms: measureAge(started), held };
	return { state: "running", processId, notes, ...so, refusedHosts: command.refusedHosts(), bound: command.bound };
}

/** The end, or undefined if it did not come in time. */
export async function waitForEnd(
	ended: Promise<CommandEnd>,
	waitMs: number,
	signal: AbortSignal,
): Promise<CommandEnd | undefined> {
	let timer: NodeJS.Timeout | undefined;
	let stopWaiting: (() => void) | undefined;
	const late = new Promise<undefined>((resolve) => {
		stopWaiting = () => resolve(undefined);
		timer = setTimeout(resolve, waitMs, undefined);
		signal.addEventListener("abort", stopWaiting, { once: true });
	});
	try {
		return await Promise.race([ended, late]);
	} finally {
		clearTimeout(timer);
		if (stopWaiting !== undefined) signal.removeEventListener("abort", stopWaiting);
	}
}

export function reportEnd(ended: CommandEnd, started: Started, which: "whole" | "new"): CommandReport {
	if (ended.state === "refused") return ended;
	const output = which === "whole" ? ended.output.text : started.command.takeNew();
	return { ...ended, output, outputBytes: ended.output.bytes, ms: measureAge(started), held: started.held };
}

/** A command with unknown rights exceeds every policy. In plan mode, what an approval opened is closed. */
export function isWithinRights({ process }: Started, policy: Policy): boolean {
	if (process === undefined || !isWithin(process.rights, policy)) return false;
	const { escalated, reads = [] } = process.call;
	const isHeld = process.rights.noSandbox === undefined && !escalated && reads.length === 0;
	return policy.plan === undefined || isHeld;
}

export function measureAge({ began }: Started): number {
	return performance.now() - began;
}

export function refuseUnknown(processId: string): CommandReport {
	return refuse(`No background command ${processId}; it has ended or belongs to another thread.`);
}

export function refuse(reason: string): CommandReport {
	return { state: "refused", reason };
}
