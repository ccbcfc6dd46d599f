/** Where several wait for each other. */
export interface Barrier<Value> {
	/** Resolves with what `pass` made when all who have not left have arrived too. */
	arrive(): Promise<Value>;
	leave(): void;
}

export function aBarrier<Value>(count: number, pass: () => Promise<Value>): Barrier<Value> {
	let present = count;
	let arrived = 0;
	let passing = Promise.withResolvers<Value>();
	const look = (): void => {
		if (arrived === 0 || arrived < present) return;
		const { resolve } = passing;
		arrived = 0;
		passing = Promise.withResolvers<Value>();
		resolve(pass());
	};
	return {
		arrive() {
			const { promise } = passing;
			arrived += 1;
			look();
			return promise;
		},
		leave() {
			present -= 1;
			look();
		},
	};
}
