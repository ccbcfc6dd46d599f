import { ftruncateSync } from "node:fs";
import { bubblewrapWords, GATE_FOR_SCRIPT } from "../launch.ts";
import { writeWhole } from "../run-folder.ts";
import type { CountedProcesses } from "./cgroups/count-processes.ts";
import { endSandbox } from "./end-sandbox.ts";
import { type CheckedSandbox, checkOnceSetUp } from "./hold-back.ts";
import { commandScript, launchScript } from "./launch-script.ts";
import type { Prepared } from "./prepare.ts";
import { closeAll, keepHost, type PlainShell, type WaitingShell } from "./waiting-shell.ts";

/** Not if it needs empty folders in the workspace, which stay there only while a command runs, or a copy of a repository. */
export function canSetUpAgain({ layout, repository }: Pick<Prepared, "layout" | "repository">): boolean {
	return layout.placeholders.length === 0 && repository === undefined;
}

/**
 * Sets up the sandbox of a command that has ended for the next one, before that is known: mostly it gets the same. Nothing
 * of it runs until then, and it is used only if the next command would get exactly this one, as the disk is by then, and
 * nothing was mounted, removed or replaced since it was checked.
 * @param onWrong Called if it is not what it was told to be.
 */
export function setUpAgain(
	shell: PlainShell,
	last: Prepared,
	counted: CountedProcesses,
	onWrong: () => void,
): WaitingShell {
	const { output, files, waits } = shell;
	const words = bubblewrapWords(last.bwrap, GATE_FOR_SCRIPT, undefined);
	const script = launchScript(words, { join: counted.join, fileBlocks: last.fileBlocks });
	const { child, go } = shell.become(last.options, script);
	let checked: CheckedSandbox | undefined;
	const check = checkOnceSetUp(last.told, files.status, (found) => {
		if ("problem" in found) onWrong();
		else checked = found;
	});
	let state: "waiting" | "over" = "waiting";
	return {
		child,
		output,
		files,
		waits,
		counted,
		isFor: (prepared) => isSameSandbox(last, prepared),
		isIntact: () => {
			check.look();
			return waits() && checked?.isUnchanged() === true;
		},
		start: ({ argv }) => {
			ftruncateSync(files.script, 0);
			writeWhole(files.script, Buffer.from(commandScript(argv), "utf8"));
			state = "over";
			keepHost(shell);
			return { check: () => () => undefined, findInit: () => checked?.init, release: go };
		},
		discard: () => {
			if (state === "over") return;
			state = "over";
			check.stop();
			endSandbox(child, files.status);
			// It reads there once more which process is to be ended.
			if (child.exitCode !== null || child.signalCode !== null) closeAll(files, output);
			else child.once("exit", () => closeAll(files, output));
		},
	};
}

/** Whether two commands get the same sandbox. */
function isSameSandbox(a: Prepared, b: Prepared): boolean {
	const isSame = a.bwrap === b.bwrap && a.options.equals(b.options) && a.bound === b.bound;
	return isSame && a.fileBlocks === b.fileBlocks && a.policy.limits.processes === b.policy.limits.processes;
}
