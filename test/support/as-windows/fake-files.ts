import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { isOfSystem, toUnix, toWindows } from "./paths.ts";

/** Calls with two paths, and calls that return one. */
const TWO_PATHS = ["rename", "link", "copyFile", "cp"];
const GIVES_PATH = ["realpath", "readlink", "mkdtemp"];
/** How often a scanner holds a file that is to be replaced. */
const HELD_TIMES = 2;

type Call = (...args: unknown[]) => unknown;

/** `fs.promises` as it answers on Windows. */
export const fakePromises = fakeEach(fs.promises as unknown as Readonly<Record<string, unknown>>);
fakePromises.open = async (path: string, flags?: string | number, mode?: number) => {
	const at = toUnix(path);
	return heldAs(at, await fs.promises.open(at, flags, mode));
};
fakePromises.rename = async (from: string, to: string) => {
	refuseRename(from, to);
	await fs.promises.rename(toUnix(from), toUnix(to));
};
fakePromises.constants = withoutUnixFlags();

/** `fs` as it answers on Windows. */
export const fakeFiles = fakeEach(fs as unknown as Readonly<Record<string, unknown>>);
fakeFiles.promises = fakePromises;
fakeFiles.constants = withoutUnixFlags();
fakeFiles.renameSync = (from: string, to: string) => {
	refuseRename(from, to);
	fs.renameSync(toUnix(from), toUnix(to));
};
// Every file can be executed there.
fakeFiles.accessSync = (path: string) => fs.accessSync(toUnix(path));
fakeFiles.fsyncSync = (fd: number) => {
	if (fs.fstatSync(fd).isDirectory()) throw failure("EPERM", "fsync");
	fs.fsyncSync(fd);
};
fakeFiles.realpathSync = Object.assign(realPath, {
	native: realPath,
});

function realPath(path: string): string {
	return isOfSystem(path) ? path : toWindows(fs.realpathSync.native(toUnix(path)));
}

function fakeEach(real: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(real).map(([name, value]) => {
			const isCall = typeof value === "function" && !/^[A-Z]/.test(name);
			return [name, isCall ? withPaths(name.replace(/Sync$/, ""), value as Call) : value];
		}),
	);
}

function withPaths(name: string, call: Call): Call {
	const paths = TWO_PATHS.includes(name) ? 2 : 1;
	return (...args) => {
		const mapped = args.map((one, index) => (index < paths && typeof one === "string" ? toUnix(one) : one));
		// The first path of a link is what it says, which may be relative.
		if (name === "symlink" && typeof args[0] === "string") mapped.splice(0, 2, args[0], toUnix(String(args[1])));
		return GIVES_PATH.includes(name) ? mapResult(call(...mapped)) : call(...mapped);
	};
}

function mapResult(result: unknown): unknown {
	if (result instanceof Promise) return result.then(mapResult);
	return typeof result === "string" ? toWindows(result) : result;
}

const open = new Map<string, number>();
const attempts = new Map<string, number>();

function heldAs(path: string, handle: FileHandle): FileHandle {
	const { sync, datasync, close } = handle;
	const isFolder = fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
	open.set(path, (open.get(path) ?? 0) + 1);
	const refused = async () => {
		throw failure("EPERM", "fsync");
	};
	let isOpen = true;
	return Object.assign(handle, {
		sync: isFolder ? refused : sync.bind(handle),
		datasync: isFolder ? refused : datasync.bind(handle),
		close: () => {
			if (isOpen) open.set(path, (open.get(path) ?? 1) - 1);
			isOpen = false;
			return close.call(handle);
		},
	});
}

/** Windows replaces no file that is open, moves no folder that is open, and scanners open what was just written. */
function refuseRename(from: string, to: string): void {
	const [source, target] = [toUnix(from), toUnix(to)];
	const isOpenFolder = (open.get(source) ?? 0) > 0 && fs.statSync(source).isDirectory();
	if (isOpenFolder || (open.get(target) ?? 0) > 0) throw failure("EPERM", "rename");
	if (!fs.existsSync(target)) return;
	const times = (attempts.get(target) ?? 0) + 1;
	attempts.set(target, times);
	if (times % (HELD_TIMES + 1) !== 0) throw failure(times % 2 === 0 ? "EBUSY" : "EPERM", "rename");
}

/** Node on Windows knows none of these. */
function withoutUnixFlags(): Readonly<Record<string, number>> {
	const { O_NOFOLLOW: _, O_NONBLOCK: __, O_DIRECTORY: ___, O_SYNC: ____, ...rest } = fs.constants;
	return rest;
}

function failure(code: "EPERM" | "EBUSY", syscall: string): Error {
	const text = code === "EPERM" ? "operation not permitted" : "resource busy or locked";
	return Object.assign(new Error(`${code}: ${text}, ${syscall}`), { code, syscall });
}
