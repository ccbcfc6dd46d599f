import * as z from "zod";
import { ThreadId } from "../ids.ts";
import { defineMethod } from "../method.ts";

const LinePlace = z.object({ path: z.string(), line: z.int(), text: z.string() });

const InstructionsLinted = z.object({
	/** What every request of the thread contains; `path` is absent for the text from the settings. */
	files: z.array(
		z.object({
			path: z.string().optional(),
			/** `folder`: below the working folder, since work began there. */
			origin: z.enum(["user", "workspace", "folder"]),
			tokens: z.int(),
			cut: z.string().optional(),
		}),
	),
	/** The most tokens that instructions can have. */
	budget: z.int(),
	findings: z.array(z.object({ kind: z.enum(["duplicate", "contradiction"]), places: z.array(LinePlace) })),
	/**
	 * Files with a name of instructions that no request contains. `later`: when work begins in their folder. `covered`:
	 * the folder has another one, or it is a copy. `unnamed`: the settings do not name it.
	 */
	notLoaded: z.array(z.object({ path: z.string(), why: z.enum(["untrusted", "later", "covered", "unnamed"]) })),
	/** One sentence for each file that could not be used as it is. */
	problems: z.array(z.string()),
});
export type InstructionsLinted = z.infer<typeof InstructionsLinted>;

export const instructionsLint = defineMethod(
	"instructions/lint",
	"What the instructions of a thread cost in every request, which lines repeat or contradict each other, and which files are not loaded.",
	{ params: z.object({ threadId: ThreadId.optional() }), result: InstructionsLinted },
);
