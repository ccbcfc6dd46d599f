import { CALL_SENTENCES } from "./call-sentences.ts";
import { HEALTH_SENTENCES } from "./health-sentences.ts";
import { POLICY_SENTENCES } from "./policy-sentences.ts";

/**
 * The host's messages to the user, by name. `{name}` is a placeholder. A name is never reused once released; the text
 * may change. Errors and warnings carry the name and the values beside the English text, so that a client can show them
 * in its own language.
 */
export const SENTENCES = {
	...CALL_SENTENCES,
	...POLICY_SENTENCES,
	...HEALTH_SENTENCES,

	// Threads and turns.
	"thread-gone": "Thread {threadId} was not found. It may have been deleted.",
	"threads-missing": "Threads are missing from the list because their files can't be read: {files}",
	"threads-missing-fix": "Restore these files from a backup, or move them to another folder.",
	"thread-damaged": "Thread {threadId} cannot be read: the start of its file is damaged.",
	"thread-newer": "This thread was created by a newer version of Vitrine. Update Vitrine to continue it.",
	"thread-open-elsewhere":
		"This thread is open in another window (process {owner}). Continue there, or start a new thread here.",
	"turn-runs": "A turn is running in this thread. Stop it or wait until it ends.",
	"turn-runs-before-back": "A turn is running in this thread. Stop it before restoring.",
	"agent-runs-before-back": "The sub-agent {agent} is working. Stop it before restoring.",
	"goal-none": "This thread has no goal to change. Set one with /goal.",
	"goal-too-long": "A goal can have up to {most} characters. Describe it in a file and name that file.",
	"goal-paused": "You paused the goal.",
	"goal-paused-stopped": "You stopped its turn, so the goal is paused.",
	"goal-paused-failed": "Its turn failed, so the goal is paused. See the log for details (Vitrine: Show Log).",
	"goal-paused-rollback": "You rolled back a turn, so the goal is paused.",
	"goal-paused-restart": "The agent host was not running for a while, so the goal is paused.",
	"goal-blocked": "The agent can't continue without you.",
	"goal-check-not-run": "The check did not run to its end, so the goal is paused. {reason}",
	"folder-gone": "{cwd} no longer exists. Choose another folder, or restore it.",
	"plugin-refused": "{folder} can't be installed as a plugin: {reason}.",
	"plugin-changed": "The plugin {name} has changed since you looked at it, so it was not installed. Look at it again.",
	"server-off":
		"The MCP server {name} is not used here: it is switched off or not configured, or the workspace is not trusted.",
	"resource-gone": "{server} no longer offers {uri}. Remove its chip.",
	"resource-unread": "{uri} of {server} couldn't be read: {reason}",
	"sign-in-unused": "{name} doesn't use a sign-in. Only servers at an address without a key in their settings do.",
	"sign-in-unoffered": "{name} doesn't say where to sign in. If it needs a key, add it to the server's headers.",
	"sign-in-stopped-address":
		"The sign-in to {name} was stopped: {host} can't be used for it. Only public https:// sites can.",
	"sign-in-stopped-redirect":
		"The sign-in to {name} was stopped: {host} redirects to another address, which is not followed.",
	"sign-in-stopped-resource": "The sign-in to {name} was stopped: {host} describes another server.",
	"sign-in-no-client":
		"The sign-in service of {name} doesn't register apps. Register Vitrine there and add oauth.clientId to the server's settings.",
	"sign-in-ended": "The sign-in to {name} was not completed.",
	"sign-in-wrong-answer":
		"The answer from the browser doesn't belong to the sign-in to {name}, so it was ignored. Try again.",
	"sign-in-unexpected": "The sign-in service of {name} didn't answer as expected. Try again later.",
	"sign-in-failed": "The sign-in to {name} failed ({reason}). Try again.",
	"plan-not-here": "{origin} has no sign-in with ChatGPT. Use an API key there.",
	"plan-not-allowed": "ChatGPT didn't allow Vitrine to use your plan. Sign in again and allow it, or use an API key.",
	"sign-in-not-renewed": "{host} didn't renew your ChatGPT sign-in this time. You are still signed in; try again.",
	"folder-not-open": "{cwd} is not inside an open workspace folder.",
	"not-a-folder": "{cwd} is not a folder.",
	"folder-not-listed": "{folder} can't be read, so its files are not listed.",
	"files-listed-in-part":
		"This workspace is too large to list every file (listed: {count}). To find the others, exclude folders in .gitignore or open a smaller folder.",

	// Worktrees.
	"worktree-no-repository": "{folder} is not the top folder of a Git repository. Open that folder to use worktrees.",
	"worktree-no-commit": "The repository in {folder} has no commit yet. Commit something first.",
	"worktree-branch-name":
		"{branch} can't be used as a branch name. Use letters, digits, dots, dashes and slashes, without spaces and without a dash at the start.",
	"worktree-branch-taken": "The branch {branch} already exists. Choose another name.",
	"worktree-outdated": "The repository has changed since you were asked, so no worktree was created. Try again.",
	"worktree-not-trusted": "Git doesn't run in an untrusted workspace. Trust the workspace to use worktrees.",
	"worktree-gone": "{path} is not a worktree of an open folder.",
	"worktree-git": "Git couldn't do it: {reason}",
	"worktree-refused": "Git couldn't run in the sandbox: {reason}",
	"worktree-busy": "A turn, a command or a goal is still active in {path}. Stop it first.",
	"worktree-elsewhere": "A thread that works in {path} is open in another window. Close that window first.",
	"worktree-unsaved": "Save these files first: {files}",
	"worktree-other-branch": "{path} no longer has {branch} checked out. Check it out there first.",
	"worktree-uncommitted":
		"The worktree of {branch} has uncommitted changes, which would be lost: {files}. Merge the worktree, or commit or discard them first.",
	"worktree-unmerged":
		"{branch} is not completely merged (commits missing: {count}). Merge the worktree, or keep the branch.",
	"worktree-unfinished": "{path} was not completely created or removed. Drop it to clean up.",
	"worktree-nested": "{path} is a repository of its own, which can't be committed. Move it out of the worktree first.",
	"worktree-nothing": "{branch} has nothing to merge.",
	"worktree-in-the-way":
		"{branch} would replace files in {folder} that are not in its repository: {files}. Move or delete them first.",
	"worktree-no-branch":
		"{folder} has no branch checked out, for example because of an unfinished rebase, so nothing was merged. Check out a branch first.",
	"worktree-merging": "{folder} has an unfinished merge. Commit or abort it first.",
	"worktree-conflicts": "{branch} conflicts with {into} in {files}, so nothing was merged. Merge it in a terminal.",
	"worktree-filter":
		"{branch} makes Git run the filter {filter} on {file}, which your own folder doesn't do, so nothing was merged. Merge it in a terminal if you want that.",
	"worktree-left-over": "The worktree {path} was not completely created or removed.",
	"worktree-left-fix": "Run Vitrine: Drop Worktree… to clean up.",
	"limits-unfit":
		"The machine's limits in {file} can't be read, so no turn can start. Ask its administrator to correct the file. {reason}",
	"model-not-allowed": "{file} doesn't allow prompts to go to {server}. Choose another model.",
	"mode-not-allowed": "{file} allows {mode} at most.",
	"settings-unfit": "The settings conflict: {reason}",
	"skill-unused": "The skill {name} was not used: {reason}",
	"skills-shortened":
		"{shortened} skill descriptions were shortened and {omitted} skills left out to fit the context window. Turn skills off with vitrine.skills.off.",
	"prompt-blocked": "A hook blocked the prompt, so nothing was sent: {reason}",
	"compaction-blocked": "A PreCompact hook stopped the compaction. {reason}",
	"stop-hook-limit": "A Stop hook wanted the turn to continue more than {most} times, so the turn ended.",
	"stop-hook-repeats": "A Stop hook gave the same reason twice, so the turn ended.",
	"customizations-unasked":
		"The workspace brings along {paths}, which you have not allowed. It is not used until you allow it in the chat.",

	// Models.
	"no-openai-model": "No OpenAI model is selected. Run “Vitrine: Set Up Model…”.",
	"no-anthropic-model": "No Anthropic model is selected. Run “Vitrine: Set Up Model…”.",
	"no-server-address": "No model server is configured. Run “Vitrine: Set Up Model…”, or set vitrine.model.baseUrl.",
	"no-model": "No model is selected. Run “Vitrine: Set Up Model…”, or set vitrine.model.id.",
	"no-server-to-ask": "This provider has no server to ask.",
	"no-editor-model": "No editor model is selected. Run “Vitrine: Set Up Model…”.",

	"ollama-window-small":
		"Ollama loaded {model} with a context window of {window} tokens, which is too small for an agent. Restart Ollama with OLLAMA_CONTEXT_LENGTH=64000, or set vitrine.model.contextWindow to continue anyway.",
	"lm-studio-window-small":
		"LM Studio loaded {model} with a context window of {window} tokens, which is too small for an agent. Load it with a larger context length, or set vitrine.model.contextWindow to continue anyway.",
	"prompt-cut":
		"{origin} read only {counted} of about {expected} tokens and dropped the rest without an error: its context window is too small. Increase it (for Ollama, restart it with OLLAMA_CONTEXT_LENGTH=64000), or set vitrine.model.contextWindow to its actual size.",
	// Failures of models. What a server said is quoted as it is.
	"server-slow": "{origin} did not answer in time.",
	"connection-lost": "The connection to {origin} was lost.",
	"no-quota": "The account has no quota left: {said}",
	"no-quota-at": "The account at {origin} has no quota left or reached a limit: {said}",
	"rate-limited": "Rate limited by the server: {said}",
	"rate-limited-at": "Rate limited by {origin}: {said}",
	"rate-limited-minutes": "Rate limited by {origin}; retry in {minutes} minutes: {said}",
	"rate-limited-hours": "Rate limited by {origin}; retry in a few hours: {said}",
	"secret-rejected": "The server rejected the key or sign-in: {said}",
	"key-rejected": "{origin} rejected the API key ({status}). Enter a valid key with “Vitrine: Set Up Model…”.",
	"sign-in-rejected": "{origin} rejected the sign-in ({status}). Sign in again with “Vitrine: Set Up Model…”.",
	"request-forbidden":
		"{origin} does not allow this request ({status}: {said}). Check your account, or enter another key with “Vitrine: Set Up Model…”.",
	"key-required": "{origin} requires an API key ({status}). Enter one with “Vitrine: Set Up Model…”.",
	"not-signed-in": "You are not signed in. Sign in with “Vitrine: Set Up Model…”.",
	"no-api-key": "No API key is stored. Enter one with “Vitrine: Set Up Model…”.",
	"key-unsendable":
		"The API key contains characters that cannot be sent. Enter it again with “Vitrine: Set Up Model…”.",
	"model-unknown": "The server does not have the model: {said}",
	"model-unknown-at":
		"{origin} does not have the model “{model}” ({status}: {said}). Choose another one with “Vitrine: Set Up Model…”, or check vitrine.model.baseUrl.",
	"no-model-list":
		"{origin} has no list of models ({status}: {said}). Check that vitrine.model.baseUrl is complete; it often ends in /v1.",
	"no-endpoint":
		"{origin} has no {path} ({status}: {said}). If the server supports the other API, set vitrine.model.wire to {other}. Check that vitrine.model.baseUrl is complete; it often ends in /v1.",
	"content-filtered":
		"The provider's content filter stopped this: {said}. Rephrase the message, or choose another model.",
	"store-required":
		"{origin} does not support “store: false”, which keeps the conversation from being stored there, so nothing more is sent. Set vitrine.model.wire to chat, or use another server.",
	"request-rejected": "The server rejected the request: {said}",
	"request-rejected-at": "{origin} rejected the request ({status}): {said}",
	"server-failed": "The model's server failed: {said}",
	"server-failed-at": "{origin} failed ({status}): {said}",
	"server-failed-minutes": "{origin} failed ({status}); retry in {minutes} minutes: {said}",
	"server-failed-hours": "{origin} failed ({status}); retry in a few hours: {said}",
	"server-redirects": "{origin} redirects requests ({status}). Set vitrine.model.baseUrl to the final URL.",
	"answer-invalid": "{origin} sent an invalid response.",
	"call-invalid": "The server sent an invalid tool call.",
	"answer-cut": "The model's answer ended early.",
	"answer-empty": "The model ended without an answer. Send “continue”, or choose another model.",
	"server-answer-cut": "The server's response ended early.",
	"output-limit": "The model reached its output limit before it was done. Ask it to continue.",
	"model-stopped": "The model stopped before it was done ({reason}).",
	"certificate-untrusted":
		"The certificate of {origin} is not trusted ({cause}). If your network uses its own certificate, install it in the system or set NODE_EXTRA_CA_CERTS, then restart the agent host.",
	"server-without-tls": "{origin} does not use TLS. Set vitrine.model.baseUrl to a URL that starts with http://.",
	"proxy-sign-in":
		"The proxy requires a user name and password to connect to {origin}. Add them to the proxy's URL in http.proxy or HTTPS_PROXY.",
	"proxy-failed":
		"The proxy did not connect to {origin} ({status}). Check the proxy, and whether it allows this server.",
	"proxy-unusable":
		"Couldn't connect to {origin}. A proxy is set, but the editor's Node version is too old to use it. Update the editor.",
	"server-not-found":
		"Couldn't find {origin} ({cause}). This machine may be offline. Check the connection and vitrine.model.baseUrl.",
	"server-unreachable":
		"{origin} cannot be reached. Check that the server is running and that vitrine.model.baseUrl is correct.",
	"server-unreachable-why":
		"{origin} cannot be reached ({cause}). Check that the server is running and that vitrine.model.baseUrl is correct.",
	"context-too-long":
		"The conversation no longer fits in the model's context window. Start a new thread, or choose a model with a larger window.",
	"model-silent": "No response from the model for {seconds} seconds. Retry, or check the server.",
	"model-wrote-too-much": "The model wrote more than {most} characters and was stopped.",
	"too-many-calls": "The model called tools with more than {most} calls and was stopped.",
	"calls-too-long": "The model called tools with more than {most} characters and was stopped.",
	"event-too-large": "The server sent more than {megabytes} MB in one event, so the connection was closed.",
	"answer-too-large": "The server sent more than {megabytes} MB in one response, so the connection was closed.",
	"answer-too-long": "The server's response is too long.",
	"editor-no-consent":
		"The editor does not allow Vitrine to use this model. Allow it, or choose another one with “Vitrine: Set Up Model…”.",
	"editor-model-gone": "The editor no longer offers this model. Choose another one with “Vitrine: Set Up Model…”.",
	"editor-no-quota": "The editor's model has no quota left: {said}",
	"editor-no-models": "This editor offers no models. Choose another provider with “Vitrine: Set Up Model…”.",
	"editor-rate-limited": "Rate limited by the editor: {said}",
	"editor-answer-cut": "The editor ended the model's answer early.",
	"editor-model-failed": "The editor's model failed: {said}",
	"day-unreadable":
		"Today's usage can't be read ({reason}), so the daily limit can't be enforced. Make the file readable, or remove the limit.",
	"limit-unpriced":
		"A money limit is set, but no price is known for {model}. Set it in vitrine.model.prices, or remove the limit.",
	"retry-now": "Retrying now ({attempt} of {attempts}).",
	"retry-soon": "Retrying in {seconds} s ({attempt} of {attempts}).",

	// What a server refused and is no longer sent.
	"no-server-compaction": "{origin} does not support compaction.",
	"quirk-no-free-form": "{origin} does not support plain-text tool calls, so patches are sent as arguments.",
	"quirk-no-tools": "{origin} does not support tools with this model, so none are sent.",
	"quirk-tools-with-calls":
		"{origin} requires tools in a request with earlier tool calls, so placeholders are sent where none are offered.",
	"quirk-alternate": "{origin} requires alternating user and assistant messages, so messages are merged.",
	"quirk-answer-after-tools": "{origin} requires an answer after tool results, so a short one is inserted.",
	"quirk-calls-in-words":
		"{origin} does not take tool calls in a conversation with this model, so they are sent as text.",
	"quirk-no-developer": "{origin} does not support the developer role, so “system” is used.",
	"quirk-no-system": "{origin} does not support system messages there, so labelled user messages are used.",
	"quirk-reasoning": "{origin} requires its reasoning, so it is sent back.",
	"quirk-no-schema": "{origin} does not support JSON schemas, so the format is described in the prompt.",
	"quirk-no-json": "{origin} does not support JSON mode, so the format is described in the prompt.",
	"quirk-no-option": "{origin} does not support “{option}” with this model, so it is not sent.",
	"quirk-no-effort": "{origin} does not support the reasoning effort “{effort}” with this model, so none is sent.",
	"quirk-other-effort":
		"{origin} does not support the reasoning effort “{effort}” with this model, so “{instead}” is used.",
	"quirk-short-ids": "{origin} requires call ids of nine letters and digits, so they are shortened.",
	"quirk-signatures": "{origin} requires a signature on each call, so a placeholder is sent where there is none.",
	"quirk-text-calls":
		"{origin} passes this model's tool calls on as text, so they are read from the text. Better start it with its tool-call parser (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice and --tool-call-parser).",
	"quirk-no-images": "{origin} does not accept images with this model, so they are not sent.",
	"quirk-small-images": "{origin} does not accept images that large, so they are not sent.",
	"quirk-single-calls": "{origin} accepts one tool call per message, so they are sent one by one.",
	"quirk-output": "{origin} allows shorter answers with this model, so the limit is lowered.",
	"quirk-no-seals": "{origin} cannot read the model's earlier reasoning, so it is not sent.",

	// Notes on a compaction.
	compacting: "Compacting:",
	"too-long-to-summarize": "The conversation is too long for the model to summarize.",
	"too-long-to-compact": "The conversation is too long for the server to compact.",
	"summary-rejected": "The model's summary was rejected twice.",
	"summary-failed": "{model} could not summarize the conversation:",
	"summary-failed-before": "The previous model could not summarize the conversation:",
	"summary-by": "{model} wrote the summary instead.",
	"summary-too-large": "The server's summary does not fit in the context window.",
	"summary-not-worth-it": "The summary would have freed less than a fifth of the context.",
	"no-compaction-there": "The model's server does not support compaction.",
	"no-focus-there": "Server-side compaction does not support a focus.",
	"sealed-for-another": "Another model takes over, and it could not read this server's encrypted summary.",
	"oldest-entry-left-out":
		"The oldest entry did not fit in the summary request, so the summary does not cover it. The model can still retrieve it.",
	"oldest-entries-left-out":
		"The oldest {entries} entries did not fit in the summary request, so the summary does not cover them. The model can still retrieve them.",

	// Compaction.
	"preview-stopped": "The preview was stopped. Nothing was changed.",
	"aside-stopped": "Stopped.",
	"preview-gone": "This preview is no longer available. Create a new one.",
	"preview-outdated": "The history has changed since this preview. Create a new one.",
	"undo-while-turn-runs": "A turn is running. Stop it or wait until it ends, then undo.",
	"no-compaction-to-undo": "There is no compaction to undo.",
	"compacts-already": "The conversation is already being compacted.",
	"nothing-to-compact": "There is nothing to compact yet.",
	"nothing-said-since": "Nothing was said since the last compaction, so there is nothing more to compact.",
	"turn-not-in-history": "That turn is no longer in the model's history.",
	"nothing-to-pin": "That message can't be pinned.",
	"pins-too-long": "Pinned messages can use up to {most} tokens of this model's context window; these use {tokens}.",

	"mute-while-turn-runs": "A turn is running. Stop it or wait until it ends, then try again.",
	"not-mutable":
		"Only tool outputs and the agent's answers can be muted. Your messages, pinned prompts and context from Vitrine can't.",
	"mute-outdated": "The history has changed since then. Refresh the context inspector and try again.",

	// Review and restore.
	"no-open-changes": "{path} has no pending changes.",
	"change-gone": "That change no longer exists, so the comment was not saved.",
	"no-restore": "There is no restore to undo.",
	"no-such-turn": "That turn is not in this thread.",
	"only-files-restorable": "That turn is no longer part of the conversation; only its files can be restored.",
	"restore-failed": "No files were restored: {reason}",
	"restore-no-room": "No files were restored: this thread's storage for backups is full.",
	"nothing-to-fork": "That turn has not ended or does not exist, so there is nothing to fork from.",
	"too-few-turns": "The thread does not have that many turns; it has {turns}.",
	"before-turns-unreadable": "The conversation before these turns can no longer be read, so they can't be rolled back.",

	// Input.
	"prompt-beyond-window":
		"The prompt has about {tokens} tokens; this model's limit is {most}. Put the text in a file and ask about it.",
	"message-beyond-window":
		"The message has about {tokens} tokens; this model's limit is {most}. Put the text in a file and mention it.",
	"no-command-when-restricted": "This workspace is not trusted (Restricted Mode), so commands can't run.",
	"no-command-without-folder": "No folder is open, so commands can't run. Open a folder first.",
	"prompt-empty": "The prompt is empty. Enter a question or a task.",
	"image-without-prompt": "Say what to do with the image.",
	"prompt-too-long":
		"The prompt has {length} characters; the limit is {most}. Put the text in a file and ask about it.",
	"no-such-request": "Request {request} was not found; this thread has {of}.",
	"own-command-alone": "Your own command runs as a separate turn. Send the rest after it.",
	"own-command-empty": "Enter a command after the !.",
	"attached-text-closed":
		"{path} is blocked for the model, but text from it is attached. Remove the attachment, or allow the file in the permissions.",
	"title-before-prompt": "A thread gets its title from its first prompt.",
	"archive-empty": "An empty thread cannot be archived.",
	"export-empty": "An empty thread cannot be exported.",
	"approval-over": "This approval is no longer pending.",

	// Storage.
	"search-failed": "Threads cannot be searched ({reason}). Delete {path}.",
	"import-too-long": "The file can't be imported: it has more than {most} characters. No changes were made.",
	"import-no-header": "The file can't be imported: it does not start with a thread header. No changes were made.",
	"import-many-threads": "The file can't be imported: it contains more than one thread. No changes were made.",
	"import-nothing-said": "The file can't be imported: it holds no prompt to {agent}. No changes were made.",
	"import-line-damaged": "The file can't be imported: line {line} is damaged. No changes were made.",
	"import-line-unknown":
		"The file can't be imported: line {line} is from a newer version of Vitrine, or not a record. No changes were made.",
	"import-text-missing":
		"The file can't be imported: a text that it refers to is missing. Repair the thread, then export it again. No changes were made.",
	"import-text-damaged": "The file can't be imported: a text in it is not valid. No changes were made.",
	"import-disorder": "The file can't be imported: its records are not in order. No changes were made.",
	"import-place-taken": "The file can't be imported: process {owner} is using its place. No changes were made.",
	"not-saved-disk-full": "Not saved: the disk is full. Make room or restore access, then send it again.",
	"not-saved-closed": "Not saved, because the thread was closed. Open it and try again.",
	"not-saved": "Not saved: {reason}. Free up space or restore access, then send it again.",
	"no-home":
		"Threads cannot be saved: this user has no home folder. Set HOME or VITRINE_HOME to a writable folder, then restart the agent host.",
	"home-not-writable":
		"Threads cannot be saved in {folder} ({code}). Make that folder writable, then restart the agent host.",
	"storage-fix": "To restart it, run “Vitrine: Restart Agent Host”.",

	// Images.
	"too-many-images": "A message can have up to {most} images; this one has {count}.",
	"images-too-large": "The images total {size}; the limit is {most}.",
	"image-damaged": "The image is missing or damaged.",
	"image-without-folder": "{name} was not found: no folder is open.",

	// Messages to a running turn.
	"steered-turn-over": "That turn is no longer running. Send the message as a new turn.",
	"steered-while-compacting": "The conversation is being compacted. Send the message when that is done.",
	"steered-while-command-runs": "Your own command is running. Send the message when it is done.",

	// Warnings in a thread.
	"model-took-over": "Model changed from {before} to {model}.",
	"effort-nearest": "{model} does not support the reasoning effort “{asked}”, so “{used}” is used.",
	"effort-unsupported": "{model} has no reasoning effort, so “{asked}” is not sent.",
	"images-not-seen": "{model} may not support images, so yours wasn't sent. Change the model to send it.",
	"call-repeated":
		"The model repeated a call under an id that was used before. Nothing was run again. Ask once more if the answer is missing.",
	"calls-repeated":
		"The model used the ids of earlier calls again (calls: {calls}). Nothing was run again. Ask once more if the answer is missing.",
	"snapshots-full": "This thread's storage for file backups is full; later changes can't be undone here.",
	"file-not-kept":
		"A command changed files that were too large or too many to keep as they were, so this cannot be undone here: {path}.",
	"files-not-kept":
		"A command changed files that were too large or too many to keep as they were, so this cannot be undone here: {path} and {more} more.",
	"rights-unsealed":
		"This thread was created by an earlier version of Vitrine or elsewhere, so it is read-only. Choose its permissions to allow more.",
	"rights-changed":
		"The permissions of this thread can't be verified because its file was changed outside Vitrine or is incomplete. It is read-only until you choose its permissions.",
	"full-access-ended":
		"Full Access has ended: it applies only in the window and folders where it was granted. Change the permissions to grant it again.",
	"compaction-in-vain":
		"Compacting twice did not make the request smaller: the server counts more than the conversation. Automatic compaction pauses until there is space again, or until you compact manually.",
	"sealed-summary-unread":
		"{model} cannot read another server's encrypted summary of earlier turns. It continues with your messages and the turns since; it can retrieve the rest.",
	"record-unreadable": "One record of this thread is unreadable and was skipped.",
	"command-ended-rights": "The command {command} was stopped: it had more permissions than this thread has now.",
	"background-ended-rights":
		"Background command {processId}, {command}, was stopped: it had more permissions than this thread has now.",
	"key-unreadable":
		"The key that protects thread permissions can't be read ({path}). Until then, existing threads are read-only. Restore the file, or delete it to create a new key.",
	"seals-fix": "Restore or delete that file, then restart the agent host.",
	"patch-fix": "Check the files before you continue.",

	// Why no command runs on a machine without a sandbox.
	"uncontained-in-plan": "This machine has no sandbox, so commands can't run in plan or review mode.",
	"uncontained-never": "This machine has no sandbox and approvals are off, so commands can't run.",
	"uncontained-managed": "This machine has no sandbox, and {file} lets no command run without one.",
	"uncontained-closed":
		"{path} is blocked, and this machine has no sandbox to keep commands away from it, so commands can't run.",

	// Why there is no sandbox, each followed by the remedy.
	"no-sandbox-here": "Vitrine can't isolate commands on this operating system, so there is no sandbox for commands.",
	"no-sandbox-here-fix": "Use Linux, macOS, a dev container or WSL 2.",
	"bwrap-missing": "Bubblewrap (bwrap) was not found outside the workspace, so there is no sandbox for commands.",
	"bwrap-missing-fix": "Install it with your package manager, for example: apt install bubblewrap.",
	"bwrap-changed": "Vitrine's bundled bubblewrap has been modified, so there is no sandbox for commands.",
	"bwrap-changed-fix": "Reinstall the extension, or install bubblewrap with your package manager.",
	"bwrap-too-old": "The installed bubblewrap is too old, so there is no sandbox for commands.",
	"bwrap-too-old-fix": "Install bubblewrap 0.5 or later.",
	"bwrap-broken": "Bubblewrap does not isolate what it starts, so there is no sandbox for commands.",
	"bwrap-broken-fix":
		"Run `bwrap --unshare-all --ro-bind / / true` in a terminal to see why, and reinstall bubblewrap.",
	"no-user-namespaces": "This system does not allow unprivileged user namespaces, so there is no sandbox for commands.",
	"no-user-namespaces-fix": "Allow them for your user, or use a machine that does.",
	"userns-apparmor": "AppArmor keeps bubblewrap from making user namespaces here, so there is no sandbox for commands.",
	"userns-apparmor-fix": "Load the profile that your distribution has for bubblewrap.",
	"userns-off": "User namespaces are turned off on this system, so there is no sandbox for commands.",
	"userns-off-fix": "Turn them on.",
	"userns-container": "This container does not allow user namespaces, so there is no sandbox for commands.",
	"userns-container-fix": "Start it with these options, for example in devcontainer.json, and rebuild it.",
	flatpak: "The editor runs as a Flatpak, which can't start a sandbox, so there is no sandbox for commands.",
	"flatpak-fix": "Install the editor from its .deb or .rpm package.",
	snap: "The editor runs as a confined snap, which can't start a sandbox, so there is no sandbox for commands.",
	"snap-fix": "Install the classic snap, or the editor's .deb or .rpm package.",
	"bwrap-bundled": "Bubblewrap is not installed, so commands use the copy that comes with Vitrine.",
	"bwrap-bundled-fix": "Install it with your package manager, so that your system keeps it up to date.",
	"no-proc": "/proc can't be mounted here, so there is no sandbox for commands.",
	"no-proc-fix": "In a container, start it with this option, so that /proc is not masked.",
	wsl1: "WSL 1 has no namespaces, so there is no sandbox for commands.",
	"wsl1-fix": "Convert this distribution to WSL 2: wsl --set-version <name> 2.",
	"seatbelt-missing": "/usr/bin/sandbox-exec is missing, so there is no sandbox for commands.",
	"seatbelt-missing-fix": "It is part of macOS; reinstall the system's command-line tools.",
	"seatbelt-broken": "/usr/bin/sandbox-exec does not isolate what it starts, so there is no sandbox for commands.",
	"seatbelt-broken-fix": "Sandboxes can't be nested: start the editor outside of the other sandbox.",
} as const;
export type SentenceName = keyof typeof SENTENCES;
