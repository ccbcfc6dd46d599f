import { type Body, type Lesson, teach } from "./lesson.ts";
import type { Quirks } from "./quirks.ts";
import type { Refusal } from "./refusal.ts";

/** What servers and chat templates refuse about the roles of messages. */
export function lessonOfRoles({ text }: Refusal, body: Body, quirks: Quirks): Lesson | undefined {
	const roles = listRoles(body);
	if (/after role ['"`]?tool\b/i.test(text)) return ANSWER_AFTER_TOOLS;
	if (/alternat|only user and assistant roles/i.test(text)) return lessonOfOrder(roles, quirks);
	if (!/\brole|system message|developer/i.test(text)) return undefined;
	if (roles.includes("developer") && /developer|should be|unexpected|unknown|invalid|unsupported/i.test(text)) {
		return teach("no-developer-role", "quirk-no-developer");
	}
	return roles.includes("system") && /system/i.test(text) ? NO_SYSTEM : undefined;
}

/** Such a template does not say which message is in the way: what changes least is tried first. */
function lessonOfOrder(roles: readonly unknown[], quirks: Quirks): Lesson | undefined {
	if (!quirks.has("roles-alternate")) return teach("roles-alternate", "quirk-alternate");
	const start = roles.findIndex((role) => role !== "system");
	if (start >= 0 && roles.includes("system", start)) return NO_SYSTEM;
	// Templates that count the roles do not count calls and their results.
	const isUnanswered = roles.some((role, at) => role === "user" && roles[at - 1] === "tool");
	if (isUnanswered) return ANSWER_AFTER_TOOLS;
	if (roles.includes("system")) return NO_SYSTEM;
	return roles.includes("tool") ? teach("calls-in-words", "quirk-calls-in-words") : undefined;
}

const NO_SYSTEM = teach("no-system-role", "quirk-no-system");
const ANSWER_AFTER_TOOLS = teach("answer-after-tools", "quirk-answer-after-tools");

function listRoles(body: Body): readonly unknown[] {
	const messages = body.messages ?? body.input;
	return Array.isArray(messages) ? messages.map((message: { readonly role?: unknown }) => message.role) : [];
}
