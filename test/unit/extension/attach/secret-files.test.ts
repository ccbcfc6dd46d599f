import assert from "node:assert/strict";
import { test } from "node:test";
import { looksSecret } from "../../../../extension/attach/secret-files.ts";

test("text of files that usually hold keys is never attached automatically", () => {
	const names = ["/a/.env", "/a/.env.local", "C:\\a\\server.pem", "/h/.ssh/id_ed25519", "/a/.npmrc", "/a/cert.KEY"];
	names.push(
		"/h/.git-credentials",
		"/h/.pypirc",
		"/a/.envrc",
		"C:\\h\\_netrc",
		"/h/.aws/credentials",
		"/a/secrets.yaml",
	);
	assert.deepEqual(names.filter(looksSecret), names);
	const plain = [
		"/a/env.ts",
		"/.env/main.ts",
		"/a/id_list.ts",
		"/a/keys.ts",
		"/a/environment.md",
		"/a/secrets/main.ts",
		"/a/credentials.ts",
	];
	assert.deepEqual(plain.filter(looksSecret), []);
});
