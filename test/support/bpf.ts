/** One system call as a filter sees it. */
export interface Call {
	readonly architecture: number;
	readonly number: number;
	readonly args: readonly (number | bigint)[];
}

/** Runs a classic BPF program on a call, as the kernel would; a program that leaves its own bounds throws. */
export function runFilter(program: Buffer, call: Call): string {
	const data = dataOf(call);
	let value = 0;
	for (let at = 0; ; ) {
		const code = program.readUInt16LE(at * 8);
		const operand = program.readUInt32LE(at * 8 + 4);
		const jump = (holds: boolean) => program.readUInt8(at * 8 + (holds ? 2 : 3));
		switch (code) {
			case 0x20:
				value = data.readUInt32LE(operand);
				break;
			case 0x54:
				value = (value & operand) >>> 0;
				break;
			case 0x15:
				at += jump(value === operand);
				break;
			case 0x35:
				at += jump(value >= operand);
				break;
			case 0x45:
				at += jump((value & operand) !== 0);
				break;
			case 0x06:
				return verdictOf(operand);
			default:
				throw new Error(`Unknown instruction ${code} at ${at}`);
		}
		at += 1;
	}
}

function dataOf({ architecture, number, args }: Call): Buffer {
	const data = Buffer.alloc(64);
	data.writeInt32LE(number, 0);
	data.writeUInt32LE(architecture, 4);
	for (const [index, arg] of args.entries()) data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(arg)), 16 + 8 * index);
	return data;
}

function verdictOf(value: number): string {
	if (value === 0x7fff0000) return "allow";
	if (value === 0x80000000) return "kill";
	return `errno ${value & 0xffff}`;
}
