import { after } from "node:test";
import type { Editor, EditorOptions } from "./editor.ts";
import type { EditorChat } from "./editor-chat.ts";
import { type Desk, type OwnDesk, sitDownAt, startWithExtension } from "./editor-desk.ts";
import { putInOrder } from "./editor-order.ts";
import { tellFailure } from "./editor-report.ts";
import type { EditorWindow } from "./editor-window.ts";
import { measureSlowness } from "./slowness.ts";

const TEST_MS = 120_000;

/** What node:test calls with the test that it runs. */
export type TestBody = (test: { readonly name: string }) => Promise<void>;

/** What `share` opens. */
interface Shareable {
	readonly window: EditorWindow;
	/** Puts back what the window itself does not show. */
	readonly renew?: () => void;
}

/** The same, with what every claim has at hand. */
type AtHand<Opened> = Opened & {
	readonly desk: Desk;
	/** The page of the window's chat, with an empty thread. */
	readonly chat: EditorChat;
};
type Claim<Opened> = (opened: AtHand<Opened>) => Promise<void>;

/** Makes the bodies of tests that share a window. */
export interface SharedWindow<Opened> {
	(claim: Claim<Opened>): TestBody;
	/** For a claim about a window in which nothing was done. */
	readonly untouched: (claim: Claim<Opened>) => TestBody;
}

export interface EditorSession {
	/** Makes the body of a test with a desk of its own. One that counts to a thousand says how long that may take on a quiet machine. */
	readonly alone: (body: (desk: Desk) => Promise<void>, limitMs?: number) => TestBody;
	/**
	 * For tests that share a window, since opening one takes longer than most of them. Each finds it in the same state (see
	 * editor-order.ts), so each can also run alone.
	 */
	readonly share: <Opened extends Shareable>(open: (desk: Desk) => Promise<Opened>) => SharedWindow<Opened>;
}

/** One editor for the tests of a file. It starts with the first test that runs, and again after one that failed. */
export function createEditorSession(options: Omit<EditorOptions, "vsix"> = {}): EditorSession {
	let editor: Editor | undefined;
	let desk: OwnDesk | undefined;
	/** What is open at the desk, and for whom. */
	let shared: { readonly owner: object; readonly opened: unknown } | undefined;

	const leave = async (): Promise<void> => {
		const left = desk;
		desk = undefined;
		shared = undefined;
		await left?.close();
	};
	const end = async (): Promise<void> => {
		const ending = editor;
		editor = undefined;
		await leave().finally(() => ending?.stop());
	};
	const sitDown = async (): Promise<OwnDesk> => {
		await leave();
		editor ??= await startWithExtension(options);
		// As the test before may have written others.
		editor.writeUserSettings(options.settings ?? {});
		desk = await sitDownAt(editor);
		return desk;
	};
	const makeBody =
		(body: () => Promise<void>): TestBody =>
		async ({ name }) => {
			try {
				await body();
				if (desk?.isLeft()) await leave();
			} catch (error) {
				const told = await tellFailure(error, name, desk);
				// Nothing of what failed is left for the next test.
				await end().catch((problem: unknown) => console.error(problem));
				throw told;
			}
		};
	after(end);

	return {
		alone: (body, limitMs) =>
			makeBody(async () => {
				const own = await sitDown();
				await inTime(body(own), limitMs);
				own.leave();
			}),
		share: <Opened extends Shareable>(open: (desk: Desk) => Promise<Opened>) => {
			const owner = {};
			const take = async (isUntouched: boolean): Promise<AtHand<Opened>> => {
				if (desk !== undefined && shared?.owner === owner && !isUntouched) {
					// Opened for this owner, so it is of its type.
					const opened = shared.opened as Opened;
					opened.renew?.();
					return { ...opened, desk, chat: await putInOrder(opened.window) };
				}
				const own = await sitDown();
				const opened = await open(own);
				shared = { owner, opened };
				return { ...opened, desk: own, chat: await opened.window.chat() };
			};
			const bodyOf = (isUntouched: boolean) => (claim: Claim<Opened>) =>
				makeBody(async () => inTime(claim(await take(isUntouched))));
			return Object.assign(bodyOf(false), { untouched: bodyOf(true) });
		},
	};
}

/** A test that does not end in the time that a busy machine needs for it ends with its window. */
async function inTime(body: Promise<void>, limitMs = TEST_MS): Promise<void> {
	const late = Promise.withResolvers<never>();
	const giveUp = () => late.reject(new Error(`The test did not end within ${limitMs / 1_000} s of a quiet machine.`));
	let isOver = false;
	let timer = setTimeout(async () => {
		const more = limitMs * ((await measureSlowness()) - 1);
		if (!isOver) timer = setTimeout(giveUp, more);
	}, limitMs);
	try {
		await Promise.race([body, late.promise]);
	} finally {
		isOver = true;
		clearTimeout(timer);
	}
}
