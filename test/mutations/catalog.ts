import { APPROVED } from "./approved.ts";
import { EXTENSION } from "./extension.ts";
import { MODEL } from "./model.ts";
import type { Mutation } from "./mutation.ts";
import { NETWORK } from "./network.ts";
import { PAGE } from "./page.ts";
import { PATCHES } from "./patches.ts";
import { PERMISSIONS } from "./permissions.ts";
import { PLANTING } from "./planting.ts";
import { RIGHTS } from "./rights.ts";
import { SANDBOX } from "./sandbox.ts";
import { SESSION } from "./session.ts";
import { STORE } from "./store.ts";
import { WORKTREES } from "./worktrees.ts";

/** Every protection that is tried, by where it is. */
export const MUTATIONS: Readonly<Record<string, readonly Mutation[]>> = {
	Permissions: PERMISSIONS,
	Sandbox: SANDBOX,
	"What commands leave behind": PLANTING,
	"Network of commands": NETWORK,
	Patches: PATCHES,
	"Turns, approvals and context": SESSION,
	"Keys and model servers": MODEL,
	"Threads on disk": STORE,
	"Threads from elsewhere": RIGHTS,
	"Approvals and refusals": APPROVED,
	"Worktrees and several chats": WORKTREES,
	Extension: EXTENSION,
	Page: PAGE,
};
