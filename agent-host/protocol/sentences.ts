/**
 * What the host says to a person, by name. `{name}` stands for a value. A name is never reused once released; the words may change.
 * Errors and warnings carry the name and the values beside the English text, so that a client can say them in its own language.
 */
export const SENTENCES = {
	// Threads and turns.
	"thread-gone": "There is no thread {threadId}. It may have been deleted.",
	"thread-damaged": "Thread {threadId} cannot be read: its file has no intact beginning.",
	"thread-newer": "This thread was written by a newer Vitrine. Update Vitrine to go on with it.",
	"thread-open-elsewhere":
		"This thread is open in another window (process {owner}). Go on there, or start a new thread here.",
	"turn-runs": "A turn is running in this thread. Stop it or wait for its end.",
	"turn-runs-before-back": "A turn is running in this thread. Stop it before going back.",
	"folder-gone": "{cwd} is not there any more. Choose another folder, or bring it back.",
	"folder-not-open": "{cwd} is not inside an open workspace folder.",
	"not-a-folder": "{cwd} is not a folder.",
	"settings-unfit": "The settings do not fit together: {reason}",

	// Models.
	"no-openai-model": "No OpenAI model is chosen. Run “Vitrine: Set Up Model…”.",
	"no-server-address": "The model server has no address. Run “Vitrine: Set Up Model…”, or set vitrine.model.baseUrl.",
	"no-model": "No model is chosen. Run “Vitrine: Set Up Model…”, or set vitrine.model.id.",
	"no-editor-model": "No editor model is chosen. Run “Vitrine: Set Up Model…”.",

	// Compaction.
	"preview-stopped": "The preview was stopped; nothing was changed.",
	"preview-gone": "There is no such preview any more. Make another one.",
	"preview-outdated": "The history was rewritten since this preview. Make another one.",
	"undo-while-turn-runs": "A turn is running. Stop it or wait for its end, then undo.",
	"no-compaction-to-undo": "There is no compaction that can be undone.",
	"nothing-to-compact": "There is nothing to compact yet.",
	"turn-not-in-history": "That turn is not in the model's history any more.",
	"nothing-to-pin": "There is no such turn to pin.",
	"pins-too-long": "Pinned prompts may take {most} tokens of this model's window; these take {tokens}.",

	// Review and restore.
	"no-open-changes": "{path} has no open changes.",
	"change-gone": "That change is no longer there, so nothing was noted.",
	"no-restore": "There is no restore to take back.",
	"no-such-turn": "There is no such turn in this thread.",
	"only-files-restorable": "That turn is no longer part of the conversation; only its files can be restored.",
	"restore-failed": "Nothing was restored: {reason}",
	"restore-no-room": "Nothing was restored: this thread has no room left to keep what would be replaced.",
	"nothing-to-fork": "There is no such turn that has ended, so there is nothing to fork from.",
	"too-few-turns": "The thread has only {turns} turns.",
	"before-turns-unreadable": "What was before these turns cannot be read any more, so they stay.",

	// Input.
	"prompt-beyond-window":
		"The prompt has about {tokens} tokens, more than this model's window has room for ({most}). Put the text in a file and ask about it.",
	"message-beyond-window":
		"The message has about {tokens} tokens, more than this model's window has room for ({most}). Put the text in a file and name it.",
	"no-command-when-restricted": "This workspace is not trusted (Restricted Mode), so no command runs.",
	"no-command-without-folder": "No folder is open, so there is no place to run a command. Open one first.",
	"prompt-empty": "The prompt is empty. Type a question or a task.",
	"image-without-prompt": "Say what to do with the image.",
	"prompt-too-long":
		"The prompt has {length} characters; the limit is {most}. Put the text in a file and ask about it.",
	"no-such-request": "This thread has no request {request}; it has {of}.",
	"own-command-alone": "A command of your own is a turn by itself. Send the rest after it.",
	"own-command-empty": "There is no command after the exclamation mark.",
	"attached-text-closed":
		"{path} is closed to the model, and text of it is attached. Take it out, or open the file in the permissions.",
	"title-before-prompt": "A thread gets its title with its first prompt.",
	"archive-empty": "An empty thread cannot be archived.",
	"approval-over": "This approval is no longer waiting.",

	// Storage.
	"search-failed": "Threads cannot be searched ({reason}). Delete {path}.",
	"import-too-long": "The file cannot be brought in: it has more than {most} characters. Nothing was changed.",
	"import-no-header": "The file cannot be brought in: it does not begin with a thread's header. Nothing was changed.",
	"import-many-threads": "The file cannot be brought in: it holds more than one thread. Nothing was changed.",
	"import-line-damaged": "The file cannot be brought in: line {line} is damaged. Nothing was changed.",
	"import-line-unknown":
		"The file cannot be brought in: line {line} is from a newer Vitrine or no record. Nothing was changed.",
	"import-text-missing":
		"The file cannot be brought in: a text that it names is missing. Repair the thread, then export it again. Nothing was changed.",
	"import-text-damaged": "The file cannot be brought in: a text in it is no text. Nothing was changed.",
	"import-disorder": "The file cannot be brought in: its records are not in order. Nothing was changed.",
	"import-place-taken": "The file cannot be brought in: process {owner} holds its place. Nothing was changed.",
	"not-saved-disk-full": "Not saved: the disk is full. Make room or restore access, then send it again.",
	"not-saved": "Not saved: {reason}. Make room or restore access, then send it again.",
	"no-home":
		"Threads cannot be saved: this user has no home folder. Set HOME or VITRINE_HOME to one that is writable, then restart the agent host.",
	"home-not-writable":
		"Threads cannot be saved in {folder} ({code}). Make that folder writable, then restart the agent host.",
	"storage-fix": "Choose a writable folder, then run “Vitrine: Restart Agent Host”.",

	// Images.
	"too-many-images": "{count} images are more than the {most} that a message can have.",
	"images-too-large": "The images have {size} together; a message takes {most}.",
	"image-damaged": "The image is missing or damaged.",
	"image-without-folder": "{name} cannot be found: no folder is open.",

	// Messages to a running turn.
	"steered-turn-over": "That turn does not run any more. Send the message as a new turn.",
	"steered-while-compacting": "The conversation is being compacted and takes no message. Send it when that is done.",
	"steered-while-command-runs": "A command of your own is running and takes no message. Send it when that is done.",

	// Warnings in a thread.
	"model-took-over": "This thread was with {before}; from here on {model} answers.",
	"images-not-seen":
		"{model} cannot read images, as far as Vitrine knows; it is told that one was attached. Choose another model to show it.",
	"call-repeated":
		"The model repeated a call under an id that was used before. Nothing was run again. Ask once more if the answer is missing.",
	"calls-repeated":
		"The model repeated {calls} calls under an id that was used before. Nothing was run again. Ask once more if the answer is missing.",
	"snapshots-full": "This thread has no room left to keep files as they were; later changes cannot be undone here.",
	"file-not-kept":
		"A command changed files that were too large or too many to keep as they were, so this cannot be undone here: {path}.",
	"files-not-kept":
		"A command changed files that were too large or too many to keep as they were, so this cannot be undone here: {path} and {more} more.",
	"rights-unsealed":
		"This thread comes from an earlier version of Vitrine or from elsewhere, so it can only read for now. Choose its permissions to let it do more.",
	"rights-changed":
		"What this thread may do cannot be verified, because its file was changed outside Vitrine or is incomplete. It can only read until you choose its permissions.",
	"full-access-ended":
		"Full access has ended: it holds only in the window and the folders where it was given. Choose permissions to give it again.",
	"compaction-in-vain":
		"Compacting did not make the request smaller, twice in a row: the server counts more than the conversation. It goes on without that until there is room again, or you compact it yourself.",
	"sealed-summary-unread":
		"{model} cannot read what the server of another model keeps of earlier turns. It goes on with your messages and what was said since; the rest can be recalled.",
	"record-unreadable": "One record of this thread is unreadable and was left out.",
	"command-ended-rights": "The command {command} was ended: it had more permissions than this thread has now.",
	"background-ended-rights":
		"Background command {processId}, {command}, was ended: it had more permissions than this thread has now.",
	"key-unreadable":
		"The key that protects what threads may do cannot be read ({path}). Until it can, threads from earlier only read. Restore the file, or delete it to have a new one made.",
	"seals-fix": "Restore or delete that file, then restart the agent host.",
	"patch-fix": "Look at the files before you go on.",
	"policy-broken": "The sandbox does not hold: a command could {what}.",
	"policy-broken-fix": "Reinstall bubblewrap, restart the agent host, and run “Vitrine: Run Policy Probe”.",
	"policy-unproved": "The sandbox was not tried to the end: whether a command can {what} is not known.",
	"policy-unproved-fix": "Run “Vitrine: Run Policy Probe” again.",
	"policy-too-strict": "A command could not {what}, although the policy lets it.",
	"policy-too-strict-fix": "Run “Vitrine: Run Policy Probe” to see all that was tried.",

	// Why nothing contains commands, each followed by what helps.
	"no-sandbox-here": "There is no sandbox on this machine, so no command runs.",
	"no-sandbox-here-fix": "Use Linux, macOS, a dev container or WSL 2.",
	"bwrap-missing": "Bubblewrap (bwrap) was not found outside the workspace, so no command runs.",
	"bwrap-missing-fix": "Install it: apt install bubblewrap, dnf install bubblewrap, or apk add bubblewrap.",
	"bwrap-changed": "The bubblewrap that came with Vitrine is not the one that was packed, so no command runs.",
	"bwrap-changed-fix": "Reinstall the extension, or install bubblewrap from your system's packages.",
	"bwrap-too-old": "This bubblewrap is too old to contain commands, so none runs.",
	"bwrap-too-old-fix": "Install bubblewrap 0.5 or later.",
	"bwrap-broken": "Bubblewrap does not contain what it starts, so no command runs.",
	"bwrap-broken-fix":
		"Run `bwrap --unshare-all --ro-bind / / true` in a terminal to see why, and reinstall bubblewrap.",
	"no-user-namespaces": "This system does not let ordinary users make namespaces, so no command runs.",
	"no-user-namespaces-fix":
		"Allow them: sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu an AppArmor profile for bwrap; in a container, run it with user namespaces allowed.",
	"no-proc": "A fresh /proc cannot be mounted here, so no command runs.",
	"no-proc-fix":
		"In a container, start it so that /proc is not masked (for Docker: --security-opt systempaths=unconfined).",
	wsl1: "WSL 1 has no namespaces, so no command runs.",
	"wsl1-fix": "Move this distribution to WSL 2: wsl --set-version <name> 2.",
	"seatbelt-missing": "/usr/bin/sandbox-exec is missing, so no command runs.",
	"seatbelt-missing-fix": "It is a part of macOS; reinstall the system's command-line programs.",
	"seatbelt-broken": "/usr/bin/sandbox-exec does not contain what it starts, so no command runs.",
	"seatbelt-broken-fix": "A sandbox cannot be made inside another one: start the editor outside of it.",
} as const;
export type SentenceName = keyof typeof SENTENCES;
