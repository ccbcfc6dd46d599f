import { agentRole } from "./fragments/agent-role.ts";
import { commitRequest, sideQuestion } from "./fragments/aside.ts";
import { budget as budgetFragment } from "./fragments/budget.ts";
import * as listFragments from "./fragments/capability-lists.ts";
import { compactedContext, compactedIntent, compactionRequest, historyBridge } from "./fragments/compacted.ts";
import { editorContext as editorContextFragment } from "./fragments/editor-context.ts";
import { environment as environmentFragment } from "./fragments/environment.ts";
import { folderInstructions as folderInstructionsFragment } from "./fragments/folder-instructions.ts";
import { goal as goalFragment } from "./fragments/goal.ts";
import { imageOmitted } from "./fragments/image-omitted.ts";
import { modelSwitch } from "./fragments/model-switch.ts";
import * as modeFragments from "./fragments/modes.ts";
import { permissions as permissionsFragment } from "./fragments/permissions.ts";
import { repeatedCall } from "./fragments/repeated-call.ts";
import { turnAborted } from "./fragments/turn-aborted.ts";
import { turnRetried } from "./fragments/turn-retried.ts";
import {
	hookContext,
	hookPrompt,
	serverPrompt,
	skill,
	subagentNotification,
	userEdits,
	userShellCommand,
} from "./fragments/user-actions.ts";
import { userInstructions as userInstructionsFragment } from "./fragments/user-instructions.ts";
import { agent } from "./sections/agent.ts";
import { budget } from "./sections/budget.ts";
import { agentRoles, approvedPrefixes, apps, networkRules, plugins, skills } from "./sections/capability-lists.ts";
import { editorContext } from "./sections/editor-context.ts";
import { environment } from "./sections/environment.ts";
import { folderInstructions } from "./sections/folder-instructions.ts";
import { goal } from "./sections/goal.ts";
import { model } from "./sections/model.ts";
import { collaborationMode, effort, personality, realtime } from "./sections/modes.ts";
import { permissions } from "./sections/permissions.ts";
import { userInstructions } from "./sections/user-instructions.ts";

/** Everything the model can be told besides the conversation. Start here to review it. */
export const FRAGMENTS = [
	modelSwitch,
	permissionsFragment,
	listFragments.networkRules,
	listFragments.approvedPrefixes,
	modeFragments.collaborationMode,
	modeFragments.realtime,
	modeFragments.personality,
	modeFragments.reasoningEffort,
	listFragments.skills,
	skill,
	serverPrompt,
	listFragments.agentRoles,
	listFragments.plugins,
	listFragments.apps,
	hookContext,
	hookPrompt,
	budgetFragment,
	goalFragment,
	agentRole,
	userInstructionsFragment,
	folderInstructionsFragment,
	environmentFragment,
	editorContextFragment,
	userEdits,
	userShellCommand,
	subagentNotification,
	imageOmitted,
	repeatedCall,
	turnAborted,
	turnRetried,
	sideQuestion,
	commitRequest,
	compactionRequest,
	compactedIntent,
	historyBridge,
	compactedContext,
] as const;

/** The parts of the world the model is kept informed of, in the order it reads them; each may assume the ones above it. */
export const SECTIONS = [
	model,
	permissions,
	networkRules,
	approvedPrefixes,
	collaborationMode,
	realtime,
	personality,
	effort,
	skills,
	agentRoles,
	plugins,
	apps,
	budget,
	goal,
	agent,
	userInstructions,
	folderInstructions,
	environment,
	editorContext,
];

/** A message that the user wrote. */
export const PLAIN = "plain";

/** The name by which clients know a fragment with the user role: `environmentContext`, `userInstructions`. */
export function findMessageKind(fragment: string): string {
	const tag = FRAGMENTS.find(({ kind }) => kind === fragment)?.tag;
	return (tag ?? fragment).replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
