import { priceOf, totalOf } from "./basket.js";

const basket = [
	{ article: "Apples", pieces: 10, cents: 35 },
	{ article: "Bread", pieces: 1, cents: 420 },
	{ article: "Candles", pieces: 12, cents: 150 },
];

for (const line of basket) console.log(`${line.pieces} × ${line.article}`.padEnd(20), euros(priceOf(line)));
console.log("Total".padEnd(20), euros(totalOf(basket)));

/** @param {number} cents */
function euros(cents) {
	return (cents / 100).toFixed(2).padStart(8);
}
