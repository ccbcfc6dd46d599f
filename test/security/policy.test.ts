import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { renderPage } from "../../extension/panel/page.ts";
import { eventually } from "../host/rig/files.ts";
import { launchBrowser } from "../support/browser.ts";
import { VECTORS } from "../support/vectors.ts";
import { type Canary, startCanary } from "./canary.ts";

type Policy = "none" | "ours";

let canary: Canary;
let browser: Browser;
let server: Server;
before(async () => {
	canary = await startCanary();
	browser = await launchBrowser();
	server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "/", "http://page");
		response.writeHead(200, { "content-type": "text/html" });
		response.end(renderPath(pathname, searchParams.get("policy") as Policy, `http://${request.headers.host}`));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
after(async () => {
	await browser.close();
	await canary[Symbol.asyncDispose]();
	server.close();
});

/** One frame for each vector, or the frame of one: the vector as markup, as if it had slipped through all else. */
function renderPath(pathname: string, policy: Policy, origin: string): string {
	const index = Number(pathname.slice(1));
	const vector = VECTORS[index - 1];
	if (!vector) return VECTORS.map((_, at) => `<iframe src="/${at + 1}?policy=${policy}"></iframe>`).join("");
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

/** Names of the vectors that reached the canary from a page without any other protection than its policy, at least those that must. */
async function findLeaks(policy: Policy, hasAll: (leaks: readonly string[]) => boolean): Promise<readonly string[]> {
	const tab = await browser.newPage();
	const { port } = server.address() as AddressInfo;
	await tab.goto(`http://127.0.0.1:${port}/?policy=${policy}`, { waitUntil: "networkidle" });
	await eventually(
		() => hasAll(leaksUnder(policy)),
		5_000,
		"vectors do not reach the canary",
		() => leaksUnder(policy),
	);
	await tab.close();
	return leaksUnder(policy);
}

function leaksUnder(policy: Policy): readonly string[] {
	const names = canary.paths.map((path) => decodeURIComponent(path.replace(/[?#].*/, "")));
	return VECTORS.filter(({ name }) => names.includes(`/${policy}/${name}`)).map(({ name }) => name);
}

/** Some browsers leave a few of them alone, such as icons inside of frames. */
const MOST = 50;

test("taken for markup by a page without a policy, most vectors do reach the canary", async () => {
	const hasMost = (leaks: readonly string[]) => leaks.length >= MOST && leaks.includes("meta refresh");
	const leaks = await findLeaks("none", hasMost);
	assert.ok(hasMost(leaks), `${leaks.length}: ${leaks}`);
});

test("taken for markup under the extension's policy, nothing is asked for; only a refresh, which no policy covers, leaves", async () => {
	assert.deepEqual(await findLeaks("ours", (leaks) => leaks.includes("meta refresh")), ["meta refresh"]);
});
