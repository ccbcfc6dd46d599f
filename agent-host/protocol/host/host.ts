import * as z from "zod";
import { defineMethod, defineNotification } from "../method.ts";
import { SaidFields, sentenceFields } from "../say.ts";
import { ClientSettings } from "../settings/client-settings.ts";
import { Price, Wire } from "../settings/model-values.ts";
import { SandboxKind, SandboxProblemCode } from "../settings/policy-settings.ts";
import { WindowSource } from "../thread/events.ts";
import { LastProbe } from "./health.ts";

/** What a provider still grants, as its last answer said. */
export const RateLimit = z.object({
	unit: z.enum(["requests", "tokens", "inputTokens", "outputTokens"]),
	remaining: z.number().min(0),
	limit: z.number().min(0).optional(),
	/** When the whole limit is granted again, in milliseconds since 1970. */
	resetsAt: z.number().optional(),
});
export type RateLimit = z.infer<typeof RateLimit>;

export const HostWarning = z.object({
	code: z.string(),
	message: z.string(),
	...sentenceFields,
	/** Text after that sentence, such as a program's error message. */
	detail: z.string().optional(),
	fix: z.string(),
	fixSentence: z.string().optional(),
	/** The one command, or part of a file, that fixes it. */
	command: z.string().optional(),
});
export type HostWarning = z.infer<typeof HostWarning>;

export const HostStatus = z.object({
	version: z.string(),
	pid: z.number(),
	home: z.string(),
	/** Why threads cannot be saved, if so. */
	storageProblem: z.string().optional(),
	storageProblemSaid: SaidFields.optional(),
	trusted: z.boolean(),
	folders: z.array(z.string()),
	model: z.object({
		provider: z.string(),
		id: z.string(),
		window: z.number(),
		/** How we know the window size; absent if no model is set up. */
		windowSource: WindowSource.optional(),
		/** Absent if unknown. */
		price: Price.optional(),
		/** Date of the built-in prices. */
		pricesRead: z.string(),
		/** Absent if the provider has not said any, or they are over. */
		rateLimits: z.array(RateLimit).optional(),
	}),
	/** How file searches run: ripgrep in the sandbox, or the host's own bounded walk. */
	search: z.enum(["ripgrep", "walk"]),
	openDocuments: z.number(),
	/** The sandbox, or why there is none; absent until it was looked for. */
	sandbox: z
		.object({
			kind: SandboxKind,
			/** Commands use the bubblewrap of the package. */
			isBundled: z.literal(true).optional(),
			problem: HostWarning.extend({ code: SandboxProblemCode }).optional(),
		})
		.optional(),
	/** Absent until the policy was tried on the sandbox, and if there is none. */
	probe: LastProbe.optional(),
});
export type HostStatus = z.infer<typeof HostStatus>;

export const hostStatus = defineMethod("host/status", "Version and health of this host.", {
	/** `check`: a sandbox that did not work is tried again first. */
	params: z.object({ check: z.literal("sandbox").optional() }),
	result: HostStatus,
});

/** A model that can be chosen, with its effective window. */
const OfferedModel = z.object({
	id: z.string(),
	window: z.number(),
	windowSource: WindowSource,
	/** Whether it reads images, and whether it reasons. */
	images: z.boolean().optional(),
	reasoning: z.boolean().optional(),
	/** US dollars per million tokens; absent if unknown. */
	price: Price.pick({ input: true, output: true }).optional(),
});

/** Models of one server in a list: as many as a person can look through. */
export const MAX_LISTED_MODELS = 1_000;

export const modelList = defineMethod(
	"model/list",
	"The models that the configured provider offers, from its server with the stored key, if it has one.",
	{
		params: z.object({ settings: ClientSettings.optional() }),
		result: z.object({ models: z.array(OfferedModel) }),
	},
);

export const modelDetect = defineMethod(
	"model/detect",
	"Asks the configured server which API it has, with the stored key if there is one: the Responses API, Chat Completions, Messages or Gemini's own, in this order. No model is run.",
	{
		params: z.object({ settings: ClientSettings.optional() }),
		result: z.object({ wire: Wire }),
	},
);

export const modelDiscover = defineMethod(
	"model/discover",
	"Looks for model servers on their usual ports on this machine. No key is sent.",
	{
		params: z.object({}),
		result: z.object({
			servers: z.array(z.object({ name: z.string(), baseUrl: z.string(), models: z.array(z.string()) })),
		}),
	},
);

export const modelForgetLessons = defineMethod(
	"model/forgetLessons",
	"Forgets what refusals taught about model servers, so that all of it is tried again. The doctor lists it.",
	{ params: z.object({}), result: z.object({ forgotten: z.int().min(0) }) },
);

export const modelSignIn = defineMethod(
	"model/signIn",
	"Signs the user in with a ChatGPT plan (preview), in the browser, for the configured server. Takes as long as the user needs.",
	{ params: z.object({ settings: ClientSettings.optional() }), result: z.object({}) },
);

export const modelSignOut = defineMethod(
	"model/signOut",
	"Ends the sign-in with a ChatGPT plan at a server, also at its service where that is possible.",
	{ params: z.object({ origin: z.string().max(2_000) }), result: z.object({ signedOut: z.boolean() }) },
);

export const secretGet = defineMethod(
	"secret/get",
	"Sent by the host right before a request needs it; the value is sent only to that origin and not stored.",
	{
		params: z.object({
			provider: z.string(),
			origin: z.string(),
		}),
		result: z.object({ value: z.string().optional() }),
	},
);

export const didChangeTrust = defineNotification(
	"workspace/didChangeTrust",
	"The user granted or revoked trust in the workspace.",
	z.object({ trusted: z.boolean() }),
);

export const didChangeConfiguration = defineNotification(
	"workspace/didChangeConfiguration",
	"All current settings; missing keys have their defaults.",
	z.object({ settings: ClientSettings }),
);

export const hostStatusChanged = defineNotification(
	"host/statusChanged",
	"Trust, storage or search changed, or the sandbox was tested.",
	HostStatus,
);

/** The code of the warning that commands use the bubblewrap of the package. */
export const BUNDLED = "bwrap-bundled";

export const hostWarning = defineNotification(
	"host/warning",
	"A problem that limits the host, and how to fix it.",
	HostWarning,
);
