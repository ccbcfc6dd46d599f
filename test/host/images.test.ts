import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { threadImage } from "../../agent-host/protocol/thread/image.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import {
	threadExport,
	threadFork,
	threadImport,
	threadList,
	threadRollback,
} from "../../agent-host/protocol/thread/thread.ts";
import { turnStart, type UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { aPng } from "../support/an-image.ts";
import { calls, says, together } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { filesUnder } from "./rig/files.ts";
import { assertPrefixes } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";

const withSeeing = shareHost({ settings: { model: { id: "gpt-5-fake" } } });
const sees = () => says("I see.");
const PNG = aPng(40, 30);
const GIF = Buffer.from([...Buffer.from("GIF89a"), 8, 0, 6, 0, 0, 0, 0, 0x3b]);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
const inline = (bytes: Buffer | string): UserInput => ({ kind: "image", data: Buffer.from(bytes).toString("base64") });
const urlOf = (mediaType: string, bytes: Buffer) => `data:${mediaType};base64,${bytes.toString("base64")}`;

test("images of a prompt reach the model once each, survive kill -9, go with their thread, and leave with their turn", (t) =>
	withSeeing(t, sees, async ({ host, another, model, world }) => {
		// Called by another name: the bytes say what it is.
		writeFileSync(join(world.workspace, "shot.txt"), GIF);
		const sent = () => imagesIn(model.requests.at(-1)?.text ?? "");
		const threadId = await aThread(host);
		const images: UserInput[] = [
			{ ...inline(PNG), mediaType: "image/svg+xml" } as UserInput,
			{ kind: "image", path: "shot.txt" },
		];
		const { published } = await ask(host, threadId, [{ kind: "text", text: "Compare." }, ...images]);
		assert.deepEqual(sent(), [urlOf("image/png", PNG), urlOf("image/gif", GIF)]);
		const facts = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && event.item.kind === "userMessage" ? (event.item.images ?? []) : [],
		);
		assert.deepEqual(
			facts.map(({ id: _, ...fact }) => fact),
			[
				{ mediaType: "image/png", width: 40, height: 30, bytes: PNG.length },
				{ mediaType: "image/gif", width: 8, height: 6, bytes: GIF.length },
			],
		);
		const [first, second] = facts.map(({ id }) => id);
		assert.deepEqual(await host.request(threadImage, { threadId, imageId: first ?? "" }), {
			mediaType: "image/png",
			data: PNG.toString("base64"),
		});
		const blobs = filesUnder(join(world.home, "threads", `${threadId}.jsonl.blobs`));
		assert.equal(blobs.filter((path) => path.endsWith(first ?? "-") || path.endsWith(second ?? "-")).length, 2);
		await runTurn(host, threadId, "And now?");
		assertPrefixes(model);

		const blind = await aThread(host, { settings: { model: { id: "fake-1" } } });
		const told = await ask(host, blind, [{ kind: "text", text: "Look." }, inline(PNG)]);
		assert.deepEqual(sent(), []);
		assert.deepEqual(
			told.published.flatMap(({ event }) => (event.type === "warning" ? [event.code] : [])),
			["images"],
			"the user is told that the model sees none",
		);

		const fork = await host.request(threadFork, { threadId });
		const { text } = await host.request(threadExport, { threadId });
		await host.request(threadRollback, { threadId, turns: 2 });
		await runTurn(host, threadId, "Start over.");
		assert.deepEqual(sent(), []);
		const markdown = await host.request(threadExport, { threadId: fork.threadId, format: "markdown" });
		assert.match(markdown.text, /Compare\.\n\n\*PNG image, 40 × 30\*\n\n\*GIF image, 8 × 6\*\n/);
		const cut = await aThread(host);
		await host.request(turnStart, { threadId: cut, input: [{ kind: "text", text: "Look." }, inline(PNG)] });
		await host.killHard();

		const next = await another();
		await runTurn(next, cut, "Well?");
		assert.deepEqual(sent(), [urlOf("image/png", PNG)], "acknowledged, so it survives kill -9 in the same moment");
		const brought = await next.request(threadImport, { text });
		for (const id of [fork.threadId, brought.threadId]) {
			await runTurn(next, id, "Once more.");
			assert.equal(sent().length, 2);
			assert.equal((await next.request(threadImage, { threadId: id, imageId: second ?? "" })).mediaType, "image/gif");
		}
	}));

test("an invalid, oversized or unreachable image is refused in one sentence, and nothing is written", (t) =>
	withSeeing(t, sees, async ({ host, world }) => {
		const before = await host.request(threadList, {});
		const at = (name: string) => join(world.workspace, name);
		writeFileSync(at("drawing.png"), SVG);
		symlinkSync("/proc/self/environ", at("link.png"));
		const text: UserInput = { kind: "text", text: "Look." };
		const wide = Buffer.from([...GIF.subarray(0, 6), 0xff, 0xff, 1, 0]);
		const large = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]);
		const third = Buffer.concat([PNG, Buffer.alloc(3.5 * 1024 * 1024)]);
		const refused: readonly (readonly [readonly UserInput[], RegExp])[] = [
			[[text, inline(SVG)], /^Image 1 is not a PNG, JPEG, GIF or WebP image\.$/],
			[[text, inline(PNG), inline("")], /^Image 2 is not a PNG/],
			[[text, { kind: "image", path: "drawing.png" }], /^drawing\.png is not a PNG/],
			[[text, { kind: "image", path: "link.png" }], /link out of the workspace folders/],
			[[text, { kind: "image", path: "../outside.png" }], /does not exist|link out of/],
			[[text, { kind: "image", path: "nowhere.png" }], /nowhere\.png does not exist\.$/],
			[[text, inline(large)], /^Image 1 is 5\.0 MB; the limit is 5\.0 MB\.$/],
			[[text, inline(wide)], /65535 × 1 pixels; the limit is 8000 per side\. Scale it down first\.$/],
			[[text, inline(third), inline(third), inline(third)], /^The images total 10\.5 MB; the limit is 10\.0 MB\.$/],
			[
				[text, ...Array.from({ length: 9 }, () => inline(PNG))],
				/^A message can have up to 8 images; this one has 9\.$/,
			],
			[[inline(PNG)], /^Say what to do with the image\.$/],
			[[text, { kind: "image" }], /either data or a path/],
			[[text, { ...inline(PNG), path: "x" } as UserInput], /either data or a path/],
			[[text, { kind: "image", data: "not base64!" }], /input/],
		];
		const threadId = await aThread(host);
		for (const [input, reason] of refused) {
			await assert.rejects(host.request(turnStart, { threadId, input: [...input] }), ({ message }: Error) =>
				reason.test(message),
			);
		}
		assert.deepEqual(await host.request(threadList, {}), before);
		await assert.rejects(host.request(threadImage, { threadId, imageId: "0".repeat(64) }), /missing or damaged/);
	}));

test("view_image adds workspace images behind all results of a step, and only models that read images have it", (t) => {
	const look = (path: string) => calls("view_image", { path });
	const script = [together(look("one.png"), look("none.png"), look("two.gif")), says("I see."), says("I cannot.")];
	return withSeeing(t, script, async ({ host, model, world }) => {
		writeFileSync(join(world.workspace, "one.png"), PNG);
		writeFileSync(join(world.workspace, "two.gif"), GIF);
		writeFileSync(join(world.workspace, "none.png"), SVG);
		const { published } = await runTurn(host, await aThread(host), "Look.");
		const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : [])).filter(isCall);
		assert.deepEqual(items.map(({ title, status }) => [title, status]).sort(), [
			["View none.png", "failed"],
			["View one.png", "completed"],
			["View two.gif", "completed"],
		]);
		const { input } = bodyOf(model.requests[1] as Parameters<typeof bodyOf>[0]);
		assert.deepEqual(
			input.slice(-4).map(({ type, output, content }) => output ?? [type, Array.isArray(content) ? content.length : 0]),
			[
				"one.png (40 × 30 pixels) follows.",
				"none.png is not a PNG, JPEG, GIF or WebP image.",
				"two.gif (8 × 6 pixels) follows.",
				["message", 2],
			],
		);
		assert.deepEqual(imagesIn(model.requests[1]?.text ?? ""), [urlOf("image/png", PNG), urlOf("image/gif", GIF)]);
		const blind = await aThread(host, { settings: { model: { id: "some-reader" } } });
		await runTurn(host, blind, "Look.");
		const offered = (index: number) => (model.requests.at(index)?.text ?? "").includes('"view_image"');
		assert.deepEqual([offered(0), offered(-1)], [true, false]);
	});
});

async function ask(host: HostProcess, threadId: Awaited<ReturnType<typeof aThread>>, input: readonly UserInput[]) {
	const { turnId } = await host.request(turnStart, { threadId, input: [...input] });
	return endOfTurn(host, threadId, turnId);
}

/** The addresses of all images in a request, in order. */
function imagesIn(text: string): readonly string[] {
	const { input } = bodyOf({ body: JSON.parse(text) } as Parameters<typeof bodyOf>[0]);
	return input.flatMap(({ content = [] }) =>
		typeof content === "string" ? [] : content.flatMap((part) => part.image_url ?? []),
	);
}
