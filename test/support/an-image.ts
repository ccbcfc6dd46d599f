import { crc32, deflateSync } from "node:zlib";
import type { UserImage } from "../../agent-host/history/history-item.ts";

/** A picture in one colour that every browser draws. */
export function aPng(width: number, height: number, [red, green, blue] = [200, 60, 60]): Buffer {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	// Eight bits a channel, three channels.
	header.set([8, 2, 0, 0, 0], 8);
	const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([red, green, blue]))]);
	const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
	const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
	return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** An image as history holds it; a test names only what it is about. */
export function anImage(change: Partial<UserImage> = {}): UserImage {
	const data = aPng(2, 1).toString("base64");
	return { kind: "userImage", mediaType: "image/png", width: 2, height: 1, data, ...change };
}

function chunk(name: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(name), data]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.length);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}
