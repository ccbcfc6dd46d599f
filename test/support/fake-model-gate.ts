/** A place where a stream waits for the test, so that no test waits for time to pass. */
export interface Gate {
	/** Settles when the stream has come to the gate and everything before it was written. */
	readonly reached: Promise<void>;
	readonly release: () => void;
	/** The server's side: says that it is here and waits. */
	readonly pass: () => Promise<void>;
}

export function createGate(): Gate {
	const reached = Promise.withResolvers<void>();
	const released = Promise.withResolvers<void>();
	return {
		reached: reached.promise,
		release: released.resolve,
		pass: () => {
			reached.resolve();
			return released.promise;
		},
	};
}
