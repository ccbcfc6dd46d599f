import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chooseIn, contractFor, type Held, heldFromEnvelope } from "../../../agent-host/envelope/kept-contract.ts";
import { ApprovalPolicy, NetworkMode, PermissionMode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { mergeSettings, type PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

const A = { provider: "compatible", baseUrl: "https://a.example/v1", id: "a" } as const;
const B = { provider: "compatible", baseUrl: "https://b.example/v1", id: "b" } as const;

/** The contract of a thread that began under these settings. */
const begunUnder = (settings: PartialSettings): Held => contractFor(settings, undefined, {}).held;

test("a thread that has not begun follows the settings", () => {
	const own = { approval: "never" } as const;
	const { settings, offered } = contractFor({ model: A, permissions: { mode: "ask" } }, undefined, own);
	assert.deepEqual([settings.model, settings.permissions, settings.approval], [A, { mode: "ask" }, "never"]);
	assert.deepEqual(offered, {});
});

test("another model, another effort and wider rights in the settings are offered and not taken", () => {
	const before: PartialSettings = { model: A, permissions: { mode: "readOnly" }, approval: "never" };
	const client: PartialSettings = {
		model: { ...B, reasoningEffort: "high" },
		permissions: { mode: "workspaceWrite", network: "on", writableRoots: ["/shared"] },
		approval: "onRequest",
	};
	const { settings, offered } = contractFor(client, begunUnder(before), {});
	assert.deepEqual(inForce(settings), { id: "a", mode: "readOnly", network: "off", roots: [], approval: "never" });
	assert.equal(offered.model?.id, "b");
	assert.deepEqual(offered.permissions, client.permissions);
	assert.equal(offered.approval, "onRequest");
});

test("stricter settings apply at once, even against an earlier choice for the thread", () => {
	const before: PartialSettings = { permissions: { mode: "ask", network: "allowList", writableRoots: ["/a", "/b"] } };
	const own: PartialSettings = { permissions: { mode: "workspaceWrite", network: "on" }, approval: "onRequest" };
	const client: PartialSettings = {
		permissions: { mode: "readOnly", network: "off", writableRoots: ["/b"] },
		approval: "never",
	};
	const contract = contractFor(client, begunUnder(before), own);
	const strict = { mode: "readOnly", network: "off", roots: ["/b"], approval: "never" };
	assert.deepEqual({ ...inForce(contract.settings), id: undefined }, { ...strict, id: undefined });
	// A turn has run under it; settings that are as wide as before bring nothing back.
	const later = contractFor(before, contract.held, contract.own);
	assert.deepEqual({ ...inForce(later.settings), id: undefined }, { ...strict, id: undefined });
});

test("a choice for the thread that is wider than unchanged settings stays, unless they are a ceiling", () => {
	const client: PartialSettings = { permissions: { mode: "ask" } };
	const own: PartialSettings = { permissions: { mode: "workspaceWrite" } };
	assert.equal(contractFor(client, begunUnder(client), own).settings.permissions?.mode, "workspaceWrite");
	for (const held of [begunUnder(client), undefined]) {
		const ceiling = contractFor(client, held, own, true);
		assert.deepEqual([ceiling.settings.permissions?.mode, ceiling.own.permissions?.mode], ["ask", "ask"]);
	}
});

test("settings that concern all threads apply: rules, allowed hosts, closed files, limits, instructions", () => {
	const client: PartialSettings = {
		permissions: { rules: [{ prefix: ["make"] }], allowedDomains: ["a.example"], denyRead: ["/secret"] },
		instructions: { developer: "Be brief." },
	};
	const { settings, offered } = contractFor(client, begunUnder({}), {});
	assert.deepEqual(settings.instructions, client.instructions);
	for (const [key, value] of Object.entries(client.permissions ?? {}))
		assert.deepEqual(Object.entries(settings.permissions ?? {}).find(([name]) => name === key)?.[1], value);
	assert.deepEqual(offered, {});
});

test("a local server on another port is still the same one, and a window that is set for the model counts", () => {
	const local = (port: number, more = {}) => ({
		model: { provider: "compatible", baseUrl: `http://127.0.0.1:${port}/v1`, id: "a", ...more } as const,
	});
	const { settings, offered } = contractFor(local(2, { contextWindow: 8_192 }), begunUnder(local(1)), {});
	assert.equal(settings.model?.baseUrl, "http://127.0.0.1:2/v1");
	assert.equal(settings.model?.contextWindow, 8_192);
	assert.deepEqual(offered, {});
	const elsewhere = contractFor({ model: B }, begunUnder(local(1)), {});
	assert.equal(elsewhere.settings.model?.baseUrl, "http://127.0.0.1:1/v1", "an old thread goes to no new server");
});

test("a model that is chosen for the thread stays at its server, whatever the settings say later", () => {
	const contract = contractFor({ model: B }, begunUnder({ model: A }), {});
	const chosen = chooseIn(contract, { model: { id: "a-large" } }, { model: B });
	const { settings, offered } = contractFor({ model: B }, chosen.held, chosen.own);
	assert.deepEqual([settings.model?.id, settings.model?.baseUrl], ["a-large", A.baseUrl]);
	assert.deepEqual(offered, {}, "what was known when the user chose is not offered again");
});

test("a thread of an older release holds what its last turn ran with", () => {
	const envelope = anEnvelope({ settings: { permissions: { mode: "ask", network: "on" }, approval: "untrusted" } });
	const held = heldFromEnvelope(envelope);
	assert.deepEqual(held.permissions, { mode: "ask", network: "on" });
	assert.equal(held.approval, "untrusted");
	assert.equal(contractFor({ permissions: { mode: "workspaceWrite" } }, held, {}).settings.permissions?.mode, "ask");
});

const someRights = fc.record({
	permissions: fc.record({
		mode: fc.constantFrom(...PermissionMode.options),
		network: fc.constantFrom(...NetworkMode.options),
		writableRoots: fc.subarray(["/a", "/b", "/c"]),
	}),
	approval: fc.constantFrom(...ApprovalPolicy.options),
});

test("no sequence of changed settings widens what a thread may do; taking what is offered leaves no offer", () => {
	fc.assert(
		fc.property(someRights, fc.option(someRights, { nil: undefined }), fc.array(someRights), (begun, own, changes) => {
			let { held, own: chosen, settings } = contractFor(begun, begunUnder(begun), own ?? {});
			for (const client of changes) {
				const next = contractFor(client, held, chosen);
				assert.ok(isNoWider(next.settings, settings), JSON.stringify([settings, next.settings]));
				const taken = chooseIn(next, next.offered, client);
				assert.deepEqual(contractFor(client, taken.held, taken.own).offered, {});
				({ held, own: chosen, settings } = next);
			}
		}),
	);
});

function isNoWider(one: PartialSettings, other: PartialSettings): boolean {
	const [a, b] = [mergeSettings(one), mergeSettings(other)];
	const order = PermissionMode.options;
	const networks = NetworkMode.options;
	return (
		order.indexOf(a.permissions.mode) <= order.indexOf(b.permissions.mode) &&
		networks.indexOf(a.permissions.network) <= networks.indexOf(b.permissions.network) &&
		a.permissions.writableRoots.every((root) => b.permissions.writableRoots.includes(root)) &&
		(a.approval === b.approval || b.approval === "onRequest")
	);
}

function inForce(settings: PartialSettings) {
	const { model, permissions, approval } = mergeSettings(settings);
	const { mode, network, writableRoots: roots } = permissions;
	return { id: model.id, mode, network, roots, approval };
}
