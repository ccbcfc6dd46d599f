import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { whileHeld } from "../../../agent-host/platform/file-calls.ts";
import { quoteForCmd } from "../../../agent-host/platform/quoting.ts";
import { UNIX } from "../../../agent-host/platform/unix.ts";
import { WINDOWS } from "../../../agent-host/platform/windows.ts";

const { win32 } = WINDOWS.path;

const name = fc
	.stringMatching(/^[A-Za-z0-9_äÖ-][A-Za-z0-9_ äÖ.-]{0,10}$/)
	.filter((one) => WINDOWS.pathProblem(`C:\\${one}`) === undefined);
const drive = fc.constantFrom("C:", "D:", "z:");
const folder = fc.tuple(drive, fc.array(name, { maxLength: 4 })).map(([root, names]) => `${root}\\${names.join("\\")}`);

/** Another way to write the same place. */
function respell(path: string, seed: number): string {
	const forms: readonly ((path: string) => string)[] = [
		(one) => one.toUpperCase(),
		(one) => one.toLowerCase(),
		(one) => one.replaceAll("\\", "/"),
		(one) => `\\\\?\\${one}`,
		(one) => one.replace(/([A-Za-z])$/, "$1. ."),
		(one) => one.replace(/([A-Za-z])$/, "$1::$DATA"),
		(one) => win32.join(one, "x", ".."),
	];
	return forms[seed % forms.length]?.(path) ?? path;
}

test("on Windows a place is recognized inside its folder in any spelling, and a path that merely starts alike is not", () => {
	fc.assert(
		fc.property(
			folder,
			fc.array(name, { minLength: 1, maxLength: 3 }),
			fc.nat(),
			fc.nat(),
			(above, names, one, two) => {
				const below = win32.join(above, ...names);
				assert.ok(WINDOWS.isInside(respell(below, one), respell(above, two)));
				assert.ok(WINDOWS.isInside(below, "/"));
				assert.equal(WINDOWS.isInside(above, below), false);
				assert.equal(
					WINDOWS.isInside(`${win32.join(above, names[0] ?? "x")}y`, win32.join(above, names[0] ?? "x")),
					false,
				);
				const elsewhere = below.startsWith("C:") ? below.replace("C:", "E:") : below.replace(/^./, "C");
				assert.equal(WINDOWS.isInside(elsewhere, above), false);
			},
		),
	);
});

test("on Windows the root contains no share and no device, and letters that NTFS distinguishes stay distinct", () => {
	for (const path of ["\\\\server\\share\\x", "//server/share/x", "\\\\.\\pipe\\x", "\\\\?\\UNC\\server\\share"]) {
		assert.ok(WINDOWS.isElsewhere(path), path);
		assert.equal(WINDOWS.isInside(path, "/"), false, path);
	}
	assert.ok(WINDOWS.isInside("\\\\SERVER\\Share\\repo\\a.txt", "\\\\server\\share\\repo"));
	assert.equal(WINDOWS.isElsewhere("\\\\?\\C:\\repo"), false);
	assert.equal(WINDOWS.isInside("C:\\strasse\\x", "C:\\straße"), false);
});

test("on Windows names that mean a device or another file are refused", () => {
	const refused = ["con", "NUL.txt", "COM1", "lpt¹.log", "a:b", "a.", "a ", "a?", "aux .txt", "CONIN$"];
	for (const one of refused) assert.ok(WINDOWS.pathProblem(`C:\\repo\\${one}`), one);
	for (const one of ["console.ts", "nullable", "com10x", ".git", "..\\a", "a.b.c"])
		assert.equal(WINDOWS.pathProblem(`C:\\repo\\${one}`), undefined, one);
	assert.ok(WINDOWS.pathProblem("C:repo\\a"));
});

/** The words that a program reads from a line that cmd hands on: quotes group, and double backslashes before one halve. */
function readWords(line: string): readonly string[] {
	return Array.from(line.matchAll(/"((?:[^"])*)"/g), ([, word = ""]) =>
		word.replace(/(\\+)$/, (all) => all.slice(all.length / 2)),
	);
}

test("a batch file gets exactly the words of the command, and nothing in them is read by cmd", () => {
	fc.assert(
		fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
			const line = quoteForCmd(words);
			if (words.some((word) => /["%\r\n\0]/.test(word))) {
				assert.equal(line, undefined);
				return;
			}
			assert.deepEqual(readWords(line ?? ""), words);
			const outside = (line ?? "").replaceAll(/"[^"]*"/g, "");
			assert.match(outside, /^ *$/, "everything is inside quotes, where & | < > ^ ( ) mean themselves");
		}),
	);
});

test("a program is found with the endings of PATHEXT, and cmd and taskkill only in the system's folder", () => {
	const environment = { Path: "C:\\repo", pathext: ".EXE;.CMD", SYSTEMROOT: "D:\\Win" };
	assert.deepEqual(WINDOWS.programNames("npm", environment), ["npm.exe", "npm.cmd"]);
	assert.deepEqual(WINDOWS.programNames("npm.CMD", environment), ["npm.CMD"]);
	const started = WINDOWS.start({ named: "npm", file: "C:\\n\\npm.cmd" }, ["ci"], environment);
	assert.deepEqual(started, {
		file: "D:\\Win\\System32\\cmd.exe",
		args: ["/d", "/s", "/v:off", "/c", '""C:\\n\\npm.cmd" "ci""'],
		isQuoted: true,
	});
	assert.deepEqual(WINDOWS.endTree(7, environment), ["D:\\Win\\System32\\taskkill.exe", "/pid", "7", "/T", "/F"]);
	assert.equal(WINDOWS.endTree(7, { SystemRoot: "..\\evil" })[0], "C:\\Windows\\System32\\taskkill.exe");
});

test("a shell string reaches PowerShell as one word, without the user's profile; elsewhere bash", () => {
	const seven = "C:\\Program Files\\PowerShell\\7\\pwsh.exe";
	const [program, ...args] = WINDOWS.shellArgv("a && b", (path) => path === seven, {});
	assert.deepEqual([program, args], [seven, ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", "a && b"]]);
	assert.deepEqual(
		UNIX.shellArgv("a", () => true, {}),
		["/bin/bash", "-c", "a"],
	);
});

test("a file that another program holds is tried again, for a while, on Windows only", async () => {
	const held = Object.assign(new Error("held"), { code: "EBUSY" });
	const failing = (times: number) => {
		let left = times;
		return async () => {
			left -= 1;
			if (left >= 0) throw held;
		};
	};
	await whileHeld(failing(3), WINDOWS);
	await assert.rejects(whileHeld(failing(1), UNIX), held);
	await assert.rejects(whileHeld(failing(1), { isHeldForAMoment: () => false }), held);
	await assert.rejects(whileHeld(failing(Number.POSITIVE_INFINITY), WINDOWS, 10), held);
});

test("a relative path is shown with slashes and leads to the same place", () => {
	fc.assert(
		fc.property(folder, fc.array(name, { minLength: 1, maxLength: 4 }), (above, names) => {
			const way = WINDOWS.withSlashes(win32.relative(above, win32.join(above, ...names)));
			assert.ok(!way.includes("\\"));
			assert.equal(WINDOWS.keyOf(win32.join(above, way)), WINDOWS.keyOf(win32.join(above, ...names)));
		}),
	);
	assert.equal(UNIX.withSlashes("a\\b"), "a\\b");
});

test("a command's variables are set before it, each value as it is, in the words of the system's shell", () => {
	const variables = { MODE: "it's $HOME", LEVEL: "2" };
	assert.equal(WINDOWS.withVariables("make", variables), "$env:MODE = 'it''s $HOME'; $env:LEVEL = '2'; make");
	const words = WINDOWS.withVariables(["make", "it\u2019s"], { LEVEL: "2" });
	assert.equal(words, "$env:LEVEL = '2'; & 'make' 'it\u2019\u2019s'");
	assert.equal(UNIX.withVariables("make", variables), "export MODE='it'\\''s $HOME' LEVEL='2'; make");
	assert.deepEqual(UNIX.withVariables(["make"], variables), ["env", "MODE=it's $HOME", "LEVEL=2", "make"]);
});
