import type { AskedQuestion, GivenAnswers } from "../../agent-host/protocol/approval/question.ts";
import { CLIENT_METHODS } from "../../agent-host/protocol/catalog.ts";
import { serverSignIn } from "../../agent-host/protocol/host/server-sign-in.ts";
import { type ListedServer, serverList, serverStart } from "../../agent-host/protocol/host/servers.ts";
import { ServersSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import { openLoopbackRedirect } from "../../extension/host/loopback-redirect.ts";
import { createPendingSignIns } from "../../extension/host/pending-sign-ins.ts";
import { openRig } from "../host/rig/with-host.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { browse } from "../support/sign-in-service.ts";

/**
 * The command that MCP's conformance tool runs for its client scenarios: the built host with the server at the given
 * address as its only one, signed in to where it wants that. Every tool is called in a turn.
 *
 *     npm run build
 *     npx @modelcontextprotocol/conformance client --command "node test/conformance/client.ts" --scenario tools_call
 */
const url = process.argv.at(-1) ?? "";
const { client_id: clientId, client_secret: clientSecret } = readContext();
const { serverCredentials, serverKeepCredentials, serverRedirect, serverAuthorize } = CLIENT_METHODS;
const PAGES = { done: "done", unexpected: "unexpected" };
/** A server may want to know more about the user once, and again for one tool. */
const MAX_SIGN_INS = 3;

const kept = new Map<string, string>();
const pending = createPendingSignIns();
const oauth = clientId === undefined ? {} : { oauth: { clientId, clientSecret } };
const rig = await openRig({
	script: (request, index) => {
		const tools = bodyOf(request).tools.flatMap(({ name = "" }) => (name.startsWith("mcp__") ? [name] : []));
		const tool = tools[index % (tools.length + 1)];
		return tool === undefined ? says("Done.") : calls(tool, tool.endsWith("add_numbers") ? { a: 5, b: 3 } : {});
	},
	settings: { model: { contextWindow: 1_000_000 }, servers: ServersSettings.parse({ test: { url, ...oauth } }) },
	approve: () => ({ decision: "allow" }),
	asksUser: true,
	// As a user who sends the form as it is.
	answer: ({ subject }) => ({
		choice: "answer",
		answers: subject.kind === "form" ? asFilledIn(subject.questions) : {},
	}),
	signIn: async (method, params) => {
		switch (method) {
			case serverCredentials.name: {
				const value = kept.get(serverCredentials.params.parse(params).place);
				return value === undefined ? {} : { value };
			}
			case serverKeepCredentials.name: {
				const { place, value } = serverKeepCredentials.params.parse(params);
				if (value === undefined) kept.delete(place);
				else kept.set(place, value);
				return {};
			}
			case serverRedirect.name: {
				const { state, port } = serverRedirect.params.parse(params);
				const { address, close } = await openLoopbackRedirect({ port }, pending.receive, PAGES);
				pending.begin(state, close);
				return { address };
			}
			default: {
				const { state, url: address } = serverAuthorize.params.parse(params);
				await browse(address);
				const query = await pending.wait(state);
				return query === undefined ? {} : { query };
			}
		}
	},
});
try {
	const host = await rig.another();
	await host.request(serverStart, { name: "test" });
	for (let signedIn = 0; signedIn < MAX_SIGN_INS; signedIn += 1) {
		const wanted = await signInIfAsked(host);
		await runTurn(host, await aThread(host), "Use every tool.");
		if ((await readState(host)) !== "signIn" && !wanted) break;
	}
	process.stdout.write(`${JSON.stringify(await host.request(serverList, {}), undefined, 2)}\n`);
} finally {
	await rig.kill();
	await rig.remove();
}
process.exit(0);

function asFilledIn(questions: readonly AskedQuestion[]): GivenAnswers {
	const fill = ({ options, initial }: AskedQuestion): GivenAnswers[string] => ({
		chosen: options.filter(({ recommended }) => recommended).map(({ label }) => label),
		...(initial !== undefined && { text: initial }),
	});
	return Object.fromEntries(questions.map((question) => [question.id, fill(question)]));
}

async function signInIfAsked(host: HostProcess): Promise<boolean> {
	if ((await readState(host)) !== "signIn") return false;
	await host.request(serverSignIn, { name: "test" });
	return true;
}

async function readState(host: HostProcess): Promise<ListedServer["state"] | undefined> {
	return (await host.request(serverList, {})).servers[0]?.state;
}

function readContext(): { readonly client_id?: string; readonly client_secret?: string } {
	return JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
}
