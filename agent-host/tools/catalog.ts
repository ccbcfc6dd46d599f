import { applyPatch } from "./apply-patch.ts";
import { listFiles } from "./list-files.ts";
import { readFile } from "./read-file.ts";
import { recall } from "./recall.ts";
import { runCommand } from "./run-command.ts";
import { searchFiles } from "./search-files.ts";
import { stopCommand } from "./stop-command.ts";
import type { Tool } from "./tool.ts";
import { updatePlan } from "./update-plan.ts";
import { viewImage } from "./view-image.ts";
import { writeCommandInput } from "./write-command-input.ts";

/** Every tool the model can be offered. The envelope lists those of a turn. */
export const TOOLS: readonly Tool[] = [
	readFile,
	viewImage,
	listFiles,
	searchFiles,
	runCommand,
	writeCommandInput,
	stopCommand,
	applyPatch,
	updatePlan,
	recall,
];
