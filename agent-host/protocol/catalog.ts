import { approvalAsk, approvalDiff } from "./approval/approval.ts";
import { permissionLedger, permissionRevoke } from "./approval/ledger.ts";
import { questionAsk } from "./approval/question.ts";
import { documentEncoding, documentUnsaved } from "./host/document.ts";
import { editorModelCountTokens, editorModelList, editorModelPart, editorModelStream } from "./host/editor-models.ts";
import { editorToolCall, editorToolList } from "./host/editor-tools.ts";
import { hostDoctor, policyProbe } from "./host/health.ts";
import {
	didChangeConfiguration,
	didChangeTrust,
	hostStatus,
	hostStatusChanged,
	hostWarning,
	modelDetect,
	modelDiscover,
	modelForgetLessons,
	modelList,
	modelSignIn,
	modelSignOut,
	secretGet,
} from "./host/host.ts";
import {
	languageActions,
	languageHover,
	languageLocate,
	languageOutline,
	languageProblems,
	languageRename,
	languageSymbols,
	taskList,
} from "./host/language.ts";
import { toolLend } from "./host/lent-tools.ts";
import { pluginInspect, pluginInstall, pluginList, pluginRemove } from "./host/plugins.ts";
import { serverFindResources, serverReadResource } from "./host/server-resources.ts";
import {
	serverAuthorize,
	serverCredentials,
	serverKeepCredentials,
	serverRedirect,
	serverSignIn,
	serverSignOut,
} from "./host/server-sign-in.ts";
import { serverInput, serverList, serverLog, serverStart, serverStop, serversChanged } from "./host/servers.ts";
import { hostTraces } from "./host/telemetry.ts";
import { commitMessage, threadAsk } from "./thread/aside.ts";
import { threadCompact, threadCompactApply, threadCompactUndo, threadPin } from "./thread/compaction.ts";
import { contextInspect, contextTold, policyShow, threadMute } from "./thread/context.ts";
import { goalChange } from "./thread/goal.ts";
import { threadImage } from "./thread/image.ts";
import { instructionsLint } from "./thread/instructions.ts";
import { fileFind } from "./thread/mentions.ts";
import { processBackground, processesChanged, processList, processStop, processTail } from "./thread/process.ts";
import {
	reviewBase,
	reviewComment,
	reviewKeep,
	reviewList,
	reviewReject,
	threadRestore,
	threadRestoreRedo,
} from "./thread/review.ts";
import {
	threadArchive,
	threadClose,
	threadDelete,
	threadEvent,
	threadExport,
	threadFork,
	threadImport,
	threadList,
	threadRead,
	threadRename,
	threadRepair,
	threadReplay,
	threadResume,
	threadRollback,
	threadSearch,
	threadSettings,
	threadStart,
	threadVerify,
} from "./thread/thread.ts";
import { turnInterrupt, turnStart, turnSteer } from "./thread/turn.ts";
import {
	worktreeAdd,
	worktreeDrop,
	worktreeInspect,
	worktreeList,
	worktreeMerge,
	worktreePlan,
} from "./thread/worktree.ts";

/** Requests the client sends. The host's handler table has this type, so a missing handler does not compile. */
export const HOST_METHODS = {
	threadStart,
	goalChange,
	threadList,
	threadRead,
	threadImage,
	threadResume,
	threadRename,
	threadArchive,
	threadClose,
	threadDelete,
	threadExport,
	threadImport,
	threadVerify,
	threadRepair,
	threadReplay,
	threadSettings,
	threadFork,
	threadRollback,
	threadSearch,
	worktreePlan,
	worktreeAdd,
	worktreeList,
	worktreeInspect,
	worktreeMerge,
	worktreeDrop,
	contextInspect,
	contextTold,
	instructionsLint,
	pluginList,
	pluginInspect,
	pluginInstall,
	pluginRemove,
	policyShow,
	policyProbe,
	approvalDiff,
	permissionLedger,
	permissionRevoke,
	processList,
	processTail,
	processStop,
	processBackground,
	threadCompact,
	threadCompactApply,
	threadCompactUndo,
	threadPin,
	threadMute,
	threadRestore,
	threadRestoreRedo,
	reviewList,
	reviewBase,
	reviewKeep,
	reviewReject,
	reviewComment,
	turnStart,
	turnSteer,
	turnInterrupt,
	threadAsk,
	commitMessage,
	fileFind,
	toolLend,
	modelList,
	modelDetect,
	modelDiscover,
	modelForgetLessons,
	modelSignIn,
	modelSignOut,
	hostStatus,
	hostDoctor,
	hostTraces,
	serverList,
	serverStart,
	serverStop,
	serverLog,
	serverSignIn,
	serverSignOut,
	serverFindResources,
	serverReadResource,
};

/** Notifications the client sends, besides the language-server protocol's own. */
export const HOST_NOTIFICATIONS = { didChangeTrust, didChangeConfiguration, editorModelPart };

/** Requests the host sends. */
export const CLIENT_METHODS = {
	secretGet,
	serverInput,
	serverCredentials,
	serverKeepCredentials,
	serverRedirect,
	serverAuthorize,
	approvalAsk,
	questionAsk,
	documentEncoding,
	documentUnsaved,
	languageProblems,
	languageLocate,
	languageOutline,
	languageSymbols,
	languageHover,
	languageActions,
	languageRename,
	taskList,
	editorToolList,
	editorToolCall,
	editorModelList,
	editorModelStream,
	editorModelCountTokens,
};

/** Notifications the host sends. */
export const CLIENT_NOTIFICATIONS = { threadEvent, hostStatusChanged, hostWarning, processesChanged, serversChanged };
