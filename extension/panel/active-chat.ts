/** Chooses among the chats of a window the one that commands are about: the one that the user was in last. */
export interface ActiveChat<T> {
	readonly current: () => T;
	/** The main one first. */
	readonly all: () => readonly T[];
	readonly add: (chat: T) => void;
	readonly remove: (chat: T) => void;
	/** The user is in this one now. */
	readonly activate: (chat: T) => void;
}

/** `changed`: another one is active now. */
export function createActiveChat<T>(main: T, changed: () => void): ActiveChat<T> {
	const others = new Set<T>();
	let current = main;
	const activate = (chat: T): void => {
		if (chat === current || (chat !== main && !others.has(chat))) return;
		current = chat;
		changed();
	};
	return {
		current: () => current,
		all: () => [main, ...others],
		add: (chat) => {
			others.add(chat);
		},
		remove: (chat) => {
			others.delete(chat);
			if (chat === current) activate(main);
		},
		activate,
	};
}
