import { messageAgent, startAgent, stopAgent, waitForAgents } from "./agents.ts";
import { applyPatch } from "./apply-patch.ts";
import { askUser } from "./ask-user.ts";
import { callServerTool } from "./call-server-tool.ts";
import { codeAction } from "./code-action.ts";
import { findServerTools } from "./find-server-tools.ts";
import { listFiles } from "./list-files.ts";
import { listSymbols } from "./list-symbols.ts";
import { locateSymbol } from "./locate-symbol.ts";
import { problems } from "./problems.ts";
import { readFile } from "./read-file.ts";
import { recall } from "./recall.ts";
import { renameSymbol } from "./rename-symbol.ts";
import { reportFindings } from "./report-findings.ts";
import { reportGoal } from "./report-goal.ts";
import { runCommand } from "./run-command.ts";
import { runTask } from "./run-task.ts";
import { searchFiles } from "./search-files.ts";
import { stopCommand } from "./stop-command.ts";
import type { Tool } from "./tool.ts";
import { updatePlan } from "./update-plan.ts";
import { useSkill } from "./use-skill.ts";
import { viewImage } from "./view-image.ts";
import { fetchPage } from "./web-page.ts";
import { writeCommandInput } from "./write-command-input.ts";

/** Every tool the model can be offered. The envelope lists those of a turn. */
export const TOOLS: readonly Tool[] = [
	readFile,
	viewImage,
	listFiles,
	searchFiles,
	locateSymbol,
	listSymbols,
	problems,
	runCommand,
	runTask,
	writeCommandInput,
	stopCommand,
	applyPatch,
	renameSymbol,
	codeAction,
	fetchPage,
	updatePlan,
	reportFindings,
	reportGoal,
	askUser,
	recall,
	useSkill,
	findServerTools,
	callServerTool,
	startAgent,
	messageAgent,
	waitForAgents,
	stopAgent,
];
