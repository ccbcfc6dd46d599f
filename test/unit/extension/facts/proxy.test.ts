import assert from "node:assert/strict";
import { test } from "node:test";
import { ownValue, proxyEnvironment } from "../../../../extension/facts/proxy.ts";

const PLAIN = { support: "override", proxy: "", noProxy: [], strictSsl: true, systemCertificates: false };
const LOCAL = "localhost,127.0.0.1,::1,[::1]";

test("without a proxy, only certificate trust changes in the host's environment", () => {
	assert.deepEqual(proxyEnvironment(PLAIN, {}), {});
	assert.deepEqual(proxyEnvironment({ ...PLAIN, systemCertificates: true }, {}), { NODE_USE_SYSTEM_CA: "1" });
	assert.deepEqual(proxyEnvironment({ ...PLAIN, strictSsl: false }, {}), { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
});

test("the editor's proxy goes before the environment's, and this machine is always reached directly", () => {
	const proxy = "http://proxy.test:8080";
	const env = { HTTPS_PROXY: "http://other.test", NO_PROXY: "a.test, b.test", no_proxy: "c.test" };
	assert.deepEqual(proxyEnvironment({ ...PLAIN, proxy }, env), {
		HTTP_PROXY: proxy,
		HTTPS_PROXY: proxy,
		http_proxy: proxy,
		https_proxy: proxy,
		NO_PROXY: `${LOCAL},a.test,b.test`,
		no_proxy: undefined,
		NODE_USE_ENV_PROXY: "1",
	});
	assert.equal(proxyEnvironment({ ...PLAIN, proxy, noProxy: ["d.test"] }, env).NO_PROXY, `${LOCAL},d.test`);
});

test("a workspace cannot choose the proxy", () => {
	const [workspaceValue, globalValue, defaultValue] = ["http://evil.test", "http://own.test", ""];
	assert.equal(ownValue({ workspaceValue, globalValue, defaultValue }), globalValue);
	assert.equal(ownValue({ workspaceValue, defaultValue }), "");
	assert.equal(ownValue(undefined), undefined);
});

test("the environment's proxy is used if the editor names none, and none if the editor disables proxies", () => {
	const env = { https_proxy: "http://other.test" };
	assert.deepEqual(proxyEnvironment(PLAIN, env), { NO_PROXY: LOCAL, no_proxy: undefined, NODE_USE_ENV_PROXY: "1" });
	const none = { HTTP_PROXY: undefined, HTTPS_PROXY: undefined, http_proxy: undefined, https_proxy: undefined };
	assert.deepEqual(proxyEnvironment({ ...PLAIN, support: "off" }, env), none);
});
