import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { isSame } from "../records/record-seal.ts";
import { type Home, makeFolders } from "./home.ts";

const FOLDER = "consents";
const MAX_BYTES = 4_000_000;

const StoredAnswer = z.object({
	kind: z.string(),
	path: z.string(),
	digest: z.string(),
	decision: z.enum(["agreed", "refused"]),
	agreedText: z.string().optional(),
});

const Sealed = z.object({ answer: z.string(), seal: z.string() });

export type StoredAnswer = z.infer<typeof StoredAnswer>;

/** Identifies what an answer is about. */
type About = Pick<StoredAnswer, "kind" | "path">;

/** The user's answers about what workspaces bring along: one sealed file each, never in the workspace. */
export interface ConsentFiles {
	/** The last answer; undefined if there is none that this host's key proves. */
	readonly read: (about: About) => Promise<StoredAnswer | undefined>;
	/** Durable when this resolves. Rejects if it cannot be stored. */
	readonly write: (answer: StoredAnswer) => Promise<void>;
	/** Forgets the answer, if there is one. */
	readonly remove: (about: About) => Promise<void>;
}

export function openConsentFiles({ disk, folder, seals }: Home): ConsentFiles {
	const place = join(folder, FOLDER);
	const fileFor = (about: About): string => join(place, `${identify(about)}.json`);
	return {
		async read(about) {
			const path = fileFor(about);
			const found = await disk.stat(path).catch(() => undefined);
			if (found === undefined || found.size > MAX_BYTES) return undefined;
			const key = await seals.key("find");
			const text = await disk.read(path).catch(() => undefined);
			const { answer, seal } = Sealed.safeParse(parse(text?.toString() ?? "")).data ?? { answer: "", seal: "" };
			// The name of the file is sealed too, so that an answer counts only for what it was given about.
			if (key === undefined || !isSame(key.consent(identify(about), answer), seal)) return undefined;
			return StoredAnswer.safeParse(parse(answer)).data;
		},
		async write(answer) {
			const key = await seals.key("make");
			if (key === undefined) throw new Error(seals.problem()?.text ?? "There is no key to seal with.");
			await makeFolders(disk, place);
			const path = fileFor(answer);
			const text = JSON.stringify(answer);
			const fresh = `${path}.${process.pid}.new`;
			await disk.remove(fresh).catch(() => undefined);
			const sealed = { answer: text, seal: key.consent(identify(answer), text) };
			await disk.create(fresh, Buffer.from(JSON.stringify(sealed)));
			await disk.rename(fresh, path);
			await disk.syncFolder(place);
		},
		async remove(about) {
			const path = fileFor(about);
			if ((await disk.stat(path).catch(() => undefined)) !== undefined) await disk.remove(path);
		},
	};
}

function identify({ kind, path }: About): string {
	return createHash("sha256")
		.update(JSON.stringify([kind, path]))
		.digest("hex");
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
