import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../support/editor-paths.ts";
import type { Crew, User } from "./crew.ts";
import { namesTests, type RunOptions } from "./options.ts";
import { findTests, STAGES, type Stage } from "./stages.ts";
import { checkTasks, setUpTasks } from "./steps.ts";
import type { Task } from "./task.ts";

/** Everything that a run does, in the order in which it is begun. */
export function planRun(options: RunOptions, crew: Crew): readonly Task[] {
	const tests = STAGES.flatMap((stage) => crew.users.flatMap((user) => fileTasks(stage, user, options, crew)));
	const needs = new Set(tests.flatMap((task) => task.needs));
	return [...setUpTasks(needs, crew.meter), ...(wantsChecks(options) ? checkTasks(crew.meter) : []), ...tests];
}

function wantsChecks(options: RunOptions): boolean {
	return namesTests(options) ? options.stages.includes("check") : options.extent !== "rest";
}

function fileTasks(stage: Stage, user: User, options: RunOptions, crew: Crew): readonly Task[] {
	const { cores, most, needs } = stage;
	const suffix = `${stage.asWindows ? " as on Windows" : ""}${user === "self" ? "" : " as an ordinary user"}`;
	const order = options.title === undefined ? {} : { title: options.title };
	return takeShare(chooseFiles(stage, options), stage, user, crew.users, options).map((file) => ({
		name: `${file}${suffix}`,
		stage: `${stage.name}${suffix}`,
		cores,
		most,
		needs,
		run: () =>
			crew.run(`${stage.name}${suffix}`, user, { file, ...order, ...(stage.asWindows && { asWindows: true }) }),
	}));
}

function chooseFiles(stage: Stage, options: RunOptions): readonly string[] {
	const further = findTests(stage.full);
	// One that is named is run, whatever else is.
	const isFull = options.extent === "full";
	const all = [...chooseUsual(stage, options), ...further.filter((file) => isFull || options.files.includes(file))];
	// A file that is named runs once, in its own stage.
	const named = stage.asWindows ? { ...options, files: [] } : options;
	if (stage.asWindows && options.files.length > 0 && !options.stages.includes(stage.name)) return [];
	return all.filter((file) => isChosen(file, stage.name, named));
}

function chooseUsual(stage: Stage, options: RunOptions): readonly string[] {
	const [files, rest] = [findTests(stage.files), findTests(stage.rest)];
	if (namesTests(options) || options.extent === "full") return files;
	return files.filter((file) => rest.includes(file) === (options.extent === "rest"));
}

/** Where there are two users, a short run has most files run by one of them; a full run, and who names a file, by both. */
function takeShare(
	chosen: readonly string[],
	stage: Stage,
	user: User,
	users: readonly User[],
	{ extent, files }: RunOptions,
): readonly string[] {
	if (users.length === 1) return chosen;
	const full = extent === "full";
	const [theirs, both] = [findTests(stage.ordinary), findTests(stage.both)];
	if (user === "self") return chosen.filter((file) => full || files.includes(file) || !theirs.includes(file));
	return full && theirs.length > 0 ? chosen : chosen.filter((file) => theirs.includes(file) || both.includes(file));
}

function isChosen(file: string, stage: string, { stages, files, title }: RunOptions): boolean {
	if (stages.length + files.length > 0) return stages.includes(stage) || files.includes(file);
	return title === undefined || mayHold(file, title);
}

/** A title that is put together from parts is found only in a file that is named beside it. */
function mayHold(file: string, title: string): boolean {
	return readFileSync(join(PROJECT, file), "utf8").toLowerCase().includes(title.toLowerCase());
}
