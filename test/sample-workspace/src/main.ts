import { type Line, priceOf, totalOf } from "./basket.ts";

const basket: readonly Line[] = [
	{ article: "Apples", pieces: 10, cents: 35 },
	{ article: "Bread", pieces: 1, cents: 420 },
	{ article: "Candles", pieces: 12, cents: 150 },
];

for (const line of basket) console.log(`${line.pieces} × ${line.article}`.padEnd(20), euros(priceOf(line)));
console.log("Total".padEnd(20), euros(totalOf(basket)));

function euros(cents: number): string {
	return (cents / 100).toFixed(2).padStart(8);
}
