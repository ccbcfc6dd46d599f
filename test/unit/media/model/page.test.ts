import assert from "node:assert/strict";
import { test } from "node:test";
import { getProblem } from "../../../../media/model/composer/composer-state.ts";
import { AThread } from "../../../page/a-thread.ts";
import { type APage, aPage, aStoppedThread } from "./a-page.ts";

const THREAD = "thread-1";

/** A page on a running turn with this in its queue. */
function aQueue(...texts: readonly string[]): APage {
	const one = aPage();
	one.load(THREAD, new AThread().turn().ask("Work"));
	for (const text of texts) {
		one.page.composer.type(text);
		one.page.composer.submit("queue");
	}
	one.takePosted();
	return one;
}

const LATER = {
	"an undone file": { type: "restored", files: ["a.ts"], conflicts: [], redone: false },
	"a warning": { type: "warning", code: "full-access-ended", message: "" },
	"a rollback": { type: "rolledBack", turnIds: ["turn-1"], files: [] },
} as const;

for (const [what, event] of Object.entries(LATER)) {
	test(`after a stopped turn the queue waits for the user, even with ${what} after it, and after a reload`, () => {
		const before = aQueue("and then this");
		const stopped = aStoppedThread(event as never);
		before.load(THREAD, stopped);
		const after = aPage(before.saved());
		after.load(THREAD, stopped);
		assert.deepEqual([before.takePosted(), after.takePosted()], [[], []]);
		assert.deepEqual(
			Object.values(after.page.composer.state.value.queues)
				.flat()
				.map(({ text }) => text),
			["and then this"],
		);
	});
}

test("after a completed turn the queue continues, even after a reload", () => {
	const before = aQueue("and then this");
	const after = aPage(before.saved());
	after.load(THREAD, new AThread().turn().ask("Work").end());
	assert.deepEqual(
		after.takePosted().map(({ type }) => type),
		["submit"],
	);
});

test("a side question that starts its thread stays, and one in a thread that was left is dropped", () => {
	const { page, takePosted } = aPage();
	page.receive({ type: "thread", threadId: null, title: "" });
	page.composer.type("/btw what is this?");
	page.composer.submit();
	page.receive({ type: "opening", threadId: THREAD, begun: true });
	assert.equal(page.aside.card.value?.question, "what is this?");
	assert.deepEqual(
		takePosted().map(({ type }) => type),
		["askAside"],
	);
	page.receive({ type: "thread", threadId: "thread-2", title: "" });
	assert.deepEqual(
		takePosted().map(({ type }) => type),
		["stopAside"],
	);
});

test("text typed while a thread loads belongs to that thread, and nothing of the previous one is shown", () => {
	const { page, load } = aPage();
	page.receive({ type: "opening", threadId: THREAD });
	page.composer.type("for the first");
	load(THREAD, new AThread().turn().ask("Work"));
	assert.equal(page.composer.draft.value, "for the first");
	page.receive({ type: "opening", threadId: "thread-2" });
	page.composer.type("for the second");
	assert.deepEqual([page.thread.isRunning.value, page.thread.rows.value, page.thread.loading.value], [false, [], true]);
	load("thread-2", new AThread().turn().ask("Other work").end());
	assert.equal(page.composer.draft.value, "for the second");
	load(THREAD, new AThread().turn().ask("Work"));
	assert.deepEqual([page.composer.draft.value, page.thread.isRunning.value], ["for the first", true]);
});

const FILE = { key: "file a", kind: "file", label: "a.ts", title: "src/a.ts" } as const;
const IMAGE = { key: "image-1", name: "shot.png", bytes: 3, url: "data:image/png;base64,AAAA" };

/** A page with a draft, and something attached to it, in two threads, and a message with an image in the queue. */
function aDesk(): APage {
	const one = aPage();
	const { page, load } = one;
	load(THREAD, new AThread().turn().ask("Work"));
	page.composer.type("look at @a.ts");
	page.composer.attached.add([FILE]);
	page.composer.images.restore([IMAGE]);
	load("thread-2", new AThread().turn().ask("Work"));
	page.composer.images.restore([{ ...IMAGE, key: "image-2" }]);
	page.composer.type("later");
	page.composer.submit("queue");
	page.composer.type("and this");
	page.composer.attached.add([{ ...FILE, key: "file b" }]);
	return one;
}

function describeDesk({ page, load }: APage): readonly unknown[] {
	return [THREAD, "thread-2"].map((threadId) => {
		load(threadId, new AThread().turn().ask("Work"));
		const { draft, attached, images, state } = page.composer;
		return {
			draft: draft.value,
			attached: attached.chosen.value.map(({ key }) => key),
			images: images.attached.value.map(({ key }) => key),
			queue: state.value.queues[threadId]?.map(({ text, images: some = [], held }) => [text, some.length, held]),
			problem: state.value.problems[threadId],
		};
	});
}

test("a page in another place goes on where the one before was: drafts, queue, attachments and images", () => {
	const before = aDesk();
	const after = aPage();
	after.page.receive({ type: "restore", ...before.kept() });
	assert.deepEqual(describeDesk(after), [
		{ draft: "look at @a.ts", attached: ["file a"], images: ["image-1"], queue: undefined, problem: undefined },
		{ draft: "and this", attached: ["file b"], images: [], queue: [["later", 1, undefined]], problem: undefined },
	]);
	assert.deepEqual(describeDesk(after), describeDesk(before));
});

test("after a reload of the window a draft has its attachments but images, and says so", () => {
	const after = aPage(aDesk().saved());
	assert.deepEqual(describeDesk(after), [
		{
			...{ draft: "look at @a.ts", attached: ["file a"], images: [], queue: undefined },
			problem: "1 image was lost in a reload. Attach it again.",
		},
		{ draft: "and this", attached: ["file b"], images: [], queue: [["later", 0, true]], problem: undefined },
	]);
});

test("a prompt whose answer a reload lost leaves the composer once the thread has it, unless it was edited", () => {
	for (const edited of [false, true]) {
		const before = aPage();
		before.load(THREAD, new AThread());
		before.page.composer.type("Do it");
		before.page.composer.submit();
		const after = aPage(before.saved());
		after.load(THREAD, new AThread());
		assert.equal(after.page.composer.draft.value, "Do it");
		if (edited) after.page.composer.type("Do it now");
		const [sent] = before.takePosted();
		assert.ok(sent?.type === "submit");
		const thread = new AThread().turn().item({
			...{ kind: "userMessage", messageKind: "plain", text: "Do it", clientId: sent.id },
		} as never);
		after.load(THREAD, thread);
		assert.equal(after.page.composer.draft.value, edited ? "Do it now" : "");
	}
});

test("attachments of a prompt whose answer a reload lost are cleared with it, but a shell command leaves them", () => {
	for (const text of ["Do it", "!ls"]) {
		const before = aPage();
		before.load(THREAD, new AThread());
		before.page.composer.attached.add([FILE]);
		before.page.composer.images.restore([IMAGE]);
		before.page.composer.type(text);
		before.page.composer.submit();
		const [sent] = before.takePosted();
		assert.ok(sent?.type === "submit" || sent?.type === "runShell");
		const after = aPage(before.saved());
		const thread = new AThread().add({ type: "turnStarted", clientId: sent.id, envelope: {} } as never);
		after.load(THREAD, thread);
		const { draft, attached, state } = after.page.composer;
		const lost = "1 image was lost in a reload. Attach it again.";
		assert.deepEqual(
			[draft.value, attached.chosen.value.length, state.value.problems[THREAD]],
			text === "!ls" ? ["", 1, lost] : ["", 0, undefined],
		);
	}
});

test("attachments beyond the limit replace no others, and the user is told", () => {
	const { page, takePosted } = aPage();
	const chips = Array.from({ length: 41 }, (_, index) => ({ ...FILE, key: `file ${index}` }));
	page.receive({ type: "compose", text: "Look.", attach: chips.slice(0, 40), how: "write" });
	assert.equal(getProblem(page.composer.state.value), undefined);
	page.receive({ type: "compose", text: "And here.", attach: chips.slice(39), how: "write" });
	assert.deepEqual(page.composer.attached.chosen.value, chips.slice(0, 40));
	const problem = "Not everything is attached: a message can have up to 40 attachments.";
	assert.equal(getProblem(page.composer.state.value), problem);
	page.composer.type("");
	page.receive({ type: "compose", text: "Fix it.", attach: chips.slice(40), how: "send" });
	assert.deepEqual([getProblem(page.composer.state.value), takePosted()], [problem, []]);
});

test("every prompt names the thread in which it was written, even from the queue, or says that the chat was empty", () => {
	const { page, takePosted, load } = aPage();
	const sentIn = () => takePosted().flatMap((one) => ("threadId" in one ? [one.threadId] : []));
	const send = (text: string) => {
		page.composer.type(text);
		page.composer.submit();
		const found = sentIn();
		page.receive({ type: "submitted", id: page.composer.state.value.sent?.id ?? "" });
		return found;
	};
	page.receive({ type: "thread", threadId: null, title: "" });
	assert.deepEqual(send("one"), [null]);
	load(THREAD, new AThread());
	assert.deepEqual([send("two"), send("!ls")], [[THREAD], [THREAD]]);
	const queued = aQueue("later");
	queued.load(THREAD, new AThread().turn().ask("Work").end());
	const [sent] = queued.takePosted();
	assert.ok(sent?.type === "submit");
	assert.equal(sent.threadId, THREAD);
});

for (const how of ["send", "queue", "steer", "stopAndSend"] as const) {
	test(`a slash command is run and never sent to the model, even by "${how}" while a turn runs`, () => {
		const { page, takePosted } = aQueue();
		page.composer.type("/compact");
		page.composer.submit(how);
		page.composer.type("/contxt");
		page.composer.submit(how);
		assert.deepEqual(
			takePosted().map(({ type }) => type),
			["compact"],
		);
		assert.deepEqual(page.composer.state.value.queues, {});
		assert.equal(page.composer.draft.value, "/contxt");
	});
}

test("asked what is typed, the page tells the prompt and what goes along with it, but no command", () => {
	const { page, takePosted, load } = aPage();
	load(THREAD, new AThread().turn().ask("Work").end());
	const chip = { key: "file:a.ts", kind: "file", label: "a.ts", title: "a.ts" } as const;
	page.receive({ type: "compose", text: "Why?", attach: [chip], how: "write" });
	const told = ["Why?", "/status", "!ls"].map((text) => {
		page.composer.type(text);
		takePosted();
		page.receive({ type: "readTyped" });
		return takePosted();
	});
	const attached = [chip.key];
	assert.deepEqual(
		told,
		["Why?", "", ""].map((text) => [{ type: "typed", text, attached }]),
	);
});
