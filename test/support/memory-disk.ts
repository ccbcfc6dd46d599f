import type { AppendFile, Disk } from "../../agent-host/store/home/disk.ts";

/** What the store asked of the disk, in order. A crash is a prefix of this list. */
export type DiskOperation =
	| { readonly op: "name"; readonly path: string; readonly file: number }
	| { readonly op: "unname"; readonly path: string }
	| { readonly op: "move"; readonly from: string; readonly to: string }
	| { readonly op: "write"; readonly file: number; readonly bytes: Buffer }
	| { readonly op: "truncate"; readonly file: number; readonly size: number }
	| { readonly op: "sync"; readonly file: number }
	| { readonly op: "syncFolder"; readonly path: string }
	| { readonly op: "folder"; readonly path: string }
	| { readonly op: "unfolder"; readonly path: string };

/** Called before an operation is carried out; may throw, as a real disk would, or shorten a write. */
export type Fault = (operation: DiskOperation, index: number) => number | undefined;

/** A disk in memory that writes down all that is asked of it. */
export interface MemoryDisk extends Disk {
	readonly operations: readonly DiskOperation[];
	fault: Fault | undefined;
}

export function createMemoryDisk(start: ReadonlyMap<string, Buffer> = new Map()): MemoryDisk {
	const operations: DiskOperation[] = [];
	const folders = new Set<string>(["/"]);
	const contents: Buffer[] = [];
	const names = new Map<string, number>();
	for (const [path, bytes] of start) names.set(path, contents.push(bytes) - 1);
	for (const path of start.keys()) for (let at = parentOf(path); at !== "/"; at = parentOf(at)) folders.add(at);

	const disk: MemoryDisk = {
		operations,
		fault: undefined,
		read: async (path) => Buffer.from(contents[fileAt(path)] ?? []),
		readRange: async (path, start, length) =>
			Buffer.from((contents[fileAt(path)] ?? Buffer.alloc(0)).subarray(start, start + length)),
		openRead: async (path) => {
			const file = fileAt(path);
			return {
				read: async (into, position) => (contents[file] ?? Buffer.alloc(0)).subarray(position).copy(into),
				close: async () => undefined,
			};
		},
		list: async (folder) =>
			[...names.keys()].filter((path) => parentOf(path) === folder).map((path) => path.slice(folder.length + 1)),
		stat: async (path) => {
			const file = names.get(path);
			return file === undefined ? undefined : { size: contents[file]?.length ?? 0, modified: 0 };
		},
		openAppend: async (path) => appendTo(names.get(path) ?? name(path)),
		create: async (path, bytes) => {
			if (names.has(path)) throw failure("EEXIST", path);
			const file = appendTo(name(path));
			await file.write(bytes);
			await file.sync();
		},
		truncate: async (path, size) => cut(fileAt(path), size),
		rename: async (from, to) => {
			const file = fileAt(from);
			perform({ op: "move", from, to });
			names.delete(from);
			names.set(to, file);
		},
		remove: async (path) => {
			fileAt(path);
			perform({ op: "unname", path });
			names.delete(path);
		},
		makeFolder: async (path) => {
			if (folders.has(path)) throw failure("EEXIST", path);
			if (!folders.has(parentOf(path))) throw failure("ENOENT", path);
			perform({ op: "folder", path });
			folders.add(path);
		},
		removeFolder: async (path) => {
			perform({ op: "unfolder", path });
			folders.delete(path);
		},
		syncFolder: async (path) => {
			perform({ op: "syncFolder", path });
		},
	};
	return disk;

	function perform(operation: DiskOperation): number | undefined {
		const limit = disk.fault?.(operation, operations.length);
		operations.push(operation);
		return limit;
	}
	function fileAt(path: string): number {
		const file = names.get(path);
		if (file === undefined) throw failure("ENOENT", path);
		return file;
	}
	function name(path: string): number {
		const file = contents.length;
		perform({ op: "name", path, file });
		contents.push(Buffer.alloc(0));
		names.set(path, file);
		return file;
	}
	function cut(file: number, size: number): void {
		perform({ op: "truncate", file, size });
		contents[file] = (contents[file] ?? Buffer.alloc(0)).subarray(0, size);
	}
	function appendTo(file: number): AppendFile {
		return {
			size: async () => contents[file]?.length ?? 0,
			write: async (bytes) => {
				const taken = perform({ op: "write", file, bytes: Buffer.from(bytes) }) ?? bytes.length;
				contents[file] = Buffer.concat([contents[file] ?? Buffer.alloc(0), bytes.subarray(0, taken)]);
				return taken;
			},
			sync: async () => {
				perform({ op: "sync", file });
			},
			truncate: async (size) => cut(file, size),
			close: async () => undefined,
		};
	}
}

export function failure(code: string, path = ""): NodeJS.ErrnoException {
	return Object.assign(new Error(`${code}: ${path}`), { code });
}

function parentOf(path: string): string {
	const end = path.lastIndexOf("/");
	return end <= 0 ? "/" : path.slice(0, end);
}
