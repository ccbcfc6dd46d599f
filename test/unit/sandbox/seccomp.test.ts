import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type FilterLevel, seccompProgram } from "../../../agent-host/sandbox/linux/seccomp.ts";
import { type Architecture, SYSCALLS } from "../../../agent-host/sandbox/linux/syscalls.ts";
import { type Call, runFilter } from "../../support/bpf.ts";

const ARCHITECTURES: readonly Architecture[] = ["x64", "arm64"];
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const EPERM = "errno 1";
const ENOSYS = "errno 38";

function verdict(
	architecture: Architecture,
	level: FilterLevel,
	name: string,
	...args: readonly (number | bigint)[]
): string {
	const number = SYSCALLS[architecture][name];
	assert.notEqual(number, undefined, name);
	return runFilter(seccompProgram(architecture, level), call(architecture, number ?? -1, args));
}

function call(architecture: Architecture, number: number, args: readonly (number | bigint)[] = []): Call {
	return { architecture: AUDIT[architecture], number, args };
}

for (const architecture of ARCHITECTURES) {
	test(`${architecture}: IP sockets are open, UNIX, packet and VM sockets are not`, () => {
		const families = { unix: 1, inet: 2, inet6: 10, packet: 17, vsock: 40 };
		const found = Object.entries(families).map(([name, family]) => [
			name,
			verdict(architecture, "contained", "socket", family, 1, 0),
		]);
		assert.deepEqual(Object.fromEntries(found), {
			unix: EPERM,
			inet: "allow",
			inet6: "allow",
			packet: EPERM,
			vsock: EPERM,
		});
	});

	test(`${architecture}: interfaces can be queried, and nothing else of netlink is allowed`, () => {
		assert.equal(verdict(architecture, "contained", "socket", 16, 3, 0), "allow");
		const others = Array.from({ length: 31 }, (_, at) => at + 1);
		const found = others.map((protocol) => verdict(architecture, "contained", "socket", 16, 3, protocol));
		assert.deepEqual([...new Set(found)], [ENOSYS]);
	});

	test(`${architecture}: a pair of UNIX sockets may stream, with any flags, and may not send datagrams`, () => {
		const flags = 0o2004000;
		const found = [1, 5, 2, 3].map((type) => verdict(architecture, "contained", "socketpair", 1, type | flags, 0));
		assert.deepEqual(found, ["allow", "allow", EPERM, EPERM]);
		assert.equal(verdict(architecture, "contained", "socketpair", 2, 1, 0), EPERM);
	});

	test(`${architecture}: threads and processes can be made, namespaces cannot, whatever the upper half of the flags says`, () => {
		const thread = 0x3d0f00;
		assert.equal(verdict(architecture, "contained", "clone", thread), "allow");
		for (const flag of [0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
			assert.equal(verdict(architecture, "contained", "clone", BigInt(thread | flag)), EPERM);
			assert.equal(verdict(architecture, "contained", "clone", 0xffffffff00000000n | BigInt(flag)), EPERM);
		}
		assert.equal(verdict(architecture, "contained", "clone3"), ENOSYS);
	});

	test(`${architecture}: nothing can be typed into the terminal, even with garbage in the upper half`, () => {
		for (const request of [0x5412n, 0x541cn, 0xdeadbeef00005412n]) {
			for (const level of ["contained", "full"] as const)
				assert.equal(verdict(architecture, level, "ioctl", 0, request), EPERM);
		}
		assert.equal(verdict(architecture, "contained", "ioctl", 0, 0x5401), "allow");
	});

	test(`${architecture}: every call of the table that is not judged by its arguments is denied`, () => {
		const judged = ["socket", "socketpair", "clone", "clone3", "ioctl"];
		const names = Object.keys(SYSCALLS[architecture]).filter((name) => !judged.includes(name));
		for (const name of names) assert.equal(verdict(architecture, "contained", name), EPERM, name);
		assert.ok(names.length >= 45, String(names.length));
	});

	test(`${architecture}: any other call passes, and any call of another architecture kills`, () => {
		const known = new Set(Object.values(SYSCALLS[architecture]));
		const program = seccompProgram(architecture, "contained");
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 600 }),
				fc.array(fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }), { minLength: 6, maxLength: 6 }),
				(number, args) => {
					if (!known.has(number)) assert.equal(runFilter(program, call(architecture, number, args)), "allow");
					const other = architecture === "x64" ? "arm64" : "x64";
					assert.equal(runFilter(program, call(other, number, args)), "kill");
				},
			),
		);
	});
}

test("the x32 interface is closed: its numbers kill", () => {
	const program = seccompProgram("x64", "contained");
	for (const number of [0x40000000, 0x40000029, 0x7fffffff])
		assert.equal(runFilter(program, call("x64", number)), "kill");
});

test("full access allows namespaces and debuggers, and still denies calls that no command needs", () => {
	assert.equal(verdict("x64", "full", "unshare"), "allow");
	assert.equal(verdict("x64", "full", "ptrace"), "allow");
	assert.equal(verdict("x64", "full", "keyctl"), EPERM);
	assert.equal(verdict("x64", "full", "open_by_handle_at"), EPERM);
});
