import * as vscode from "vscode";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { ParamsOf } from "../../agent-host/protocol/method.ts";
import type { AttachedInput } from "../../agent-host/protocol/thread/attached.ts";
import type { GoalRequest } from "../../agent-host/protocol/thread/goal.ts";
import { threadImage } from "../../agent-host/protocol/thread/image.ts";
import { type CallItem, type Item, isCall } from "../../agent-host/protocol/thread/item.ts";
import { threadRestoreRedo } from "../../agent-host/protocol/thread/review.ts";
import { threadRollback } from "../../agent-host/protocol/thread/thread.ts";
import { type PromptInput, turnStart, turnSteer, UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import type { FromWebview } from "../../media/wire.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatThread, Target } from "./chat-thread.ts";
import { countTurnsFrom } from "./count-turns.ts";
import { readEvents } from "./thread-feed.ts";

type Message<T extends FromWebview["type"]> = Extract<FromWebview, { readonly type: T }>;

/** Sends the user's messages to the host. */
export interface Prompts {
	/** What a message of the page sends to the model, with its attachments read now. */
	readonly read: (message: Message<"submit" | "steer" | "typed">) => Promise<PromptInput[]>;
	/** Starts a turn. */
	readonly send: (message: Message<"submit">) => Promise<void>;
	/** Starts a turn with a prompt that a command has written. */
	readonly start: (to: Target, text: string, goal?: GoalRequest) => Promise<void>;
	/** Starts a turn that only reviews: nothing can be changed in it. */
	readonly review: (to: Target, text: string, attached: readonly UserInput[]) => Promise<void>;
	/** Runs a shell command of the user, as a turn without model. */
	readonly runShell: (message: Message<"runShell">) => Promise<void>;
	/** Sends a message to the running turn. */
	readonly steer: (message: Message<"steer">) => Promise<void>;
	/**
	 * Sends the prompt of an earlier turn again. A shell command is put into the composer instead: only what is typed
	 * there runs.
	 */
	readonly repeat: (threadId: ThreadId, turnId: string) => Promise<void>;
	/** Sends the prompt of an earlier turn again with this text, in place of that turn and everything after it. */
	readonly resend: (threadId: ThreadId, message: Message<"resend">) => Promise<void>;
	/** Attachments of an earlier turn, without images. */
	readonly attachedTo: (threadId: ThreadId, turnId: string) => Promise<readonly AttachedInput[]>;
}

export function createPrompts(options: {
	readonly host: HostClient;
	/** The thread that the user is in now. */
	readonly here: () => Target;
	/** The thread that a page was in. */
	readonly there: ChatThread["there"];
	/** Reads the attachments with these keys now. */
	readonly readAttached: (keys: readonly string[]) => Promise<readonly UserInput[]>;
	/** Puts a text into the composer for the user to check and send. */
	readonly compose: (text: string) => void;
	/** Stops the running turn of a thread. */
	readonly stop: (threadId: ThreadId) => Promise<void>;
}): Prompts {
	const { host, here, there } = options;
	const start = async (to: Target, input: readonly UserInput[], more: TurnOptions = {}): Promise<void> => {
		const threadId = await to();
		await host.request(turnStart, { threadId, input: [...input], trusted: vscode.workspace.isTrusted, ...more });
	};
	const read: Prompts["read"] = async ({ text, images = [], attached = [] }) => {
		const input = [{ kind: "text" as const, text }, ...images.map(asImage), ...(await options.readAttached(attached))];
		return input.filter((part) => part.kind !== "shell");
	};
	const startHere = async (
		{ id, stop, threadId }: Message<"submit" | "runShell">,
		readInput: () => Promise<readonly UserInput[]>,
	): Promise<void> => {
		// Before anything is waited for: the user may open another thread meanwhile.
		const to = threadId === undefined ? here() : there(threadId === null ? null : ThreadId.parse(threadId));
		if (stop) await options.stop(await to());
		// Read before the thread is created: a failed read must not leave an empty thread.
		await start(to, await readInput(), { clientId: id });
	};
	return {
		read,
		send: (message) => startHere(message, () => read(message)),
		start: (to, text, goal) => start(to, [{ kind: "text", text }], goal && { goal }),
		review: (to, text, attached) =>
			start(to, [{ kind: "text", text }, ...attached], { overrides: { settings: REVIEWING } }),
		runShell: (message) => startHere(message, async () => [{ kind: "shell", command: message.command }]),
		steer: async (message) => {
			const to = here();
			const steered = { turnId: TurnId.parse(message.turnId), input: await read(message), clientId: message.id };
			await host.request(turnSteer, { threadId: await to(), ...steered });
		},
		repeat: async (threadId, turnId) => {
			const input = await readInput(host, threadId, turnId);
			if (typeof input === "string") options.compose(input);
			else await start(async () => threadId, input, { repeats: TurnId.parse(turnId) });
		},
		resend: async (threadId, { id, turnId, text }) => {
			const turns = countTurnsFrom(await readEvents(host, threadId), turnId);
			const input = await readInput(host, threadId, turnId);
			if (turns === 0 || typeof input === "string") {
				throw new Error(t("That turn is no longer part of the conversation."));
			}
			await host.request(threadRollback, { threadId, turns });
			try {
				const again: readonly UserInput[] = [{ kind: "text", text }, ...input.filter(({ kind }) => kind !== "text")];
				await start(async () => threadId, again, { clientId: id });
			} catch (error) {
				// Nothing may be dropped for a prompt that was not sent.
				await host.request(threadRestoreRedo, { threadId });
				throw error;
			}
		},
		attachedTo: async (threadId, turnId) => {
			const item = await readPrompt(host, threadId, turnId);
			return item === undefined || isCall(item) ? [] : (item.attached ?? []);
		},
	};
}

type TurnOptions = Partial<Pick<ParamsOf<typeof turnStart>, "clientId" | "repeats" | "overrides" | "goal">>;

const REVIEWING: NonNullable<TurnOptions["overrides"]>["settings"] = { modes: { collaboration: "review" } };

/** An image as a `data:` URL; the host has checked the bytes. Empty if there is no such image. */
export async function imageUrl(host: HostClient, threadId: ThreadId | undefined, imageId: string): Promise<string> {
	if (threadId === undefined) return "";
	return host.request(threadImage, { threadId, imageId }).then(
		({ mediaType, data }) => `data:${mediaType};base64,${data}`,
		() => "",
	);
}

/**
 * The prompt and attachments of a turn. For a shell command, its text as typed: a record may come from anywhere and
 * must not be run.
 */
async function readInput(host: HostClient, threadId: ThreadId, turnId: string): Promise<readonly UserInput[] | string> {
	const item = await readPrompt(host, threadId, turnId);
	if (item === undefined) throw new Error(t("That turn is no longer available. Enter the prompt again."));
	if (isCall(item)) return readTypedCommand(item);
	const { text, images = [], attached = [] } = item;
	const read = await Promise.all(images.map(({ id }) => host.request(threadImage, { threadId, imageId: id })));
	return [{ kind: "text", text }, ...read.map(({ data }) => asImage(data)), ...attached];
}

/** What started a turn: a prompt or a shell command. */
async function readPrompt(
	host: HostClient,
	threadId: ThreadId,
	turnId: string,
): Promise<CallItem | Extract<Item, { readonly kind: "userMessage" }> | undefined> {
	for (const { event } of await readEvents(host, threadId)) {
		if (event.type !== "itemCompleted" || event.turnId !== turnId) continue;
		const { item } = event;
		if (isCall(item) && item.by === "user") return item;
		if (item.kind === "userMessage" && item.messageKind === "plain") return item;
	}
	return undefined;
}

function readTypedCommand({ arguments: json }: { readonly arguments: string }): string {
	const input = UserInput.parse({ kind: "shell", ...JSON.parse(json) });
	return input.kind === "shell" ? `!${input.command}` : "";
}

function asImage(data: string): UserInput {
	return { kind: "image", data };
}
