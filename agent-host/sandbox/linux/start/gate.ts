import type { Writable } from "node:stream";
import type { Refusal } from "../../command/prepare.ts";
import type { RunningCommand } from "../../command/watch.ts";
import { type ContainedProcess, GO_FD, killGroup } from "../../launch.ts";

/** Lets a command that waits begin when all that must hold before does; when it cannot, the command never runs. */
export async function passGate(
	child: ContainedProcess,
	running: RunningCommand,
	ready: Promise<unknown>,
): Promise<RunningCommand | Refusal> {
	const first = await Promise.race([
		ready.then(
			() => "ready" as const,
			() => "lost" as const,
		),
		running.ended.then(() => "ended" as const),
	]);
	if (first === "ready") {
		// The slot was made by the same start that made the command wait for it.
		const go = child.stdio[Number(GO_FD)] as Writable;
		go.on("error", () => undefined).end("g");
		return running;
	}
	killGroup(child);
	const ended = await running.ended;
	if (ended.state === "refused") return ended;
	return {
		state: "refused",
		code: "sandbox-unavailable",
		reason: "The command did not get into a network of its own, so it was not started.",
	};
}
