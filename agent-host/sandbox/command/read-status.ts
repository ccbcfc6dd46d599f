import { readSync } from "node:fs";
import { constants } from "node:os";
import type { ContainedProcess } from "../launch.ts";

const STATUS_BYTES = 4_096;

/** The backend's status output about the command so far. */
export function readStatus(status: number): string {
	const bytes = Buffer.alloc(STATUS_BYTES);
	return bytes.toString("utf8", 0, readSync(status, bytes, 0, bytes.length, 0));
}

/** How a command in bubblewrap ended; undefined if it was not started. */
export function readExitCode(child: ContainedProcess, status: number): number | undefined {
	const text = readStatus(status);
	const code = /"exit-code"\s*:\s*(\d+)/.exec(text)?.[1];
	return code === undefined ? killedWith(child, text) : Number(code);
}

/** Another process ended bubblewrap, and with it the command, while it ran. */
function killedWith({ signalCode }: ContainedProcess, text: string): number | undefined {
	if (signalCode === null || !text.includes('"child-pid"')) return undefined;
	return 128 + constants.signals[signalCode];
}
