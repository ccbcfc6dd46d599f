import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { renderPage } from "../../extension/panel/page.ts";
import { shareBrowser } from "../support/browser.ts";
import { until } from "../support/editor-until.ts";
import { measureSlowness } from "../support/slowness.ts";
import { VECTORS } from "../support/vectors.ts";
import { type Canary, startCanary } from "./canary.ts";

type Policy = "none" | "ours";

let canary: Canary;
let browser: Browser;
let server: Server;
before(async () => {
	canary = await startCanary();
	browser = await shareBrowser();
	server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "/", "http://page");
		response.writeHead(200, { "content-type": "text/html" });
		const asked = { policy: searchParams.get("policy") as Policy, from: Number(searchParams.get("from")) };
		response.end(renderPath(pathname, asked, `http://${request.headers.host}`));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
after(async () => {
	await canary[Symbol.asyncDispose]();
	server.close();
	server.closeAllConnections();
});

/** As many vectors as a page shows at a time, so that none takes long to load. */
const BATCH = 15;
/** What a page of them takes at most to come to rest, on a quiet machine. */
const REST_MS = 30_000;

/** Some frames for each policy, or the frame of one vector: the vector as markup, as if it had slipped through all else. */
function renderPath(
	pathname: string,
	{ policy, from }: { readonly policy: Policy; readonly from: number },
	origin: string,
) {
	const index = Number(pathname.slice(1));
	const vector = VECTORS[index - 1];
	if (!vector) return renderFrames("ours", from) + renderFrames("none", from);
	const markup = vector.write(`${canary.origin}/${policy}/${encodeURIComponent(vector.name)}`);
	if (policy === "none") return `<!DOCTYPE html><body>${markup}`;
	const page = renderPage({
		view: "v",
		title: "T",
		language: "en",
		words: undefined,
		nonce: "n",
		cspSource: origin,
		script: `${origin}/0`,
		styles: [],
	});
	return page.replace('<div id="app"></div>', () => markup).replace(/<script type="module".*<\/script>/, "");
}

function renderFrames(policy: Policy, from: number): string {
	const places = [...VECTORS.keys()].slice(from, from + BATCH);
	return places.map((at) => `<iframe src="/${at + 1}?policy=${policy}"></iframe>`).join("");
}

/** What no policy covers. It comes last, when its frame has been loaded. */
const REFRESH = "meta refresh";

/** Shows every vector with our policy, and then without one: a request that has not arrived by then never will. */
async function showVectors(): Promise<void> {
	const context = await browser.newContext();
	context.setDefaultNavigationTimeout(REST_MS * (await measureSlowness()));
	const tab = await context.newPage();
	const { port } = server.address() as AddressInfo;
	try {
		for (let from = 0; from < VECTORS.length; from += BATCH) {
			await tab.goto(`http://127.0.0.1:${port}/?from=${from}`, { waitUntil: "networkidle" });
			if (VECTORS.slice(from, from + BATCH).some(({ name }) => name === REFRESH)) await waitForRefresh();
		}
		await until(`${MOST} leaks`, () => leaksOf("none").length >= MOST);
	} catch (error) {
		const leaks = `Only these leaked: ${leaksOf("none")}; under our policy: ${leaksOf("ours")}`;
		throw new Error(`${error instanceof Error ? error.message : error}\n${leaks}`, { cause: error });
	} finally {
		await context.close();
	}
}

async function waitForRefresh(): Promise<void> {
	await until(REFRESH, () => leaksOf("none").includes(REFRESH) && leaksOf("ours").includes(REFRESH));
}

let shown: Promise<void> | undefined;

/** Both policies are tried at once, by whichever test comes first. */
async function findLeaks(policy: Policy): Promise<readonly string[]> {
	shown ??= showVectors();
	try {
		await shown;
	} catch (error) {
		shown = undefined;
		throw error;
	}
	return leaksOf(policy);
}

/** Names of the vectors that reached the canary from a page protected by its policy alone. */
function leaksOf(policy: Policy): readonly string[] {
	const names = canary.paths.map((path) => decodeURIComponent(path.replace(/[?#].*/, "")));
	return VECTORS.filter(({ name }) => names.includes(`/${policy}/${name}`)).map(({ name }) => name);
}

/** Some browsers leave a few of them alone, such as icons inside of frames. */
const MOST = 50;

test("as markup on a page without a policy, most vectors reach the canary", async () => {
	const leaks = await findLeaks("none");
	assert.ok(leaks.length >= MOST && leaks.includes(REFRESH), `${leaks.length}: ${leaks}`);
});

test("as markup under the extension's policy the vectors request nothing, except a refresh, which no policy covers", async () => {
	assert.deepEqual(await findLeaks("ours"), [REFRESH]);
});
