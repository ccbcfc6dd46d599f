import { approvalAsk, approvalDiff } from "./approval/approval.ts";
import { permissionLedger, permissionRevoke } from "./approval/ledger.ts";
import { questionAsk } from "./approval/question.ts";
import { documentSave } from "./host/document.ts";
import { editorModelCountTokens, editorModelList, editorModelPart, editorModelStream } from "./host/editor-models.ts";
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
	secretGet,
} from "./host/host.ts";
import { hostTraces } from "./host/telemetry.ts";
import { threadCompact, threadCompactApply, threadCompactUndo, threadPin } from "./thread/compaction.ts";
import { contextInspect, contextTold, policyShow, threadMute } from "./thread/context.ts";
import { threadImage } from "./thread/image.ts";
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

/** Requests the client sends. The host's handler table has this type, so a missing handler does not compile. */
export const HOST_METHODS = {
	threadStart,
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
	contextInspect,
	contextTold,
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
	fileFind,
	modelList,
	modelDetect,
	modelDiscover,
	modelForgetLessons,
	hostStatus,
	hostDoctor,
	hostTraces,
};

/** Notifications the client sends, besides the language-server protocol's own. */
export const HOST_NOTIFICATIONS = { didChangeTrust, didChangeConfiguration, editorModelPart };

/** Requests the host sends. */
export const CLIENT_METHODS = {
	secretGet,
	approvalAsk,
	questionAsk,
	documentSave,
	editorModelList,
	editorModelStream,
	editorModelCountTokens,
};

/** Notifications the host sends. */
export const CLIENT_NOTIFICATIONS = { threadEvent, hostStatusChanged, hostWarning, processesChanged };
